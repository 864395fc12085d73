//! Packets that wait for a transmitter, under a discipline.

use std::collections::VecDeque;

use base::{Duration, Stream, Time};
use observe::DropReason;

use super::cake::Cake;
use super::dual::Dual;
use super::fifo::Fifo;
use super::turns::Turns;
use super::{Backlog, Config, Notice, Start, Verdict, droptail};
use crate::{Counters, Dropped, Load};

/// Packets that wait for a transmitter: the transmitter takes the next with [`Queue::pop`].
#[derive(Debug)]
pub struct Queue<T> {
    limit: droptail::Limit,
    notice: Notice,
    waiting: Waiting<T>,
    /// Backlog of all that waits.
    total: Backlog,
    /// What was taken in and dropped later, and when.
    gone: VecDeque<(Time, Dropped<T>)>,
}

/// What waits, in the order in which it leaves.
#[derive(Debug)]
enum Waiting<T> {
    Fifo(Fifo<T>),
    Turns(Box<Turns<T>>),
    Dual(Box<Dual<T>>),
    Cake(Box<Cake<T>>),
}

/// A packet in a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queued<T> {
    /// When it came.
    pub since: Time,
    /// The packet.
    pub packet: T,
}

/// What the transmitter behind a queue is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Transmission {
    /// What it is sending, which counts towards the limit.
    pub sending: Backlog,
    /// How many bytes it could have sent since it fell idle.
    pub idle_bytes: u64,
}

impl<T: Load> Queue<T> {
    /// An empty queue ahead of what is called `name`; that and `seed` determine its chance.
    pub fn new(config: &Config, seed: u64, name: &str) -> Self {
        let chance = |source: &str| Stream::named(seed, &format!("{name} {source}"));
        let &Config { mut limit, discipline, notice } = config;
        let (waiting, notice) = match discipline.start(&chance) {
            Start::Fifo(judge) => (Waiting::Fifo(Fifo::new(judge)), notice),
            Start::Turns(turns) => (Waiting::Turns(Box::new(Turns::new(turns))), notice),
            Start::Dual(config) => (Waiting::Dual(Box::new(Dual::new(config))), Notice::Mark),
            Start::Cake(config, chance) => {
                limit.bytes = limit.bytes.or(Some(config.memory()));
                (Waiting::Cake(Box::new(Cake::new(&config, chance))), Notice::Mark)
            }
        };
        Self { limit, notice, waiting, total: Backlog::default(), gone: VecDeque::new() }
    }

    /// Takes in `packet`, or gives it back. What is dropped to make room for it comes out of
    /// [`Queue::poll_gone`].
    ///
    /// # Errors
    /// The packet, if it is dropped.
    pub fn push(
        &mut self,
        now: Time,
        mut packet: T,
        transmission: Transmission,
        counters: &mut Counters,
    ) -> Result<(), Dropped<T>> {
        let reason = self.refuse(now, &mut packet, transmission, counters);
        if let Some(reason) = reason {
            counters.drops.count(reason);
            return Err(Dropped { packet, reason });
        }
        counters.accepted += 1;
        self.total.packets += 1;
        self.total.bytes += u64::from(packet.bytes());
        let queued = Queued { since: now, packet };
        match &mut self.waiting {
            Waiting::Fifo(fifo) => fifo.push(queued),
            Waiting::Turns(turns) => turns.push(queued),
            Waiting::Dual(dual) => dual.push(queued),
            Waiting::Cake(cake) => cake.push(queued),
        }
        let packets = self.backlog(transmission.sending).packets;
        counters.queue_max = counters.queue_max.max(packets);
        Ok(())
    }

    /// Time before which there is no next packet to send, unless nothing waits, of a discipline
    /// that is a shaper. Changed by [`Self::push`] and [`Self::pop`].
    pub fn opens(&self) -> Time {
        match &self.waiting {
            Waiting::Fifo(_) | Waiting::Turns(_) | Waiting::Dual(_) => Time::ZERO,
            Waiting::Cake(cake) => cake.opens(),
        }
    }

    /// The next packet to send when the transmitter is free from `free` on, which is not before
    /// [`Self::opens`].
    pub fn pop(&mut self, free: Time, counters: &mut Counters) -> Option<Queued<T>> {
        loop {
            let (Queued { since, mut packet }, verdict) =
                self.waiting.pop(free, self.total.bytes)?;
            let bytes = packet.bytes();
            self.total.packets -= 1;
            self.total.bytes -= u64::from(bytes);
            if !has_to_go(verdict, self.notice, &mut packet, counters) {
                self.waiting.sent(bytes);
                return Some(Queued { since, packet });
            }
            self.leave(free.max(since), Queued { since, packet }, DropReason::Aqm, counters);
        }
    }

    /// The next packet that was taken in and dropped later.
    #[must_use]
    pub fn poll_gone(&mut self) -> Option<Dropped<T>> {
        self.gone.pop_front().map(|(_, dropped)| dropped)
    }

    /// How many of those there are.
    pub fn gone(&self) -> usize {
        self.gone.len()
    }

    /// Whether it matters how long the transmitter was idle.
    pub fn uses_idle_time(&self) -> bool {
        match &self.waiting {
            Waiting::Fifo(fifo) => fifo.uses_idle_time(),
            Waiting::Turns(_) | Waiting::Dual(_) | Waiting::Cake(_) => false,
        }
    }

    /// When the first packet that was taken in and dropped later was dropped.
    #[must_use]
    pub fn gone_since(&self) -> Option<Time> {
        self.gone.front().map(|(time, _)| *time)
    }

    /// True if nothing waits.
    pub const fn is_empty(&self) -> bool {
        self.total.packets == 0
    }

    /// How many packets wait.
    pub const fn len(&self) -> usize {
        self.total.packets as usize
    }

    /// Their bytes.
    pub const fn bytes(&self) -> u64 {
        self.total.bytes
    }

    /// The most that fits.
    pub const fn limit(&self) -> droptail::Limit {
        self.limit
    }

    /// What waits, and when each came.
    pub fn waiting(&self) -> impl Iterator<Item = &Queued<T>> {
        let (mut fifo, mut turns, mut dual, mut cake) = (None, None, None, None);
        match &self.waiting {
            Waiting::Fifo(it) => fifo = Some(it.iter()),
            Waiting::Turns(it) => turns = Some(it.iter()),
            Waiting::Dual(it) => dual = Some(it.iter()),
            Waiting::Cake(it) => cake = Some(it.iter()),
        }
        let lanes = fifo.into_iter().flatten().chain(turns.into_iter().flatten());
        lanes.chain(dual.into_iter().flatten()).chain(cake.into_iter().flatten())
    }

    /// The sum over what waits of the time that each has waited by `now`.
    pub fn waited(&self, now: Time) -> Duration {
        self.waiting().map(|turn| now.saturating_since(turn.since)).sum()
    }

    /// Every packet that has not come out, each once.
    pub fn held(&self) -> impl Iterator<Item = &T> {
        let gone = self.gone.iter().map(|(_, dropped)| &dropped.packet);
        gone.chain(self.waiting().map(|turn| &turn.packet))
    }

    const fn backlog(&self, sending: Backlog) -> Backlog {
        let Backlog { packets, bytes } = self.total;
        Backlog { packets: packets + sending.packets, bytes: bytes + sending.bytes }
    }

    /// Why `packet` is dropped on arrival, if it is.
    fn refuse(
        &mut self,
        now: Time,
        packet: &mut T,
        transmission: Transmission,
        counters: &mut Counters,
    ) -> Option<DropReason> {
        let verdict = self.waiting.on_arrival(now, transmission);
        if !self.make_room(now, packet, transmission.sending, counters) {
            self.waiting.on_refusal();
            return Some(DropReason::Queue);
        }
        has_to_go(verdict, self.notice, packet, counters).then_some(DropReason::Aqm)
    }

    /// True if `packet` fits; where flows take turns, after longer ones have given way.
    fn make_room(
        &mut self,
        now: Time,
        packet: &T,
        sending: Backlog,
        counters: &mut Counters,
    ) -> bool {
        let bytes = packet.bytes();
        while !self.limit.admits(self.backlog(sending), bytes) {
            let Some((place, packets)) = self.waiting.longest(packet) else { return false };
            for _ in 0..packets {
                let Some(queued) = self.waiting.evict(place, now) else { break };
                self.total.packets -= 1;
                self.total.bytes -= u64::from(queued.packet.bytes());
                self.leave(now, queued, DropReason::Queue, counters);
            }
        }
        true
    }

    fn leave(&mut self, at: Time, queued: Queued<T>, reason: DropReason, counters: &mut Counters) {
        let Queued { since, packet } = queued;
        counters.drops.count(reason);
        counters.queue_integral += at - since;
        self.gone.push_back((at, Dropped { packet, reason }));
    }
}

impl<T: Load> Waiting<T> {
    /// Verdict on a packet that arrives.
    fn on_arrival(&mut self, now: Time, transmission: Transmission) -> Verdict {
        match self {
            Self::Fifo(fifo) => fifo.on_arrival(now, transmission),
            Self::Turns(_) | Self::Cake(_) => Verdict::Pass,
            Self::Dual(dual) => {
                dual.catch_up(now);
                Verdict::Pass
            }
        }
    }

    /// A packet that arrived did not fit.
    fn on_refusal(&mut self) {
        match self {
            Self::Fifo(fifo) => fifo.on_refusal(),
            Self::Turns(_) | Self::Dual(_) | Self::Cake(_) => {}
        }
    }

    /// The packet whose turn it is, and what is decided on it where `bytes` wait. If it goes on,
    /// [`Self::sent`] is to be called.
    fn pop(&mut self, free: Time, bytes: u64) -> Option<(Queued<T>, Verdict)> {
        match self {
            Self::Fifo(fifo) => fifo.pop(free),
            Self::Turns(turns) => turns.pop(free, bytes),
            Self::Dual(dual) => dual.pop(free),
            Self::Cake(cake) => cake.pop(free),
        }
    }

    /// The packet that came out last, of `bytes`, goes on.
    fn sent(&mut self, bytes: u32) {
        match self {
            Self::Fifo(_) => {}
            Self::Turns(turns) => turns.sent(bytes),
            Self::Dual(dual) => dual.sent(bytes),
            Self::Cake(cake) => cake.sent(bytes),
        }
    }

    /// Place of the queue that gives way to `packet`, and how many of its packets at once. `None`
    /// if none is longer than that of the packet itself, or if there is only one.
    fn longest(&self, packet: &T) -> Option<((usize, u32), u32)> {
        match self {
            Self::Fifo(_) | Self::Dual(_) => None,
            Self::Turns(turns) => {
                let (place, packets) = turns.longest(packet.flow(), packet.bytes())?;
                Some(((0, place), packets))
            }
            Self::Cake(cake) => Some((cake.longest(packet)?, 1)),
        }
    }

    /// The oldest packet of the queue at a place that [`Self::longest`] told.
    fn evict(&mut self, place: (usize, u32), now: Time) -> Option<Queued<T>> {
        match self {
            Self::Fifo(_) | Self::Dual(_) => None,
            Self::Turns(turns) => turns.evict(place.1),
            Self::Cake(cake) => cake.evict(place, now),
        }
    }
}

/// Marks `packet` or says that it is to be dropped, as the verdict asks.
fn has_to_go<T: Load>(
    verdict: Verdict,
    notice: Notice,
    packet: &mut T,
    counters: &mut Counters,
) -> bool {
    match (verdict, notice) {
        (Verdict::Pass, Notice::Drop | Notice::Mark) => false,
        (Verdict::Marked, Notice::Drop | Notice::Mark) => {
            counters.marks += 1;
            false
        }
        (Verdict::Notify, Notice::Mark) => {
            let is_marked = packet.mark();
            counters.marks += u64::from(is_marked);
            !is_marked
        }
        (Verdict::Notify, Notice::Drop) | (Verdict::Drop, Notice::Drop | Notice::Mark) => true,
    }
}
