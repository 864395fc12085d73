//! A delay that strays from packet to packet.

use base::{Duration, Philox, Schedule, Time, float};
use settings::{Leaf, OfTime, Word, section, words};

section! {
    /// The keys of how the delay of one direction strays.
    #[derive(Copy)]
    pub struct Keys {
        /// How far the delay of each packet strays from `delay`, drawn anew for each: up to so much
        /// to both sides, or so much as the standard deviation of a normal distribution.
        pub jitter: Duration as OfTime = Duration::ZERO;
        /// The distribution of the delay about `delay`. Default: as in netem.
        pub jitter_distribution: Distribution as Word<Distribution> = Distribution::Uniform;
        /// Whether a packet whose delay is shorter waits for the one before it, or overtakes it as
        /// in netem. Default: it waits, as on a wire.
        pub jitter_order: Order as Word<Order> = Order::Kept;
    }
}

words! {
    /// How delays are distributed about their mean.
    pub enum Distribution {
        /// Evenly, from `delay` - `jitter` to `delay` + `jitter`.
        Uniform = "uniform",
        /// Normally, with the standard deviation `jitter`, up to four of which to either side.
        Normal = "normal",
    }
}

words! {
    /// What becomes of the order of packets whose delays differ.
    pub enum Order {
        /// None overtakes another.
        Kept = "kept",
        /// Each arrives when its delay has passed.
        Free = "free",
    }
}

/// Standard deviations to which normal draws are confined: as far as the table of netem's normal
/// distribution reaches (iproute2, `netem/normal.c`).
pub const MOST_DEVIATIONS: u64 = 4;

/// A jitter over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// How far delays stray, by time of departure.
    pub extent: Schedule<Duration>,
    /// How they are distributed.
    pub distribution: Distribution,
    /// What becomes of the order.
    pub order: Order,
}

impl Default for Config {
    fn default() -> Self {
        Keys::default().config(Schedule::constant(Duration::ZERO))
    }
}

impl Keys {
    /// The jitter that is `extent` over time.
    pub(crate) const fn config(&self, extent: Schedule<Duration>) -> Config {
        Config { extent, distribution: self.jitter_distribution, order: self.jitter_order }
    }
}

impl Distribution {
    /// The most by which a delay with the jitter `extent` is shorter than its mean.
    pub fn reach(self, extent: Duration) -> Duration {
        match self {
            Self::Uniform => extent,
            Self::Normal => extent * MOST_DEVIATIONS,
        }
    }

    /// The largest jitter that lets no delay about `mean` fall below zero.
    pub fn most(self, mean: Duration) -> Duration {
        match self {
            Self::Uniform => mean,
            Self::Normal => mean / MOST_DEVIATIONS,
        }
    }
}

impl Config {
    /// Why delays about `mean` could fall below zero, if they could; `jitter` and `delay` are the
    /// keys that say so.
    pub fn fault(&self, mean: &Schedule<Duration>, [jitter, delay]: [&str; 2]) -> Option<String> {
        let times = || mean.changes().chain(self.extent.changes());
        let is_beyond =
            |time: &Time| self.extent.at(*time) > self.distribution.most(mean.at(*time));
        let time = std::iter::once(Time::ZERO).chain(times()).find(is_beyond)?;
        let most = OfTime::<0>::show(&self.distribution.most(mean.at(time)));
        let share = match self.distribution {
            Distribution::Uniform => "",
            Distribution::Normal => "a quarter of ",
        };
        Some(format!(
            "{jitter} must not be above {share}{delay}, {most} here, or delays fall below zero"
        ))
    }

    /// Whether what departs at `departs` waits for those before it.
    pub(super) fn keeps_order(&self, departs: Time) -> bool {
        self.order == Order::Kept || self.extent.at(departs) == Duration::ZERO
    }

    /// The delay of packet number `packet`, which departs at `departs` and takes `mean` on average.
    /// `draw` is a uniform one of its own; `chance` makes the others that a normal value takes.
    pub(super) fn delay(
        &self,
        (packet, departs): (u64, Time),
        mean: Duration,
        (draw, chance): (u32, Philox),
    ) -> Duration {
        let extent = self.extent.at(departs);
        if extent == Duration::ZERO {
            return mean;
        }
        let reach = self.distribution.reach(extent);
        let above_least = match self.distribution {
            Distribution::Uniform => {
                let span = 2 * u128::from(extent.as_nanos()) + 1;
                Duration::from_nanos(((span * u128::from(draw)) >> 32) as u64)
            }
            Distribution::Normal => {
                let deviations = confined_normal(packet, chance) + MOST_DEVIATIONS as f64;
                Duration::from_secs_f64(extent.as_secs_f64() * deviations)
            }
        };
        Duration::from_nanos((mean + above_least).as_nanos().saturating_sub(reach.as_nanos()))
    }
}

/// The standard normal value of packet number `packet`, drawn anew beyond [`MOST_DEVIATIONS`].
fn confined_normal(packet: u64, chance: Philox) -> f64 {
    let mut attempts = 1_u32..;
    let mut draw = || {
        let attempt = attempts.next().unwrap_or_default();
        let [x, y, ..] = chance.at([packet as u32, (packet >> 32) as u32, attempt, 0]);
        [x, y]
    };
    loop {
        let value = float::normal(&mut draw);
        if value.abs() <= MOST_DEVIATIONS as f64 {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEAN: Duration = Duration::from_millis(100);
    const JITTER: Duration = Duration::from_millis(20);

    /// Delays of 100 ms with a jitter of 20 ms, in ms.
    fn delays(distribution: Distribution) -> Vec<f64> {
        let config = Config { extent: JITTER.into(), distribution, order: Order::Free };
        let chance = Philox::named(5, "jitter");
        let delay = |packet: u32| {
            let [draw, ..] = chance.at([packet, 0, 0, 0]);
            config.delay((packet.into(), Time::ZERO), MEAN, (draw, chance)).as_secs_f64() * 1e3
        };
        (0..100_000).map(delay).collect()
    }

    fn share(delays: &[f64], is_of: impl Fn(f64) -> bool) -> f64 {
        delays.iter().filter(|&&delay| is_of(delay)).count() as f64 / delays.len() as f64
    }

    /// The mean within four standard deviations of that of as many draws.
    fn check_mean(delays: &[f64], deviation: f64) {
        let count = delays.len() as f64;
        let mean = delays.iter().sum::<f64>() / count;
        assert!((mean - 100.0).abs() < 4.0 * deviation / count.sqrt(), "{mean} ms");
        let square = delays.iter().map(|delay| (delay - mean) * (delay - mean)).sum::<f64>();
        let found = (square / count).sqrt();
        assert!((found / deviation - 1.0).abs() < 0.01, "{found}, not {deviation} ms");
    }

    #[test]
    fn uniform_delays() {
        let delays = delays(Distribution::Uniform);
        check_mean(&delays, 20.0 / 3.0_f64.sqrt());
        assert!(delays.iter().all(|delay| (80.0..=120.0).contains(delay)));
        assert!((share(&delays, |delay| delay < 90.0) - 0.25).abs() < 0.01);
        assert!(share(&delays, |delay| delay < 80.1) > 0.0);
        assert!(share(&delays, |delay| delay > 119.9) > 0.0);
    }

    #[test]
    fn normal_delays() {
        let delays = delays(Distribution::Normal);
        check_mean(&delays, 20.0);
        assert!(delays.iter().all(|delay| (20.0..=180.0).contains(delay)));
        assert!((share(&delays, |delay| (delay - 100.0).abs() < 20.0) - 0.6827).abs() < 0.01);
        assert!((share(&delays, |delay| (delay - 100.0).abs() < 40.0) - 0.9545).abs() < 0.01);
    }

    #[test]
    fn the_largest_jitter_reaches_zero() {
        for distribution in [Distribution::Uniform, Distribution::Normal] {
            assert_eq!(distribution.reach(distribution.most(MEAN)), MEAN);
        }
    }
}
