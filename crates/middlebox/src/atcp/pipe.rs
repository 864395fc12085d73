//! Packets of a mobile that are not TCP and were let go: what is in the pipe.
//!
//! Nobody acknowledges them to the box. One has left the pipe once a segment that was sent after it
//! has arrived, as nothing overtakes on the radio, or when it has been in the pipe for as long as
//! segments are now; without segments in flight, when the pipe would have carried it at the rate at
//! which it is known to drain.

use std::collections::VecDeque;

use base::{Duration, Time};

/// Packets in the pipe, as far as is known.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    packets: VecDeque<InPipe>,
    /// Bytes of them.
    pub(super) in_flight: u64,
    /// Bytes that have left it without an answer that tells so yet.
    expired: u64,
    /// Time at which the pipe has carried all that was let go.
    drained_at: Time,
}

/// A packet that was let go.
#[derive(Clone, Copy, Debug)]
struct InPipe {
    /// Place in the order of sending.
    position: u64,
    bytes: u32,
    at: Time,
    /// Time at which the pipe would have carried it.
    due: Time,
}

impl Pipe {
    /// A packet that was let go at `position` is in a pipe that takes `empty` for a packet without
    /// length, and then `bytes` at `rate` bytes/s.
    pub(super) fn enter(
        &mut self,
        now: Time,
        position: u64,
        bytes: u64,
        (rate, empty): (f64, Duration),
    ) {
        let time = Duration::from_secs_f64(bytes as f64 / rate);
        let due = self.drained_at.max(now + empty) + time;
        self.drained_at = due;
        self.in_flight += bytes;
        self.packets.push_back(InPipe { position, bytes: bytes as u32, at: now, due });
    }

    /// Arrival of all that was let go before `position`. Returns how many bytes have left since the
    /// last call.
    pub(super) fn leave_below(&mut self, position: u64) -> u64 {
        self.leave(|packet| packet.position < position) + std::mem::take(&mut self.expired)
    }

    /// Passage of time: packets leave that have been in the pipe for `time`, or without that, those
    /// that the pipe has carried by now. Returns whether any did.
    pub(super) fn expire(&mut self, now: Time, time: Option<Duration>) -> bool {
        let bytes = self.leave(|packet| packet.leaves(time) <= now);
        self.expired += bytes;
        bytes > 0
    }

    fn leave(&mut self, has_left: impl Fn(&InPipe) -> bool) -> u64 {
        let before = self.in_flight;
        while self.packets.front().is_some_and(&has_left) {
            let packet = self.packets.pop_front();
            self.in_flight -= packet.map_or(0, |packet| u64::from(packet.bytes));
        }
        before - self.in_flight
    }

    /// Time at which the next packet will have left a pipe in which packets are for `time`, or by
    /// what the pipe can carry, if no segment tells it before.
    pub(super) fn due(&self, time: Option<Duration>) -> Option<Time> {
        self.packets.front().map(|packet| packet.leaves(time))
    }
}

impl InPipe {
    fn leaves(&self, time: Option<Duration>) -> Time {
        time.map_or(self.due, |time| self.at + time)
    }
}
