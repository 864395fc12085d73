//! The packets of one direction of one mobile, and what link control has of them.

use std::collections::VecDeque;
use std::iter;

use base::{Direction, Duration, Time};
use observe::Observe;

use super::config::HsConfig;
use crate::channel::UeConfig;
use crate::kit::intake::Intake;
use crate::umts::contents::Contents;
use crate::umts::pdcp::Convergence;
use crate::umts::rlc::{Outcome, Sdus};
use crate::{Counters, Output, Sdu};

/// A queue, and link control's view of what came from it.
#[derive(Debug)]
pub(super) struct HsLane<T> {
    intake: Intake<T>,
    pdcp: Convergence<T>,
    pub(super) sdus: Sdus,
    contents: Contents<T>,
    dropped: VecDeque<Output<T>>,
    counters: Counters,
}

impl<T: Sdu> HsLane<T> {
    pub(super) fn new(direction: Direction, config: &HsConfig, ue: &UeConfig, seed: u64) -> Self {
        let name = format!("{}/{}", ue.name, direction.name());
        Self {
            intake: Intake::new(&config.queues[direction as usize], seed, &name),
            pdcp: Convergence::new(&config.pdcp),
            sdus: Sdus::new(config.rlc.segmentation()),
            contents: Contents::new(),
            dropped: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// How many SDUs wait ahead of link control.
    pub(super) fn queued(&self) -> u32 {
        self.intake.len()
    }

    /// How many SDUs wait, those included that link control has and has not begun to send.
    pub(super) fn waiting(&self) -> u32 {
        self.queued() + self.contents.end().saturating_sub(self.sdus.begun()) as u32
    }

    /// Takes in an SDU, or gives it back. `before` it so many waited: those that link control got
    /// in a slot that begins at `now` count.
    pub(super) fn push(&mut self, now: Time, sdu: T, before: u32) -> Result<(), T> {
        let taken = self.intake.push(now, sdu, before, &mut self.counters);
        self.take_dropped();
        taken
    }

    /// Link control gets SDUs until it has `bytes` to send, or all.
    pub(super) fn top_up(&mut self, now: Time, bytes: u64) {
        while self.sdus.unsent_bytes() < bytes && !self.intake.is_empty() {
            let turn = self.intake.pop(now);
            self.take_dropped();
            let Some(turn) = turn else { return };
            let bytes = self.pdcp.send(&turn.packet);
            self.sdus.push(now, bytes);
            self.contents.push(turn.packet);
        }
    }

    /// Reports the SDUs that have been sent in part at least.
    pub(super) fn tell_dequeued<O: Observe>(&mut self, now: Time, machine: u32, observe: &mut O) {
        if O::DEQUEUES {
            self.contents.tell_dequeued(now, machine, self.sdus.begun(), observe);
        }
    }

    fn take_dropped(&mut self) {
        self.dropped.extend(iter::from_fn(|| self.intake.poll_dropped()));
    }

    pub(super) fn has_output(&self) -> bool {
        !self.dropped.is_empty() || self.sdus.has_outcome()
    }

    /// The next SDU that has come out.
    pub(super) fn poll_output(&mut self) -> Option<Output<T>> {
        let output = match self.dropped.pop_front() {
            Some(dropped) => dropped,
            None => match self.sdus.poll_outcome()? {
                Outcome::Delivered(number) => {
                    let sdu = self.contents.take(number);
                    if self.pdcp.receive(number, &sdu) {
                        Output::Delivered(sdu)
                    } else {
                        Output::Discarded(sdu)
                    }
                }
                Outcome::Discarded(number) => {
                    self.pdcp.forget(number);
                    Output::Discarded(self.contents.take(number))
                }
            },
        };
        self.counters.count(&output);
        Some(output)
    }

    /// The SDUs between entry and exit.
    pub(super) fn held(&self) -> impl Iterator<Item = &T> {
        let dropped = self.dropped.iter().map(|output| match output {
            Output::Delivered(sdu) | Output::Discarded(sdu) => sdu,
            Output::Dropped(dropped) => &dropped.packet,
        });
        dropped.chain(self.contents.iter()).chain(self.intake.held())
    }

    /// Counts that link control was established anew.
    pub(super) const fn count_failure(&mut self) {
        self.counters.unrecoverable_errors += 1;
    }

    pub(super) fn counters(&self) -> Counters {
        Counters { queue_max: self.intake.most(), ..self.counters }
    }

    /// The sum over SDUs of the time that each has waited by `now`.
    pub(super) fn waited(&self, now: Time) -> Duration {
        self.intake.waited(now) + self.sdus.waited(now)
    }
}
