//! A spurious loss (§5.5.11).

use super::{Bbr, Phase, State};

/// The state before a loss, as far as it may have to be restored.
#[derive(Debug, Default)]
pub(super) struct Undo {
    /// True if this is of the present episode of losses.
    pub(super) saved: bool,
    /// `BBR.undo_state`: the state that the loss ended.
    pub(super) state: Option<State>,
    bw_short: f64,
    inflight_short: f64,
    inflight_long: f64,
}

impl Bbr {
    /// `SaveStateUponLoss` (§5.5.11.1).
    pub(super) fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.undo = Undo {
            saved: true,
            state: None,
            bw_short: self.bounds.bw_short,
            inflight_short: self.bounds.inflight_short,
            inflight_long: self.bounds.inflight_long,
        };
    }

    /// `HandleSpuriousLossDetection` (§5.5.11.2).
    pub(super) fn handle_spurious_loss(&mut self) {
        self.recovery = super::Recovery::None;
        self.cwnd.restore();
        self.bounds.loss_in_round = false;
        self.full_pipe.reset(0.0);
        self.bounds.bw_short = self.bounds.bw_short.max(self.undo.bw_short);
        self.bounds.inflight_short = self.bounds.inflight_short.max(self.undo.inflight_short);
        self.bounds.inflight_long = self.bounds.inflight_long.max(self.undo.inflight_long);
        let up = State::ProbeBw(Phase::Up);
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_pipe.reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(state) if state == up && self.state != up && self.state != State::ProbeRtt => {
                self.start_refill();
            }
            Some(_) | None => {}
        }
    }
}
