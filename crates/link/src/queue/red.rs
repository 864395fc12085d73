//! Random Early Detection (Floyd and Jacobson: Random Early Detection Gateways for Congestion
//! Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993), in packets.

use base::Stream;

use super::{Arrival, Verdict};
use base::float::power;

/// Parameters of RED. The queue counts packets, the one in transmission included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// `min_th`: below this average, in packets, every packet passes.
    pub min_threshold: f64,
    /// `max_th`: from this average on, in packets, packets are dropped, however they are marked.
    pub max_threshold: f64,
    /// `max_p`: the probability just below `max_threshold`.
    pub max_probability: f64,
    /// `w_q`: how much a new length counts in the average.
    pub weight: f64,
    /// What happens above `max_threshold`.
    pub beyond: Beyond,
    /// Bytes of a typical packet: what an idle link could have sent is counted in these.
    pub mean_packet: u32,
}

/// What happens above the upper threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// Every packet is dropped.
    Drop,
    /// The probability goes on from `max_p` to 1 at twice the threshold (Floyd: Recommendation on
    /// using the "gentle_" variant of RED, 2000).
    Gentle,
}

/// The state of RED.
#[derive(Debug)]
pub struct Red {
    config: Config,
    chance: Stream,
    /// `avg`, in packets.
    average: f64,
    /// Packets since the last one that had to go, while the average asks for some; from 0.
    count: Option<u32>,
}

impl Red {
    /// At an empty queue, with its own source of `chance`.
    pub const fn new(config: Config, chance: Stream) -> Self {
        Self { config, chance, average: 0.0, count: None }
    }

    /// Bytes of a typical packet.
    pub const fn mean_packet(&self) -> u32 {
        self.config.mean_packet
    }

    /// What becomes of a packet that arrives.
    pub fn on_arrival(&mut self, arrival: Arrival) -> Verdict {
        self.update_average(arrival);
        let probability = self.probability();
        if probability <= 0.0 {
            self.count = None;
            return Verdict::Pass;
        }
        if probability >= 1.0 {
            self.count = Some(0);
            return Verdict::Drop;
        }
        let count = self.count.map_or(0, |count| count.saturating_add(1));
        if self.chance.next_f64() >= spread(probability, count) {
            self.count = Some(count);
            return Verdict::Pass;
        }
        self.count = Some(0);
        if self.average < self.config.max_threshold { Verdict::Notify } else { Verdict::Drop }
    }

    /// §4: the average forgets, while the link is idle, as if that many small packets had met an
    /// empty queue.
    fn update_average(&mut self, Arrival { backlog, idle_packets }: Arrival) {
        let keep = 1.0 - self.config.weight;
        if backlog.packets == 0 {
            self.average *= power(keep, idle_packets);
        } else {
            self.average = keep * self.average + self.config.weight * f64::from(backlog.packets);
        }
    }

    /// `p_b` at the present average.
    fn probability(&self) -> f64 {
        let Config { min_threshold: min, max_threshold: max, max_probability, beyond, .. } =
            self.config;
        if self.average < min {
            0.0
        } else if self.average < max {
            max_probability * (self.average - min) / (max - min)
        } else {
            match beyond {
                Beyond::Drop => 1.0,
                Beyond::Gentle => {
                    max_probability + (1.0 - max_probability) * (self.average - max) / max
                }
            }
        }
    }
}

/// `p_a`: spreads the packets that have to go evenly, at most 1/`p_b` apart.
fn spread(probability: f64, count: u32) -> f64 {
    let passed = f64::from(count) * probability;
    if passed < 1.0 { probability / (1.0 - passed) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::Backlog;
    use super::*;

    const CONFIG: Config = Config {
        min_threshold: 5.0,
        max_threshold: 15.0,
        max_probability: 0.1,
        weight: 0.002,
        beyond: Beyond::Gentle,
        mean_packet: 500,
    };

    fn red(config: Config, average: f64) -> Red {
        Red { average, ..Red::new(config, Stream::named(1, "red")) }
    }

    const fn queue(packets: u32) -> Arrival {
        Arrival { backlog: Backlog { packets, bytes: 0 }, idle_packets: 0 }
    }

    fn close(value: f64, expect: f64) {
        assert!((value - expect).abs() < 1e-9, "{value} is not {expect}");
    }

    /// 10 · (1 − 0.998ⁿ).
    #[test]
    fn the_average_follows_slowly() {
        let mut red = red(CONFIG, 0.0);
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
        let mut red = red(CONFIG, 8.0);
        red.update_average(Arrival { backlog: Backlog::default(), idle_packets: 3 });
        close(red.average, 8.0 * 0.998 * 0.998 * 0.998);
    }

    #[test]
    fn probabilities() {
        let check = |average, beyond, expect| {
            close(red(Config { beyond, ..CONFIG }, average).probability(), expect);
        };
        check(4.999, Beyond::Gentle, 0.0);
        check(5.0, Beyond::Gentle, 0.0);
        check(10.0, Beyond::Gentle, 0.05);
        check(14.0, Beyond::Gentle, 0.09);
        check(15.0, Beyond::Gentle, 0.1);
        check(22.5, Beyond::Gentle, 0.55);
        check(30.0, Beyond::Gentle, 1.0);
        check(14.999_999_999, Beyond::Drop, 0.1);
        check(15.0, Beyond::Drop, 1.0);
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

    /// With `p_a` as above, gaps are uniform on `1..1/p_b`: their mean is half of `1/p_b`.
    #[test]
    fn gaps_are_uniform() {
        let mut red = red(Config { weight: 0.0, ..CONFIG }, 10.0);
        let (mut gaps, mut gap) = (Vec::new(), 0_u32);
        for _ in 0..100_000 {
            gap += 1;
            if red.on_arrival(queue(10)) == Verdict::Notify {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert!(gaps[1..].iter().all(|gap| (1..20).contains(gap)));
        let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
        assert!((mean - 10.0).abs() < 0.2, "{mean}");
    }

    #[test]
    fn a_full_average_drops_whatever_can_be_marked() {
        let verdict = |average| red(CONFIG, average).on_arrival(queue(average as u32));
        assert_eq!(verdict(4.0), Verdict::Pass);
        assert_eq!(verdict(40.0), Verdict::Drop);
        let mut between = red(Config { weight: 0.0, ..CONFIG }, 22.5);
        let verdicts: Vec<_> = (0..50).map(|_| between.on_arrival(queue(22))).collect();
        assert!(verdicts.contains(&Verdict::Drop) && verdicts.contains(&Verdict::Pass));
        assert!(!verdicts.contains(&Verdict::Notify));
    }
}
