//! How long packets are on their way.

use base::{Duration, Philox, Time};

use super::config::{Air, Passing, Path};
use super::orbit::Pass;

/// The way between terminal and gateway over time.
#[derive(Debug)]
pub(crate) struct Way {
    path: Path,
    chance: Philox,
    /// The slot that was asked about last, its satellite, and the way behind that.
    pass: Option<(u32, Pass, Duration)>,
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
            Air::Passing(Passing { orbit, slot: span, detour }) => {
                let slot = (at.as_nanos() / span.as_nanos()) as u32;
                if self.pass.is_none_or(|(known, ..)| known != slot) {
                    let detour = self.detour(slot, *detour);
                    self.pass = Some((slot, orbit.pass(self.chance, slot, *span), detour));
                }
                let (_, pass, detour) = self.pass.expect("it was just found");
                let after = Duration::from_nanos(at.as_nanos() % span.as_nanos());
                orbit.delay(&pass, after) + detour
            }
        }
    }

    /// The detour of a slot: from none to the `most`, each with the same chance.
    fn detour(&self, slot: u32, most: Duration) -> Duration {
        let [draw, ..] = self.chance.at([slot, 0, 1, 0]);
        Duration::from_nanos(((u128::from(most.as_nanos()) * u128::from(draw)) >> 32) as u64)
    }

    pub(crate) const fn reorders(&self) -> bool {
        self.path.reorders
    }

    /// The first end of a slot after `at`; `None` if satellites do not change.
    pub(crate) fn next_change(&self, at: Time) -> Option<Time> {
        let slot = self.path.air.slot()?.as_nanos();
        Some(Time::from_nanos((at.as_nanos() / slot + 1) * slot))
    }

    /// The end of a slot that came last, at or before `at`.
    pub(crate) fn last_change(&self, at: Time) -> Option<Time> {
        let slot = self.path.air.slot()?.as_nanos();
        let number = at.as_nanos() / slot;
        (number > 0).then(|| Time::from_nanos(number * slot))
    }
}
