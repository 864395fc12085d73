//! The reset procedure (TS 25.322 §11.4): both ends are reset.

use base::Time;

use super::Repetition;
use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::block::{Control, ResetNumber};
use crate::umts::rlc::timers::is_due;

/// The states of an acknowledged-mode entity (TS 25.322 §9.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Data transfer ready.
    Ready,
    /// A RESET has been or will be sent and waits for its acknowledgement; data is neither sent
    /// nor received.
    ResetPending,
}

/// What moves an entity between its states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A PDU or window move reached its limit.
    LimitReached,
    /// The peer's RESET, not heard before.
    Reset,
    /// The peer's RESET once more: our acknowledgement was lost.
    ResetAgain,
    /// An acknowledgement of our RESET.
    Acknowledged,
    /// An acknowledgement with another number than our RESET.
    WrongNumber,
    /// The timer ran out.
    Timeout,
    /// The timer ran out after the last RESET that may be sent.
    LastTimeout,
}

/// What an entity does when moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Nothing.
    Ignore,
    /// Send the first RESET.
    Begin,
    /// Send the RESET again.
    Repeat,
    /// Acknowledge the peer's RESET.
    Acknowledge,
    /// Forget everything sent and received, and acknowledge the peer's RESET.
    ClearAndAcknowledge,
    /// Forget everything sent and received.
    Clear,
    /// Report an unrecoverable error.
    Fail,
}

impl State {
    /// The transition table.
    pub(crate) const fn on(self, event: Event) -> (Self, Action) {
        match (self, event) {
            (Self::Ready, Event::LimitReached) => (Self::ResetPending, Action::Begin),
            (_, Event::Reset) => (self, Action::ClearAndAcknowledge),
            (_, Event::ResetAgain) => (self, Action::Acknowledge),
            (Self::ResetPending, Event::Acknowledged) => (Self::Ready, Action::Clear),
            (Self::ResetPending, Event::Timeout) => (self, Action::Repeat),
            (Self::ResetPending, Event::LastTimeout) => (Self::Ready, Action::Fail),
            (Self::Ready, Event::Acknowledged | Event::Timeout | Event::LastTimeout)
            | (Self::ResetPending, Event::LimitReached)
            | (_, Event::WrongNumber) => (self, Action::Ignore),
        }
    }
}

/// An entity's side of the reset procedure.
#[derive(Debug)]
pub(crate) struct Reset {
    state: State,
    repetition: Repetition,
    /// The number of the reset that is or comes next.
    number: ResetNumber,
    /// When the RESET is sent for the next time.
    again: Option<Time>,
    sent: u32,
    /// The peer's last reset.
    heard: Option<ResetNumber>,
    /// An acknowledgement to send.
    answer: Option<ResetNumber>,
}

impl Reset {
    pub(crate) const fn new(repetition: Repetition) -> Self {
        Self {
            state: State::Ready,
            repetition,
            number: ResetNumber(false),
            again: None,
            sent: 0,
            heard: None,
            answer: None,
        }
    }

    pub(crate) const fn state(&self) -> State {
        self.state
    }

    /// A PDU or window move reached its limit.
    pub(crate) fn begin(&mut self, now: Time) -> Action {
        let action = self.step(Event::LimitReached);
        if action == Action::Begin {
            self.again = Some(now);
            self.sent = 0;
        }
        action
    }

    pub(crate) fn handle_reset(&mut self, number: ResetNumber) -> Action {
        let is_known = self.heard == Some(number);
        self.heard = Some(number);
        self.answer = Some(number);
        self.step(if is_known { Event::ResetAgain } else { Event::Reset })
    }

    pub(crate) fn handle_ack(&mut self, number: ResetNumber) -> Action {
        let is_ours = number == self.number;
        let action = self.step(if is_ours { Event::Acknowledged } else { Event::WrongNumber });
        if action == Action::Clear {
            self.number = ResetNumber(!self.number.0);
            self.again = None;
        }
        action
    }

    /// Puts RESET and RESET ACK into the TTI.
    pub(crate) fn fill(&mut self, blocks: &mut TransportBlocks) -> Action {
        let now = blocks.start;
        if blocks.room() > 0
            && let Some(number) = self.answer.take()
        {
            blocks.push_control(Control::ResetAck(number));
        }
        if blocks.room() == 0 || !is_due(self.again, now) {
            return Action::Ignore;
        }
        let is_last = self.repetition.max.is_some_and(|max| self.sent >= max);
        let action = self.step(if is_last { Event::LastTimeout } else { Event::Timeout });
        if action == Action::Repeat {
            self.sent += 1;
            self.again = Some(now + self.repetition.timer);
            blocks.push_control(Control::Reset(self.number));
        }
        action
    }

    pub(crate) fn poll_timeout(&self, now: Time) -> Option<Time> {
        if self.answer.is_some() { Some(now) } else { self.again }
    }

    fn step(&mut self, event: Event) -> Action {
        let (state, action) = self.state.on(event);
        self.state = state;
        action
    }
}

#[cfg(test)]
mod tests {
    use base::Duration;

    use super::super::tests::{at, tti};
    use super::*;

    /// Every state × event, as in the standard's Figure 9.18.
    #[test]
    fn transitions() {
        use Action::{Acknowledge, Begin, Clear, ClearAndAcknowledge, Fail, Ignore, Repeat};
        use State::{Ready, ResetPending};
        let check = |state: State, event, expect| assert_eq!(state.on(event), expect);
        check(Ready, Event::LimitReached, (ResetPending, Begin));
        check(Ready, Event::Reset, (Ready, ClearAndAcknowledge));
        check(Ready, Event::ResetAgain, (Ready, Acknowledge));
        check(Ready, Event::Acknowledged, (Ready, Ignore));
        check(Ready, Event::WrongNumber, (Ready, Ignore));
        check(Ready, Event::Timeout, (Ready, Ignore));
        check(Ready, Event::LastTimeout, (Ready, Ignore));
        check(ResetPending, Event::LimitReached, (ResetPending, Ignore));
        check(ResetPending, Event::Reset, (ResetPending, ClearAndAcknowledge));
        check(ResetPending, Event::ResetAgain, (ResetPending, Acknowledge));
        check(ResetPending, Event::Acknowledged, (Ready, Clear));
        check(ResetPending, Event::WrongNumber, (ResetPending, Ignore));
        check(ResetPending, Event::Timeout, (ResetPending, Repeat));
        check(ResetPending, Event::LastTimeout, (Ready, Fail));
    }

    fn reset(max: Option<u32>) -> Reset {
        Reset::new(Repetition { timer: Duration::from_millis(100), max })
    }

    #[test]
    fn a_reset_is_repeated_until_it_is_answered_and_then_numbered_anew() {
        let mut end = reset(None);
        assert_eq!(end.begin(at(10)), Action::Begin);
        assert_eq!(end.begin(at(10)), Action::Ignore);
        let sent = [20, 60, 120, 130].map(|millis| {
            let mut blocks = tti(millis, 4);
            end.fill(&mut blocks);
            blocks.control.len()
        });
        assert_eq!(sent, [1, 0, 1, 0]);
        assert_eq!(end.poll_timeout(at(130)), Some(at(220)));
        assert_eq!(end.handle_ack(ResetNumber(true)), Action::Ignore, "another number");
        assert_eq!(end.handle_ack(ResetNumber(false)), Action::Clear);
        assert_eq!((end.number, end.poll_timeout(at(140))), (ResetNumber(true), None));
    }

    #[test]
    fn a_reset_heard_twice_clears_once() {
        let mut end = reset(None);
        assert_eq!(end.handle_reset(ResetNumber(false)), Action::ClearAndAcknowledge);
        assert_eq!(end.handle_reset(ResetNumber(false)), Action::Acknowledge);
        assert_eq!(end.handle_reset(ResetNumber(true)), Action::ClearAndAcknowledge);
        let mut blocks = tti(20, 4);
        end.fill(&mut blocks);
        assert!(matches!(blocks.control[..], [Control::ResetAck(ResetNumber(true))]));
    }

    #[test]
    fn the_last_reset_unanswered_is_an_unrecoverable_error() {
        let mut end = reset(Some(2));
        end.begin(at(10));
        let actions = [20, 120, 220].map(|millis| end.fill(&mut tti(millis, 4)));
        assert_eq!(actions, [Action::Repeat, Action::Repeat, Action::Fail]);
    }
}
