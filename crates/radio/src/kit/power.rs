//! What a mobile's radio uses: a power in each state of its bearer, and an energy for each bit.
//!
//! A bearer names its states, tells its [`Meter`] when the mobile enters one and what it carries
//! there, and multiplies by its [`PowerModel`] when it is asked. So a mobile costs nothing while
//! its state stays as it is, and sums are exact.

use std::array;

use base::{Direction, Duration, Energy, EnergyPerBit, Power, Time, Words};
use observe::PowerFact;

/// What a mobile's radio draws in each of `N` states, in their order, and what it takes to receive
/// and to send a bit on top of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PowerModel<const N: usize> {
    /// The power of each state; `None` is a state that it is never in.
    pub states: [Option<Power>; N],
    /// What a bit takes: downlink, which the mobile receives, and uplink, which it sends.
    pub per_bit: [EnergyPerBit; 2],
}

impl<const N: usize> Default for PowerModel<N> {
    fn default() -> Self {
        Self { states: [Some(Power::default()); N], per_bit: [EnergyPerBit::default(); 2] }
    }
}

/// Which of its `N` states a mobile's radio was in for how long, and what it carried there.
#[derive(Clone, Debug)]
pub(crate) struct Meter<S, const N: usize> {
    state: S,
    since: Time,
    spent: [Duration; N],
    /// Bytes downlink and uplink.
    carried: [[u64; 2]; N],
}

impl<S: Words + PartialEq, const N: usize> Meter<S, N> {
    /// One that is in `state` from `now` on.
    pub(crate) fn new(now: Time, state: S) -> Self {
        const { assert!(S::ALL.len() == N, "a meter has room for every state") };
        Self { state, since: now, spent: [Duration::ZERO; N], carried: [[0; 2]; N] }
    }

    /// The state is `state` from `now` on. Returns whether that is another one.
    pub(crate) fn enter(&mut self, now: Time, state: S) -> bool {
        let is_other = state != self.state;
        if is_other {
            self.spent[self.place()] += now.saturating_since(self.since);
            (self.state, self.since) = (state, now);
        }
        is_other
    }

    /// The radio carried so many bytes in its state.
    pub(crate) fn carried(&mut self, direction: Direction, bytes: u64) {
        let place = self.place();
        self.carried[place][direction as usize] += bytes;
    }

    /// What has been used by `now`.
    pub(crate) fn used(&self, model: &PowerModel<N>, now: Time) -> EnergyUse {
        let states = (0..N).filter_map(|place| self.used_in(place, model, now)).collect();
        let before = model.states[..self.place()].iter().flatten().count();
        EnergyUse { states, now: before }
    }

    /// The fact that mobile number `mobile` of machine number `machine` has entered its state.
    pub(crate) fn fact(
        &self,
        model: &PowerModel<N>,
        now: Time,
        machine: u32,
        mobile: u32,
    ) -> PowerFact {
        let (state, power) = (self.state.name(), model.states[self.place()].unwrap_or_default());
        let used = (0..N).filter_map(|place| self.used_in(place, model, now));
        PowerFact { machine, mobile, state, power, energy: used.map(|state| state.energy).sum() }
    }

    /// What has been used by `now` in the state at a place among all, if it can be in that.
    fn used_in(&self, place: usize, model: &PowerModel<N>, now: Time) -> Option<StateUse> {
        let is_now = place == self.place();
        let more = if is_now { now.saturating_since(self.since) } else { Duration::ZERO };
        let time = self.spent[place] + more;
        let carried = (model.per_bit, self.carried[place]);
        model.states[place].map(|power| StateUse::new(S::ALL[place].name(), power, time, carried))
    }

    /// The place of its state among all.
    fn place(&self) -> usize {
        S::ALL.iter().position(|state| *state == self.state).expect("a state is one of all")
    }
}

/// What a mobile's radio has used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnergyUse {
    /// By state: each that it can be in.
    states: Vec<StateUse>,
    /// Which of them it is in.
    now: usize,
}

impl EnergyUse {
    /// Of a radio that has but one state, which is called `state`; it carried so many `bytes`
    /// downlink and uplink.
    pub(crate) fn of_one(
        state: &'static str,
        model: &PowerModel<1>,
        time: Duration,
        bytes: [u64; 2],
    ) -> Self {
        let used = |power| StateUse::new(state, power, time, (model.per_bit, bytes));
        Self { states: model.states.into_iter().flatten().map(used).collect(), now: 0 }
    }

    /// By state: each that it can be in.
    pub fn states(&self) -> &[StateUse] {
        &self.states
    }

    /// The state that it is in.
    pub fn state(&self) -> &StateUse {
        &self.states[self.now]
    }

    /// In all states together.
    pub fn total(&self) -> Energy {
        self.states.iter().map(|state| state.energy).sum()
    }

    /// The fact that mobile number `mobile` of machine number `machine` has entered its state.
    pub fn fact(&self, machine: u32, mobile: u32) -> PowerFact {
        let StateUse { name: state, power, .. } = *self.state();
        PowerFact { machine, mobile, state, power, energy: self.total() }
    }
}

/// What a mobile's radio has used in one of its states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateUse {
    /// What the state is called.
    pub name: &'static str,
    /// What it draws, without what it carries.
    pub power: Power,
    /// How long the radio was in it.
    pub time: Duration,
    /// What it used there, with what it carried.
    pub energy: Energy,
}

impl StateUse {
    fn new(
        name: &'static str,
        power: Power,
        time: Duration,
        (per_bit, bytes): ([EnergyPerBit; 2], [u64; 2]),
    ) -> Self {
        let carried = array::from_fn::<_, 2, _>(|each| per_bit[each].of_bytes(bytes[each]));
        Self { name, power, time, energy: power * time + carried.into_iter().sum() }
    }
}

#[cfg(test)]
mod tests {
    use base::words;
    use proptest::prelude::*;

    use super::*;

    words! {
        /// States of a radio.
        pub enum Toy {
            /// It sleeps.
            Asleep = "asleep",
            /// It listens.
            Awake = "awake",
            /// It carries.
            Busy = "busy",
        }
    }

    const MODEL: PowerModel<3> = PowerModel {
        states: [
            Some(Power::from_milliwatts(0)),
            Some(Power::from_milliwatts(500)),
            Some(Power::from_milliwatts(1_200)),
        ],
        per_bit: [EnergyPerBit::from_nanojoules(52), EnergyPerBit::from_nanojoules(438)],
    };

    fn power(state: Toy) -> Power {
        MODEL.states[state as usize].expect("each has a power")
    }

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn a_state_is_charged_when_it_ends_and_at_the_end() {
        let second = 1_000_000_000;
        let mut meter = Meter::<Toy, 3>::new(Time::ZERO, Toy::Asleep);
        assert!(meter.enter(at(2 * second), Toy::Busy));
        assert!(!meter.enter(at(3 * second), Toy::Busy), "it is that already");
        meter.carried(Direction::Uplink, 125_000);
        assert!(meter.enter(at(5 * second), Toy::Awake));
        let used = meter.used(&MODEL, at(9 * second));
        let joules = used.states().iter().map(|state| state.energy.as_joules_f64());
        assert_eq!(joules.collect::<Vec<_>>(), [0.0, 2.0, 3.6 + 0.438]);
        let seconds = used.states().iter().map(|state| state.time.as_secs_f64());
        assert_eq!(seconds.collect::<Vec<_>>(), [2.0, 4.0, 3.0]);
        let fact = meter.fact(&MODEL, at(9 * second), 7, 1);
        assert_eq!(fact, used.fact(7, 1));
        assert_eq!((fact.machine, fact.mobile, fact.state), (7, 1, "awake"));
        assert_eq!((Some(fact.power), fact.energy), (MODEL.states[1], used.total()));
    }

    /// A state that a radio is never in is not among those that it has used.
    #[test]
    fn a_state_without_a_power_is_left_out() {
        let [_, awake, busy] = MODEL.states;
        let model = PowerModel { states: [None, awake, busy], ..MODEL };
        let mut meter = Meter::<Toy, 3>::new(Time::ZERO, Toy::Awake);
        meter.enter(at(1_000_000_000), Toy::Busy);
        let used = meter.used(&model, at(3_000_000_000));
        let names: Vec<_> = used.states().iter().map(|state| state.name).collect();
        assert_eq!((names, used.state().name), (vec!["awake", "busy"], "busy"));
        let joules: Vec<_> =
            used.states().iter().map(|state| state.energy.as_joules_f64()).collect();
        assert_eq!(joules, [0.5, 2.4]);
        assert_eq!(meter.fact(&model, at(3_000_000_000), 1, 2), used.fact(1, 2));
    }

    proptest! {
        /// Whatever a radio does: times add up to the time that has passed, energies to the
        /// energy, which is what state by state and bit by bit take.
        #[test]
        fn everything_adds_up(
            steps in prop::collection::vec((0_u64..1 << 40, 0..3_usize, 0_u64..1 << 32), 0..40),
        ) {
            let (mut now, mut meter) = (0, Meter::<Toy, 3>::new(Time::ZERO, Toy::Awake));
            let (mut state, mut expect, mut bytes) = (Toy::Awake, Energy::ZERO, [0; 2]);
            for (span, next, carried) in steps {
                now += span;
                expect += power(state) * Duration::from_nanos(span);
                state = Toy::ALL[next];
                meter.enter(at(now), state);
                let direction = Direction::BOTH[carried as usize % 2];
                meter.carried(direction, carried);
                bytes[direction as usize] += carried;
            }
            let used = meter.used(&MODEL, at(now));
            let time: u64 = used.states().iter().map(|state| state.time.as_nanos()).sum();
            prop_assert_eq!(time, now);
            for (per_bit, bytes) in MODEL.per_bit.into_iter().zip(bytes) {
                expect += per_bit.of_bytes(bytes);
            }
            prop_assert_eq!(used.total(), expect);
        }
    }
}
