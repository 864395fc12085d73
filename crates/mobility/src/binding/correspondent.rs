//! A correspondent that does route optimization (RFC 6275 §9).

use base::{Duration, Time};
use observe::{Context, MobilityFact, Observe};

use super::cache::{Action, Cache, Check, Event, Route};
use super::message::Judgement;
use super::outbox::Outbox;
use super::{
    Address, Authority, Header, Message, Outer, Outgoing, Peer, Policy, Status, Update, Verdict,
    Wrap,
};

/// What a correspondent is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CorrespondentConfig {
    /// Its address.
    pub address: Address,
    /// The longest lifetime that it grants. RFC 6275 §12: `MAX_RR_BINDING_LIFETIME`, 420 s.
    pub lifetime_max: Duration,
    /// For how long it accepts a token. RFC 6275 §12: `MAX_NONCE_LIFETIME`, 240 s.
    pub nonce_lifetime: Duration,
}

/// A correspondent.
#[derive(Debug)]
pub struct Correspondent {
    config: CorrespondentConfig,
    cache: Cache,
    outbox: Outbox,
}

impl Correspondent {
    /// Machine number `machine`.
    pub fn new(machine: u32, config: CorrespondentConfig) -> Self {
        Self { config, cache: Cache::new(), outbox: Outbox::new(machine) }
    }

    /// Its own messages go as they are addressed: a home test has to show that the mobile can be
    /// reached at home (§5.2.5).
    pub(super) fn look(&mut self, now: Time, header: &Header) -> Verdict {
        if header.destination == self.config.address {
            return self.arrived(now, header);
        }
        let starts_here = header.source == self.config.address && header.wrap.is_none();
        if !starts_here || header.is_message {
            return Verdict::Pass;
        }
        match self.care_of(now, header.destination) {
            Some(care_of) => Verdict::Wrap(Outer {
                source: self.config.address,
                destination: care_of,
                wrap: Wrap::Routing,
            }),
            None => Verdict::Pass,
        }
    }

    /// Where packets for a mobile go at `now`, if it is bound.
    pub(super) fn care_of(&self, now: Time, home: Address) -> Option<Address> {
        match self.cache.route(now, home) {
            Route::To(care_of) | Route::ToBoth([care_of, _]) => Some(care_of),
            Route::Ended | Route::Unknown => None,
        }
    }

    fn arrived(&mut self, now: Time, header: &Header) -> Verdict {
        match header.wrap {
            Some(Wrap::HomeAddress) if self.cache.has_care_of(now, header.source) => {
                Verdict::Unwrap
            }
            // §9.3.1: without a binding the packet is dropped, and the mobile told.
            Some(Wrap::HomeAddress) => {
                let (from, to) = (self.config.address, header.source);
                self.outbox.send_quietly(from, to, Message::BindingError);
                Verdict::Drop
            }
            Some(Wrap::Tunnel | Wrap::Routing) => Verdict::Drop,
            None if header.is_message => Verdict::Take,
            None => Verdict::Pass,
        }
    }

    /// §9.4.1, §9.4.2: whoever asks for a token gets one, and nothing is remembered.
    pub(super) fn handle_message(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        incoming: &Outgoing,
    ) {
        self.outbox.received(cx, incoming);
        let to = incoming.source;
        if let Message::HomeTestInit { cookie } = incoming.message {
            self.send(cx, to, Message::HomeTest { cookie, nonce: cx.now });
        } else if let Message::CareOfTestInit { cookie } = incoming.message {
            self.send(cx, to, Message::CareOfTest { cookie, nonce: cx.now });
        } else if let Message::BindingUpdate(update) = incoming.message {
            let judgement = self.updated(cx, &update);
            let lifetime_max = self.config.lifetime_max;
            let answer = update.acknowledgement(judgement, to, lifetime_max, Peer::Correspondent);
            self.send(cx, to, answer);
        }
    }

    fn send(&mut self, cx: &mut Context<'_, impl Observe>, destination: Address, message: Message) {
        let source = self.config.address;
        self.outbox.send(cx, Outgoing { source, destination, message });
    }

    fn updated(&mut self, cx: &mut Context<'_, impl Observe>, update: &Update) -> Judgement {
        let status = self.judge(cx.now, update);
        if status != Status::Accepted {
            return update.judged(status);
        }
        let entry = match self.cache.heed(update) {
            Ok(entry) => entry,
            Err(last) => return Judgement::older_than(last),
        };
        let (home, care_of) = (update.home.0, update.care_of.0);
        let event =
            if update.is_withdrawal() { Event::Withdrawal } else { Event::Update(Check::None) };
        match entry.apply(event) {
            Action::Bind => {
                let expires = cx.now + update.lifetime.min(self.config.lifetime_max);
                entry.bind(cx.now, update.care_of, expires, update.extent, Policy::One);
                self.outbox.tell(cx, MobilityFact::Bound { home, care_of });
            }
            Action::Release => {
                self.outbox.tell(cx, MobilityFact::Unbound { home });
            }
            // What needs a verification does not come up: there is none here.
            Action::None
            | Action::Verify
            | Action::Note
            | Action::Acknowledge
            | Action::Refuse
            | Action::Lapse => {}
        }
        self.cache.set_deadline();
        update.accepted()
    }

    /// Whether the tokens are good (§9.5.1): at home the home token is enough.
    fn judge(&self, now: Time, update: &Update) -> Status {
        let is_old = |nonce: Time| now.saturating_since(nonce) > self.config.nonce_lifetime;
        match update.authority {
            Authority::Agent => Status::HomeTokenExpired,
            Authority::Tokens { home, .. } if is_old(home) => Status::HomeTokenExpired,
            Authority::Tokens { care_of: Some(care_of), .. } if is_old(care_of) => {
                Status::CareOfTokenExpired
            }
            Authority::Tokens { care_of: None, .. } if !update.is_withdrawal() => {
                Status::CareOfTokenExpired
            }
            Authority::Tokens { .. } => Status::Accepted,
        }
    }

    pub(super) fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some((home, event, entry)) = self.cache.due(cx.now) {
            if entry.apply(event) == Action::Lapse {
                self.outbox.tell(cx, MobilityFact::Unbound { home: home.0 });
            }
        }
        self.cache.set_deadline();
    }

    pub(super) fn poll_output(&mut self) -> Option<Outgoing> {
        self.outbox.pop()
    }

    pub(super) const fn poll_timeout(&self) -> Option<Time> {
        self.cache.deadline()
    }
}
