//! Return routability and bindings at correspondents (RFC 6275 §11.6, §11.7.2).

use base::{Duration, Time};
use observe::{Context, MobilityFact, Observe};

use super::super::registration::{Action, Event, Registration, State, Target};
use super::super::token::{self, Token};
use super::super::{
    Acknowledgement, Address, Authority, Extent, Message, Outgoing, Status, Update,
};
use super::Mobile;

/// The state towards one correspondent.
#[derive(Debug)]
pub(super) struct Correspondence {
    pub(super) address: Address,
    pub(super) registration: Registration,
    home_token: Token,
    care_of_token: Token,
    /// The care-of address that the correspondent should have; `None` at home.
    care_of: Option<Address>,
    /// An update is pending until its tokens are there.
    is_pending: bool,
}

/// Which of the two tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Home,
    CareOf,
}

impl Correspondence {
    pub(super) const fn new(address: Address) -> Self {
        Self {
            address,
            registration: Registration::new(),
            home_token: Token::new(),
            care_of_token: Token::new(),
            care_of: None,
            is_pending: false,
        }
    }

    /// Whether the correspondent is out of date.
    pub(super) fn is_busy(&self) -> bool {
        self.is_pending || self.registration.state.is_waiting()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        let tokens = Time::earlier(self.home_token.deadline(), self.care_of_token.deadline());
        Time::earlier(tokens, self.registration.deadline())
    }

    const fn token(&mut self, kind: Kind) -> &mut Token {
        match kind {
            Kind::Home => &mut self.home_token,
            Kind::CareOf => &mut self.care_of_token,
        }
    }

    /// Whether an update can be sent: at home one token is enough.
    fn has_tokens(&self) -> bool {
        let is_held = |token: &Token| token.state == token::State::Held;
        is_held(&self.home_token) && (self.care_of.is_none() || is_held(&self.care_of_token))
    }

    fn drop_tokens(&mut self) {
        self.home_token.apply(token::Event::Dropped);
        self.care_of_token.apply(token::Event::Dropped);
    }
}

impl Mobile {
    /// Once the home agent knows where the mobile is, correspondents are told as well.
    pub(super) fn want_correspondents(&mut self, cx: &mut Context<'_, impl Observe>) {
        if self.to_home.state != State::Bound {
            return;
        }
        let care_of = self.to_home.care_of();
        for index in 0..self.correspondences.len() {
            let correspondence = &mut self.correspondences[index];
            let is_sought = match correspondence.registration.state {
                State::First | State::Bound | State::Renewing | State::Refused => true,
                State::Absent | State::Leaving => correspondence.is_pending,
            };
            if !is_sought || correspondence.care_of != care_of {
                correspondence.care_of_token.apply(token::Event::Dropped);
                correspondence.care_of = care_of;
                self.update(cx, index);
            }
        }
    }

    /// At home they need no binding.
    pub(super) fn leave_correspondents(&mut self, cx: &mut Context<'_, impl Observe>) {
        for index in 0..self.correspondences.len() {
            let correspondence = &mut self.correspondences[index];
            if correspondence.care_of.take().is_none() {
                continue;
            }
            if correspondence.registration.state == State::Absent {
                correspondence.is_pending = false;
                correspondence.drop_tokens();
            } else {
                correspondence.care_of_token.apply(token::Event::Dropped);
                self.update(cx, index);
            }
        }
    }

    /// Updates the correspondent as soon as the tokens are there.
    fn update(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        self.correspondences[index].is_pending = true;
        self.proceed(cx, index);
    }

    fn ask(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        index: usize,
        kind: Kind,
        event: token::Event,
    ) {
        let correspondence = &mut self.correspondences[index];
        let action = correspondence.token(kind).apply(event);
        if action == token::Action::None {
            return;
        }
        let (cookie, attempt) = correspondence.token(kind).asking(cx.now, action);
        let care_of = correspondence.care_of.unwrap_or(self.config.home);
        let (source, message) = match kind {
            Kind::Home => (self.config.home, Message::HomeTestInit { cookie }),
            Kind::CareOf => (care_of, Message::CareOfTestInit { cookie }),
        };
        let outgoing = Outgoing { source, destination: correspondence.address, message };
        self.outbox.send_again(cx, outgoing, attempt);
    }

    /// A token came.
    pub(super) fn tested(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        incoming: &Outgoing,
        (cookie, nonce): (u32, Time),
    ) {
        let is_home = matches!(incoming.message, Message::HomeTest { .. });
        let kind = if is_home { Kind::Home } else { Kind::CareOf };
        let Some(index) = self.correspondence(incoming.source) else { return };
        let token = self.correspondences[index].token(kind);
        if token.received(cx.now, cookie, nonce) {
            self.proceed(cx, index);
        }
    }

    fn correspondence(&self, address: Address) -> Option<usize> {
        self.correspondences.iter().position(|other| other.address == address)
    }

    /// Sends the pending update, or asks for missing tokens.
    fn proceed(&mut self, cx: &mut Context<'_, impl Observe>, index: usize) {
        let correspondence = &mut self.correspondences[index];
        if !correspondence.is_pending {
            return;
        }
        if !correspondence.has_tokens() {
            correspondence.registration.hold();
            self.ask(cx, index, Kind::Home, token::Event::Wanted);
            if self.correspondences[index].care_of.is_some() {
                self.ask(cx, index, Kind::CareOf, token::Event::Wanted);
            }
            return;
        }
        correspondence.is_pending = false;
        let is_away = correspondence.care_of.is_some();
        let event = if is_away { Event::Wanted } else { Event::Unwanted };
        let action = correspondence.registration.apply(event);
        if let Some(care_of) = correspondence.care_of {
            correspondence.registration.target = Some(Target { care_of, extent: Extent::Only });
        }
        self.act_on_correspondent(cx, index, action);
    }

    fn act_on_correspondent(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        index: usize,
        action: Action,
    ) {
        match action {
            Action::None => {}
            Action::Send | Action::SendAgain => {
                self.send_correspondent_update(cx, index, action);
            }
            Action::GiveUp => {
                let agent = self.correspondences[index].address.0;
                self.outbox.tell(cx, MobilityFact::GivenUp { agent });
            }
        }
    }

    fn send_correspondent_update(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        index: usize,
        action: Action,
    ) {
        let Some(optimization) = &self.config.optimization else { return };
        let config = optimization.registration;
        let home = self.config.home;
        let correspondence = &mut self.correspondences[index];
        let Some(nonce) = correspondence.home_token.nonce() else { return };
        let (sequence, attempt) = correspondence.registration.sending(cx.now, action);
        let is_leaving = correspondence.care_of.is_none();
        let care_of = correspondence.care_of.unwrap_or(home);
        let lifetime = if is_leaving { Duration::ZERO } else { config.lifetime };
        let authority =
            Authority::Tokens { home: nonce, care_of: correspondence.care_of_token.nonce() };
        let extent = Extent::Only;
        let update = Update { home, care_of, sequence, lifetime, extent, authority };
        let message = Message::BindingUpdate(update);
        let outgoing = Outgoing { source: care_of, destination: correspondence.address, message };
        self.outbox.send_again(cx, outgoing, attempt);
    }

    pub(super) fn correspondent_acknowledged(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        from: Address,
        answer: &Acknowledgement,
    ) {
        let Some(optimization) = &self.config.optimization else { return };
        let config = optimization.registration;
        let Some(index) = self.correspondence(from) else { return };
        let registration = &mut self.correspondences[index].registration;
        match answer.status {
            Status::Accepted => {
                registration.accepted(answer.sequence, answer.lifetime, &config);
            }
            Status::OutOfWindow => {
                if registration.outdated(answer.sequence).is_some() {
                    self.update(cx, index);
                }
            }
            Status::HomeTokenExpired | Status::CareOfTokenExpired | Status::Duplicate => {
                if registration.is_last(answer.sequence) {
                    self.correspondences[index].drop_tokens();
                    self.update(cx, index);
                }
            }
        }
    }

    /// A correspondent has no binding (RFC 6275 §11.3.6).
    pub(super) fn unknown_to(&mut self, cx: &mut Context<'_, impl Observe>, from: Address) {
        let Some(index) = self.correspondence(from) else { return };
        let registration = &mut self.correspondences[index].registration;
        if registration.state == State::Bound {
            registration.apply(Event::Lapsed);
            self.update(cx, index);
        }
    }

    /// Does what is due with a correspondent. True if anything was due.
    pub(super) fn do_correspondence(&mut self, cx: &mut Context<'_, impl Observe>) -> bool {
        for index in 0..self.correspondences.len() {
            for kind in [Kind::Home, Kind::CareOf] {
                if let Some(event) = self.correspondences[index].token(kind).due(cx.now) {
                    self.ask(cx, index, kind, event);
                    self.proceed(cx, index);
                    return true;
                }
            }
            let correspondence = &mut self.correspondences[index];
            if let Some(event) = correspondence.registration.due(cx.now) {
                self.correspondent_due(cx, index, event);
                return true;
            }
        }
        false
    }

    fn correspondent_due(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        index: usize,
        event: Event,
    ) {
        let correspondence = &mut self.correspondences[index];
        let action = match event {
            // An expired binding is not used, with or without tokens. At home it is withdrawn
            // nevertheless: if an acknowledgement was lost, the peer's may last longer.
            Event::Lapsed if correspondence.care_of.is_none() => return,
            Event::Lapsed => correspondence.registration.apply(event),
            Event::Unanswered if correspondence.has_tokens() => {
                let action = correspondence.registration.apply(event);
                return self.act_on_correspondent(cx, index, action);
            }
            Event::Wanted
            | Event::Unwanted
            | Event::Acknowledged
            | Event::Refused
            | Event::Outdated
            | Event::Unanswered
            | Event::RefreshDue
            | Event::Forgotten => Action::Send,
        };
        if action == Action::Send {
            self.update(cx, index);
        }
    }
}
