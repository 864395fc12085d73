//! Packets that wait for a transmitter, under a discipline.

use std::collections::VecDeque;

use base::{Duration, Stream, Time};
use observe::DropReason;

use super::fair::Fair;
use super::{Arrival, Backlog, Config, Departure, Judge, Notice, Start, Verdict, droptail};
use crate::{Counters, Dropped, Load};

/// Packets that wait for a transmitter: the transmitter takes the next with [`Queue::pop`].
#[derive(Debug)]
pub struct Queue<T> {
    limit: droptail::Limit,
    notice: Notice,
    judge: Option<Box<dyn Judge>>,
    waiting: Waiting<T>,
    bytes: u64,
    /// What was taken in and dropped later, and when.
    gone: VecDeque<(Time, Dropped<T>)>,
}

/// What waits, in the order in which it leaves.
#[derive(Debug)]
enum Waiting<T> {
    Fifo(VecDeque<Queued<T>>),
    Fair(Box<Fair<Queued<T>>>),
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
        let Config { limit, discipline, notice } = config;
        let Start { judge, turns } = discipline.start(&chance);
        let waiting = match turns {
            Some(turns) => Waiting::Fair(Box::new(Fair::new(turns))),
            None => Waiting::Fifo(VecDeque::new()),
        };
        let (limit, notice) = (*limit, *notice);
        Self { limit, notice, judge, waiting, bytes: 0, gone: VecDeque::new() }
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
        let bytes = packet.bytes();
        self.bytes += u64::from(bytes);
        match &mut self.waiting {
            Waiting::Fifo(queue) => queue.push_back(Queued { since: now, packet }),
            Waiting::Fair(fair) => fair.push(packet.flow(), bytes, Queued { since: now, packet }),
        }
        let packets = self.backlog(transmission.sending).packets;
        counters.queue_max = counters.queue_max.max(packets);
        Ok(())
    }

    /// The next packet to send when the transmitter is free from `free` on.
    pub fn pop(&mut self, free: Time, counters: &mut Counters) -> Option<Queued<T>> {
        loop {
            let Queued { since, mut packet } = match &mut self.waiting {
                Waiting::Fifo(queue) => queue.pop_front(),
                Waiting::Fair(fair) => fair.pop(),
            }?;
            self.bytes -= u64::from(packet.bytes());
            let start = free.max(since);
            let departure = Departure { sojourn: start - since, bytes_behind: self.bytes };
            let verdict = self.judge(|judge| judge.on_departure(start, departure));
            if !has_to_go(verdict, self.notice, &mut packet, counters) {
                return Some(Queued { since, packet });
            }
            self.leave(start, Queued { since, packet }, DropReason::Aqm, counters);
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
        self.judge.as_ref().is_some_and(|judge| judge.uses_idle_time())
    }

    /// When the first packet that was taken in and dropped later was dropped.
    #[must_use]
    pub fn gone_since(&self) -> Option<Time> {
        self.gone.front().map(|(time, _)| *time)
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        match &self.waiting {
            Waiting::Fifo(queue) => queue.len(),
            Waiting::Fair(fair) => fair.len(),
        }
    }

    /// Their bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The most that fits.
    pub const fn limit(&self) -> droptail::Limit {
        self.limit
    }

    /// What waits, and when each came.
    pub fn waiting(&self) -> impl Iterator<Item = &Queued<T>> {
        let (fifo, fair) = match &self.waiting {
            Waiting::Fifo(queue) => (Some(queue.iter()), None),
            Waiting::Fair(fair) => (None, Some(fair.iter())),
        };
        fifo.into_iter().flatten().chain(fair.into_iter().flatten())
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

    /// The judge's verdict, if there is a judge.
    fn judge(&mut self, ask: impl FnOnce(&mut dyn Judge) -> Verdict) -> Verdict {
        match &mut self.judge {
            Some(judge) => ask(&mut **judge),
            None => Verdict::Pass,
        }
    }

    fn backlog(&self, sending: Backlog) -> Backlog {
        let packets = self.len() as u32 + sending.packets;
        Backlog { packets, bytes: self.bytes + sending.bytes }
    }

    /// Why `packet` is dropped on arrival, if it is.
    fn refuse(
        &mut self,
        now: Time,
        packet: &mut T,
        transmission: Transmission,
        counters: &mut Counters,
    ) -> Option<DropReason> {
        let Transmission { sending, idle_bytes } = transmission;
        let backlog = self.backlog(sending);
        let verdict = self.judge(|judge| judge.on_arrival(Arrival { backlog, idle_bytes }));
        if !self.make_room(now, packet, sending, counters) {
            return Some(DropReason::Queue);
        }
        has_to_go(verdict, self.notice, packet, counters).then_some(DropReason::Aqm)
    }

    /// True if `packet` fits; in a fair queue, after longer flows have given way.
    fn make_room(
        &mut self,
        now: Time,
        packet: &T,
        sending: Backlog,
        counters: &mut Counters,
    ) -> bool {
        loop {
            if self.limit.admits(self.backlog(sending), packet.bytes()) {
                return true;
            }
            let Waiting::Fair(fair) = &mut self.waiting else { return false };
            let Some(turn) = fair.evict(packet.flow(), packet.bytes()) else { return false };
            self.bytes -= u64::from(turn.packet.bytes());
            self.leave(now, turn, DropReason::Queue, counters);
        }
    }

    fn leave(&mut self, at: Time, queued: Queued<T>, reason: DropReason, counters: &mut Counters) {
        let Queued { since, packet } = queued;
        counters.drops.count(reason);
        counters.queue_integral += at - since;
        self.gone.push_back((at, Dropped { packet, reason }));
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
        (Verdict::Notify, Notice::Mark) => {
            let is_marked = packet.mark();
            counters.marks += u64::from(is_marked);
            !is_marked
        }
        (Verdict::Notify, Notice::Drop) | (Verdict::Drop, Notice::Drop | Notice::Mark) => true,
    }
}
