//! A correspondent that does route optimization (RFC 6275 §9).

use base::{Duration, Time};
use observe::{Context, MobilityFact, Observe};

use super::cache::{Action, Cache, Check, Event, Route};
use super::message::UpdateResult;
use super::outbox::Outbox;
use super::{
    Address, Authority, Header, Message, MobilityAgent, Outer, Outgoing, PacketAction, Peer,
    Policy, Status, Update, Wrap,
};

/// The longest lifetime that it grants: `MAX_RR_BINDING_LIFETIME` (RFC 6275 §12).
const LIFETIME_MAX: Duration = Duration::from_secs(420);

/// For how long it accepts a token: `MAX_NONCE_LIFETIME` (RFC 6275 §12).
const NONCE_LIFETIME: Duration = Duration::from_secs(240);

/// A correspondent.
#[derive(Debug)]
pub struct Correspondent {
    address: Address,
    cache: Cache,
    outbox: Outbox,
}

impl Correspondent {
    /// Machine number `machine`, with this address.
    pub fn new(machine: u32, address: Address) -> Self {
        Self { address, cache: Cache::new(), outbox: Outbox::new(machine) }
    }
}

impl MobilityAgent for Correspondent {
    /// Its own messages go as addressed: a home test has to show that the mobile can be reached at
    /// home (§5.2.5).
    fn look(&mut self, now: Time, header: &Header) -> PacketAction {
        if header.destination == self.address {
            return self.arrived(now, header);
        }
        let starts_here = header.source == self.address && header.wrap.is_none();
        if !starts_here || header.is_message {
            return PacketAction::Pass;
        }
        match self.care_of(now, header.destination) {
            Some(care_of) => PacketAction::Wrap(Outer {
                source: self.address,
                destination: care_of,
                wrap: Wrap::Routing,
            }),
            None => PacketAction::Pass,
        }
    }

    /// §9.4.1, §9.4.2: anyone who asks gets a token, and no state is kept.
    fn handle_message(&mut self, cx: &mut Context<'_, impl Observe>, incoming: &Outgoing) {
        self.outbox.received(cx, incoming);
        let to = incoming.source;
        if let Message::HomeTestInit { cookie } = incoming.message {
            self.send(cx, to, Message::HomeTest { cookie, nonce: cx.now });
        } else if let Message::CareOfTestInit { cookie } = incoming.message {
            self.send(cx, to, Message::CareOfTest { cookie, nonce: cx.now });
        } else if let Message::BindingUpdate(update) = incoming.message {
            let judgement = self.updated(cx, &update);
            let answer = update.acknowledgement(judgement, to, LIFETIME_MAX, Peer::Correspondent);
            self.send(cx, to, answer);
        }
    }

    fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some((home, event, entry)) = self.cache.due(cx.now) {
            if entry.apply(event) == Action::Lapse {
                self.outbox.tell(cx, MobilityFact::Unbound { home: home.0 });
            }
        }
        self.cache.set_deadline();
    }

    fn poll_output(&mut self) -> Option<Outgoing> {
        self.outbox.pop()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.cache.deadline()
    }
}

impl Correspondent {
    /// Where packets for a mobile go at `now`, if it is bound.
    pub(super) fn care_of(&self, now: Time, home: Address) -> Option<Address> {
        match self.cache.route(now, home) {
            Route::To(care_of) | Route::ToBoth([care_of, _]) => Some(care_of),
            Route::Ended | Route::Unknown => None,
        }
    }

    fn arrived(&mut self, now: Time, header: &Header) -> PacketAction {
        match header.wrap {
            Some(Wrap::HomeAddress) if self.cache.has_care_of(now, header.source) => {
                PacketAction::Unwrap
            }
            // §9.3.1: without a binding the packet is dropped, and the mobile notified.
            Some(Wrap::HomeAddress) => {
                let (from, to) = (self.address, header.source);
                self.outbox.send_quietly(from, to, Message::BindingError);
                PacketAction::Drop
            }
            Some(Wrap::Tunnel | Wrap::Routing) => PacketAction::Drop,
            None if header.is_message => PacketAction::Take,
            None => PacketAction::Pass,
        }
    }

    fn send(&mut self, cx: &mut Context<'_, impl Observe>, destination: Address, message: Message) {
        let source = self.address;
        self.outbox.send(cx, Outgoing { source, destination, message });
    }

    fn updated(&mut self, cx: &mut Context<'_, impl Observe>, update: &Update) -> UpdateResult {
        let status = judge(cx.now, update);
        if status != Status::Accepted {
            return update.judged(status);
        }
        let entry = match self.cache.accept_update(update) {
            Ok(entry) => entry,
            Err(last) => return UpdateResult::older_than(last),
        };
        let (home, care_of) = (update.home.0, update.care_of.0);
        let event =
            if update.is_withdrawal() { Event::Withdrawal } else { Event::Update(Check::None) };
        match entry.apply(event) {
            Action::Bind => {
                let expires = cx.now + update.lifetime.min(LIFETIME_MAX);
                entry.bind(cx.now, update.care_of, expires, update.extent, Policy::One);
                self.outbox.tell(cx, MobilityFact::Bound { home, care_of });
            }
            Action::Release => {
                self.outbox.tell(cx, MobilityFact::Unbound { home });
            }
            // Cannot happen: a correspondent does not check for duplicates.
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
}

/// Whether the tokens are good (§9.5.1): at home the home token is enough.
fn judge(now: Time, update: &Update) -> Status {
    let is_old = |nonce: Time| now.saturating_since(nonce) > NONCE_LIFETIME;
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
