//! A token of return routability (RFC 6275 §5.2), home or care-of: the table.

use base::{Duration, Time, listed};

use super::backoff::{Backoff, Patience};
use super::transition::{Transition, go};

listed! {
    /// The state of a token.
    pub enum State {
        /// There is none.
        Absent,
        /// It has been requested.
        Asked,
        /// It is there.
        Held,
    }
}

listed! {
    /// An event.
    pub enum Event {
        /// It is needed.
        Wanted,
        /// It came.
        Received,
        /// It did not come in time.
        Unanswered,
        /// It is too old.
        Expired,
        /// It is of no use any more.
        Dropped,
    }
}

/// An action of the mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// It asks for the token.
    Ask,
    /// It asks again.
    AskAgain,
}

/// What follows from `event` in `state`. Late events change nothing.
pub const fn next(state: State, event: Event) -> Transition<State, Action> {
    match (state, event) {
        (State::Absent, Event::Wanted) => go(State::Asked, Action::Ask),
        (State::Asked, Event::Unanswered) => go(State::Asked, Action::AskAgain),
        (State::Asked, Event::Received) => go(State::Held, Action::None),
        (State::Held, Event::Expired) | (_, Event::Dropped) => go(State::Absent, Action::None),
        (State::Absent, Event::Received | Event::Unanswered | Event::Expired)
        | (State::Asked, Event::Wanted | Event::Expired)
        | (State::Held, Event::Wanted | Event::Received | Event::Unanswered) => {
            go(state, Action::None)
        }
    }
}

/// For how long a token is used: `MAX_TOKEN_LIFETIME` (RFC 6275 §12).
const LIFETIME: Duration = Duration::from_secs(210);

/// A token, or the request for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) state: State,
    /// Of the last request; answers to others are ignored.
    pub(super) cookie: u32,
    backoff: Option<Backoff>,
    nonce: Time,
    expires: Option<Time>,
}

impl Token {
    pub(super) const fn new() -> Self {
        Self { state: State::Absent, cookie: 0, backoff: None, nonce: Time::ZERO, expires: None }
    }

    pub(super) fn apply(&mut self, event: Event) -> Action {
        let Transition { to, action } = next(self.state, event);
        match to {
            State::Absent => (self.backoff, self.expires) = (None, None),
            State::Asked => self.expires = None,
            State::Held => self.backoff = None,
        }
        self.state = to;
        action
    }

    /// The token, if it is there.
    pub(super) fn nonce(&self) -> Option<Time> {
        (self.state == State::Held).then_some(self.nonce)
    }

    /// Records that the request is being sent, a new one with a new cookie; returns cookie and
    /// attempt.
    pub(super) fn asking(&mut self, now: Time, action: Action) -> (u32, u32) {
        let last = self.backoff.filter(|_| action == Action::AskAgain);
        if last.is_none() {
            self.cookie = self.cookie.wrapping_add(1);
        }
        let backoff = Backoff::after(last, now, Patience::LATER);
        self.backoff = Some(backoff);
        (self.cookie, backoff.attempt)
    }

    /// A token came. False if nobody asked for it.
    pub(super) fn received(&mut self, now: Time, cookie: u32, nonce: Time) -> bool {
        if self.state != State::Asked || cookie != self.cookie {
            return false;
        }
        self.apply(Event::Received);
        (self.nonce, self.expires) = (nonce, Some(now + LIFETIME));
        true
    }

    /// What is due at `now`.
    pub(super) fn due(&self, now: Time) -> Option<Event> {
        if self.expires.is_some_and(|at| at <= now) {
            return Some(Event::Expired);
        }
        self.backoff.is_some_and(|backoff| backoff.due <= now).then_some(Event::Unanswered)
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        Time::earlier(self.backoff.map(|backoff| backoff.due), self.expires)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::transition::tests::check;

    const TABLE: &str = "
                   absent    asked      held
        wanted     asked+Ask .          .
        received   .         held       .
        unanswered .         .+AskAgain .
        expired    .         .          absent
        dropped    .         absent     absent
    ";

    #[test]
    fn every_event_in_every_state() {
        check(TABLE, &State::ALL, &Event::ALL, next);
    }

    #[test]
    fn an_answer_to_an_earlier_question_is_none() {
        let mut token = Token::new();
        let action = token.apply(Event::Wanted);
        let (stale, _) = token.asking(Time::ZERO, action);
        token.apply(Event::Dropped);
        let action = token.apply(Event::Wanted);
        let (cookie, attempt) = token.asking(Time::ZERO, action);
        assert_eq!(attempt, 1);
        assert!(!token.received(Time::ZERO, stale, Time::ZERO));
        assert!(token.received(Time::ZERO, cookie, Time::ZERO));
        assert_eq!(token.deadline(), Some(Time::from_nanos(210_000_000_000)));
    }
}
