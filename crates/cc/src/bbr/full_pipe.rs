//! Is the pipe full? (§5.3.1.2)

use super::sample::Sample;

/// The minimum growth of a round that still finds bandwidth.
const GROWTH: f64 = 1.25;
/// Rounds without that growth after which the pipe is full.
const ROUNDS: u32 = 3;

/// Looks for a plateau of the delivery rate.
#[derive(Debug, Default)]
pub(super) struct FullPipe {
    /// `BBR.full_bw`: the delivery rate to exceed.
    baseline: f64,
    /// `BBR.full_bw_count`.
    rounds: u32,
    /// `BBR.full_bw_now`: since the last reset.
    pub(super) now: bool,
    /// `BBR.full_bw_reached`: ever.
    pub(super) reached: bool,
}

impl FullPipe {
    /// `ResetFullBW`, with `baseline` as the delivery rate to exceed.
    pub(super) const fn reset(&mut self, baseline: f64) {
        self.baseline = baseline;
        self.rounds = 0;
        self.now = false;
    }

    /// `CheckFullBWReached`, once a round.
    pub(super) fn check(&mut self, sample: &Sample, round_starts: bool) {
        if self.now || !round_starts || sample.app_limited {
            return;
        }
        if sample.rate >= self.baseline * GROWTH {
            self.reset(sample.rate);
            return;
        }
        self.rounds += 1;
        self.now = self.rounds >= ROUNDS;
        self.reached |= self.now;
    }
}
