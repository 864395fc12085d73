//! The loop between a machine, the clock and the devices.

use std::io;
use std::os::fd::AsFd;

use base::{Duration, Time};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::backlog::Backlog;
use crate::wait::Wait;
use crate::{Clock, LARGEST_PACKET, Scheduling, Waker};

/// A machine over packets: the verbs of every machine, with the number of a port beside each
/// packet.
pub trait Machine {
    /// A packet came in at `port`.
    ///
    /// # Errors
    /// What ends the run, such as a capture that cannot be written.
    fn handle_packet(&mut self, now: Time, port: usize, packet: &[u8]) -> io::Result<()>;

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

    /// The packets that come in next, at whatever port, may have waited there for so long.
    fn handle_unseen(&mut self, _unseen: Duration) {}

    /// What became of the packet that was polled last.
    fn handle_written(&mut self, _now: Time, _written: Written) {}

    /// The waker was woken.
    fn handle_wake(&mut self, _now: Time) {}

    /// When [`Machine::handle_timeout`] is due; `None` is never.
    fn poll_timeout(&self) -> Option<Time>;

    /// The longest time between two calls of [`Machine::handle_timeout`], if the kernel keeps its
    /// word. What is late by more is noticed after as much.
    fn longest_sleep(&self) -> Duration {
        Duration::from_millis(5)
    }

    /// Packets taken from a port in a row, if so many wait, before what they call for is sent:
    /// enough to make a poll cheap, few enough that what is due meanwhile, at either port, does
    /// not wait for long.
    fn batch(&self) -> usize {
        32
    }

    /// True once there is nothing left to do.
    fn is_over(&self) -> bool;
}

/// What became of a packet that was to go out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// The kernel took it.
    Taken,
    /// The kernel did not.
    Refused,
}

/// Where a driver reads and writes packets.
pub trait Port: AsFd {
    /// Receives a packet, with its link header, into `buffer` and tells its bytes; `None` if none
    /// waits. A buffer of [`LARGEST_PACKET`] bytes always suffices.
    ///
    /// # Errors
    /// The kernel's.
    fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// Sends `packet`, with its link header, or hands it to the kernel.
    ///
    /// # Errors
    /// The kernel's, which then has not taken the packet.
    fn send(&self, packet: &[u8]) -> io::Result<()>;

    /// Packets that may wait to be received at most; `None` if that is not known.
    fn room(&self) -> Option<u64> {
        None
    }
}

/// Drives `machine` through `ports` until it is over. What is due is awaited as closely as
/// `scheduling`, that of the calling thread, allows.
///
/// # Errors
/// The machine's or the kernel's, such as for a port that is gone. A packet that the kernel does
/// not take ends nothing: the machine is told.
pub fn run<M: Machine>(
    clock: &Clock,
    ports: &[&dyn Port],
    waker: &Waker,
    scheduling: Scheduling,
    machine: &mut M,
) -> io::Result<()> {
    let mut wait = Wait::new(scheduling, clock.now());
    let mut inbox = vec![0; LARGEST_PACKET];
    let mut outbox = Vec::new();
    let empty = |port: &&dyn Port| Backlog::new(port.room(), clock.now());
    let mut backlogs: Vec<_> = ports.iter().map(empty).collect();
    let fds = ports.iter().map(AsFd::as_fd).chain([waker.as_fd()]);
    let mut fds: Vec<_> = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    while !machine.is_over() {
        for (number, port) in ports.iter().enumerate() {
            if fds[number].revents().is_empty() {
                continue;
            }
            let backlog = &mut backlogs[number];
            machine.handle_unseen(backlog.begin(clock.now()));
            for _ in 0..machine.batch() {
                let before = clock.now();
                let received = port.receive(&mut inbox).or_else(|error| again(number, &error));
                let Some(bytes) = received? else {
                    backlog.was_empty(before);
                    break;
                };
                backlog.receive();
                machine.handle_packet(clock.now(), number, &inbox[..bytes])?;
            }
            flush(clock, ports, machine, &mut outbox)?;
        }
        if !fds[ports.len()].revents().is_empty() && waker.drain()? {
            machine.handle_wake(clock.now());
        }
        machine.handle_timeout(clock.now())?;
        flush(clock, ports, machine, &mut outbox)?;
        if !machine.is_over() {
            let nothing =
                wait.until(machine.poll_timeout(), machine.longest_sleep(), clock, &mut fds)?;
            for (backlog, fd) in backlogs.iter_mut().zip(&fds) {
                let empty = if fd.revents().is_empty() { Some(wait.looked) } else { nothing };
                if let Some(time) = empty {
                    backlog.was_empty(time);
                }
            }
        }
    }
    Ok(())
}

/// Sends whatever is to be sent by now.
fn flush<M: Machine>(
    clock: &Clock,
    ports: &[&dyn Port],
    machine: &mut M,
    packet: &mut Vec<u8>,
) -> io::Result<()> {
    while let Some(number) = machine.poll_packet(clock.now(), packet)? {
        let written = match ports[number].send(packet) {
            Ok(()) => Written::Taken,
            Err(error) if is_gone(&error) => return Err(gone(number, &error)),
            Err(_) => Written::Refused,
        };
        machine.handle_written(clock.now(), written);
    }
    Ok(())
}

/// A signal interrupts nothing; whatever else keeps a port from being read ends the run.
fn again(number: usize, error: &io::Error) -> io::Result<Option<usize>> {
    match error.kind() {
        io::ErrorKind::Interrupted => Ok(None),
        _ if is_gone(error) => Err(gone(number, error)),
        kind => Err(io::Error::new(kind, format!("cannot read from port {number}: {error}"))),
    }
}

/// True if no later packet will fare better. An interface that is down may come up again.
fn is_gone(error: &io::Error) -> bool {
    let gone = [Errno::BADFD, Errno::BADF, Errno::NODEV, Errno::NXIO];
    Errno::from_io_error(error).is_some_and(|errno| gone.contains(&errno))
}

fn gone(number: usize, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("the device at port {number} is gone: {error}"))
}

#[cfg(test)]
mod tests;
