//! A home agent (RFC 6275 §10) or a MAP (RFC 5380 §6.2): a binding cache with tunnels.

use base::{Duration, Time};
use observe::{Context, MobilityFact, Observe};

use super::access_router::AccessRouter;
use super::cache::{Action, Cache, Check, Event, Route, Waiting};
use super::message::UpdateResult;
use super::outbox::Outbox;
use super::{
    AccessRouterConfig, Address, AgentRequest, Header, Message, MobilityAgent, Outer, Outgoing,
    PacketAction, Peer, Policy, Status, Update, Wrap,
};

/// The configuration of a home agent or a MAP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnchorConfig {
    /// Its address.
    pub address: Address,
    /// Home agent or MAP.
    pub role: Role,
    /// The longest lifetime that it grants. RFC 6275 §10.3.1: no longer than the home prefix is
    /// valid, at most 262,140 s; RFC 5380 §6.2: no longer than in the MAP option.
    pub lifetime_max: Duration,
    /// How long it waits for an objection before it binds an address for the first time; `None`
    /// does not ask. RFC 4861 §10: `RETRANS_TIMER`, 1 s, for one solicitation.
    pub detection: Option<Duration>,
    /// Addresses that other hosts use on its link.
    pub taken: Vec<Address>,
    /// How many care-of addresses of one mobile it keeps.
    pub policy: Policy,
    /// Its access router, if it is one as well: home agents are routers on the home link.
    pub access: Option<AccessRouterConfig>,
}

/// Which addresses an anchor serves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A home agent: a mobile without a binding is on the home link.
    HomeAgent,
    /// A MAP: a mobile without a binding cannot be reached.
    Map,
}

/// A home agent or a MAP.
#[derive(Debug)]
pub struct Anchor {
    config: AnchorConfig,
    cache: Cache,
    outbox: Outbox,
    access: Option<AccessRouter>,
}

impl Anchor {
    /// Machine number `machine`; random streams by `seed`.
    pub fn new(machine: u32, config: AnchorConfig, seed: u64) -> Self {
        let access = config.access.clone().map(|access| AccessRouter::new(machine, access, seed));
        Self { config, cache: Cache::new(), outbox: Outbox::new(machine), access }
    }
}

impl MobilityAgent for Anchor {
    fn look(&mut self, now: Time, header: &Header) -> PacketAction {
        if header.destination == self.config.address {
            return self.arrived(now, header);
        }
        // Its own messages go as addressed: a mobile that is still bound is reached on the home
        // link.
        if header.source == self.config.address && header.is_message && header.wrap.is_none() {
            return PacketAction::Pass;
        }
        match self.cache.route(now, header.destination) {
            Route::To(care_of) => PacketAction::Wrap(self.tunnel(care_of)),
            Route::ToBoth([one, other]) => {
                PacketAction::Both([self.tunnel(one), self.tunnel(other)])
            }
            Route::Ended if self.config.role == Role::Map => PacketAction::Drop,
            Route::Ended | Route::Unknown => match &mut self.access {
                Some(access) => access.look(now, header),
                None => PacketAction::Pass,
            },
        }
    }

    fn handle_message(&mut self, cx: &mut Context<'_, impl Observe>, incoming: &Outgoing) {
        if let Message::BindingUpdate(update) = incoming.message {
            self.outbox.received(cx, incoming);
            self.updated(cx, Waiting { update, source: incoming.source });
            self.cache.set_deadline();
        } else if let Some(access) = &mut self.access {
            access.handle_message(cx, incoming);
        }
    }

    fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some((home, event, entry)) = self.cache.due(cx.now) {
            let waiting = entry.waiting;
            let action = entry.apply(event);
            match (action, waiting) {
                (Action::Lapse, _) => {
                    self.outbox.tell(cx, MobilityFact::Unbound { home: home.0 });
                }
                (action, Some(waiting)) => {
                    let address = home.0;
                    self.outbox.tell(cx, MobilityFact::Usable { address });
                    self.act(cx, action, waiting);
                }
                (_, None) => {}
            }
        }
        self.cache.set_deadline();
        if let Some(access) = &mut self.access {
            access.handle_timeout(cx);
        }
    }

    fn poll_output(&mut self) -> Option<Outgoing> {
        self.outbox.pop().or_else(|| self.access.as_mut()?.poll_output())
    }

    fn poll_request(&mut self) -> Option<AgentRequest> {
        self.access.as_mut()?.poll_request()
    }

    fn poll_timeout(&self) -> Option<Time> {
        let access = self.access.as_ref().and_then(AccessRouter::poll_timeout);
        Time::earlier(self.cache.deadline(), access)
    }
}

impl Anchor {
    /// A packet for the anchor itself. A tunnel is accepted only from mobiles with a binding
    /// (§10.4.5).
    fn arrived(&self, now: Time, header: &Header) -> PacketAction {
        match header.wrap {
            Some(Wrap::Tunnel) if self.cache.has_care_of(now, header.source) => {
                PacketAction::Unwrap
            }
            Some(Wrap::Tunnel | Wrap::Routing | Wrap::HomeAddress) => PacketAction::Drop,
            None if header.is_message => PacketAction::Take,
            None => PacketAction::Pass,
        }
    }

    fn tunnel(&self, care_of: Address) -> Outer {
        Outer { source: self.config.address, destination: care_of, wrap: Wrap::Tunnel }
    }

    fn updated(&mut self, cx: &mut Context<'_, impl Observe>, of: Waiting) {
        let update = of.update;
        let entry = match self.cache.accept_update(&update) {
            Ok(entry) => entry,
            Err(last) => return self.answer(cx, &of, UpdateResult::older_than(last)),
        };
        let event = if update.is_withdrawal() {
            Event::Withdrawal
        } else if self.config.taken.contains(&update.home) {
            Event::Taken
        } else {
            let is_verified = self.config.detection.is_none();
            Event::Update(if is_verified { Check::None } else { Check::First })
        };
        let action = entry.apply(event);
        self.act(cx, action, of);
    }

    /// Carries out what follows from an update.
    fn act(&mut self, cx: &mut Context<'_, impl Observe>, action: Action, of: Waiting) {
        let home = of.update.home.0;
        let result = match action {
            Action::None | Action::Lapse => return,
            Action::Verify | Action::Note => return self.verify(cx, action, of),
            Action::Bind => {
                self.bind(cx, &of.update);
                of.update.accepted()
            }
            Action::Release => {
                self.outbox.tell(cx, MobilityFact::Unbound { home });
                of.update.accepted()
            }
            Action::Acknowledge => of.update.accepted(),
            Action::Refuse => {
                self.outbox.tell(cx, MobilityFact::Duplicate { address: home });
                of.update.judged(Status::Duplicate)
            }
        };
        self.answer(cx, &of, result);
    }

    fn verify(&mut self, cx: &mut Context<'_, impl Observe>, action: Action, of: Waiting) {
        let Some(entry) = self.cache.get_mut(of.update.home) else { return };
        entry.waiting = Some(of);
        if let (Action::Verify, Some(wait)) = (action, self.config.detection) {
            entry.verified = Some(cx.now + wait);
            let address = of.update.home.0;
            self.outbox.tell(cx, MobilityFact::Tentative { address });
        }
    }

    fn bind(&mut self, cx: &mut Context<'_, impl Observe>, update: &Update) {
        let expires = cx.now + update.lifetime.min(self.config.lifetime_max);
        let policy = self.config.policy;
        if let Some(entry) = self.cache.get_mut(update.home) {
            entry.bind(cx.now, update.care_of, expires, update.extent, policy);
        }
        let (home, care_of) = (update.home.0, update.care_of.0);
        self.outbox.tell(cx, MobilityFact::Bound { home, care_of });
    }

    fn answer(&mut self, cx: &mut Context<'_, impl Observe>, of: &Waiting, result: UpdateResult) {
        let (source, destination) = (self.config.address, of.source);
        let lifetime_max = self.config.lifetime_max;
        let message = of.update.acknowledgement(result, destination, lifetime_max, Peer::Agent);
        self.outbox.send(cx, Outgoing { source, destination, message });
    }
}
