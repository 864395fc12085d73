//! Blockage of millimetre waves: someone or something stands in the way, and goes away again.

use base::float::ln;
use base::{Duration, Stream, Time};
use settings::{Along, Decibels, Fault, OfTime, Table, section};

section! {
    /// `[radio.blockage]`: by turns the way to a mobile is clear and blocked, for times that are
    /// distributed exponentially. It concerns both directions. Defaults: our choice.
    #[derive(Copy)]
    pub struct Blockage {
        /// For how long it is clear in the mean.
        pub clear: Duration as OfTime<1_000_000> = Duration::from_secs(5);
        /// For how long it is blocked in the mean.
        pub blocked: Duration as OfTime<1_000_000> = Duration::from_millis(500);
        /// What that takes from the ratio of signal to noise.
        pub loss: f64 as Along<Decibels> = 25.0;
        /// How long the ratio takes to fall or to rise by that much.
        pub transition: Duration as OfTime = Duration::ZERO;
    }
    check(Self::check)
}

impl Blockage {
    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.loss < 0.0 {
            let message = format!("{at}.loss must not be less than 0 dB");
            return tree.clash_at(at, &["loss"], message);
        }
        Ok(())
    }
}

/// The blockage of one mobile over time. It is asked for times that do not go back.
#[derive(Clone, Debug)]
pub(crate) struct Blocker {
    config: Blockage,
    chance: Stream,
    is_blocked: bool,
    /// The loss when the present state began, and when that was and will be.
    level: f64,
    from: Time,
    to: Time,
}

impl Blocker {
    /// That of the mobile called `ue`: clear at first.
    pub(crate) fn new(config: Blockage, seed: u64, ue: &str) -> Self {
        let chance = Stream::named(seed, &format!("{ue}/blockage"));
        let (from, to) = (Time::ZERO, Time::ZERO);
        let mut blocker = Self { config, chance, is_blocked: false, level: 0.0, from, to };
        blocker.to = blocker.end();
        blocker
    }

    /// What it takes from the ratio at `time`, in decibels.
    pub(crate) fn loss(&mut self, time: Time) -> f64 {
        while self.to <= time {
            self.level = self.level_at(self.to);
            self.from = self.to;
            self.is_blocked = !self.is_blocked;
            self.to = self.end();
        }
        self.level_at(time)
    }

    /// When the present state ends.
    fn end(&mut self) -> Time {
        let Blockage { clear, blocked, .. } = self.config;
        let mean = if self.is_blocked { blocked } else { clear };
        let times = -ln(1.0 - self.chance.next_f64());
        // A state lasts a little, so that there are not endlessly many.
        let lasts = Duration::from_secs_f64(mean.as_secs_f64() * times);
        self.from + lasts.max(Duration::from_nanos(1))
    }

    /// The loss at `time`, which lies in the present state: it goes in a straight line from what it
    /// was to what it shall be.
    fn level_at(&self, time: Time) -> f64 {
        let Blockage { loss, transition, .. } = self.config;
        let transition = transition.as_secs_f64();
        if transition == 0.0 {
            return if self.is_blocked { loss } else { 0.0 };
        }
        let change = loss * time.saturating_since(self.from).as_secs_f64() / transition;
        if self.is_blocked {
            (self.level + change).min(loss)
        } else {
            (self.level - change).max(0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, close};

    fn config(transition: u64) -> Blockage {
        Blockage {
            clear: Duration::from_millis(900),
            blocked: Duration::from_millis(300),
            loss: 20.0,
            transition: Duration::from_millis(transition),
        }
    }

    /// Over 4000 s, of which a quarter is blocked: 3333 times, for 300 ms in the mean.
    #[test]
    fn states_last_as_long_as_they_should() {
        let mut way = Blocker::new(config(0), 3, "UE");
        let losses: Vec<_> = (0..4_000_000).map(|millis| way.loss(at(millis)) > 10.0).collect();
        let blocked = losses.iter().filter(|is| **is).count() as f64;
        close(blocked / losses.len() as f64, 0.25, 0.02);
        let begun = losses.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        close(blocked / begun, 300.0, 20.0);
        assert!(!losses[0], "clear at first");
    }

    #[test]
    fn a_transition_is_a_straight_line() {
        let mut blocker = Blocker::new(config(100), 3, "UE");
        let losses: Vec<_> = (0..100_000).map(|millis| blocker.loss(at(millis))).collect();
        let steps = losses.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(steps.clone().all(|step| step.abs() < 0.2 + 1e-9), "20 dB in 100 ms");
        assert!(steps.filter(|step| *step > 0.199).count() > 2000, "it falls");
        assert!(losses.iter().all(|loss| (0.0..=20.0).contains(loss)));
    }

    #[test]
    fn what_it_says_of_a_time_does_not_depend_on_when_it_is_asked() {
        let (mut one, mut other) =
            (Blocker::new(config(50), 9, "x"), Blocker::new(config(50), 9, "x"));
        for millis in (0..100_000).step_by(997) {
            (0..997).step_by(83).for_each(|more| {
                one.loss(at(millis + more));
            });
            let asked = at(millis + 996);
            assert_eq!(one.loss(asked).to_bits(), other.loss(asked).to_bits(), "{asked:?}");
        }
    }
}
