//! How long packets are on their way.

use base::{Duration, Philox, Time};

use super::config::{Air, Path};
use super::orbit::Pass;

/// The way between terminal and gateway over time.
#[derive(Debug)]
pub(crate) struct Way {
    path: Path,
    chance: Philox,
    /// The slot that was asked about last, and its satellite.
    pass: Option<(u32, Pass)>,
}

impl Way {
    pub(crate) fn new(path: &Path, seed: u64, name: &str) -> Self {
        let chance = Philox::named(seed, &format!("{name}/satellites"));
        Self { path: path.clone(), chance, pass: None }
    }

    /// How long what leaves at `at` is on its way.
    pub(crate) fn delay(&mut self, at: Time) -> Duration {
        self.path.ground.at(at) + self.air(at)
    }

    fn air(&mut self, at: Time) -> Duration {
        match &self.path.air {
            Air::Recorded(delay) => delay.at(at),
            Air::Fixed(delay) => *delay,
            Air::Passing(orbit, span) => {
                let slot = (at.as_nanos() / span.as_nanos()) as u32;
                if self.pass.is_none_or(|(known, _)| known != slot) {
                    self.pass = Some((slot, orbit.pass(self.chance, slot, *span)));
                }
                let (_, pass) = self.pass.expect("it was just found");
                let after = Duration::from_nanos(at.as_nanos() % span.as_nanos());
                orbit.delay(&pass, after)
            }
        }
    }

    pub(crate) const fn reorders(&self) -> bool {
        self.path.reorders
    }

    /// The first end of a slot after `at`; `None` if satellites do not change.
    pub(crate) fn next_change(&self, at: Time) -> Option<Time> {
        let Air::Passing(_, span) = &self.path.air else { return None };
        let slot = at.as_nanos() / span.as_nanos() + 1;
        Some(Time::from_nanos(slot * span.as_nanos()))
    }

    /// The end of a slot that came last, at or before `at`.
    pub(crate) fn last_change(&self, at: Time) -> Option<Time> {
        let Air::Passing(_, span) = &self.path.air else { return None };
        let slot = at.as_nanos() / span.as_nanos();
        (slot > 0).then(|| Time::from_nanos(slot * span.as_nanos()))
    }
}
