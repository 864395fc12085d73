//! What an access router does for a mobile that leaves it by a fast handover (RFC 5568 §4): the
//! table.

use base::{Time, listed};

use super::backoff::{Backoff, FAST_ATTEMPTS};
use super::transition::{Transition, go};
use super::{Address, Fast, Sequence};

listed! {
    /// The state of forwarding for one mobile.
    pub enum State {
        /// It does nothing.
        Absent,
        /// It has notified the next router, and waits for its answer.
        Initiating,
        /// Packets for the old care-of address are forwarded to the new one.
        Forwarding,
    }
}

listed! {
    /// An event.
    pub enum Event {
        /// The mobile asks for it.
        Update,
        /// It asks again, for the same.
        UpdateAgain,
        /// The next router agrees.
        Accepted,
        /// It does not.
        Refused,
        /// It has not answered in time.
        Unanswered,
        /// It never did.
        Exhausted,
        /// The time of forwarding is over.
        Over,
        /// The mobile is back, or will be.
        Returned,
    }
}

/// An action of the router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// It notifies the next router.
    Initiate,
    /// It notifies it again.
    InitiateAgain,
    /// It begins to forward, and acknowledges to the mobile.
    Forward,
    /// It acknowledges once more.
    Confirm,
    /// It refuses the mobile.
    Decline,
    /// It ends forwarding.
    Stop,
    /// It ends forwarding, and notifies the next router of the new request.
    StopAndInitiate,
}

/// What follows from `event` in `state`. Late events change nothing.
pub const fn next(state: State, event: Event) -> Transition<State, Action> {
    match (state, event) {
        (State::Absent, Event::Update | Event::UpdateAgain)
        | (State::Initiating, Event::Update) => go(State::Initiating, Action::Initiate),
        (State::Forwarding, Event::Update) => go(State::Initiating, Action::StopAndInitiate),
        (State::Forwarding, Event::UpdateAgain) => go(State::Forwarding, Action::Confirm),
        (State::Initiating, Event::Accepted) => go(State::Forwarding, Action::Forward),
        (State::Initiating, Event::Refused | Event::Exhausted) => {
            go(State::Absent, Action::Decline)
        }
        (State::Initiating, Event::Unanswered) => go(State::Initiating, Action::InitiateAgain),
        (State::Initiating, Event::Returned) => go(State::Absent, Action::None),
        (State::Forwarding, Event::Over | Event::Returned) => go(State::Absent, Action::Stop),
        (
            State::Absent,
            Event::Accepted
            | Event::Refused
            | Event::Unanswered
            | Event::Exhausted
            | Event::Over
            | Event::Returned,
        )
        | (State::Initiating, Event::UpdateAgain | Event::Over)
        | (
            State::Forwarding,
            Event::Accepted | Event::Refused | Event::Unanswered | Event::Exhausted,
        ) => go(state, Action::None),
    }
}

/// Forwarding for one mobile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forwarding {
    pub(super) state: State,
    /// The mobile's last request.
    pub(super) fast: Fast,
    /// The address that the request came from.
    pub(super) source: Address,
    /// The number of the last question to the next router, the same in all retransmissions.
    pub(super) asked: Sequence,
    /// That question.
    pub(super) backoff: Option<Backoff>,
    /// When forwarding is over.
    pub(super) until: Option<Time>,
}

impl Forwarding {
    pub(super) const fn new(fast: Fast, source: Address) -> Self {
        let asked = Sequence(0);
        Self { state: State::Absent, fast, source, asked, backoff: None, until: None }
    }

    pub(super) fn apply(&mut self, event: Event) -> Action {
        let Transition { to, action } = next(self.state, event);
        self.state = to;
        match to {
            State::Absent => (self.backoff, self.until) = (None, None),
            State::Initiating => self.until = None,
            State::Forwarding => self.backoff = None,
        }
        action
    }

    /// Where packets for `address` are forwarded at `now`.
    pub(super) fn onward(&self, now: Time, address: Address) -> Option<Address> {
        let is_on = self.until.is_some_and(|until| now < until);
        (is_on && address == self.fast.old).then_some(self.fast.new)
    }

    /// What is due at `now`.
    pub(super) fn due(&self, now: Time) -> Option<Event> {
        if self.until.is_some_and(|until| until <= now) {
            return Some(Event::Over);
        }
        let backoff = self.backoff.filter(|backoff| backoff.due <= now)?;
        let is_last = backoff.attempt >= FAST_ATTEMPTS;
        Some(if is_last { Event::Exhausted } else { Event::Unanswered })
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        Time::earlier(self.backoff.map(|backoff| backoff.due), self.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::transition::tests::check;

    const TABLE: &str = "
                    absent              initiating         forwarding
        update      initiating+Initiate .+Initiate         initiating+StopAndInitiate
        updateagain initiating+Initiate .                  .+Confirm
        accepted    .                   forwarding+Forward .
        refused     .                   absent+Decline     .
        unanswered  .                   .+InitiateAgain    .
        exhausted   .                   absent+Decline     .
        over        .                   .                  absent+Stop
        returned    .                   absent             absent+Stop
    ";

    #[test]
    fn every_event_in_every_state() {
        check(TABLE, &State::ALL, &Event::ALL, next);
    }
}
