//! A mobile's side of a fast handover (RFC 5568 §3.3): the table.

use base::listed;

use super::transition::{Transition, go};

listed! {
    /// The state of the fast handover.
    pub enum State {
        /// There is none.
        Idle,
        /// The mobile has asked its router about the next one.
        Asking,
        /// It knows its next address, and has asked for its packets to be sent there.
        Updating,
        /// The router has agreed.
        Prepared,
        /// It has moved before the answer, and asks from the new link.
        Following,
    }
}

listed! {
    /// An event.
    pub enum Event {
        /// The link announces a change.
        Fading,
        /// The router has answered about the next one.
        Advised,
        /// The router will forward packets.
        Accepted,
        /// It will not.
        Refused,
        /// The mobile is at the next router.
        Attached,
        /// It is at another one.
        Elsewhere,
        /// No answer came in time.
        Unanswered,
        /// No answer ever came.
        Exhausted,
    }
}

/// An action of the mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// It asks about the next router.
    Ask,
    /// It asks again.
    AskAgain,
    /// It asks for forwarding, from the old link.
    Update,
    /// It asks again, from its present link.
    UpdateAgain,
    /// It waits for the link to change.
    Await,
    /// The link has not changed: it asks for its packets on the present link.
    Recall,
    /// It uses its new address, and announces itself.
    Announce,
    /// It uses its new address, says that it is there, and asks for its packets.
    AnnounceAndUpdate,
}

/// What follows from `event` in `state`. Late events change nothing.
pub const fn next(state: State, event: Event) -> Transition<State, Action> {
    match (state, event) {
        (_, Event::Fading) => go(State::Asking, Action::Ask),
        (State::Asking, Event::Advised) => go(State::Updating, Action::Update),
        (State::Asking, Event::Unanswered) => go(State::Asking, Action::AskAgain),
        (State::Updating, Event::Accepted) => go(State::Prepared, Action::Await),
        (State::Prepared, Event::Exhausted) => go(State::Idle, Action::Recall),
        // Reactive (§3.3): no acknowledgement came on the old link.
        (State::Updating, Event::Attached) => go(State::Following, Action::AnnounceAndUpdate),
        (State::Prepared, Event::Attached) => go(State::Idle, Action::Announce),
        (State::Updating | State::Following, Event::Unanswered) => go(state, Action::UpdateAgain),
        (State::Asking, Event::Attached | Event::Elsewhere | Event::Exhausted)
        | (State::Updating, Event::Refused | Event::Elsewhere | Event::Exhausted)
        | (State::Prepared, Event::Elsewhere)
        | (
            State::Following,
            Event::Accepted | Event::Refused | Event::Elsewhere | Event::Exhausted,
        ) => go(State::Idle, Action::None),
        (
            State::Idle,
            Event::Advised
            | Event::Accepted
            | Event::Refused
            | Event::Attached
            | Event::Elsewhere
            | Event::Unanswered
            | Event::Exhausted,
        )
        | (State::Asking, Event::Accepted | Event::Refused)
        | (State::Updating, Event::Advised)
        | (
            State::Prepared,
            Event::Advised | Event::Accepted | Event::Refused | Event::Unanswered,
        )
        | (State::Following, Event::Advised | Event::Attached) => go(state, Action::None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::transition::tests::check;

    const TABLE: &str = "
               idle       asking          updating                    prepared      following
    fading     asking+Ask .+Ask           asking+Ask                  asking+Ask    asking+Ask
    advised    .          updating+Update .                           .             .
    accepted   .          .               prepared+Await              .             idle
    refused    .          .               idle                        .             idle
    attached   .          idle            following+AnnounceAndUpdate idle+Announce .
    elsewhere  .          idle            idle                        idle          idle
    unanswered .          .+AskAgain      .+UpdateAgain               .             .+UpdateAgain
    exhausted  .          idle            idle                        idle+Recall   idle
    ";

    #[test]
    fn every_event_in_every_state() {
        check(TABLE, &State::ALL, &Event::ALL, next);
    }
}
