//! Packets in the order in which they came, and who decides on them.

use std::collections::VecDeque;

use base::Time;

use super::{Arrival, Backlog, Departure, Judge, Queued, Transmission, Verdict};
use crate::Load;

/// A FIFO with its judge, if it has one: all of a queue, or what waits of one flow.
#[derive(Debug)]
pub(super) struct Lane<T> {
    judge: Option<Box<dyn Judge>>,
    packets: VecDeque<Queued<T>>,
    bytes: u64,
}

impl<T: Load> Lane<T> {
    pub(super) const fn new(judge: Option<Box<dyn Judge>>) -> Self {
        Self { judge, packets: VecDeque::new(), bytes: 0 }
    }

    /// What the judge decides on a packet that arrives.
    pub(super) fn on_arrival(&mut self, now: Time, transmission: Transmission) -> Verdict {
        let Some(judge) = &mut self.judge else { return Verdict::Pass };
        let Transmission { sending, idle_bytes } = transmission;
        let packets = self.packets.len() as u32 + sending.packets;
        let backlog = Backlog { packets, bytes: self.bytes + sending.bytes };
        judge.on_arrival(now, Arrival { backlog, waiting_bytes: self.bytes, idle_bytes })
    }

    /// A packet that arrived did not fit.
    pub(super) fn on_refusal(&mut self) {
        if let Some(judge) = &mut self.judge {
            judge.on_refusal();
        }
    }

    pub(super) fn push(&mut self, queued: Queued<T>) {
        self.bytes += u64::from(queued.packet.bytes());
        self.packets.push_back(queued);
    }

    /// The oldest packet, and what the judge decides on it if the transmitter is free from `free`
    /// on.
    pub(super) fn pop(&mut self, free: Time) -> Option<(Queued<T>, Verdict)> {
        let queued = self.evict();
        let Some(judge) = &mut self.judge else { return queued.map(|it| (it, Verdict::Pass)) };
        let Some(queued) = queued else {
            judge.on_empty();
            return None;
        };
        let start = free.max(queued.since);
        let departure = Departure { sojourn: start - queued.since, bytes_behind: self.bytes };
        Some((queued, judge.on_departure(start, departure)))
    }

    /// The oldest packet, of which the judge is not asked.
    pub(super) fn evict(&mut self) -> Option<Queued<T>> {
        let queued = self.packets.pop_front()?;
        self.bytes -= u64::from(queued.packet.bytes());
        Some(queued)
    }

    /// Whether it matters how long the transmitter was idle.
    pub(super) fn uses_idle_time(&self) -> bool {
        self.judge.as_ref().is_some_and(|judge| judge.uses_idle_time())
    }

    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The oldest packet.
    pub(super) fn head(&self) -> Option<&Queued<T>> {
        self.packets.front()
    }

    /// Since when it waits.
    pub(super) fn since(&self) -> Option<Time> {
        self.head().map(|queued| queued.since)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Queued<T>> {
        self.packets.iter()
    }
}
