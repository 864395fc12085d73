//! `ProbeBW` (§5.3.3).

use base::{Duration, Time};

use super::sample::Sample;
use super::{Bbr, Phase, State};

/// The most rounds between two probes, to leave Reno its share (§5.3.3.8.2).
const RENO_ROUNDS: f64 = 63.0;
/// The minimum time between two probes for bandwidth; chance adds up to `SPREAD` (§5.3.3.8.2).
const WAIT: Duration = Duration::from_secs(2);
/// In nanoseconds.
const SPREAD: u64 = 1_000_000_000;
/// How often the growth of the long-term bound may double (§5.3.3.9).
const MAX_UP_ROUNDS: u32 = 30;

/// How far a probe for bandwidth is.
#[derive(Debug)]
pub(super) struct ProbeBw {
    acks: AckPhase,
    /// `BBR.is_bw_probe_sample`: samples are of data that were sent to probe.
    pub(super) is_sample: bool,
    /// `BBR.probe_up_acked_per_inc`.
    acked_per_increase: f64,
    /// `BBR.bw_probe_up_acked`.
    acked: f64,
    /// `BBR.bw_probe_up_rounds`.
    up_rounds: u32,
    /// `BBR.rounds_since_probe_up`.
    pub(super) rounds_since_up: u32,
    /// `BBR.bw_probe_wait`.
    wait: Duration,
    /// `BBR.cycle_stamp`.
    cycle_start: Time,
    /// `BBR.prev_probe_too_high`.
    prev_too_high: bool,
    /// `BBR.prev_probe_precautionary`.
    prev_precautionary: bool,
}

/// `BBR.ack_phase`: what acknowledgements cover (§2.14).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

impl Default for ProbeBw {
    fn default() -> Self {
        Self {
            acks: AckPhase::Init,
            is_sample: false,
            acked_per_increase: f64::INFINITY,
            acked: 0.0,
            up_rounds: 0,
            rounds_since_up: 0,
            wait: Duration::ZERO,
            cycle_start: Time::ZERO,
            prev_too_high: false,
            prev_precautionary: false,
        }
    }
}

impl ProbeBw {
    /// Nothing more is sent to probe; what was sent has yet to be acknowledged.
    pub(super) const fn stop(&mut self) {
        self.acks = AckPhase::ProbeStopping;
    }

    /// Losses answered this probe; they do so once.
    pub(super) const fn too_high(&mut self) {
        self.prev_too_high = true;
        self.is_sample = false;
    }
}

impl Bbr {
    /// `StartProbeBW_DOWN` (§5.3.3.9).
    pub(super) fn start_down(&mut self, now: Time) {
        self.bounds.reset_congestion_signals();
        self.marks.reset();
        self.probe_bw.acked_per_increase = f64::INFINITY;
        self.pick_probe_wait(now);
        self.probe_bw.cycle_start = now;
        self.probe_bw.stop();
        self.round.start();
        self.state = State::ProbeBw(Phase::Down);
    }

    /// `StartProbeBW_REFILL` (§5.3.3.9).
    pub(super) fn start_refill(&mut self) {
        self.bounds.reset_short_term();
        self.probe_bw.up_rounds = 0;
        self.probe_bw.acked = 0.0;
        self.probe_bw.prev_precautionary = false;
        self.probe_bw.acks = AckPhase::Refilling;
        self.round.start();
        self.state = State::ProbeBw(Phase::Refill);
    }

    /// `StartProbeBW_UP` (§5.3.3.9).
    fn start_up(&mut self, sample: &Sample) {
        self.probe_bw.acks = AckPhase::ProbeStarting;
        self.round.start();
        self.full_pipe.reset(sample.rate);
        self.state = State::ProbeBw(Phase::Up);
        self.raise_slope();
    }

    /// `UpdateProbeBWCyclePhase` (§5.3.3.9).
    pub(super) fn update_cycle_phase(&mut self, sample: &Sample) {
        if !self.full_pipe.reached || self.adapt_long_term_model(sample) {
            return;
        }
        let State::ProbeBw(phase) = self.state else { return };
        if let (Phase::Down | Phase::Cruise, Some(slope)) =
            (phase, self.reprobe_slope(sample.recovering))
        {
            self.start_refill();
            self.probe_bw.up_rounds = slope.min(MAX_UP_ROUNDS);
            return;
        }
        match phase {
            Phase::Down | Phase::Cruise if self.is_time_to_probe(sample.now) => {
                self.start_refill();
            }
            Phase::Down if self.is_time_to_cruise(sample) => {
                self.state = State::ProbeBw(Phase::Cruise);
            }
            Phase::Refill if self.round.starts => {
                self.probe_bw.is_sample = true;
                self.start_up(sample);
            }
            Phase::Up if self.is_time_to_go_down(sample) => {
                self.probe_bw.prev_too_high = false;
                self.start_down(sample.now);
            }
            Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up => {}
        }
    }

    /// `PickProbeWait` (§5.3.3.8). The draw is a function of where the connection is in time and
    /// in its data, so that no two connections on one path keep step.
    fn pick_probe_wait(&mut self, now: Time) {
        let (nanos, delivered) = (now.as_nanos(), self.round.delivered);
        let counter = [nanos, nanos >> 32, delivered, delivered >> 32].map(|word| word as u32);
        let [round, fraction, ..] = self.chance.at(counter);
        self.probe_bw.rounds_since_up = round % 2;
        self.probe_bw.wait = WAIT + Duration::from_nanos((u64::from(fraction) * SPREAD) >> 32);
    }

    /// `IsTimeToProbeBW` (§5.3.3.8): by the clock, or as soon as Reno would.
    fn is_time_to_probe(&self, now: Time) -> bool {
        let reno_rounds = (self.target_inflight() / self.cwnd.segment).min(RENO_ROUNDS);
        now.saturating_since(self.probe_bw.cycle_start) > self.probe_bw.wait
            || f64::from(self.probe_bw.rounds_since_up) >= reno_rounds
    }

    /// `IsTimeToCruise` (§5.3.3.9).
    fn is_time_to_cruise(&self, sample: &Sample) -> bool {
        sample.inflight <= self.inflight_with_headroom()
            && sample.inflight <= self.inflight(self.max_bw.get(), 1.0)
    }

    /// `IsTimeToGoDown` (§5.3.3.9). What was in flight before this acknowledgement counts, as in
    /// Linux: after it, a window that is bound by `inflight_longterm` always has room.
    fn is_time_to_go_down(&mut self, sample: &Sample) -> bool {
        let long = self.bounds.inflight_long;
        if self.probe_bw.prev_too_high && sample.inflight + sample.newly_acked >= long {
            self.probe_bw.prev_precautionary = true;
            return true;
        }
        if sample.cwnd_limited && self.cwnd.now >= long {
            self.full_pipe.reset(sample.rate);
            return false;
        }
        self.full_pipe.now
    }

    /// `AdaptLongTermModel` (§5.3.3.9): true if it decided on the next phase.
    fn adapt_long_term_model(&mut self, sample: &Sample) -> bool {
        if self.probe_bw.acks == AckPhase::ProbeStarting && self.round.starts {
            self.probe_bw.acks = AckPhase::ProbeFeedback;
        }
        if self.probe_bw.acks == AckPhase::ProbeStopping && self.round.starts {
            self.probe_bw.is_sample = false;
            self.probe_bw.acks = AckPhase::Init;
            if self.end_of_probe(sample) {
                return true;
            }
        }
        if self.marks.is_too_high {
            if self.probe_bw.is_sample {
                self.probe_marked_too_high(sample);
            }
        } else if !sample.is_inflight_too_high() && self.bounds.inflight_long.is_finite() {
            self.bounds.inflight_long = self.bounds.inflight_long.max(sample.tx_in_flight);
            if self.state == State::ProbeBw(Phase::Up) {
                self.raise_inflight(sample);
            }
        }
        false
    }

    /// What a probe found is known: the bandwidth filter moves on, and a cautious probe that
    /// found no loss is followed by a whole one at once (§5.3.3.6).
    fn end_of_probe(&mut self, sample: &Sample) -> bool {
        let State::ProbeBw(_) = self.state else { return false };
        if !sample.app_limited {
            self.max_bw.advance();
        }
        let again = self.probe_bw.prev_precautionary && !self.probe_bw.prev_too_high;
        if again {
            self.start_refill();
        }
        again
    }

    /// `RaiseInflightLongtermSlope` (§5.3.3.9).
    fn raise_slope(&mut self) {
        let growth = f64::from(1_u32 << self.probe_bw.up_rounds);
        self.probe_bw.up_rounds = (self.probe_bw.up_rounds + 1).min(MAX_UP_ROUNDS);
        self.probe_bw.acked_per_increase = (self.cwnd.now / growth).max(self.cwnd.segment);
    }

    /// `ProbeInflightLongtermUpward` (§5.3.3.9).
    fn raise_inflight(&mut self, sample: &Sample) {
        if !sample.cwnd_limited || self.cwnd.now < self.bounds.inflight_long {
            return;
        }
        self.probe_bw.acked += sample.newly_acked;
        if self.probe_bw.acked >= self.probe_bw.acked_per_increase {
            let increases = (self.probe_bw.acked / self.probe_bw.acked_per_increase) as u64 as f64;
            self.probe_bw.acked -= increases * self.probe_bw.acked_per_increase;
            self.bounds.inflight_long += increases * self.cwnd.segment;
        }
        if self.round.starts {
            self.raise_slope();
        }
    }
}
