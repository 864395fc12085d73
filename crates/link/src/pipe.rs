//! One direction of a link: a drop-tail queue, a transmitter and a delay line.

use std::collections::VecDeque;

use base::{Duration, Rate, Time, Transmitter};

use crate::{Counters, Load};

/// A link direction at a constant rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Rate of the transmitter; `None` takes no time to send.
    pub rate: Option<Rate>,
    /// From the last bit sent to the last bit received, one way.
    pub delay: Duration,
    /// The most packets that may wait or be in transmission; `None` for no limit. The packet in
    /// transmission counts, as in ns-2: a limit of 50 is 49 that wait and one that is being sent.
    pub queue_limit: Option<u32>,
}

/// One direction of a pipe. Packets leave in the order in which they came.
///
/// With a constant rate the whole future of a packet is known when it comes in, so it costs one
/// event: its arrival at the far end.
#[derive(Debug)]
pub struct Pipe<T> {
    transmitter: Option<Transmitter>,
    delay: Duration,
    queue_limit: Option<u32>,
    /// Everything between entry and arrival, oldest first.
    packets: VecDeque<Passage<T>>,
    /// How many at the front of `packets` are sent and on their way.
    sent: usize,
    counters: Counters,
}

#[derive(Debug)]
struct Passage<T> {
    /// When its last bit leaves the transmitter.
    departs: Time,
    packet: T,
}

/// A packet that has begun to be sent: when it did, when its last bit leaves, and itself.
type Sending<T> = (Time, Time, T);

impl<T: Load> Pipe<T> {
    /// An idle pipe.
    pub fn new(config: &Config) -> Self {
        Self {
            transmitter: config.rate.map(Transmitter::new),
            delay: config.delay,
            queue_limit: config.queue_limit,
            packets: VecDeque::new(),
            sent: 0,
            counters: Counters::default(),
        }
    }

    /// Takes in `packet`, or gives it back if the queue is full. Poll again afterwards.
    ///
    /// # Errors
    /// The packet that was dropped.
    pub fn handle_input(&mut self, now: Time, packet: T) -> Result<(), T> {
        while self.packets.get(self.sent).is_some_and(|passage| passage.departs <= now) {
            self.sent += 1;
        }
        let queued = (self.packets.len() - self.sent) as u32;
        if self.queue_limit.is_some_and(|limit| queued >= limit) {
            self.counters.drops.queue += 1;
            return Err(packet);
        }
        let starts = if queued == 0 { now } else { self.packets[self.packets.len() - 1].departs };
        let sending = match &mut self.transmitter {
            Some(transmitter) => transmitter.transmit(packet.bytes()),
            None => Duration::ZERO,
        };
        let departs = starts + sending;
        self.counters.accepted += 1;
        self.counters.busy += sending;
        self.counters.queue_integral += departs - now;
        self.counters.queue_max = self.counters.queue_max.max(queued + 1);
        self.packets.push_back(Passage { departs, packet });
        Ok(())
    }

    /// When the first bit is sent of the packet that has just been taken in, at `now`.
    pub fn last_starts(&self, now: Time) -> Time {
        let before = self.packets.len().checked_sub(2).and_then(|place| self.packets.get(place));
        before.map_or(now, |passage| passage.departs.max(now))
    }

    /// The next packet that has arrived at the far end by `now`.
    #[must_use]
    pub fn poll_output(&mut self, now: Time) -> Option<T> {
        if self.poll_timeout()? > now {
            return None;
        }
        self.sent = self.sent.saturating_sub(1);
        self.packets.pop_front().map(|passage| passage.packet)
    }

    /// When the next packet arrives; `None` while the pipe is empty. Changed by
    /// [`Self::handle_input`] and [`Self::poll_output`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.packets.front().map(|passage| passage.departs + self.delay)
    }

    /// The counters at `now`: time still to come is left out.
    pub fn counters(&self, now: Time) -> Counters {
        let mut counters = self.counters;
        let last = self.packets.back().map_or(now, |passage| passage.departs);
        counters.busy = counters.busy.saturating_sub(last.saturating_since(now));
        for passage in &self.packets {
            let to_come = passage.departs.saturating_since(now);
            counters.queue_integral = counters.queue_integral.saturating_sub(to_come);
        }
        counters
    }

    /// The rate; `None` takes no time to send.
    pub fn rate(&self) -> Option<Rate> {
        self.transmitter.as_ref().map(Transmitter::rate)
    }

    /// Its configuration.
    pub fn config(&self) -> Config {
        Config { rate: self.rate(), delay: self.delay, queue_limit: self.queue_limit }
    }

    /// True if it neither delays nor takes time to send, so that nothing ever waits in it.
    pub const fn is_instant(&self) -> bool {
        self.transmitter.is_none() && self.delay.as_nanos() == 0
    }

    /// Counts a packet that passes through an instant pipe without waiting in it.
    pub const fn pass(&mut self) {
        self.counters.accepted += 1;
    }

    /// What has begun to be sent before `now`, as start, end and packet; what waits, and what the
    /// last of the former left unpaid in bit·ns/s. What arrived before `now` must have come out.
    pub(crate) fn into_parts(mut self, now: Time) -> (VecDeque<Sending<T>>, VecDeque<T>, u64) {
        let (mut sent, mut waiting) = (VecDeque::new(), VecDeque::new());
        let mut remainder = self.transmitter.as_ref().map_or(0, Transmitter::remainder);
        while let Some(Passage { departs, packet }) = self.packets.pop_back() {
            let sending = match &mut self.transmitter {
                Some(transmitter) => transmitter.rewind(packet.bytes()),
                None => Duration::ZERO,
            };
            let starts = Time::from_nanos(departs.as_nanos() - sending.as_nanos());
            if starts < now {
                sent.push_front((starts, departs, packet));
            } else {
                remainder = self.transmitter.as_ref().map_or(0, Transmitter::remainder);
                waiting.push_front(packet);
            }
        }
        (sent, waiting, remainder)
    }

    /// The packets between entry and arrival, oldest first.
    pub fn held(&self) -> impl Iterator<Item = &T> {
        self.packets.iter().map(|passage| &passage.packet)
    }

    /// Packets between entry and arrival.
    pub fn in_flight(&self) -> usize {
        self.packets.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Eq)]
    struct Packet(u32);

    impl Load for Packet {
        fn bytes(&self) -> u32 {
            self.0
        }
    }

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// 1 byte takes 1 ms.
    fn slow(queue_limit: Option<u32>) -> Pipe<Packet> {
        let (rate, delay) = (Some(Rate::from_bps(8_000)), Duration::from_millis(100));
        Pipe::new(&Config { rate, delay, queue_limit })
    }

    #[test]
    fn packets_queue_behind_each_other() {
        let mut pipe = slow(None);
        assert_eq!(pipe.handle_input(at(0), Packet(10)), Ok(()));
        assert_eq!(pipe.last_starts(at(0)), at(0));
        assert_eq!(pipe.handle_input(at(5), Packet(20)), Ok(()));
        assert_eq!(pipe.last_starts(at(5)), at(10));
        assert_eq!(pipe.poll_timeout(), Some(at(110)));
        assert_eq!(pipe.poll_output(at(109)), None);
        assert_eq!(pipe.poll_output(at(110)), Some(Packet(10)));
        assert_eq!(pipe.poll_timeout(), Some(at(130)));
        assert_eq!(pipe.handle_input(at(125), Packet(1)), Ok(()));
        assert_eq!(pipe.last_starts(at(125)), at(125));
        assert_eq!(pipe.poll_output(at(130)), Some(Packet(20)));
        assert_eq!(pipe.poll_timeout(), Some(at(226)));
        let counters = pipe.counters(at(200));
        assert_eq!(counters.busy, Duration::from_millis(31));
        assert_eq!(counters.queue_integral, Duration::from_millis(10 + 25 + 1));
        assert_eq!(counters.queue_max, 2);
    }

    #[test]
    fn counters_leave_out_the_future() {
        let mut pipe = slow(None);
        for _ in 0..3 {
            assert_eq!(pipe.handle_input(at(0), Packet(10)), Ok(()));
        }
        let counters = pipe.counters(at(15));
        assert_eq!(counters.busy, Duration::from_millis(15));
        assert_eq!(counters.queue_integral, Duration::from_millis(10 + 15 + 15));
    }

    #[test]
    fn the_limit_counts_the_packet_in_transmission() {
        let mut pipe = slow(Some(2));
        assert_eq!(pipe.handle_input(at(0), Packet(10)), Ok(()));
        assert_eq!(pipe.handle_input(at(0), Packet(10)), Ok(()));
        assert_eq!(pipe.handle_input(at(9), Packet(7)), Err(Packet(7)));
        assert_eq!(pipe.handle_input(at(10), Packet(10)), Ok(()));
        assert_eq!(pipe.counters(at(10)).drops.queue, 1);
    }

    #[test]
    fn a_link_without_a_rate_only_delays() {
        let delay = Duration::from_millis(3);
        let mut pipe = Pipe::new(&Config { rate: None, delay, queue_limit: None });
        assert_eq!(pipe.handle_input(at(7), Packet(1_000_000)), Ok(()));
        assert_eq!(pipe.poll_output(at(10)), Some(Packet(1_000_000)));
        assert_eq!(pipe.poll_timeout(), None);
    }

    proptest! {
        /// In = out + dropped + inside, in order, never early, never above the limit.
        #[test]
        fn conserves_and_keeps_order(
            steps in prop::collection::vec((0_u64..40, 1_u32..50), 1..200), limit in 1_u32..8
        ) {
            let mut pipe = slow(Some(limit));
            let (mut now, mut inside) = (0, VecDeque::new());
            let (mut out, mut dropped) = (0, 0);
            for (wait, bytes) in &steps {
                now += wait;
                while let Some(Packet(bytes)) = pipe.poll_output(at(now)) {
                    prop_assert_eq!(inside.pop_front(), Some(bytes));
                    out += 1;
                }
                prop_assert!(pipe.poll_timeout().is_none_or(|time| time > at(now)));
                match pipe.handle_input(at(now), Packet(*bytes)) {
                    Ok(()) => inside.push_back(*bytes),
                    Err(_) => dropped += 1,
                }
            }
            prop_assert_eq!(steps.len(), out + dropped + pipe.in_flight());
            prop_assert_eq!(pipe.in_flight(), inside.len());
            prop_assert!(pipe.counters(at(now)).queue_max <= limit);
        }
    }
}
