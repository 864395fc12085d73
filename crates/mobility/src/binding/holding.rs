//! What an access router does for a mobile that comes to it by a fast handover (RFC 5568 §4): the
//! table.

use super::Mode::{self, Predictive, Reactive};
use super::transition::{Transition, go};

/// The state of holding for one mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It does nothing.
    Absent,
    /// Packets for the mobile wait for it.
    Holding,
    /// It arrived a short while ago: a late announcement does not hold packets.
    Present,
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The old router says that the mobile comes, or is there already.
    Announced(Mode),
    /// The mobile says that it is there.
    Arrived,
    /// It leaves.
    Left,
    /// The time is over.
    Over,
}

/// An action of the router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// It has the link hold packets for the mobile.
    Hold,
    /// It has the link release them.
    Release,
}

/// What follows from `event` in `state`. Late events change nothing.
pub const fn next(state: State, event: Event) -> Transition<State, Action> {
    match (state, event) {
        (State::Absent, Event::Announced(Predictive)) => go(State::Holding, Action::Hold),
        (State::Absent, Event::Announced(Reactive) | Event::Arrived) => {
            go(State::Present, Action::None)
        }
        (State::Holding, Event::Announced(Reactive) | Event::Arrived) => {
            go(State::Present, Action::Release)
        }
        (State::Holding, Event::Left | Event::Over) => go(State::Absent, Action::Release),
        (State::Present, Event::Left | Event::Over) => go(State::Absent, Action::None),
        (State::Absent, Event::Left | Event::Over)
        | (State::Holding, Event::Announced(Predictive))
        | (State::Present, Event::Announced(Predictive | Reactive) | Event::Arrived) => {
            go(state, Action::None)
        }
    }
}

impl State {
    /// All values, in order.
    pub const ALL: [Self; 3] = [Self::Absent, Self::Holding, Self::Present];
}

impl Event {
    /// All values, in order.
    pub const ALL: [Self; 5] = [
        Self::Announced(Predictive),
        Self::Announced(Reactive),
        Self::Arrived,
        Self::Left,
        Self::Over,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::transition::tests::check;

    const TABLE: &str = "
                              absent       holding         present
        announced(predictive) holding+Hold .               .
        announced(reactive)   present      present+Release .
        arrived               present      present+Release .
        left                  .            absent+Release  absent
        over                  .            absent+Release  absent
    ";

    #[test]
    fn every_event_in_every_state() {
        check(TABLE, &State::ALL, &Event::ALL, next);
    }
}
