//! The congestion window (§5.6.4).

use super::sample::Sample;
use super::{Bbr, Phase, Recovery, State};
use crate::Limits;

/// `BBR.MinPipeCwnd`, in segments (§2.8).
const MIN_PIPE: f64 = 4.0;

/// `C.cwnd` and its frame, in bytes.
#[derive(Debug)]
pub(super) struct Cwnd {
    pub(super) now: f64,
    /// `BBR.prior_cwnd`.
    prior: f64,
    /// `C.InitialCwnd`.
    pub(super) initial: f64,
    pub(super) maximum: f64,
    /// `C.SMSS`.
    pub(super) segment: f64,
}

impl Cwnd {
    pub(super) fn new(limits: &Limits) -> Self {
        let segment = f64::from(limits.mss);
        let maximum = f64::from(limits.maximum_window) * segment;
        let initial = (f64::from(limits.initial_window) * segment).min(maximum);
        Self { now: initial, prior: 0.0, initial, maximum, segment }
    }

    /// `BBR.MinPipeCwnd` in bytes.
    pub(super) const fn min_pipe(&self) -> f64 {
        MIN_PIPE * self.segment
    }

    /// `RestoreCwnd` (§5.6.4.4).
    pub(super) const fn restore(&mut self) {
        self.now = self.now.max(self.prior);
    }

    /// Moves to `bytes` (RFC 9959), also where a loss is being repaired.
    pub(super) const fn resume(&mut self, bytes: f64) {
        self.now = bytes.min(self.maximum);
        self.prior = self.now;
    }
}

impl Bbr {
    /// `SaveCwnd` (§5.6.4.4): the last one that neither recovery nor `ProbeRTT` made small.
    pub(super) fn save_cwnd(&mut self) {
        let unmodulated = self.recovery == Recovery::None && self.state != State::ProbeRtt;
        let prior = if unmodulated { 0.0 } else { self.cwnd.prior };
        self.cwnd.prior = prior.max(self.cwnd.now);
    }

    /// `SetCwnd` (§5.6.4.6).
    pub(super) fn set_cwnd(&mut self, sample: &Sample) {
        let max_inflight = self.max_inflight();
        let cwnd = self.cwnd.now;
        let grown = cwnd + sample.newly_acked;
        let cwnd = if self.full_pipe.reached {
            grown.min(max_inflight)
        } else if cwnd < max_inflight || (self.round.delivered as f64) < self.cwnd.initial {
            grown
        } else {
            cwnd
        };
        let cwnd = cwnd.max(self.cwnd.min_pipe()).min(self.cwnd_bound());
        self.cwnd.now = cwnd.min(self.cwnd.maximum);
    }

    /// `BoundCwndForProbeRTT` and `BoundCwndForModel` (§5.6.4.5, §5.6.4.7).
    fn cwnd_bound(&self) -> f64 {
        let long = match self.state {
            State::ProbeBw(Phase::Down | Phase::Refill | Phase::Up) => self.bounds.inflight_long,
            State::ProbeBw(Phase::Cruise) => self.inflight_with_headroom(),
            State::ProbeRtt => self.inflight_with_headroom().min(self.probe_rtt_cwnd()),
            State::Startup | State::Drain { .. } => f64::INFINITY,
        };
        long.min(self.bounds.inflight_short).max(self.cwnd.min_pipe())
    }

    /// `BDPMultiple` (§5.6.4.2) at the bandwidth of the model.
    pub(super) fn bdp(&self, gain: f64) -> f64 {
        self.bdp_at(self.bw, gain)
    }

    fn bdp_at(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.get().map_or(self.cwnd.initial, |rtt| gain * bw * rtt.as_secs_f64())
    }

    /// `Inflight` (§5.6.4.2) at the bandwidth `bw`.
    pub(super) fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.quantization_budget(self.bdp_at(bw, gain))
    }

    fn quantization_budget(&self, inflight: f64) -> f64 {
        let more = match self.state {
            State::ProbeBw(Phase::Up) => 2.0 * self.cwnd.segment,
            State::ProbeBw(Phase::Down | Phase::Cruise | Phase::Refill)
            | State::Startup
            | State::Drain { .. }
            | State::ProbeRtt => 0.0,
        };
        inflight.max(self.cwnd.min_pipe()) + more
    }

    /// `UpdateMaxInflight` (§5.6.4.2).
    fn max_inflight(&self) -> f64 {
        let inflight = self.bdp(self.state.cwnd_gain()) + self.aggregation.extra_acked();
        self.quantization_budget(inflight)
    }

    /// `ProbeRTTCwnd` (§5.6.4.5).
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp(super::probe_rtt::CWND_GAIN).max(self.cwnd.min_pipe())
    }

    /// `TargetInflight` (§5.3.3.8).
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp(1.0).min(self.cwnd.now)
    }
}
