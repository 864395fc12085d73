//! BBR, version 3 (draft-ietf-ccwg-bbr-06). One concept of the draft, one file; § are its sections.

mod aggregation;
mod bandwidth;
mod bounds;
mod cwnd;
mod drain;
mod full_pipe;
mod marks;
mod min_rtt;
mod pacing;
mod probe_bw;
mod probe_rtt;
mod round;
mod sample;
mod startup;
mod undo;

use base::{Duration, Ecn, Philox, Rate, Time};

use self::aggregation::Aggregation;
use self::bandwidth::MaxBandwidth;
use self::bounds::Bounds;
use self::cwnd::Cwnd;
use self::full_pipe::FullPipe;
use self::marks::Marks;
pub use self::marks::{BbrParameters, MarkAnswer};
use self::min_rtt::MinRtt;
use self::pacing::PacingRate;
use self::probe_bw::ProbeBw;
use self::probe_rtt::ProbeRtt;
use self::round::Round;
use self::sample::Sample;
use self::undo::Undo;
use crate::{Ack, Controller, EcnFeedback, Limits, Loss, LossKind, LostSegment};

/// A model of the path, and sending as it says.
///
/// From samples of the delivery rate and the round-trip time it learns the bandwidth and the
/// delay of the path, sends at that rate and keeps no more in flight than their product needs. It
/// sends faster now and then to see whether there is more (Startup, `ProbeBW`), and less to see
/// the delay without a queue (Drain, `ProbeRTT`). Losses bound the model.
///
/// Volumes are in bytes and bandwidths in bytes per second, both as reals, where the draft's
/// "Infinity" is one.
#[derive(Debug)]
pub struct Bbr {
    state: State,
    round: Round,
    max_bw: MaxBandwidth,
    min_rtt: MinRtt,
    aggregation: Aggregation,
    full_pipe: FullPipe,
    bounds: Bounds,
    marks: Marks,
    probe_bw: ProbeBw,
    probe_rtt: ProbeRtt,
    undo: Undo,
    recovery: Recovery,
    pacing: PacingRate,
    cwnd: Cwnd,
    /// `BBR.bw`: what the model allows to send (§5.5.10.3).
    bw: f64,
    chance: Philox,
}

/// `BBR.state` (§5.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain { start_round: u64 },
    ProbeBw(Phase),
    ProbeRtt,
}

/// A phase of `ProbeBW` (§5.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Down,
    Cruise,
    Refill,
    Up,
}

/// Whether losses are being repaired (§5.6.4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Recovery {
    None,
    Fast,
    /// Until this offset is acknowledged.
    Timeout {
        end: u64,
    },
}

impl State {
    /// The factor between bandwidth and pacing rate (§5.6.1).
    const fn pacing_gain(self) -> f64 {
        match self {
            Self::Startup => 2.77,
            Self::Drain { .. } => 0.5,
            Self::ProbeBw(Phase::Down) => 0.9,
            Self::ProbeBw(Phase::Cruise | Phase::Refill) | Self::ProbeRtt => 1.0,
            Self::ProbeBw(Phase::Up) => 1.25,
        }
    }

    /// The factor between bandwidth-delay product and window (§5.6.1).
    const fn cwnd_gain(self) -> f64 {
        match self {
            Self::Startup
            | Self::Drain { .. }
            | Self::ProbeBw(Phase::Down | Phase::Cruise | Phase::Refill) => 2.0,
            Self::ProbeBw(Phase::Up) => 2.25,
            Self::ProbeRtt => probe_rtt::CWND_GAIN,
        }
    }

    /// True while accelerating (§5.3.3.9).
    const fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::ProbeBw(Phase::Refill | Phase::Up))
    }
}

impl Bbr {
    /// Longest time between two measurements of the round-trip time without queues.
    pub const PROBE_INTERVAL: Duration = min_rtt::PROBE_INTERVAL;

    /// A connection's controller at its start (§5.2.1).
    pub fn new(limits: &Limits, parameters: BbrParameters) -> Self {
        let cwnd = Cwnd::new(limits);
        Self {
            state: State::Startup,
            round: Round::default(),
            max_bw: MaxBandwidth::default(),
            min_rtt: MinRtt::default(),
            aggregation: Aggregation::default(),
            full_pipe: FullPipe::default(),
            bounds: Bounds::default(),
            marks: Marks::new(parameters),
            probe_bw: ProbeBw::default(),
            probe_rtt: ProbeRtt::default(),
            undo: Undo::default(),
            recovery: Recovery::None,
            pacing: PacingRate::new(cwnd.initial),
            cwnd,
            bw: 0.0,
            chance: Philox::named(parameters.seed, "bbr"),
        }
    }

    /// `UpdateModelAndState` (§5.2.3).
    fn update_model_and_state(&mut self, sample: &Sample, ack: &Ack) {
        self.update_latest_delivery_signals(sample);
        self.update_congestion_signals(sample, ack);
        self.update_aggregation(sample);
        self.full_pipe.check(sample, self.round.starts);
        self.check_startup_done(sample);
        self.check_drain_done(sample);
        self.update_cycle_phase(sample);
        self.min_rtt.update(sample);
        self.check_probe_rtt(sample);
        self.bounds.advance(sample);
        self.bw = self.max_bw.get().min(self.bounds.bw_short);
    }

    /// `UpdateControlParameters` (§5.2.3). The send quantum is the sender's (§5.6.3) and too small
    /// to count (§5.5.8.1).
    fn update_control_parameters(&mut self, sample: &Sample) {
        self.pacing.set(self.state.pacing_gain(), self.bw, self.full_pipe.reached);
        self.set_cwnd(sample);
    }

    fn check_recovery_done(&mut self, ack: &Ack) {
        let done = match self.recovery {
            Recovery::None | Recovery::Fast => !ack.recovering,
            Recovery::Timeout { end } => ack.una >= end,
        };
        if !done {
            return;
        }
        self.undo.saved = false;
        if self.recovery != Recovery::None {
            self.recovery = Recovery::None;
            self.cwnd.restore();
        }
    }
}

impl Controller for Bbr {
    fn on_feedback(&mut self, feedback: EcnFeedback) {
        self.marks.agree(feedback == EcnFeedback::Accurate);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if let (Some(rtt), true) = (ack.rtt, self.min_rtt.is_unknown()) {
            self.pacing.start(self.cwnd.initial, rtt);
        }
        self.check_recovery_done(ack);
        let mut sample = Sample::of(ack, self.min_rtt.lifetime());
        sample.app_limited |= self.probe_rtt.covers(sample.prior);
        self.round.delivered = self.round.delivered.max(sample.total);
        self.round.una = ack.una;
        self.update_model_and_state(&sample, ack);
        self.update_control_parameters(&sample);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let recovery = match loss.kind {
            LossKind::Ecn if self.marks.counts() => return,
            LossKind::Ecn => return self.note_congestion(),
            LossKind::DuplicateAcks | LossKind::FineTimeout => Recovery::Fast,
            LossKind::Timeout => Recovery::Timeout { end: self.round.una + loss.in_flight },
        };
        self.note_loss();
        self.save_cwnd();
        self.recovery = recovery;
        if loss.kind == LossKind::Timeout {
            self.cwnd.now = self.cwnd.segment;
        }
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.handle_lost_segment(lost);
    }

    /// `HandleRestartFromIdle` (§5.4.1).
    fn on_idle(&mut self, now: Time) {
        self.probe_rtt.idle_restart = true;
        self.aggregation.restart(now);
        match self.state {
            State::ProbeBw(_) => self.pacing.set(1.0, self.bw, self.full_pipe.reached),
            State::ProbeRtt => self.check_probe_rtt_done(now),
            State::Startup | State::Drain { .. } => {}
        }
    }

    /// Its pace keeps a whole window from leaving at once.
    fn on_restart(&mut self, _now: Time) {}

    fn on_undo(&mut self, _now: Time) {
        self.handle_spurious_loss();
    }

    fn on_resume(&mut self, cwnd: u64, _ssthresh: u64) {
        self.cwnd.resume(cwnd as f64);
    }

    fn window(&self) -> u64 {
        self.cwnd.now as u64
    }

    /// BBR has no slow-start threshold: the largest window.
    fn ssthresh(&self) -> u64 {
        self.cwnd.maximum as u64
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pacing.rate())
    }

    fn codepoint(&self) -> Ecn {
        if self.marks.is_l4s() { Ecn::L4s } else { Ecn::Capable }
    }

    fn wants_rate(&self) -> bool {
        true
    }
}
