//! Fast handovers of a mobile (RFC 5568 §3.3).

use base::Time;
use observe::{Context, Observe};

use super::super::backoff::{Backoff, FAST_ATTEMPTS, Patience};
use super::super::fast::{Action, Event, State, next};
use super::super::{Answer, Fast, Message, Mode, Outgoing, Sequence, Transition, attachment};
use super::{Mobile, Network};

/// The fast handover that goes on, if there is one.
#[derive(Debug)]
pub(super) struct FastHandover {
    state: State,
    /// The access router that it leads away from.
    from: usize,
    /// The one that it leads to.
    next: usize,
    sequence: Sequence,
    backoff: Option<Backoff>,
}

impl FastHandover {
    pub(super) const fn new() -> Self {
        Self { state: State::Idle, from: 0, next: 0, sequence: Sequence(0), backoff: None }
    }

    fn apply(&mut self, event: Event) -> Action {
        let Transition { to, action } = next(self.state, event);
        self.state = to;
        match to {
            State::Idle => self.backoff = None,
            State::Asking | State::Updating | State::Prepared | State::Following => {}
        }
        action
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.backoff.map(|backoff| backoff.due)
    }
}

impl Mobile {
    /// The link will change. Moves from and to home have no fast handover: there is no care-of
    /// address to forward from or to.
    pub(super) fn link_fading(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        let Some(current) = self.current().filter(|current| *current != index) else { return };
        let is_foreign = |router: usize| self.config.access[router].network == Network::Foreign;
        if self.config.fast_handovers && is_foreign(current) && is_foreign(index) {
            (self.fast.from, self.fast.next) = (current, index);
            self.apply_fast(cx, Event::Fading);
        }
    }

    pub(super) fn advised(&mut self, cx: &mut Context<'_, impl Observe>, next: u32) {
        if self.fast.next == next as usize {
            self.apply_fast(cx, Event::Advised);
        }
    }

    pub(super) fn fast_answered(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        sequence: Sequence,
        answer: Answer,
    ) {
        if self.fast.sequence == sequence {
            let event = match answer {
                Answer::Accepted => Event::Accepted,
                Answer::Refused => Event::Refused,
            };
            self.apply_fast(cx, event);
        }
    }

    /// The link to a router came up: by a fast handover its address is known to be free.
    pub(super) fn attach(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        let is_next = index == self.fast.next;
        match self.fast.apply(if is_next { Event::Attached } else { Event::Elsewhere }) {
            Action::Announce => self.announce(cx, index),
            Action::AnnounceAndUpdate => {
                self.announce(cx, index);
                self.send_fast(cx, Action::AnnounceAndUpdate);
            }
            Action::None
            | Action::Ask
            | Action::AskAgain
            | Action::Update
            | Action::UpdateAgain
            | Action::Await
            | Action::Recall => self.change(cx, index, attachment::Event::Up),
        }
    }

    /// The new router is assumed to be in the same domain until it advertises.
    fn announce(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        let map = self.attachments[self.fast.from].map;
        let attachment = &mut self.attachments[index];
        attachment.map = attachment.map.or(map);
        self.change(cx, index, attachment::Event::UpPrepared);
    }

    /// Announces the mobile wherever it can be reached from now on, so that its packets there are
    /// no longer held or forwarded.
    pub(super) fn say_attached(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        if self.config.fast_handovers && self.config.access[index].network == Network::Foreign {
            let message = self.to_router(index, Message::Attached { home: self.config.home });
            self.outbox.send(cx, message);
        }
    }

    pub(super) fn detached(&mut self, index: usize) {
        if self.fast.state == State::Following && index == self.fast.next {
            self.fast.apply(Event::Elsewhere);
        }
    }

    fn apply_fast(&mut self, cx: &mut Context<'_, impl Observe>, event: Event) {
        let action = self.fast.apply(event);
        self.send_fast(cx, action);
    }

    fn send_fast(&mut self, cx: &mut Context<'_, impl Observe>, action: Action) {
        let last = match action {
            Action::None | Action::Announce => return,
            Action::Await => {
                self.fast.backoff = Some(Backoff::rest(cx.now));
                return;
            }
            Action::Recall => return self.say_attached(cx, self.fast.from),
            Action::Ask | Action::Update | Action::AnnounceAndUpdate => None,
            Action::AskAgain | Action::UpdateAgain => self.fast.backoff,
        };
        let backoff = Backoff::after(last, cx.now, Patience::FAST);
        self.fast.backoff = Some(backoff);
        let outgoing = match self.fast.state {
            State::Asking | State::Idle | State::Prepared => {
                let next = self.fast.next as u32;
                self.to_router(self.fast.from, Message::ProxySolicitation { next })
            }
            State::Updating => self.fast_update(Mode::Predictive),
            State::Following => self.fast_update(Mode::Reactive),
        };
        self.outbox.send_again(cx, outgoing, backoff.attempt);
    }

    fn fast_update(&mut self, mode: Mode) -> Outgoing {
        self.fast.sequence = self.fast.sequence.next();
        let from = self.config.access[self.fast.from];
        let (old, new) = (from.care_of, self.config.access[self.fast.next].care_of);
        let (home, next) = (self.config.home, self.fast.next as u32);
        let sequence = self.fast.sequence;
        let message = Message::FastUpdate(Fast { home, old, new, next, sequence, mode });
        let source = match mode {
            Mode::Predictive => old,
            Mode::Reactive => new,
        };
        Outgoing { source, destination: from.router, message }
    }

    /// Does what is due of a fast handover. True if anything was due.
    pub(super) fn do_fast(&mut self, cx: &mut Context<'_, impl Observe>) -> bool {
        let Some(backoff) = self.fast.backoff.filter(|backoff| backoff.due <= cx.now) else {
            return false;
        };
        let is_last = backoff.attempt >= FAST_ATTEMPTS;
        let event = if is_last { Event::Exhausted } else { Event::Unanswered };
        self.apply_fast(cx, event);
        true
    }
}
