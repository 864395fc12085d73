//! Bursts of losses: a good and a bad state that alternate.

use base::{Duration, Probability, Stream, Time, float};

use super::config::SatelliteConfig;
use crate::gprs::RadioBursts;

/// The state of the air.
#[derive(Debug)]
pub(crate) struct Sky {
    bursts: Option<RadioBursts>,
    is_bad: bool,
    /// When the state ends.
    until: Time,
    /// The next change of satellites that begins a bad state, and from one to the next.
    change: Option<(Time, Duration)>,
    states: Stream,
    losses: Stream,
}

impl Sky {
    /// In the good state.
    pub(crate) fn new(config: &SatelliteConfig, seed: u64, name: &str) -> Self {
        let stream = |what: &str| Stream::named(seed, &format!("{name}/{what}"));
        let slot = config.path.air.slot().filter(|_| config.change.begins_bad);
        let mut sky = Self {
            bursts: config.bursts.clone(),
            is_bad: false,
            until: Time::ZERO,
            change: slot.map(|slot| (Time::ZERO + slot, slot)),
            states: stream("states"),
            losses: stream("losses"),
        };
        sky.until = sky.end(Time::ZERO);
        sky
    }

    /// True if what leaves at `at` is lost. Times never go back.
    pub(crate) fn loses(&mut self, at: Time) -> bool {
        let Some(bursts) = &self.bursts else { return false };
        let (good, bad) = (bursts.good, bursts.bad);
        while let Some(end) = self.next_end().filter(|end| *end <= at) {
            self.is_bad = !self.is_bad;
            if let Some((change, slot)) = self.change.filter(|(change, _)| *change == end) {
                self.is_bad = true;
                self.change = Some((change + slot, slot));
            }
            self.until = self.end(end);
        }
        let rate: Probability = if self.is_bad { bad } else { good };
        rate.hit(self.losses.next_u32())
    }

    /// When the state ends by itself or by a change.
    fn next_end(&self) -> Option<Time> {
        Time::earlier(Some(self.until), self.change.map(|(change, _)| change))
    }

    fn end(&mut self, from: Time) -> Time {
        let Some(bursts) = &self.bursts else { return from };
        let mean = if self.is_bad { bursts.bad_mean } else { bursts.good_mean };
        let uniform = (f64::from(self.states.next_u32()) + 0.5) / 4_294_967_296.0;
        from + Duration::from_secs_f64(-float::ln(uniform) * mean.as_secs_f64())
    }
}
