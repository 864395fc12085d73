//! The loop between a machine, the clock and the devices.

use std::io;
use std::os::fd::AsFd;

use base::{Duration, Time};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use wire::Split;

use crate::backlog::Backlog;
use crate::outbox::Outbox;
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

    /// A frame came in at `port`, which is offloading. Returns how many packets it had.
    ///
    /// # Errors
    /// As for [`Machine::handle_packet`].
    fn handle_frame(&mut self, now: Time, port: usize, mut frame: Split<'_>) -> io::Result<usize> {
        let mut packets = 0;
        while let Some(packet) = frame.next_packet() {
            self.handle_packet(now, port, packet)?;
            packets += 1;
        }
        Ok(packets)
    }

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

    /// With what the packet that was polled last may leave in one frame, where its port is
    /// offloading.
    fn joining(&self) -> Joining {
        Joining::Flow
    }

    /// Packets that were polled leave now, all or some.
    fn handle_departure(&mut self) {}

    /// What became of a packet that was polled: of the last, unless its port is offloading; there
    /// packets are written later, and counted one by one all the same, in the order in which they
    /// were polled if none joins its flow.
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

/// Which packets a packet may share a frame with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joining {
    /// Those of its flow that were polled in the same round. Packets of other flows in between
    /// leave behind it.
    Flow,
    /// That which was polled before it, if it has the same port.
    Previous,
    /// None that was polled before it.
    Nothing,
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

    /// Whether what is received and sent are frames of many packets, each behind an
    /// [`OFFLOAD_HEADER`](wire::OFFLOAD_HEADER), which the driver splits and joins.
    fn is_offloading(&self) -> bool {
        false
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
    let mut outbox = Outbox::new(clock, ports);
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
            let mut taken = 0;
            while taken < machine.batch() {
                let before = clock.now();
                let received = port.receive(&mut inbox).or_else(|error| again(number, &error));
                let Some(bytes) = received? else {
                    backlog.was_empty(before);
                    break;
                };
                backlog.receive();
                taken += hand_over(clock.now(), machine, (number, *port), &mut inbox[..bytes])?;
            }
            outbox.flush(machine)?;
        }
        if !fds[ports.len()].revents().is_empty() && waker.drain()? {
            machine.handle_wake(clock.now());
        }
        machine.handle_timeout(clock.now())?;
        outbox.flush(machine)?;
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

/// Hands a machine the packets of what was received, and tells how many there were.
fn hand_over<M: Machine>(
    now: Time,
    machine: &mut M,
    (number, port): (usize, &dyn Port),
    received: &mut [u8],
) -> io::Result<usize> {
    if port.is_offloading() {
        return machine.handle_frame(now, number, Split::new(received));
    }
    machine.handle_packet(now, number, received)?;
    Ok(1)
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
pub(crate) fn is_gone(error: &io::Error) -> bool {
    let gone = [Errno::BADFD, Errno::BADF, Errno::NODEV, Errno::NXIO];
    Errno::from_io_error(error).is_some_and(|errno| gone.contains(&errno))
}

pub(crate) fn gone(number: usize, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("the device at port {number} is gone: {error}"))
}

#[cfg(test)]
mod tests;
