//! Bursts of losses: a good and a bad state that alternate.

use base::{Duration, Probability, Stream, Time, float};

use crate::gprs::RadioBursts;

/// The state of the air.
#[derive(Debug)]
pub(crate) struct Sky {
    bursts: Option<RadioBursts>,
    is_bad: bool,
    /// When the state ends.
    until: Time,
    states: Stream,
    losses: Stream,
}

impl Sky {
    /// In the good state.
    pub(crate) fn new(bursts: Option<&RadioBursts>, seed: u64, name: &str) -> Self {
        let stream = |what: &str| Stream::named(seed, &format!("{name}/{what}"));
        let mut sky = Self {
            bursts: bursts.cloned(),
            is_bad: false,
            until: Time::ZERO,
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
        while self.until <= at {
            self.is_bad = !self.is_bad;
            self.until = self.end(self.until);
        }
        let rate: Probability = if self.is_bad { bad } else { good };
        rate.hit(self.losses.next_u32())
    }

    fn end(&mut self, from: Time) -> Time {
        let Some(bursts) = &self.bursts else { return from };
        let mean = if self.is_bad { bursts.bad_mean } else { bursts.good_mean };
        let uniform = (f64::from(self.states.next_u32()) + 0.5) / 4_294_967_296.0;
        from + Duration::from_secs_f64(-float::ln(uniform) * mean.as_secs_f64())
    }
}
