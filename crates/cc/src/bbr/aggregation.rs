//! Aggregation of acknowledgements (§5.5.9).

use base::Time;

use super::Bbr;
use super::sample::Sample;

/// `BBR.ExtraAckedFilterLen`, in rounds (§2.12).
const FILTER_LENGTH: u64 = 10;

/// `BBR.extra_acked`: how much more than expected was delivered at once.
#[derive(Debug, Default)]
pub(super) struct Aggregation {
    /// `BBR.extra_acked_interval_start`.
    start: Time,
    /// `BBR.extra_acked_delivered`.
    delivered: f64,
    filter: WindowedMax,
}

impl Aggregation {
    /// Counts from `now` on.
    pub(super) const fn restart(&mut self, now: Time) {
        self.start = now;
    }

    /// In bytes.
    pub(super) const fn extra_acked(&self) -> f64 {
        self.filter.best[0].value
    }
}

impl Bbr {
    /// `UpdateACKAggregation`.
    pub(super) fn update_aggregation(&mut self, sample: &Sample) {
        let aggregation = &mut self.aggregation;
        let interval = sample.now.saturating_since(aggregation.start).as_secs_f64();
        let mut expected = self.bw * interval;
        if aggregation.delivered <= expected {
            aggregation.delivered = 0.0;
            aggregation.start = sample.now;
            expected = 0.0;
        }
        aggregation.delivered += sample.newly_acked;
        let extra = (aggregation.delivered - expected).min(self.cwnd.now);
        let length = if self.full_pipe.reached { FILTER_LENGTH } else { 1 };
        aggregation.filter.update(length, self.round.count, extra);
    }
}

/// The largest of recent values (Nichols's algorithm: the best three, each younger than the one
/// before).
#[derive(Debug, Default)]
struct WindowedMax {
    best: [Timed; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    time: u64,
    value: f64,
}

impl WindowedMax {
    fn update(&mut self, length: u64, time: u64, value: f64) {
        let new = Timed { time, value };
        let age = |timed: Timed| time - timed.time;
        if value >= self.best[0].value || age(self.best[2]) > length {
            self.best = [new; 3];
            return;
        }
        if value >= self.best[1].value {
            self.best[1] = new;
            self.best[2] = new;
        } else if value >= self.best[2].value {
            self.best[2] = new;
        }
        if age(self.best[0]) > length {
            self.best = [self.best[1], self.best[2], new];
            if age(self.best[0]) > length {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].time == self.best[0].time && 4 * age(self.best[0]) > length {
            self.best[1] = new;
            self.best[2] = new;
        } else if self.best[2].time == self.best[1].time && 2 * age(self.best[0]) > length {
            self.best[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a list of everything within the window: never below its present maximum, and never a
    /// value that is too old.
    #[test]
    fn the_maximum_is_of_the_window() {
        let mut filter = WindowedMax::default();
        let mut all = Vec::new();
        for time in 0..500_u64 {
            let value = (time * 7919 % 101) as f64;
            filter.update(10, time, value);
            all.push(value);
            let recent = &all[all.len().saturating_sub(11)..];
            let best = filter.best[0];
            assert!(recent.contains(&best.value), "{time}: {best:?} is too old");
            assert!(best.value >= value, "{time}: {best:?} is below {value}");
        }
    }
}
