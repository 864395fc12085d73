//! `ProbeRTT` (§5.3.4).

use base::{Duration, Time};

use super::sample::Sample;
use super::{Bbr, Phase, State};

/// `BBR.ProbeRTTCwndGain` (§2.16.2).
pub(super) const CWND_GAIN: f64 = 0.5;
/// `BBR.ProbeRTTDuration` (§2.16.2).
const DURATION: Duration = Duration::from_millis(200);

/// How far `ProbeRTT` is.
#[derive(Debug, Default)]
pub(super) struct ProbeRtt {
    /// Since when little enough is in flight: `BBR.probe_rtt_done_stamp` less its duration.
    since: Option<Time>,
    /// `BBR.probe_rtt_round_done`.
    round_done: bool,
    /// `BBR.idle_restart`.
    pub(super) idle_restart: bool,
    /// What was sent when so much and so much was delivered counts as limited by the application
    /// (`MarkConnectionAppLimited`, §4.1.2.4).
    quiet: Option<(u64, u64)>,
}

impl ProbeRtt {
    /// True for data that were sent when `prior` bytes were delivered, if that was in `ProbeRTT`
    /// or one flight after it.
    pub(super) fn covers(&self, prior: u64) -> bool {
        self.quiet.is_some_and(|(first, last)| (first..=last).contains(&prior))
    }

    fn mark_app_limited(&mut self, delivered: u64, inflight: f64) {
        let first = self.quiet.map_or(delivered, |(first, _)| first);
        self.quiet = Some((first, delivered + inflight as u64));
    }
}

impl Bbr {
    /// `CheckProbeRTT` (§5.3.4.3).
    pub(super) fn check_probe_rtt(&mut self, sample: &Sample) {
        let due = self.min_rtt.expired && !self.probe_rtt.idle_restart;
        if self.state != State::ProbeRtt && due {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt.since = None;
            self.probe_rtt.quiet = None;
            self.probe_bw.stop();
            self.round.start();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(sample);
        }
        if sample.delivered > 0.0 {
            self.probe_rtt.idle_restart = false;
        }
    }

    /// `HandleProbeRTT`: little in flight for 200 ms and a round.
    fn handle_probe_rtt(&mut self, sample: &Sample) {
        self.probe_rtt.mark_app_limited(self.round.delivered, sample.inflight);
        if self.probe_rtt.since.is_some() {
            self.probe_rtt.round_done |= self.round.starts;
            if self.probe_rtt.round_done {
                self.check_probe_rtt_done(sample.now);
            }
        } else if sample.inflight <= self.probe_rtt_cwnd() {
            self.probe_rtt.since = Some(sample.now);
            self.probe_rtt.round_done = false;
            self.round.start();
        }
    }

    /// `CheckProbeRTTDone` and `ExitProbeRTT` (§5.3.4.4).
    pub(super) fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt.since.is_none_or(|since| now.saturating_since(since) <= DURATION) {
            return;
        }
        self.min_rtt.schedule(now);
        self.cwnd.restore();
        self.bounds.reset_short_term();
        if self.full_pipe.reached {
            self.start_down(now);
            self.state = State::ProbeBw(Phase::Cruise);
        } else {
            self.state = State::Startup;
        }
    }
}
