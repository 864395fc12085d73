//! A mobile at one access router: the table of its link and of its address there.

use settings::words;

use base::listed;

use super::transition::{Transition, go};

listed! {
    /// The state of a mobile at an access router.
    pub enum State {
        /// It cannot be heard there.
        Down,
        /// The link is there; no advertisement has come yet.
        Seeking,
        /// Duplicate address detection runs, and the address must wait for it (RFC 4862 §5.4).
        Tentative,
        /// It runs, and the address is used optimistically (RFC 4429).
        Optimistic,
        /// The address can be used.
        Usable,
        /// The address is a duplicate (RFC 4862 §5.4.5).
        Duplicate,
    }
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The link came up.
    Up,
    /// It came up, and the address is known to be free (RFC 5568).
    UpPrepared,
    /// It went down.
    Down,
    /// An advertisement of the router came.
    Advertised(Detection),
    /// No advertisement came for a while.
    Unanswered,
    /// Nobody objected to the address in time.
    Verified,
    /// Somebody has the address.
    Conflict,
}

words! {
    /// Duplicate address detection.
    pub enum Detection {
        /// None.
        Off = "off",
        /// A new address waits for it (RFC 4862).
        Standard = "standard",
        /// It is used meanwhile (RFC 4429).
        Optimistic = "optimistic",
    }
}

/// An action of the mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// It asks for an advertisement, or waits for the next.
    Seek,
    /// It asks whether somebody has the address.
    Probe,
    /// It asks, and uses the address.
    ProbeAndUse,
    /// It uses the address.
    Use,
    /// It gives the address up without having used it.
    Reject,
    /// It stops using the address.
    Remove,
    /// It stops using the address, a duplicate.
    Withdraw,
}

/// What follows from `event` in `state`. Late events change nothing.
pub const fn next(state: State, event: Event) -> Transition<State, Action> {
    match (state, event) {
        (State::Down, Event::Up) | (State::Seeking, Event::Unanswered) => {
            go(State::Seeking, Action::Seek)
        }
        // RFC 6275 §11.5.1: an advertisement shows on which link the mobile is.
        (State::Seeking, Event::Advertised(Detection::Standard)) => {
            go(State::Tentative, Action::Probe)
        }
        (State::Seeking, Event::Advertised(Detection::Optimistic)) => {
            go(State::Optimistic, Action::ProbeAndUse)
        }
        (State::Seeking, Event::Advertised(Detection::Off))
        | (State::Tentative, Event::Verified)
        | (State::Down | State::Seeking | State::Tentative, Event::UpPrepared) => {
            go(State::Usable, Action::Use)
        }
        (State::Optimistic, Event::Verified | Event::UpPrepared) => go(State::Usable, Action::None),
        (State::Tentative, Event::Conflict) => go(State::Duplicate, Action::Reject),
        (State::Optimistic, Event::Conflict) => go(State::Duplicate, Action::Withdraw),
        (State::Optimistic | State::Usable, Event::Down) => go(State::Down, Action::Remove),
        (State::Down | State::Seeking | State::Tentative | State::Duplicate, Event::Down) => {
            go(State::Down, Action::None)
        }
        // RFC 4862 §5.4: only addresses that are not verified yet can be found to be duplicates.
        // With one the mobile has no other address there: it waits until it is heard elsewhere.
        (State::Usable | State::Duplicate, Event::UpPrepared)
        | (
            State::Down | State::Seeking | State::Usable | State::Duplicate,
            Event::Verified | Event::Conflict,
        )
        | (
            State::Down | State::Tentative | State::Optimistic | State::Usable | State::Duplicate,
            Event::Advertised(_) | Event::Unanswered,
        )
        | (
            State::Seeking
            | State::Tentative
            | State::Optimistic
            | State::Usable
            | State::Duplicate,
            Event::Up,
        ) => go(state, Action::None),
    }
}

impl State {
    /// Whether packets can use the address.
    pub const fn is_usable(self) -> bool {
        match self {
            Self::Optimistic | Self::Usable => true,
            Self::Down | Self::Seeking | Self::Tentative | Self::Duplicate => false,
        }
    }
}

impl Event {
    /// All states, in order.
    pub const ALL: [Self; 9] = [
        Self::Up,
        Self::UpPrepared,
        Self::Down,
        Self::Advertised(Detection::Standard),
        Self::Advertised(Detection::Optimistic),
        Self::Advertised(Detection::Off),
        Self::Unanswered,
        Self::Verified,
        Self::Conflict,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::transition::tests::check;

    const TABLE: &str = "
                           down         seeking     tentative      optimistic  usable      duplicate
    up                     seeking+Seek .           .              .           .           .
    upprepared             usable+Use   usable+Use  usable+Use     usable      .           .
    down                   .            down        down           down+Remove down+Remove down
    advertised(standard)   .            tentative+Probe .          .           .           .
    advertised(optimistic) .            optimistic+ProbeAndUse .   .           .           .
    advertised(off)        .            usable+Use  .              .           .           .
    unanswered             .            .+Seek      .              .           .           .
    verified               .            .           usable+Use     usable      .           .
    conflict               .            .           duplicate+Reject duplicate+Withdraw .  .
    ";

    #[test]
    fn every_event_in_every_state() {
        check(TABLE, &State::ALL, &Event::ALL, next);
    }

    #[test]
    fn an_address_is_used_exactly_between_use_and_removal() {
        for from in State::ALL {
            for event in Event::ALL {
                let Transition { to, action } = next(from, event);
                let change = match action {
                    Action::Use | Action::ProbeAndUse => (false, true),
                    Action::Remove | Action::Withdraw => (true, false),
                    Action::None | Action::Seek | Action::Probe | Action::Reject => {
                        (from.is_usable(), from.is_usable())
                    }
                };
                assert_eq!((from.is_usable(), to.is_usable()), change, "{event:?} in {from:?}");
            }
        }
    }
}
