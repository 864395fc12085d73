//! A flow's congestion window over time.

use base::{Duration, Time};

use crate::series::{Keep, Series};

/// The window after a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CwndRow {
    /// When it changed.
    pub time: Time,
    /// Congestion window in bytes, at most the maximum in flight; of several connections the sum.
    pub cwnd: u64,
    /// Slow-start threshold in bytes.
    pub ssthresh: u64,
}

/// The changes of a window, and what is known of all of them.
#[derive(Debug)]
pub(crate) struct Windows {
    pub(crate) series: Series<CwndRow>,
    /// When it was first known.
    first: Option<Time>,
    last: Option<CwndRow>,
    /// Bytes times seconds up to the last change.
    integral: f64,
    max: u64,
}

impl Windows {
    pub(crate) fn new(keep: Keep) -> Self {
        Self { series: Series::new(keep), first: None, last: None, integral: 0.0, max: 0 }
    }

    /// The window is that of `row` now, which is no change if both values are as before.
    pub(crate) fn set(&mut self, row: CwndRow) {
        if let Some(last) = self.last {
            if (last.cwnd, last.ssthresh) == (row.cwnd, row.ssthresh) {
                return;
            }
            self.integral += area(last, row.time);
        }
        self.first.get_or_insert(row.time);
        self.last = Some(row);
        self.max = self.max.max(row.cwnd);
        self.series.push(row);
    }

    /// Time-weighted mean and maximum, in bytes, up to `end`.
    pub(crate) fn mean_and_max(&self, end: Time) -> Option<(f64, u64)> {
        let (first, last) = (self.first?, self.last?);
        let span = end.saturating_since(first);
        if span == Duration::ZERO {
            return Some((last.cwnd as f64, self.max));
        }
        Some(((self.integral + area(last, end)) / span.as_secs_f64(), self.max))
    }
}

/// Bytes times seconds of a window that lasts `until`.
fn area(row: CwndRow, until: Time) -> f64 {
    row.cwnd as f64 * until.saturating_since(row.time).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_weighted_by_time() {
        let mut windows = Windows::new(Keep::Sample);
        assert_eq!(windows.mean_and_max(Time::ZERO), None);
        let at = |seconds: u64| Time::from_nanos(seconds * 1_000_000_000);
        for (seconds, cwnd) in [(1, 1000), (2, 1000), (4, 2000)] {
            windows.set(CwndRow { time: at(seconds), cwnd, ssthresh: 9 });
        }
        assert_eq!(windows.mean_and_max(at(5)), Some((1250.0, 2000)));
        assert_eq!(windows.series.rows().len(), 2);
    }
}
