//! The air: how often blocks err, and when nothing gets through.

use base::{Duration, Philox, Probability, Stream, Time, float};

use super::arq::Period;
use super::coding::CodingScheme;

/// Where block error rates come from, alike in both directions.
#[derive(Clone, PartialEq, Debug)]
pub enum Errors {
    /// The same for every block of every coding scheme.
    Constant(Probability),
    /// States that the radio alternates between, starting with the first.
    States(Vec<State>),
}

impl Errors {
    fn states(&self) -> Vec<State> {
        match self {
            Self::Constant(rate) => {
                vec![State { quality: Quality::ErrorRate(*rate), mean: None }]
            }
            Self::States(states) => states.clone(),
        }
    }
}

/// A state of the radio. It lasts for an exponential time, then one of its neighbours in the list
/// follows, each with the same chance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct State {
    /// How often blocks err in it.
    pub quality: Quality,
    /// How long it lasts on average; `None` is permanent.
    pub mean: Option<Duration>,
}

/// The quality of the radio.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quality {
    /// The block error rate, whatever the coding scheme.
    ErrorRate(Probability),
    /// The ratio of carrier to interference in dB: see [`CodingScheme::block_error_rate`].
    CarrierToInterference(f64),
}

impl Quality {
    /// The rate at which blocks of `scheme` err.
    fn of(self, scheme: CodingScheme) -> Probability {
        match self {
            Self::ErrorRate(rate) => rate,
            Self::CarrierToInterference(ci) => scheme.block_error_rate(ci),
        }
    }
}

/// The state that the radio is in.
#[derive(Debug)]
pub(crate) struct Air {
    states: Vec<State>,
    state: usize,
    /// When it ends.
    until: Option<Time>,
    chance: Stream,
    /// The error rate of each coding scheme in it.
    rates: [Probability; CodingScheme::ALL.len()],
}

impl Air {
    /// At time zero.
    pub(crate) fn new(errors: &Errors, seed: u64, name: &str) -> Self {
        let states = errors.states();
        let chance = Stream::named(seed, &format!("{name}/states"));
        let rates = [Probability::NEVER; CodingScheme::ALL.len()];
        let mut air = Self { states, state: 0, until: Some(Time::ZERO), chance, rates };
        air.enter(0, Time::ZERO);
        air
    }

    /// From `now` on blocks err as `errors` says. If they did already, the state goes on.
    pub(crate) fn reconfigure(&mut self, now: Time, errors: &Errors) {
        let states = errors.states();
        if states != self.states {
            self.states = states;
            self.enter(0, now);
        }
    }

    /// Time has passed.
    pub(crate) fn advance(&mut self, now: Time) {
        while let Some(end) = self.until.filter(|until| *until <= now) {
            let last = self.states.len() - 1;
            let next = match self.state {
                0 => 1.min(last),
                state if state == last => last - 1,
                state => state - 1 + 2 * self.chance.below(2) as usize,
            };
            self.enter(next, end);
        }
    }

    /// The rate at which blocks of `scheme` err.
    pub(crate) const fn rate(&self, scheme: CodingScheme) -> Probability {
        self.rates[scheme as usize]
    }

    fn enter(&mut self, state: usize, now: Time) {
        let State { quality, mean } = self.states[state];
        self.state = state;
        self.until = mean.map(|mean| {
            let uniform = (f64::from(self.chance.next_u32()) + 0.5) / 4_294_967_296.0;
            now + Duration::from_secs_f64(-float::ln(uniform) * mean.as_secs_f64())
        });
        self.rates = std::array::from_fn(|index| quality.of(CodingScheme::ALL[index]));
    }
}

/// Whether a block is in error: a function of the seed, the direction's name, the block period, the
/// slot and the error rate, independent of what is sent. A higher error rate only adds errors.
#[derive(Debug)]
pub(crate) struct BlockErrors {
    chance: Philox,
    /// The last draws, and what they were for: a period, a group of slots and a part.
    drawn: Option<((Period, u32, u32), [u32; 4])>,
}

impl BlockErrors {
    /// Those of the direction called `name`.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self { chance: Philox::named(seed, name), drawn: None }
    }

    /// True if data block number `part` of what `slot` carries in `period` is in error.
    pub(crate) fn hits(&mut self, rate: Probability, period: Period, slot: u32, part: u32) -> bool {
        if !rate.hit(0) {
            return false;
        }
        let key = (period, slot / 4, part);
        let draws = match self.drawn {
            Some((known, draws)) if known == key => draws,
            Some(_) | None => {
                let counter = [slot / 4, period as u32, (period >> 32) as u32, part];
                let draws = self.chance.at(counter);
                self.drawn = Some((key, draws));
                draws
            }
        };
        rate.hit(draws[(slot % 4) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::of;

    #[test]
    fn a_block_meets_the_same_radio_whatever_else_is_sent() {
        let (mut all, mut some) = (BlockErrors::new(1, "down"), BlockErrors::new(1, "down"));
        for period in 0..500 {
            let errors = [0, 1, 2, 3, 4, 5, 6, 7].map(|slot| all.hits(of(0.3), period, slot, 0));
            let slot = (period % 8) as u32;
            assert_eq!(some.hits(of(0.3), period, slot, 0), errors[slot as usize]);
            assert!(!errors[slot as usize] || some.hits(of(0.5), period, slot, 0), "only added");
        }
    }

    #[test]
    fn errors_come_as_often_as_they_should() {
        let mut errors = BlockErrors::new(1, "down");
        let mut count = |rate, part| {
            let hit = |place: &u64| errors.hits(of(rate), place / 8, (place % 8) as u32, part);
            (0..40_000).filter(hit).count()
        };
        assert_eq!(count(0.0, 0), 0);
        assert_eq!(count(1.0, 0), 40_000);
        assert!((3_820..4_180).contains(&count(0.1, 0)), "{}", count(0.1, 0));
        assert!((3_820..4_180).contains(&count(0.1, 1)), "{}", count(0.1, 1));
    }

    /// Means of 9 s and 1 s: a tenth of the time is bad.
    #[test]
    fn states_last_as_long_as_they_should() {
        let state = |rate, seconds| State {
            quality: Quality::ErrorRate(of(rate)),
            mean: Some(Duration::from_secs(seconds)),
        };
        let errors = Errors::States(vec![state(0.0, 9), state(0.5, 1)]);
        let mut air = Air::new(&errors, 1, "air");
        let bad = (0..400_000_u64)
            .filter(|step| {
                air.advance(Time::from_nanos(step * 100_000_000));
                air.rate(CodingScheme::Cs2) == of(0.5)
            })
            .count();
        assert!((37_000..43_000).contains(&bad), "{bad}");
    }

    #[test]
    fn three_states_go_by_neighbours() {
        let state = |rate| State {
            quality: Quality::ErrorRate(of(rate)),
            mean: Some(Duration::from_secs(1)),
        };
        let errors = Errors::States(vec![state(0.0), state(0.1), state(0.2)]);
        let mut air = Air::new(&errors, 1, "air");
        let mut before = 0;
        while let Some(until) = air.until.filter(|until| until.as_secs_f64() < 1000.0) {
            air.advance(until);
            assert_eq!(air.state.abs_diff(before), 1);
            before = air.state;
        }
    }
}
