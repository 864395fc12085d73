//! Random Early Detection (Floyd and Jacobson: Random Early Detection Gateways for Congestion
//! Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993), in packets.

use base::{Probability, Stream, Time};
use settings::{Bytes, Chance, Factor, Flag, Share, Word, section, words};

use super::{Arrival, Judge, Parameters, Start, Verdict};
use base::float::power;

section! {
    /// `[queue.red]`: Random Early Detection (Floyd and Jacobson 1993). Defaults: ns-2. The
    /// average counts packets, the one being sent included.
    #[derive(Copy)]
    pub struct Config {
        /// `min_th`: below this average, in packets, none is dropped.
        pub min_threshold: f64 as Factor = 5.0;
        /// `max_th`: from this average on, in packets, packets are dropped rather than marked.
        pub max_threshold: f64 as Factor = 15.0;
        /// `max_p`: the chance just below `max_threshold`.
        pub max_probability: Probability as Chance = Probability::new(0.1).unwrap_or_default();
        /// `w_q`: how much a new length counts in the average.
        pub weight: Probability as Share = Probability::new(0.002).unwrap_or_default();
        /// Above `max_threshold` the chance grows to 1 at twice the threshold, instead of jumping
        /// there (gentle RED).
        pub gentle: bool as Flag = true;
        /// Size of a typical packet: the average decays by as many as an idle link could have sent.
        pub mean_packet: u32 as Bytes<u32, 1, 65_535> = 500;
        /// Packets that count since the last one dropped or marked: those that passed and the one
        /// that arrives, or, as in Linux, only those that passed, so that gaps are one longer.
        /// Default: figure 2 of the paper.
        pub count: Count as Word<Count> = Count::WithArrival;
    }
}

words! {
    /// Packets that count since the last one dropped or marked.
    pub enum Count {
        /// Packets that passed and the one that arrives: gaps of 1 to 1/`p_b` − 1 (figure 2).
        WithArrival = "with-arrival",
        /// Packets that passed: gaps of 1 to 1/`p_b` (§7 of the paper), Linux.
        Passed = "passed",
    }
}

impl Parameters for Config {
    const NOTIFIES: bool = true;

    fn start(&self, chance: &dyn Fn(&str) -> Stream) -> Start {
        Start::judged(Red::new(*self, chance("RED")))
    }
}

/// The state of RED.
#[derive(Debug)]
pub struct Red {
    config: Config,
    chance: Stream,
    /// `avg`, in packets.
    average: f64,
    /// Count of the packet that comes next, while the average is above `min_threshold`; from 0.
    count: u32,
}

impl Red {
    /// At an empty queue, with its own source of `chance`.
    pub const fn new(config: Config, chance: Stream) -> Self {
        Self { config, chance, average: 0.0, count: 0 }
    }

    /// §4: while the link is idle the average decays as if that many small packets had met an empty
    /// queue.
    fn update_average(&mut self, Arrival { backlog, idle_bytes, .. }: Arrival) {
        let weight = self.config.weight.value();
        let keep = 1.0 - weight;
        if backlog.packets == 0 {
            let idle_packets = idle_bytes / u64::from(self.config.mean_packet);
            self.average *= power(keep, idle_packets);
        } else {
            self.average = keep * self.average + weight * f64::from(backlog.packets);
        }
    }

    /// `p_b` at the present average.
    fn probability(&self) -> f64 {
        let Config { min_threshold: min, max_threshold: max, gentle, .. } = self.config;
        let max_probability = self.config.max_probability.value();
        if self.average < min {
            0.0
        } else if self.average < max {
            max_probability * (self.average - min) / (max - min)
        } else if gentle {
            // Floyd: Recommendation on using the "gentle_" variant of RED, 2000.
            max_probability + (1.0 - max_probability) * (self.average - max) / max
        } else {
            1.0
        }
    }
}

impl Judge for Red {
    fn on_arrival(&mut self, _: Time, arrival: Arrival) -> Verdict {
        self.update_average(arrival);
        let probability = self.probability();
        if probability <= 0.0 {
            self.count = 0;
            return Verdict::Pass;
        }
        if probability < 1.0 && self.chance.next_f64() >= spread(probability, self.count) {
            self.count = self.count.saturating_add(1);
            return Verdict::Pass;
        }
        self.count = match self.config.count {
            Count::WithArrival => 1,
            Count::Passed => 0,
        };
        let is_full = probability >= 1.0 || self.average >= self.config.max_threshold;
        if is_full { Verdict::Drop } else { Verdict::Notify }
    }

    fn uses_idle_time(&self) -> bool {
        true
    }
}

/// `p_a`: spreads the dropped or marked packets evenly, at most 1/`p_b` apart.
fn spread(probability: f64, count: u32) -> f64 {
    let passed = f64::from(count) * probability;
    if passed < 1.0 { probability / (1.0 - passed) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::Backlog;
    use super::*;

    /// The average stays as it is.
    fn steady() -> Config {
        Config { weight: Probability::NEVER, ..Config::default() }
    }

    fn red(config: Config, average: f64) -> Red {
        Red { average, ..Red::new(config, Stream::named(1, "red")) }
    }

    const fn queue(packets: u32) -> Arrival {
        let backlog = Backlog { packets, bytes: 0 };
        Arrival { backlog, waiting_bytes: 0, idle_bytes: 0 }
    }

    fn close(value: f64, expect: f64) {
        assert!((value - expect).abs() < 1e-9, "{value} is not {expect}");
    }

    /// 10 · (1 − 0.998ⁿ).
    #[test]
    fn the_average_follows_slowly() {
        let mut red = red(Config::default(), 0.0);
        for expect in [0.02, 0.039_96, 0.059_880_08] {
            red.update_average(queue(10));
            close(red.average, expect);
        }
        for _ in 3..500 {
            red.update_average(queue(10));
        }
        close(red.average, 6.324_887_451_428_33);
    }

    #[test]
    fn the_average_forgets_while_the_link_is_idle() {
        let mut red = red(Config::default(), 8.0);
        red.update_average(Arrival { idle_bytes: 3 * 500, ..queue(0) });
        close(red.average, 8.0 * 0.998 * 0.998 * 0.998);
    }

    #[test]
    fn probabilities() {
        let check = |average, gentle, expect| {
            let config = Config { gentle, ..Config::default() };
            close(red(config, average).probability(), expect);
        };
        check(4.999, true, 0.0);
        check(5.0, true, 0.0);
        check(10.0, true, 0.05);
        check(14.0, true, 0.09);
        check(15.0, true, 0.1);
        check(22.5, true, 0.55);
        check(30.0, true, 1.0);
        check(14.999_999_999, false, 0.1);
        check(15.0, false, 1.0);
    }

    #[test]
    fn the_count_spreads_what_has_to_go() {
        close(spread(0.05, 0), 0.05);
        close(spread(0.05, 10), 0.1);
        close(spread(0.05, 15), 0.2);
        close(spread(0.05, 19), 1.0);
        close(spread(0.05, 20), 1.0);
        close(spread(0.05, u32::MAX), 1.0);
    }

    /// With `p_a` as above, gaps are uniform on `1..1/p_b`, or on `1..=1/p_b` where the packet that
    /// arrives does not count.
    #[test]
    fn gaps_are_uniform() {
        check_gaps(Count::WithArrival, 19, 10.0);
        check_gaps(Count::Passed, 20, 10.5);
    }

    fn check_gaps(count: Count, longest: u32, mean: f64) {
        let mut red = red(Config { count, ..steady() }, 10.0);
        let (mut gaps, mut gap) = (Vec::new(), 0_u32);
        for _ in 0..100_000 {
            gap += 1;
            if red.on_arrival(Time::ZERO, queue(10)) == Verdict::Notify {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert!(gaps[1..].iter().all(|gap| (1..=longest).contains(gap)));
        assert!(gaps.contains(&longest));
        let found = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
        assert!((found - mean).abs() < 0.2, "{found}");
    }

    #[test]
    fn a_full_average_drops_whatever_can_be_marked() {
        let verdict =
            |average| red(Config::default(), average).on_arrival(Time::ZERO, queue(average as u32));
        assert_eq!(verdict(4.0), Verdict::Pass);
        assert_eq!(verdict(40.0), Verdict::Drop);
        let mut between = red(steady(), 22.5);
        let verdicts: Vec<_> = (0..50).map(|_| between.on_arrival(Time::ZERO, queue(22))).collect();
        assert!(verdicts.contains(&Verdict::Drop) && verdicts.contains(&Verdict::Pass));
        assert!(!verdicts.contains(&Verdict::Notify));
    }
}
