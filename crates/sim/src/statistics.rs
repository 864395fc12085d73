//! Summaries of samples.

use base::Duration;
use schemars::JsonSchema;
use serde::Serialize;

/// The distribution of a set of times, in seconds.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RttSummary")]
pub struct Distribution {
    /// How many.
    pub samples: u64,
    /// The smallest.
    pub min: Option<f64>,
    /// The arithmetic mean.
    pub mean: Option<f64>,
    /// The standard deviation of these samples (divided by their number). Of more than 262,144
    /// times it and the percentiles are those of a random share.
    pub stdev: Option<f64>,
    /// The median. Percentiles are samples: the smallest with that share at or below it.
    pub p50: Option<f64>,
    /// The 95th percentile.
    pub p95: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
}

/// Number, sum and limits of durations, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Totals {
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Default for Totals {
    fn default() -> Self {
        Self { count: 0, sum: 0, min: u64::MAX, max: 0 }
    }
}

impl Totals {
    #[inline]
    pub(crate) fn add(&mut self, duration: Duration) {
        let nanos = duration.as_nanos();
        self.count += 1;
        self.sum += u128::from(nanos);
        self.min = self.min.min(nanos);
        self.max = self.max.max(nanos);
    }

    /// The arithmetic mean.
    pub(crate) fn mean(&self) -> Option<Duration> {
        let mean = self.sum.checked_div(self.count.into())?;
        Some(Duration::from_nanos(mean as u64))
    }

    /// Adds those of other durations.
    pub(crate) fn join(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

impl Distribution {
    /// The distribution of `samples`, in any order.
    pub fn of(samples: impl Iterator<Item = Duration> + Clone) -> Self {
        let mut totals = Totals::default();
        samples.clone().for_each(|sample| totals.add(sample));
        Self::of_share(totals, samples)
    }

    /// The distribution of samples with these `totals`, of which `share` is a random share.
    pub(crate) fn of_share(totals: Totals, share: impl Iterator<Item = Duration>) -> Self {
        let mut nanos: Vec<u64> = share.map(Duration::as_nanos).collect();
        nanos.sort_unstable();
        let ranks = RANKS.map(|percent| nanos.get(rank(percent, nanos.len())).copied());
        Self::with(totals, &nanos, ranks)
    }

    /// Distribution of the times of many flows, which are not put in order.
    pub(crate) fn of_many(totals: Totals, share: impl Iterator<Item = Duration>) -> Self {
        let mut nanos: Vec<u64> = share.map(Duration::as_nanos).collect();
        let count = nanos.len();
        let ranks = RANKS
            .map(|percent| (count > 0).then(|| *nanos.select_nth_unstable(rank(percent, count)).1));
        Self::with(totals, &nanos, ranks)
    }

    /// The distribution of samples with these `totals`, of which `nanos` are a random share with
    /// these percentiles.
    fn with(totals: Totals, nanos: &[u64], ranks: [Option<u64>; 3]) -> Self {
        let count = nanos.len();
        let seconds = |nanos: u64| Duration::from_nanos(nanos).as_secs_f64();
        let [p50, p95, p99] = ranks.map(|nanos| nanos.map(seconds));
        let is_any = totals.count > 0;
        let mean = is_any.then(|| totals.sum as f64 / totals.count as f64);
        let stdev = mean.map(|mean| {
            let squares: f64 = nanos.iter().map(|&nanos| (nanos as f64 - mean).powi(2)).sum();
            (squares / count as f64).sqrt() / 1e9
        });
        Self {
            samples: totals.count,
            min: is_any.then(|| seconds(totals.min)),
            mean: mean.map(|mean| mean / 1e9),
            stdev,
            p50,
            p95,
            p99,
            max: is_any.then(|| seconds(totals.max)),
        }
    }
}

/// The percentiles of a distribution.
const RANKS: [usize; 3] = [50, 95, 99];

/// The place of a percentile among `count` samples in order.
const fn rank(percent: usize, count: usize) -> usize {
    let rank = (count * percent).div_ceil(100);
    if rank == 0 { 0 } else { rank - 1 }
}

/// Jain's fairness index of shares: the square of their sum over their number times the sum of
/// their squares. `None` of fewer than two, and if all are zero.
pub(crate) fn jain_index(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    let has_any = shares.len() > 1 && squares > 0.0;
    has_any.then(|| sum * sum / (shares.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_one_of_equals_and_least_where_one_has_all() {
        assert_eq!(jain_index(&[3.0, 3.0, 3.0]), Some(1.0));
        assert_eq!(jain_index(&[0.0, 5.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain_index(&[1.0, 3.0]), Some(0.8));
        assert_eq!(
            (jain_index(&[1.0]), jain_index(&[0.0, 0.0]), jain_index(&[])),
            (None, None, None)
        );
    }

    #[test]
    fn of_nothing_there_is_nothing_to_say() {
        let none = Distribution::of(std::iter::empty());
        assert_eq!(
            (none.samples, none.min, none.mean, none.p50, none.stdev),
            (0, None, None, None, None)
        );
    }

    #[test]
    fn percentiles_are_samples() {
        let of = Distribution::of((1..=100).rev().map(Duration::from_secs));
        let unordered = (1..=100).rev().map(Duration::from_secs);
        let mut totals = Totals::default();
        unordered.clone().for_each(|time| totals.add(time));
        let many = Distribution::of_many(totals, unordered);
        assert_eq!((many.p50, many.p95, many.p99), (of.p50, of.p95, of.p99));
        assert_eq!(of.p50, Some(50.0));
        assert_eq!(of.p95, Some(95.0));
        assert_eq!(of.p99, Some(99.0));
        assert_eq!((of.min, of.mean, of.max), (Some(1.0), Some(50.5), Some(100.0)));
        assert!((of.stdev.expect("samples") - 28.866_070).abs() < 1e-6);
        assert_eq!(Distribution::of(std::iter::once(Duration::from_secs(3))).p99, Some(3.0));
    }
}
