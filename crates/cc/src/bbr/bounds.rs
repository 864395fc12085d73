//! Bounds that losses put on the model (§5.5.10).

use super::sample::Sample;
use super::startup::StartupLosses;
use super::{Bbr, Phase, State};
use crate::{Ack, LostSegment};

/// `BBR.LossThresh` (§2.8).
pub(super) const LOSS_THRESHOLD: f64 = 0.02;
/// `BBR.Beta` (§2.8).
const BETA: f64 = 0.7;
/// `BBR.Headroom` (§2.8).
const HEADROOM: f64 = 0.15;

/// What losses allow, long-term and since the last probe for bandwidth.
#[derive(Debug)]
pub(super) struct Bounds {
    /// `BBR.inflight_longterm`.
    pub(super) inflight_long: f64,
    /// `BBR.inflight_shortterm`.
    pub(super) inflight_short: f64,
    /// `BBR.bw_shortterm`.
    pub(super) bw_short: f64,
    /// `BBR.bw_latest`: the largest of this loss round.
    bw_latest: f64,
    /// `BBR.inflight_latest`.
    pub(super) inflight_latest: f64,
    /// `BBR.loss_round_delivered`: this loss round ends when more is delivered.
    loss_round_end: u64,
    /// `BBR.loss_round_start`.
    pub(super) loss_round_starts: bool,
    /// `BBR.is_loss_in_round`.
    pub(super) loss_in_round: bool,
    /// `loss_in_cycle` of Google's code.
    pub(super) loss_in_cycle: bool,
    pub(super) startup: StartupLosses,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            inflight_long: f64::INFINITY,
            inflight_short: f64::INFINITY,
            bw_short: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_end: 0,
            loss_round_starts: false,
            loss_in_round: false,
            loss_in_cycle: false,
            startup: StartupLosses::default(),
        }
    }
}

impl Bounds {
    /// `AdvanceLatestDeliverySignals` (§5.5.10.3).
    pub(super) const fn advance(&mut self, sample: &Sample) {
        if self.loss_round_starts {
            self.bw_latest = sample.rate;
            self.inflight_latest = sample.delivered;
        }
    }

    /// `ResetCongestionSignals` (§5.5.10.3).
    pub(super) const fn reset_congestion_signals(&mut self) {
        (self.loss_in_round, self.loss_in_cycle) = (false, false);
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    /// `ResetShortTermModel` (§5.5.10.3).
    pub(super) const fn reset_short_term(&mut self) {
        self.bw_short = f64::INFINITY;
        self.inflight_short = f64::INFINITY;
    }
}

impl Bbr {
    /// `UpdateLatestDeliverySignals` (§5.5.10.3).
    pub(super) const fn update_latest_delivery_signals(&mut self, sample: &Sample) {
        let bounds = &mut self.bounds;
        bounds.bw_latest = bounds.bw_latest.max(sample.rate);
        bounds.inflight_latest = bounds.inflight_latest.max(sample.delivered);
        bounds.loss_round_starts = sample.total > 0 && sample.prior >= bounds.loss_round_end;
        if bounds.loss_round_starts {
            bounds.loss_round_end = self.round.delivered;
        }
    }

    /// `UpdateCongestionSignals` (§5.5.10.3): once a round with a loss, unless it probes.
    pub(super) fn update_congestion_signals(&mut self, sample: &Sample, ack: &Ack) {
        self.round.update(sample);
        self.hear_of_marks(ack);
        if self.round.starts {
            self.probe_bw.rounds_since_up += 1;
        }
        self.max_bw.update(sample);
        if !self.bounds.loss_round_starts {
            return;
        }
        if !self.state.is_probing() {
            self.lower_short_term_bounds();
        }
        (self.bounds.loss_in_round, self.marks.in_round) = (false, false);
    }

    /// `InitLowerBounds` and `LossLowerBounds` (§5.5.10.3), and `bbr_adapt_lower_bounds` of
    /// Google's code: the lower of what losses and marks leave.
    fn lower_short_term_bounds(&mut self) {
        let first = |bound: f64, value| if bound.is_finite() { bound } else { value };
        let bounds = &mut self.bounds;
        let inflight = first(bounds.inflight_short, self.cwnd.now);
        if bounds.loss_in_round {
            let bw = first(bounds.bw_short, self.max_bw.get());
            bounds.bw_short = bounds.bw_latest.max(BETA * bw);
            bounds.inflight_short = bounds.inflight_latest.max(BETA * inflight);
        }
        if self.marks.in_round {
            bounds.inflight_short = bounds.inflight_short.min(self.marks.cut(inflight));
        }
    }

    /// `NoteLoss` (§5.5.10.2). What was before is saved at the first loss of an episode
    /// (§5.5.11.1), not of each round: else a probe that the episode ended would be forgotten.
    pub(super) fn note_loss(&mut self) {
        self.note_congestion();
        if !self.undo.saved {
            self.save_state_upon_loss();
        }
    }

    /// A loss, or a mark, after which nothing is restored.
    pub(super) const fn note_congestion(&mut self) {
        if !self.bounds.loss_in_round {
            self.bounds.loss_round_end = self.round.delivered;
        }
        (self.bounds.loss_in_round, self.bounds.loss_in_cycle) = (true, true);
    }

    /// `HandleLostPacket` (§5.5.10.2).
    pub(super) fn handle_lost_segment(&mut self, lost: &LostSegment) {
        self.note_loss();
        self.bounds.startup.note(lost.now);
        let in_flight = lost.pipe_at_send as f64;
        let too_high = lost.lost as f64 > in_flight * LOSS_THRESHOLD;
        if self.probe_bw.is_sample && too_high {
            self.handle_inflight_too_high(lost);
        }
    }

    /// `HandleInflightTooHigh` (§5.5.10.2).
    fn handle_inflight_too_high(&mut self, lost: &LostSegment) {
        self.probe_bw.too_high();
        if !lost.app_limited {
            self.bounds.inflight_long = inflight_at_loss(lost).max(self.target_inflight() * BETA);
        }
        if self.state == State::ProbeBw(Phase::Up) {
            self.undo.state = Some(self.state);
            self.start_down(lost.now);
        }
    }

    /// `bbr_handle_inflight_too_high` of Google's code, for marks.
    pub(super) fn probe_marked_too_high(&mut self, sample: &Sample) {
        self.probe_bw.too_high();
        if !sample.app_limited {
            self.bounds.inflight_long = sample.tx_in_flight.max(self.target_inflight() * BETA);
        }
        if self.state == State::ProbeBw(Phase::Up) {
            self.start_down(sample.now);
        }
    }

    /// `InflightWithHeadroom` (§5.3.3.9).
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let long = self.bounds.inflight_long;
        if long.is_infinite() {
            return long;
        }
        let headroom = (HEADROOM * long).max(self.cwnd.segment);
        (long - headroom).max(self.cwnd.min_pipe())
    }
}

/// `InflightAtLoss` (§5.5.10.2): the flight at which losses crossed the threshold.
fn inflight_at_loss(lost: &LostSegment) -> f64 {
    let before = lost.pipe_at_send.saturating_sub(lost.bytes) as f64;
    let lost_before = lost.lost.saturating_sub(lost.bytes) as f64;
    let prefix = (LOSS_THRESHOLD * before - lost_before) / (1.0 - LOSS_THRESHOLD);
    before + prefix.max(0.0)
}
