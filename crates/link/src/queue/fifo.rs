//! One lane, and who decides on its packets.

use base::Time;

use super::lane::Lane;
use super::{Arrival, Backlog, Judge, Queued, Transmission, Verdict};
use crate::Load;

/// One lane with its judge, if it has one.
#[derive(Debug)]
pub(super) struct Fifo<T> {
    lane: Lane<T>,
    judge: Option<Box<dyn Judge>>,
}

impl<T: Load> Fifo<T> {
    pub(super) const fn new(judge: Option<Box<dyn Judge>>) -> Self {
        Self { lane: Lane::new(), judge }
    }

    /// Verdict of the judge on a packet that arrives.
    pub(super) fn on_arrival(&mut self, now: Time, transmission: Transmission) -> Verdict {
        let Some(judge) = &mut self.judge else { return Verdict::Pass };
        let Transmission { sending, idle_bytes } = transmission;
        let waiting_bytes = self.lane.bytes();
        let packets = self.lane.len() as u32 + sending.packets;
        let backlog = Backlog { packets, bytes: waiting_bytes + sending.bytes };
        judge.on_arrival(now, Arrival { backlog, waiting_bytes, idle_bytes })
    }

    /// A packet that arrived did not fit.
    pub(super) fn on_refusal(&mut self) {
        if let Some(judge) = &mut self.judge {
            judge.on_refusal();
        }
    }

    pub(super) fn push(&mut self, queued: Queued<T>) {
        self.lane.push(queued);
    }

    /// The oldest packet, and what the judge decides on it if the transmitter is free from `free`
    /// on.
    pub(super) fn pop(&mut self, free: Time) -> Option<(Queued<T>, Verdict)> {
        let queued = self.lane.pop()?;
        let Some(judge) = &mut self.judge else { return Some((queued, Verdict::Pass)) };
        let (start, departure) = self.lane.departure(&queued, free);
        Some((queued, judge.on_departure(start, departure)))
    }

    /// True if it matters how long the transmitter was idle.
    pub(super) fn uses_idle_time(&self) -> bool {
        self.judge.as_ref().is_some_and(|judge| judge.uses_idle_time())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Queued<T>> {
        self.lane.iter()
    }
}
