//! The loop between a machine, the clock and the devices.

use std::io;

use base::Time;
use bytes::{Bytes, BytesMut};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::{Clock, Tun};

/// A machine over IP packets: the verbs of every machine, with the number of a port beside each
/// packet.
pub trait Machine {
    /// A packet came in at `port`.
    ///
    /// # Errors
    /// What ends the run, such as a capture that cannot be written.
    fn handle_packet(&mut self, now: Time, port: usize, packet: Bytes) -> io::Result<()>;

    /// Time has passed. Before the deadline nothing happens.
    ///
    /// # Errors
    /// What ends the run.
    fn handle_timeout(&mut self, now: Time) -> io::Result<()>;

    /// Puts the next packet to send now in `packet`, in place of what is there, and names the
    /// port; `None` if there is none.
    ///
    /// # Errors
    /// What ends the run.
    fn poll_packet(&mut self, now: Time, packet: &mut Vec<u8>) -> io::Result<Option<usize>>;

    /// When [`Machine::handle_timeout`] is due; `None` is never.
    fn poll_timeout(&self) -> Option<Time>;

    /// True once there is nothing left to do.
    fn is_over(&self) -> bool;
}

/// Drives `machine`, whose ports are `tuns` in their order, until it is over.
///
/// # Errors
/// The machine's, or the kernel's.
pub fn run<M: Machine>(clock: &Clock, tuns: &[Tun], machine: &mut M) -> io::Result<()> {
    let mut inbox = Inbox::default();
    let mut packet = Vec::new();
    while !machine.is_over() {
        for (port, tun) in tuns.iter().enumerate() {
            for _ in 0..BATCH {
                let Some(packet) = inbox.receive(tun)? else { break };
                machine.handle_packet(clock.now(), port, packet)?;
            }
        }
        machine.handle_timeout(clock.now())?;
        while let Some(port) = machine.poll_packet(clock.now(), &mut packet)? {
            tuns[port].send(&packet)?;
        }
        let now = clock.now();
        if !machine.is_over() && machine.poll_timeout().is_none_or(|deadline| deadline > now) {
            wait(tuns, machine.poll_timeout(), now)?;
        }
    }
    Ok(())
}

/// Packets taken from a port in a row: enough to make a system call cheap, few enough that the
/// answers to the first do not wait for long.
const BATCH: usize = 32;

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;

/// Sleeps until a packet waits or `deadline` has come.
fn wait(tuns: &[Tun], deadline: Option<Time>, now: Time) -> io::Result<()> {
    let timeout = deadline.map(|deadline| {
        let nanos = deadline.saturating_since(now).as_nanos();
        Timespec { tv_sec: (nanos / SECOND) as i64, tv_nsec: (nanos % SECOND) as i64 }
    });
    let mut fds: Vec<_> = tuns.iter().map(|tun| PollFd::new(tun, PollFlags::IN)).collect();
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Receives packets into large blocks of memory that they share, so that their payloads need no
/// copies.
#[derive(Default)]
struct Inbox {
    block: BytesMut,
}

impl Inbox {
    fn receive(&mut self, tun: &Tun) -> io::Result<Option<Bytes>> {
        if self.block.len() < LARGEST_PACKET {
            self.block = BytesMut::zeroed(BLOCK);
        }
        let received = tun.receive(&mut self.block[..LARGEST_PACKET])?;
        Ok(received.map(|bytes| self.block.split_to(bytes).freeze()))
    }
}

/// The length field of IP has 16 bits (RFC 791 §3.1).
const LARGEST_PACKET: usize = 65_535;

/// Bytes of a block.
const BLOCK: usize = 1 << 20;
