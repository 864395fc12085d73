//! A mobile's binding at one peer, as the mobile knows it: the table (RFC 6275 §11.7, §11.8).

use base::{Duration, Time, listed};

use super::backoff::{Backoff, Patience};
use super::transition::{Transition, go};
use super::{Address, Extent, Sequence};

listed! {
    /// The state of a registration.
    pub enum State {
        /// No binding is wanted.
        Absent,
        /// An update is under way, and the peer has no binding as far as the mobile knows.
        First,
        /// The peer has acknowledged.
        Bound,
        /// An update is under way, and an earlier binding is valid.
        Renewing,
        /// The mobile withdraws the binding.
        Leaving,
        /// The peer refused.
        Refused,
    }
}

listed! {
    /// An event.
    pub enum Event {
        /// Another care-of address is to be bound.
        Wanted,
        /// No address is to be bound any more.
        Unwanted,
        /// The peer acknowledged the last update.
        Acknowledged,
        /// It refused it for good.
        Refused,
        /// It refused it, but would accept another.
        Outdated,
        /// No answer came in time.
        Unanswered,
        /// The lifetime is about to end.
        RefreshDue,
        /// It is over.
        Lapsed,
        /// The peer is out of use, or knows nothing of the binding.
        Forgotten,
    }
}

/// An action of the mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing.
    None,
    /// It sends a new update.
    Send,
    /// It sends the update again, with a new sequence number (RFC 6275 §11.8).
    SendAgain,
    /// It gives up.
    GiveUp,
}

/// What follows from `event` in `state`. Late events change nothing.
pub const fn next(state: State, event: Event) -> Transition<State, Action> {
    match (state, event) {
        // When refused, only another care-of address starts another attempt.
        (State::Absent | State::Leaving | State::Refused, Event::Wanted)
        | (State::First, Event::Wanted | Event::Outdated)
        | (State::Bound, Event::Lapsed) => go(State::First, Action::Send),
        (State::Bound, Event::Wanted | Event::RefreshDue)
        | (State::Renewing, Event::Wanted | Event::Outdated) => go(State::Renewing, Action::Send),
        // The acknowledgement of a first update may have been lost; a mobile that is leaving may
        // have been away meanwhile.
        (State::First | State::Bound | State::Renewing | State::Leaving, Event::Unwanted)
        | (State::Leaving, Event::Outdated) => go(State::Leaving, Action::Send),
        (State::First | State::Renewing | State::Leaving, Event::Unanswered) => {
            go(state, Action::SendAgain)
        }
        (State::First | State::Renewing, Event::Acknowledged) => go(State::Bound, Action::None),
        (State::First | State::Renewing, Event::Refused) => go(State::Refused, Action::GiveUp),
        (State::Renewing, Event::Lapsed) => go(State::First, Action::None),
        (State::Leaving, Event::Acknowledged | Event::Refused)
        | (State::Refused, Event::Unwanted)
        | (_, Event::Forgotten) => go(State::Absent, Action::None),
        (State::Absent, Event::Unwanted)
        | (
            State::Absent | State::Bound | State::Refused,
            Event::Acknowledged | Event::Refused | Event::Outdated | Event::Unanswered,
        )
        // An update whose acknowledgement was lost may have made the peer's last longer.
        | (State::Absent | State::First | State::Leaving | State::Refused, Event::Lapsed)
        | (
            State::Absent | State::First | State::Renewing | State::Leaving | State::Refused,
            Event::RefreshDue,
        ) => go(state, Action::None),
    }
}

impl State {
    /// Whether an update is under way.
    pub const fn is_waiting(self) -> bool {
        match self {
            Self::First | Self::Renewing | Self::Leaving => true,
            Self::Absent | Self::Bound | Self::Refused => false,
        }
    }

    /// Whether packets can use the binding.
    pub const fn is_live(self) -> bool {
        match self {
            Self::Bound | Self::Renewing => true,
            Self::Absent | Self::First | Self::Leaving | Self::Refused => false,
        }
    }
}

/// What a mobile wants to be bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Target {
    pub(super) care_of: Address,
    pub(super) extent: Extent,
}

/// The parameters of registrations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegistrationConfig {
    /// The lifetime that is asked for. RFC 6275 §6.1.7 counts it in units of 4 s up to 262,140 s,
    /// and a correspondent grants no more than `MAX_RR_BINDING_LIFETIME`, 420 s (§12).
    pub lifetime: Duration,
    /// How long before its end a binding is renewed; no more than half of what was granted. RFC
    /// 6275 §11.7.1 leaves it open.
    pub refresh_ahead: Duration,
}

/// An entry of the mobile's binding update list (RFC 6275 §11.1).
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) state: State,
    pub(super) target: Option<Target>,
    sequence: Sequence,
    backoff: Option<Backoff>,
    sent: Time,
    refresh: Option<Time>,
    expires: Option<Time>,
    /// Where the peer had the mobile when it last accepted.
    reached_at: Option<Address>,
}

impl Registration {
    pub(super) const fn new() -> Self {
        Self {
            state: State::Absent,
            target: None,
            sequence: Sequence(0),
            backoff: None,
            sent: Time::ZERO,
            refresh: None,
            expires: None,
            reached_at: None,
        }
    }

    /// Whether the peer has bound exactly this.
    pub(super) fn is_bound_to(&self, care_of: Address) -> bool {
        self.state == State::Bound && self.target.is_some_and(|t| t.care_of == care_of)
    }

    /// The care-of address that packets can use.
    pub(super) fn care_of(&self) -> Option<Address> {
        self.target.filter(|_| self.state.is_live()).map(|target| target.care_of)
    }

    /// Applies `event`; the caller carries out the action.
    pub(super) fn apply(&mut self, event: Event) -> Action {
        let Transition { to, action } = next(self.state, event);
        if to != self.state {
            self.state = to;
            if !to.is_waiting() {
                self.backoff = None;
            }
            if !to.is_live() {
                self.refresh = None;
            }
            if to == State::Absent {
                (self.target, self.expires, self.reached_at) = (None, None, None);
            }
        }
        action
    }

    /// Records that an update is being sent; returns its number and attempt.
    pub(super) fn sending(&mut self, now: Time, action: Action) -> (Sequence, u32) {
        let is_first = self.state == State::First;
        let patience = if is_first { Patience::FIRST } else { Patience::LATER };
        let last = self.backoff.filter(|_| action == Action::SendAgain);
        let backoff = Backoff::after(last, now, patience);
        self.sequence = self.sequence.next();
        (self.sent, self.backoff, self.refresh) = (now, Some(backoff), None);
        (self.sequence, backoff.attempt)
    }

    /// An acceptance came. False if it is not of the last update.
    pub(super) fn accepted(
        &mut self,
        sequence: Sequence,
        granted: Duration,
        config: &RegistrationConfig,
    ) -> bool {
        if !self.is_last(sequence) {
            return false;
        }
        self.apply(Event::Acknowledged);
        if self.state == State::Bound {
            // Counted from when it was asked for: the peer's ends no earlier (§11.7.3).
            let ahead = config.refresh_ahead.min(granted / 2);
            self.expires = Some(self.sent + granted);
            self.refresh = Some(self.sent + (granted - ahead));
        }
        true
    }

    /// The address at which the peer, which has just accepted, reaches the mobile, if that has
    /// changed since its last acceptance; `home` without a binding.
    pub(super) fn newly_registered(&mut self, home: Address) -> Option<Address> {
        let care_of = self.care_of().unwrap_or(home);
        (self.reached_at.replace(care_of) != Some(care_of)).then_some(care_of)
    }

    /// The peer has seen an update at least as new. `None` if that changes nothing.
    pub(super) fn outdated(&mut self, last: Sequence) -> Option<Action> {
        if !self.state.is_waiting() || self.sequence.is_newer_than(last) {
            return None;
        }
        self.sequence = last;
        Some(self.apply(Event::Outdated))
    }

    /// The last update was refused. None if it was another.
    pub(super) fn refused(&mut self, sequence: Sequence) -> Option<Action> {
        if !self.is_last(sequence) {
            return None;
        }
        Some(self.apply(Event::Refused))
    }

    /// What is due at `now`, one event at a time.
    pub(super) fn due(&mut self, now: Time) -> Option<Event> {
        if self.expires.is_some_and(|at| at <= now) {
            self.expires = None;
            return Some(Event::Lapsed);
        }
        if self.refresh.is_some_and(|at| at <= now) {
            self.refresh = None;
            return Some(Event::RefreshDue);
        }
        self.backoff.is_some_and(|backoff| backoff.due <= now).then_some(Event::Unanswered)
    }

    /// When something is due next.
    pub(super) fn deadline(&self) -> Option<Time> {
        let backoff = self.backoff.map(|backoff| backoff.due);
        Time::earlier(backoff, Time::earlier(self.refresh, self.expires))
    }

    /// Whether `sequence` is of the update that waits for an answer.
    pub(super) fn is_last(&self, sequence: Sequence) -> bool {
        self.state.is_waiting() && sequence == self.sequence
    }

    /// Stops waiting for an answer: the update itself is pending.
    pub(super) fn hold(&mut self) {
        self.backoff = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::transition::tests::check;

    const TABLE: &str = "
                     absent     first          bound         renewing       leaving     refused
        wanted       first+Send .+Send         renewing+Send .+Send         first+Send  first+Send
        unwanted     .          leaving+Send   leaving+Send  leaving+Send   .+Send      absent
        acknowledged .          bound          .             bound          absent      .
        refused      .          refused+GiveUp .             refused+GiveUp absent      .
        outdated     .          .+Send         .             .+Send         .+Send      .
        unanswered   .          .+SendAgain    .             .+SendAgain    .+SendAgain .
        refreshdue   .          .              renewing+Send .              .           .
        lapsed       .          .              first+Send    first          .           .
        forgotten    .          absent         absent        absent         absent      absent
    ";

    #[test]
    fn every_event_in_every_state() {
        check(TABLE, &State::ALL, &Event::ALL, next);
    }

    /// From every state a mobile can be bound again, whatever is lost.
    #[test]
    fn every_state_leads_to_bound() {
        for mut state in State::ALL {
            for event in [Event::Wanted, Event::Unanswered, Event::Acknowledged] {
                state = next(state, event).to;
            }
            assert_eq!(state, State::Bound);
        }
    }

    const CONFIG: RegistrationConfig = RegistrationConfig {
        lifetime: Duration::from_secs(100),
        refresh_ahead: Duration::from_secs(10),
    };

    const fn second(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn a_refresh_comes_ahead_of_the_end_of_what_was_granted() {
        let check = |granted, refresh| {
            let mut registration = Registration::new();
            let action = registration.apply(Event::Wanted);
            let (sequence, _) = registration.sending(second(1), action);
            assert!(registration.accepted(sequence, Duration::from_secs(granted), &CONFIG));
            assert_eq!(registration.deadline(), Some(second(refresh)));
        };
        check(100, 91);
        check(20, 11);
        check(8, 5);
    }

    #[test]
    fn only_the_last_update_is_acknowledged() {
        let mut registration = Registration::new();
        let action = registration.apply(Event::Wanted);
        let (stale, _) = registration.sending(second(1), action);
        assert_eq!(registration.due(second(3)), Some(Event::Unanswered));
        let action = registration.apply(Event::Unanswered);
        let (last, attempt) = registration.sending(second(3), action);
        assert_eq!(attempt, 2);
        assert_eq!(registration.deadline(), Some(second(6)));
        assert!(!registration.accepted(stale, CONFIG.lifetime, &CONFIG));
        assert!(registration.accepted(last, CONFIG.lifetime, &CONFIG));
        assert!(!registration.accepted(last, CONFIG.lifetime, &CONFIG));
    }
}
