//! Outages at random.

use base::{Duration, Philox, Time, float};
use settings::{Factor, OfTime, Off, Or, section};

use super::core::normal;

section! {
    /// `[radio.outage]`: random outages, in addition to those of `radio.outages`.
    pub struct RandomOutages {
        /// Mean of the exponential time from one to the next: 120 s while driving, 20 min
        /// standing still.
        pub every: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// The shortest. Default: chakravorty2003 §II.
        pub least: Duration as OfTime<1> = Duration::from_secs(5);
        /// The longest. Default: chakravorty2003 §II.
        pub most: Duration as OfTime<1> = Duration::from_secs(40);
        /// Median of their log-normal lengths before the limits. Default: our choice.
        pub median: Duration as OfTime<1> = Duration::from_secs(10);
        /// Standard deviation of the logarithm of the length. Default: our choice.
        pub sigma: f64 as Factor = 0.7;
    }
    in_order(least, most)
}

impl RandomOutages {
    /// From when to when there are outages that begin before `end`. They depend on `seed` and
    /// `name` alone, and a later end only adds some.
    pub(super) fn draw(&self, end: Time, seed: u64, name: &str) -> Vec<[Time; 2]> {
        let Some(every) = self.every else { return Vec::new() };
        let (pauses, lengths) =
            (Philox::named(seed, name), Philox::named(seed, &format!("{name}/lengths")));
        let mut outages = Vec::new();
        let mut from = Time::ZERO;
        for index in 0_u32.. {
            let [draw, ..] = pauses.at([index, 0, 0, 0]);
            let uniform = (f64::from(draw) + 0.5) / 4_294_967_296.0;
            let pause = -float::ln(uniform) * every.as_secs_f64();
            from += Duration::from_secs_f64(pause);
            if from >= end {
                break;
            }
            let to = from + self.length(lengths, index);
            outages.push([from, to]);
            from = to;
        }
        outages
    }

    /// How long outage number `index` lasts: drawn again until it lies within the limits.
    fn length(&self, chance: Philox, index: u32) -> Duration {
        let median = self.median.as_secs_f64();
        let draw = |attempt: u64| {
            let draw = normal(chance, u64::from(index) * ATTEMPTS + attempt);
            Duration::from_secs_f64(median * float::exp(self.sigma * draw))
        };
        let mut lengths = (0..ATTEMPTS).map(draw);
        let fits = lengths.find(|length| (self.least..=self.most).contains(length));
        fits.unwrap_or_else(|| self.median.clamp(self.least, self.most))
    }
}

/// The number of draws of a length after which the limits count as excluding nearly all.
const ATTEMPTS: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVING: RandomOutages = RandomOutages {
        every: Some(Duration::from_secs(120)),
        least: Duration::from_secs(5),
        most: Duration::from_secs(40),
        median: Duration::from_secs(10),
        sigma: 0.7,
    };

    fn draw(hours: u64, seed: u64) -> Vec<[Time; 2]> {
        DRIVING.draw(Time::ZERO + Duration::from_secs(3600 * hours), seed, "Um/outages")
    }

    #[test]
    fn they_keep_their_limits_and_their_mean() {
        let outages = draw(200, 1);
        let mut end = Time::ZERO;
        let mut pauses = 0.0;
        for [from, to] in &outages {
            let length = to.saturating_since(*from);
            assert!((DRIVING.least..=DRIVING.most).contains(&length), "{length:?}");
            assert!(*from >= end);
            pauses += from.saturating_since(end).as_secs_f64();
            end = *to;
        }
        let mean = pauses / outages.len() as f64;
        assert!((115.0..125.0).contains(&mean), "{mean} s");
    }

    #[test]
    fn a_longer_run_and_no_other_seed_has_the_same() {
        let long = draw(20, 1);
        assert_eq!(draw(10, 1)[..], long[..draw(10, 1).len()]);
        assert_ne!(draw(10, 1), draw(10, 2));
    }
}
