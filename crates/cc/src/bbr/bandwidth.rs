//! The maximum bandwidth (§5.5.2 to §5.5.6).

use super::sample::Sample;

/// `BBR.max_bw`: the largest delivery rate of this `ProbeBW` cycle and the last.
#[derive(Debug, Default)]
pub(super) struct MaxBandwidth {
    this_cycle: f64,
    last_cycle: f64,
}

impl MaxBandwidth {
    /// `UpdateMaxBw` (§5.5.5): a sample that the application limited counts only if it is larger.
    pub(super) fn update(&mut self, sample: &Sample) {
        if sample.rate > 0.0 && (sample.rate >= self.get() || !sample.app_limited) {
            self.this_cycle = self.this_cycle.max(sample.rate);
        }
    }

    /// `AdvanceMaxBwFilter` (§5.5.6). A cycle without a sample does not count: the maximum stays
    /// (§3.8).
    pub(super) const fn advance(&mut self) {
        if self.this_cycle > 0.0 {
            self.last_cycle = self.this_cycle;
            self.this_cycle = 0.0;
        }
    }

    /// In bytes per second; zero before the first sample.
    pub(super) const fn get(&self) -> f64 {
        self.this_cycle.max(self.last_cycle)
    }
}
