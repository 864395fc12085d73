//! The pacing rate (§5.6.2).

use base::{Duration, Rate};

use super::State;

/// `BBR.PacingMarginPercent`, as what it leaves.
const MARGIN: f64 = 0.99;
/// The round-trip time before there is one.
const NOMINAL_RTT: Duration = Duration::from_millis(1);

/// `C.pacing_rate` in bytes per second.
#[derive(Debug)]
pub(super) struct PacingRate(f64);

impl PacingRate {
    /// `InitPacingRate` before there is a round-trip time.
    pub(super) fn new(initial_cwnd: f64) -> Self {
        let mut rate = Self(0.0);
        rate.start(initial_cwnd, NOMINAL_RTT);
        rate
    }

    /// `InitPacingRate` with the first round-trip time.
    pub(super) fn start(&mut self, initial_cwnd: f64, rtt: Duration) {
        if rtt > Duration::ZERO {
            self.0 = State::Startup.pacing_gain() * initial_cwnd / rtt.as_secs_f64();
        }
    }

    /// `SetPacingRateWithGain`: until the pipe was full once, only upwards; never to nothing.
    pub(super) fn set(&mut self, gain: f64, bw: f64, full_pipe: bool) {
        let rate = gain * bw * MARGIN;
        if rate > 0.0 && (full_pipe || rate > self.0) {
            self.0 = rate;
        }
    }

    /// At least 1 bit/s.
    pub(super) fn rate(&self) -> Rate {
        Rate::from_bps(((self.0 * 8.0) as u64).max(1))
    }
}
