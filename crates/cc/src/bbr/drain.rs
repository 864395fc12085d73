//! Drain (§5.3.2).

use super::sample::Sample;
use super::{Bbr, State};

/// Rounds after which it ends in any case.
const ROUNDS: u64 = 3;

impl Bbr {
    /// `EnterDrain`.
    pub(super) const fn enter_drain(&mut self) {
        self.state = State::Drain { start_round: self.round.count };
    }

    /// `CheckDrainDone`: the queue that Startup left is gone.
    pub(super) fn check_drain_done(&mut self, sample: &Sample) {
        if let State::Drain { start_round } = self.state
            && (sample.inflight <= self.inflight(self.bw, 1.0)
                || self.round.count > start_round + ROUNDS)
        {
            self.start_down(sample.now);
        }
    }
}
