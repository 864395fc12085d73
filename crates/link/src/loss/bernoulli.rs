//! Independent losses.

use base::{Probability, Schedule, Stream, Time};

/// Loses each packet with a probability that may change over time. A higher probability only adds
/// losses to the same draws, so runs that differ in it are paired.
#[derive(Debug)]
pub struct Bernoulli {
    probability: Schedule<Probability>,
    chance: Stream,
}

impl Bernoulli {
    /// With its own source of `chance`.
    pub const fn new(probability: Schedule<Probability>, chance: Stream) -> Self {
        Self { probability, chance }
    }

    /// True if the packet that leaves at `departs` is lost.
    pub fn loses(&mut self, departs: Time) -> bool {
        self.probability.at(departs).hit(self.chance.next_u32())
    }

    /// The same of the packet that was asked about last, if it leaves at `departs` instead.
    pub fn loses_again(&self, departs: Time) -> bool {
        self.probability.at(departs).hit(self.chance.last_u32())
    }

    /// From now on the probability over time is this one, for the same draws.
    pub fn change(&mut self, probability: Schedule<Probability>) {
        self.probability = probability;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64) -> Probability {
        Probability::new(value).expect("in range")
    }

    fn losses(probability: f64, packets: u32) -> Vec<u32> {
        let schedule = Schedule::constant(of(probability));
        let mut bernoulli = Bernoulli::new(schedule, Stream::named(5, "loss"));
        (0..packets).filter(|_| bernoulli.loses(Time::ZERO)).collect()
    }

    /// Within 4 standard deviations of n·p.
    #[test]
    fn the_share_lost_is_the_probability() {
        let packets = 100_000;
        for probability in [0.001, 0.01, 0.3] {
            let mean = f64::from(packets) * probability;
            let deviation = (mean * (1.0 - probability)).sqrt();
            let lost = losses(probability, packets).len() as f64;
            assert!((lost - mean).abs() < 4.0 * deviation, "{lost} lost at {probability}");
        }
        assert_eq!(losses(0.0, 1000), [0; 0]);
        assert_eq!(losses(1.0, 1000).len(), 1000);
    }

    #[test]
    fn a_higher_probability_only_adds_losses() {
        let (few, many) = (losses(0.01, 10_000), losses(0.05, 10_000));
        assert!(few.iter().all(|packet| many.contains(packet)));
    }

    #[test]
    fn the_probability_changes_over_time() {
        let at = Time::from_nanos;
        let schedule = Schedule::new(of(0.0), vec![(at(10), of(1.0)), (at(20), of(0.0))]);
        let mut bernoulli = Bernoulli::new(schedule, Stream::named(5, "loss"));
        let lost = [0, 9, 10, 19, 20].map(|time| bernoulli.loses(at(time)));
        assert_eq!(lost, [false, false, true, true, false]);
    }
}
