//! The packets of one direction, from hand-in to the blocks that carry them.

use std::collections::VecDeque;

use base::{Duration, Time};
use link::Dropped;
use link::queue::{self, Backlog, Queue, Queued, Transmission};

use super::coding::BLOCK_PERIOD;
use crate::{Output, Sdu};

/// What waits for the radio, and what has been sent in part.
#[derive(Debug)]
pub(crate) struct Packets<T> {
    /// Downlink: on the way through the core network.
    ahead: VecDeque<(Time, T)>,
    /// To be retransmitted from the first byte.
    again: VecDeque<Turn<T>>,
    queue: Queue<T>,
    queue_counters: link::Counters,
    /// How many packets may still begin in this TBF; `None` for no limit.
    admitted: Option<usize>,
    /// Packets whose first byte has been sent and whose last has not been delivered.
    begun: VecDeque<Turn<T>>,
    /// Bytes of the last of those that have not been sent.
    left: u32,
    lifetime: Option<Duration>,
    /// What was discarded or dropped.
    pub(crate) gone: VecDeque<Output<T>>,
    /// The sum over packets that wait no more of the time that each waited, but for those that
    /// `queue` dropped: it counts them itself.
    past_waits: Duration,
}

/// A packet that link control has begun to send.
#[derive(Debug)]
struct Turn<T> {
    queued: Queued<T>,
    /// From when it has waited for the end of its transmission.
    waits_since: Time,
}

impl<T: Sdu> Packets<T> {
    /// An empty queue ahead of a channel called `name`. A packet that has waited for longer than
    /// `lifetime` is discarded when its turn comes.
    pub(crate) fn new(
        queue: &queue::Config,
        lifetime: Option<Duration>,
        seed: u64,
        name: &str,
    ) -> Self {
        Self {
            ahead: VecDeque::new(),
            again: VecDeque::new(),
            queue: Queue::new(queue, seed, name),
            queue_counters: link::Counters::default(),
            admitted: None,
            begun: VecDeque::new(),
            left: 0,
            lifetime,
            gone: VecDeque::new(),
            past_waits: Duration::ZERO,
        }
    }

    /// Takes in a packet that is still to cross the core network and `arrives` then.
    pub(crate) fn push_ahead(&mut self, arrives: Time, sdu: T) {
        self.ahead.push_back((arrives, sdu));
    }

    /// When the next packet comes out of the core network.
    pub(crate) fn next_arrival(&self) -> Option<Time> {
        self.ahead.front().map(|(arrives, _)| *arrives)
    }

    /// Puts what has come through the core network by `now` into the queue.
    pub(crate) fn arrive(&mut self, now: Time) {
        while self.ahead.front().is_some_and(|(arrives, _)| *arrives <= now) {
            let Some((arrives, sdu)) = self.ahead.pop_front() else { return };
            if let Err(dropped) = self.enqueue(arrives, sdu) {
                self.gone.push_back(Output::Dropped(dropped));
            }
        }
    }

    /// Takes in a packet at `now`, or gives it back.
    pub(crate) fn enqueue(&mut self, now: Time, sdu: T) -> Result<(), Dropped<T>> {
        let sending = self.begun.back().filter(|_| self.left > 0);
        let sending = sending.map_or_else(Backlog::default, |turn| Backlog {
            packets: 1,
            bytes: u64::from(turn.queued.packet.bytes()),
        });
        let transmission = Transmission { sending, idle_bytes: 0 };
        let pushed = self.queue.push(now, sdu, transmission, &mut self.queue_counters);
        self.take_gone();
        pushed
    }

    fn take_gone(&mut self) {
        while let Some(dropped) = self.queue.poll_gone() {
            self.gone.push_back(Output::Dropped(dropped));
        }
    }

    /// The most packets that ever waited.
    pub(crate) const fn queue_max(&self) -> u32 {
        self.queue_counters.queue_max
    }

    /// A new TBF admits every packet.
    pub(crate) const fn admit_all(&mut self) {
        self.admitted = None;
    }

    /// From now on the TBF admits what waits already, and nothing more.
    pub(crate) fn admit_no_more(&mut self) {
        self.admitted = Some(self.again.len() + self.queue.len());
    }

    /// Fills a block of `room` bytes and says how many LLC frames end in it; `None` if there is
    /// nothing to fill it with.
    pub(crate) fn fill(&mut self, now: Time, room: u32) -> Option<u32> {
        let (mut free, mut ends) = (room, 0);
        while free > 0 {
            if self.left == 0 && !self.begin_packet(now) {
                break;
            }
            let bytes = self.left.min(free);
            self.left -= bytes;
            free -= bytes;
            if self.left == 0 {
                ends += 1;
                // The length indicator (TS 44.060 §10.4.14).
                free = free.saturating_sub(1);
                if let Some(turn) = self.begun.back() {
                    self.past_waits += (now + BLOCK_PERIOD).saturating_since(turn.waits_since);
                }
            }
        }
        (free < room).then_some(ends)
    }

    /// Takes the next packet into the link control. False if there is none.
    fn begin_packet(&mut self, now: Time) -> bool {
        loop {
            if self.admitted == Some(0) {
                return false;
            }
            let Some(turn) = self.next_turn(now) else { return false };
            self.admitted = self.admitted.map(|admitted| admitted - 1);
            let age = now.saturating_since(turn.queued.since);
            if self.lifetime.is_some_and(|lifetime| age > lifetime) {
                self.lose(now, turn);
                continue;
            }
            self.left = frame_bytes(turn.queued.packet.bytes());
            self.begun.push_back(turn);
            return true;
        }
    }

    fn next_turn(&mut self, now: Time) -> Option<Turn<T>> {
        if let Some(turn) = self.again.pop_front() {
            return Some(turn);
        }
        let queued = self.queue.pop(now, &mut self.queue_counters);
        self.take_gone();
        queued.map(|queued| Turn { waits_since: queued.since, queued })
    }

    /// `turn`, which waits, is lost.
    fn lose(&mut self, now: Time, turn: Turn<T>) {
        self.past_waits += now.saturating_since(turn.waits_since);
        self.gone.push_back(Output::Discarded(turn.queued.packet));
    }

    /// The sum over packets of the time that each has waited by `now`, from hand-in to the end of
    /// its first transmission.
    pub(crate) fn waited(&self, now: Time) -> Duration {
        let under_way = self.begun.back().filter(|_| self.left > 0);
        let turns = under_way.into_iter().chain(&self.again);
        let in_turns: Duration = turns.map(|turn| now.saturating_since(turn.waits_since)).sum();
        let in_queue = self.queue_counters.queue_integral + self.queue.waited(now);
        self.past_waits + in_turns + in_queue
    }

    /// How many have been begun and not delivered.
    pub(crate) fn begun(&self) -> usize {
        self.begun.len()
    }

    /// Those that have been begun since there were `before` of them.
    pub(crate) fn begun_since(&self, before: usize) -> impl Iterator<Item = &T> {
        self.begun.iter().skip(before).map(|turn| &turn.queued.packet)
    }

    /// The oldest packet that has been begun is at the far end of the radio.
    pub(crate) fn complete(&mut self) -> T {
        self.begun.pop_front().expect("what has been sent has begun").queued.packet
    }

    /// What has been sent in part starts again.
    pub(crate) fn restart(&mut self, now: Time) {
        let mut is_under_way = self.left > 0;
        self.left = 0;
        while let Some(mut turn) = self.begun.pop_back() {
            if !is_under_way {
                turn.waits_since = now;
            }
            is_under_way = false;
            self.again.push_front(turn);
        }
    }

    /// What has been sent in part is lost.
    pub(crate) fn lose_begun(&mut self, now: Time) {
        if let Some(turn) = self.begun.back().filter(|_| self.left > 0) {
            self.past_waits += now.saturating_since(turn.waits_since);
        }
        self.left = 0;
        self.gone.extend(self.begun.drain(..).map(|turn| Output::Discarded(turn.queued.packet)));
    }

    /// All that waits is lost.
    pub(crate) fn lose_waiting(&mut self, now: Time) {
        while let Some(turn) = self.next_turn(now) {
            self.lose(now, turn);
        }
    }

    /// Bytes that are to be sent for the first time, headers included.
    pub(crate) fn bytes(&self) -> u64 {
        let again: u64 = self.again.iter().map(|turn| u64::from(turn.queued.packet.bytes())).sum();
        let frames = (self.again.len() + self.queue.len()) as u64;
        u64::from(self.left) + again + self.queue.bytes() + frames * OVERHEAD
    }

    /// True if a packet waits to be begun or sent on, whether or not this TBF admits it.
    pub(crate) fn has_waiting(&self) -> bool {
        !self.again.is_empty() || !self.queue.is_empty()
    }

    /// True if there is something new to send in this TBF.
    pub(crate) fn has_more(&self) -> bool {
        self.left > 0 || self.admitted != Some(0) && self.has_waiting()
    }

    /// All of them.
    pub(crate) fn held(&self) -> impl Iterator<Item = &T> {
        let gone = self.gone.iter().map(|output| match output {
            Output::Delivered(sdu) | Output::Discarded(sdu) => sdu,
            Output::Dropped(dropped) => &dropped.packet,
        });
        gone.chain(self.begun.iter().chain(&self.again).map(|turn| &turn.queued.packet))
            .chain(self.queue.held())
            .chain(self.ahead.iter().map(|(_, sdu)| sdu))
    }
}

/// Bytes in front of a segment of a packet: the LLC frame's 6 (TS 44.064 §5) and SNDCP's 4 (TS
/// 44.065 §7).
const OVERHEAD: u64 = 10;

/// The most of a packet that an LLC frame carries: N201-U (TS 44.064 §8.9.8).
const SEGMENT: u32 = 1500;

/// The bytes that a packet of `bytes` takes in blocks, without length indicators.
const fn frame_bytes(bytes: u32) -> u32 {
    bytes + bytes.div_ceil(SEGMENT) * OVERHEAD as u32
}

/// Takes the first item out of `queue`, if it `is_due`.
pub(crate) fn pop_if<I>(queue: &mut VecDeque<I>, is_due: impl FnOnce(&I) -> bool) -> Option<I> {
    queue.front().is_some_and(is_due).then(|| queue.pop_front()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_1500_bytes_have_headers_of_their_own() {
        let check = |bytes, expect| assert_eq!(frame_bytes(bytes), expect, "{bytes} B");
        check(1, 11);
        check(1388, 1398);
        check(1500, 1510);
        check(1501, 1521);
        check(4000, 4030);
    }
}
