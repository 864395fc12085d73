//! Startup (§5.3.1).

use base::Time;

use super::sample::Sample;
use super::{Bbr, State};

/// `BBRStartupFullLossCnt` (§5.3.1.3).
const FULL_LOSS_COUNT: u32 = 6;

/// Losses in Startup.
#[derive(Debug, Default)]
pub(super) struct StartupLosses {
    /// Bursts of losses in this round: those found at one time are one. (The draft counts gaps in
    /// the sequence, which a controller does not see; Linux counts as here.)
    bursts: u32,
    last: Option<Time>,
}

impl StartupLosses {
    pub(super) fn note(&mut self, now: Time) {
        if self.last != Some(now) {
            self.bursts += 1;
            self.last = Some(now);
        }
    }
}

impl Bbr {
    /// `CheckStartupDone`.
    pub(super) fn check_startup_done(&mut self, sample: &Sample) {
        self.check_startup_high_loss(sample);
        if self.state == State::Startup && self.full_pipe.reached {
            self.enter_drain();
        }
    }

    /// `CheckStartupHighLoss` (§5.3.1.3): a round of recovery with more than 2 % lost, in at
    /// least six places.
    fn check_startup_high_loss(&mut self, sample: &Sample) {
        if !self.bounds.loss_round_starts {
            return;
        }
        let high = self.bounds.startup.bursts >= FULL_LOSS_COUNT && sample.is_inflight_too_high();
        if self.state == State::Startup && high && sample.recovering {
            self.undo.state = Some(State::Startup);
            self.full_pipe.reached = true;
            self.bounds.inflight_long = self.bdp(1.0).max(self.bounds.inflight_latest);
        }
        self.bounds.startup = StartupLosses::default();
    }
}
