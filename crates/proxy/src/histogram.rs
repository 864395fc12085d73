//! A histogram of times.

use base::Duration;
use serde::{Deserialize, Serialize};

/// Times in buckets, each twice as wide as the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Histogram {
    /// How many times fell into each bucket: above the bound before it, up to its own. The last
    /// one has no bound.
    pub counts: [u64; Histogram::BOUNDS_MS.len() + 1],
    /// All of them together, in nanoseconds.
    pub sum_ns: u64,
}

impl Histogram {
    /// The upper bounds of all buckets but the last, in milliseconds: from 10 ms to 82 s.
    pub const BOUNDS_MS: [u64; 14] = {
        let mut bounds = [10; 14];
        let mut at = 1;
        while at < bounds.len() {
            bounds[at] = 2 * bounds[at - 1];
            at += 1;
        }
        bounds
    };

    /// Counts a time.
    pub fn add(&mut self, time: Duration) {
        let bound = |&bound: &u64| Duration::from_millis(bound) < time;
        self.counts[Self::BOUNDS_MS.partition_point(bound)] += 1;
        self.sum_ns = self.sum_ns.saturating_add(time.as_nanos());
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_the_bucket_below() {
        let mut histogram = Histogram::default();
        for ms in [0, 10, 11, 20, 81_920, 81_921] {
            histogram.add(Duration::from_millis(ms));
        }
        let mut expect = [0; 15];
        (expect[0], expect[1], expect[13], expect[14]) = (2, 2, 1, 1);
        assert_eq!(histogram.counts, expect);
        assert_eq!((histogram.count(), histogram.sum_ns), (6, 163_882_000_000));
    }
}
