//! For how long packets may have waited at a port before they were received.

use std::collections::VecDeque;

use base::{Duration, Time};

/// What is known of the packets that wait at a port, which tells no time of arrival.
#[derive(Debug)]
pub(crate) struct Backlog {
    /// Packets that may wait there at most; `None` if that is not known.
    room: Option<u64>,
    /// All that waits came since.
    since: Time,
    /// Packets received so far.
    received: u64,
    /// When so many had been received, oldest first: no further back than `room` packets.
    marks: VecDeque<(u64, Time)>,
}

impl Backlog {
    /// Of a port that has room for so many packets and is empty at `now`.
    pub(crate) const fn new(room: Option<u64>, now: Time) -> Self {
        Self { room, since: now, received: 0, marks: VecDeque::new() }
    }

    /// The port was empty at `time`, if not later.
    pub(crate) fn was_empty(&mut self, time: Time) {
        if time > self.since {
            self.since = time;
            self.marks.clear();
        }
    }

    /// How long what is received from `now` on may have waited.
    ///
    /// What waits came after the port was last empty; and after there was room for it, which was
    /// not before the packet had been received that is as many before it as there is room for.
    pub(crate) fn begin(&mut self, now: Time) -> Duration {
        if let Some(room) = self.room {
            while let Some(&(received, time)) = self.marks.front()
                && received + room <= self.received
            {
                self.since = self.since.max(time);
                self.marks.pop_front();
            }
            self.marks.push_back((self.received, now));
        }
        now.saturating_since(self.since)
    }

    /// A packet was received.
    pub(crate) const fn receive(&mut self) {
        self.received += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn receive(backlog: &mut Backlog, packets: usize) {
        (0..packets).for_each(|_| backlog.receive());
    }

    #[test]
    fn what_waits_came_after_the_port_was_empty() {
        let mut backlog = Backlog::new(None, Time::ZERO);
        backlog.was_empty(millis(10));
        backlog.was_empty(millis(5));
        assert_eq!(backlog.begin(millis(12)), Duration::from_millis(2));
        receive(&mut backlog, 32);
        assert_eq!(backlog.begin(millis(512)), Duration::from_millis(502), "a stall");
        receive(&mut backlog, 32);
        assert_eq!(
            backlog.begin(millis(513)),
            Duration::from_millis(503),
            "and what is left of it"
        );
        backlog.was_empty(millis(514));
        assert_eq!(backlog.begin(millis(515)), Duration::from_millis(1));
    }

    #[test]
    fn no_more_waited_than_there_is_room_for() {
        let mut backlog = Backlog::new(Some(64), Time::ZERO);
        let mut waits = Vec::new();
        for round in 1..=6 {
            waits.push(backlog.begin(millis(10 * round)).as_nanos() / 1_000_000);
            receive(&mut backlog, 32);
        }
        assert_eq!(waits, [10, 20, 20, 20, 20, 20]);
    }
}
