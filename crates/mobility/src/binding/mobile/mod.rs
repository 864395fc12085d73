//! A mobile (RFC 6275 §11, RFC 5380 §6.1): where it is, and which peers know.

mod config;
mod fast_mobile;
mod link;
mod optimization;
mod updates;

use base::Time;
use observe::{Context, MobilityFact, Observe};

use super::outbox::Outbox;
use super::registration::Registration;
use super::{
    Address, AgentRequest, Correspondent, Header, LinkEvent, Message, MobilityAgent, Outer,
    Outgoing, PacketAction, Wrap,
};
pub use config::{Access, MobileConfig, Network, Optimization, Overlap, Regional};
use fast_mobile::FastHandover;
use link::Attachment;
use optimization::Correspondence;

/// A mobile.
#[derive(Debug)]
pub struct Mobile {
    config: MobileConfig,
    outbox: Outbox,
    attachments: Vec<Attachment>,
    /// Counts addresses as they become preferred: the last one is the source of packets.
    preferred: u64,
    to_map: Registration,
    to_home: Registration,
    correspondences: Vec<Correspondence>,
    /// The bindings of other mobiles.
    correspondent: Option<Correspondent>,
    fast: FastHandover,
    /// Whether packets have taken another path since the last request.
    has_moved: bool,
}

impl Mobile {
    /// Machine number `machine`, that cannot be heard anywhere yet.
    pub fn new(machine: u32, config: MobileConfig) -> Self {
        let attachments = config.access.iter().map(|_| Attachment::new()).collect();
        let correspondents = config.optimization.iter().flat_map(|o| &o.correspondents);
        let correspondences = correspondents.copied().map(Correspondence::new).collect();
        let peers = || Correspondent::new(machine, config.home);
        let correspondent = config.keeps_bindings.then(peers);
        Self {
            config,
            outbox: Outbox::new(machine),
            attachments,
            preferred: 0,
            to_map: Registration::new(),
            to_home: Registration::new(),
            correspondences,
            correspondent,
            fast: FastHandover::new(),
            has_moved: false,
        }
    }
}

impl MobilityAgent for Mobile {
    fn look(&mut self, now: Time, header: &Header) -> PacketAction {
        if self.is_own(header.destination) {
            return self.arrived(now, header);
        }
        if header.destination == Address::ALL_NODES {
            return if header.is_message { PacketAction::Take } else { PacketAction::Drop };
        }
        let regional = self.config.regional.filter(|r| r.care_of == header.source);
        if let Some(outer) = self.optimized(now, header) {
            PacketAction::Wrap(outer)
        } else if header.source == self.config.home {
            self.starting_at_home_address(header)
        } else if let Some(regional) = regional {
            self.tunnel(self.to_map.care_of(), regional.map)
        } else {
            PacketAction::Pass
        }
    }

    fn handle_message(&mut self, cx: &mut Context<'_, impl Observe>, incoming: &Outgoing) {
        if let Message::RouterAdvertisement { router, map } = incoming.message {
            return self.advertised(cx, router, map);
        }
        if let Some(correspondent) = &mut self.correspondent
            && incoming.message.is_for_correspondent()
        {
            return correspondent.handle_message(cx, incoming);
        }
        self.outbox.received(cx, incoming);
        match incoming.message {
            Message::NeighborAdvertisement { target } => self.objected(cx, target),
            Message::BindingAcknowledgement(answer) => {
                self.acknowledged(cx, incoming.source, &answer);
            }
            Message::BindingError => self.unknown_to(cx, incoming.source),
            Message::HomeTest { cookie, nonce } | Message::CareOfTest { cookie, nonce } => {
                self.tested(cx, incoming, (cookie, nonce));
            }
            Message::ProxyAdvertisement { next } => self.advised(cx, next),
            Message::FastAcknowledgement { sequence, answer } => {
                self.fast_answered(cx, sequence, answer);
            }
            // A mobile that is no correspondent gets none of these.
            Message::RouterAdvertisement { .. }
            | Message::RouterSolicitation
            | Message::NeighborSolicitation { .. }
            | Message::BindingUpdate(_)
            | Message::HomeTestInit { .. }
            | Message::CareOfTestInit { .. }
            | Message::ProxySolicitation { .. }
            | Message::FastUpdate(_)
            | Message::HandoverInitiate(_)
            | Message::HandoverAcknowledge { .. }
            | Message::Attached { .. } => {}
        }
        self.settle(cx);
    }

    fn handle_link(&mut self, cx: &mut Context<'_, impl Observe>, event: LinkEvent) {
        let (fact, router) = match event {
            LinkEvent::Up { router } => (MobilityFact::LinkUp { router }, router),
            LinkEvent::Down { router } => (MobilityFact::LinkDown { router }, router),
            LinkEvent::Fading { next } => (MobilityFact::LinkFading { next }, next),
        };
        let index = router as usize;
        if index >= self.attachments.len() {
            return;
        }
        self.outbox.tell(cx, fact);
        match event {
            LinkEvent::Up { .. } => self.link_up(cx, index),
            LinkEvent::Down { .. } => self.link_down(cx, index),
            LinkEvent::Fading { .. } => self.link_fading(cx, index),
        }
        self.settle(cx);
    }

    fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        if let Some(correspondent) = &mut self.correspondent {
            correspondent.handle_timeout(cx);
        }
        self.settle(cx);
    }

    fn poll_output(&mut self) -> Option<Outgoing> {
        self.outbox.pop().or_else(|| self.correspondent.as_mut()?.poll_output())
    }

    fn poll_request(&mut self) -> Option<AgentRequest> {
        std::mem::take(&mut self.has_moved).then_some(AgentRequest::Moved)
    }

    fn poll_timeout(&self) -> Option<Time> {
        let link = self.attachments.iter().filter_map(|a| a.due).min();
        let peers = self.correspondent.as_ref().and_then(Correspondent::poll_timeout);
        let always = Time::earlier(link, peers);
        if self.current().is_none() {
            return always;
        }
        let agents = Time::earlier(self.to_map.deadline(), self.to_home.deadline());
        let others = self.correspondences.iter().filter_map(Correspondence::deadline).min();
        let upper = Time::earlier(agents, Time::earlier(others, self.fast.deadline()));
        Time::earlier(always, upper)
    }
}

impl Mobile {
    /// Its configuration.
    #[must_use]
    pub const fn config(&self) -> &MobileConfig {
        &self.config
    }

    /// The access router through which it sends: the usable one that was preferred last.
    fn current(&self) -> Option<usize> {
        let usable = self.attachments.iter().enumerate().filter(|(_, a)| a.state.is_usable());
        usable.max_by_key(|(_, attachment)| attachment.since).map(|(index, _)| index)
    }

    fn is_at_home(&self) -> bool {
        self.current().is_some_and(|index| self.config.access[index].network == Network::Home)
    }

    /// True if the home link can be used, be it the current one or not.
    fn has_home_link(&self) -> bool {
        let mut links = self.config.access.iter().zip(&self.attachments);
        links.any(|(access, link)| access.network == Network::Home && link.state.is_usable())
    }

    /// The address that the home agent sends to, if the mobile is away and bound.
    #[must_use]
    pub fn care_of(&self) -> Option<Address> {
        self.to_home.care_of()
    }

    /// Whether every peer that has to know where the mobile is has acknowledged.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let Some(current) = self.current() else { return false };
        self.is_registered(current) && self.correspondences.iter().all(|c| !c.is_busy())
    }

    fn is_own(&self, address: Address) -> bool {
        address == self.config.home
            || self.config.regional.is_some_and(|regional| regional.care_of == address)
            || self.config.access.iter().any(|access| access.care_of == address)
    }

    /// The headers that route optimization adds to data that start here: a home address option for
    /// a correspondent that has the binding (RFC 6275 §11.3.1), then a routing header to a mobile
    /// whose binding is here (§9.3.2); both between two mobiles that are away (§6.3 has them in
    /// this order). Messages show that the home agents can be passed.
    fn optimized(&self, now: Time, header: &Header) -> Option<Outer> {
        let Header { source, destination, wrap, is_message } = *header;
        if is_message || self.current().is_none() {
            return None;
        }
        let starts = source == self.config.home && wrap.is_none();
        if starts && let Some(source) = self.care_of_at(destination) {
            return Some(Outer { source, destination, wrap: Wrap::HomeAddress });
        }
        let may_be_routed = starts || wrap == Some(Wrap::HomeAddress);
        let peers = self.correspondent.as_ref().filter(|_| may_be_routed)?;
        let destination = peers.care_of(now, destination)?;
        Some(Outer { source, destination, wrap: Wrap::Routing })
    }

    /// The care-of address, if `correspondent` knows it; `None` at home.
    fn care_of_at(&self, correspondent: Address) -> Option<Address> {
        let care_of = self.to_home.care_of().filter(|_| !self.is_at_home())?;
        let is_known = |of: &Correspondence| {
            of.address == correspondent && of.registration.care_of() == Some(care_of)
        };
        self.correspondences.iter().any(is_known).then_some(care_of)
    }

    /// Until the home agent has the binding, packets come over the home link and go over it, as
    /// long as there is one.
    fn starting_at_home_address(&self, header: &Header) -> PacketAction {
        let care_of = self.to_home.care_of();
        let goes_home = self.is_at_home() || (care_of.is_none() && self.has_home_link());
        let is_home_discovery = header.is_message && self.is_home_router(header.destination);
        if goes_home || is_home_discovery || !self.config.reverse_tunnel {
            return PacketAction::Pass;
        }
        self.tunnel(care_of, self.config.home_agent)
    }

    /// A packet for one of the mobile's addresses.
    fn arrived(&mut self, now: Time, header: &Header) -> PacketAction {
        match header.wrap {
            Some(Wrap::Tunnel | Wrap::Routing) => PacketAction::Unwrap,
            Some(Wrap::HomeAddress) => match &mut self.correspondent {
                Some(correspondent) => correspondent.look(now, header),
                None => PacketAction::Drop,
            },
            None if header.is_message => PacketAction::Take,
            None => PacketAction::Pass,
        }
    }

    /// Neighbour discovery by the home address goes over the home link, before the mobile knows
    /// that it is home.
    fn is_home_router(&self, address: Address) -> bool {
        let mut access = self.config.access.iter();
        access.any(|access| access.network == Network::Home && access.router == address)
    }

    /// Nothing is sent from an address without a binding or a link.
    fn tunnel(&self, care_of: Option<Address>, destination: Address) -> PacketAction {
        match care_of.filter(|_| self.current().is_some()) {
            Some(source) => PacketAction::Wrap(Outer { source, destination, wrap: Wrap::Tunnel }),
            None => PacketAction::Drop,
        }
    }

    /// Updates peers, then does what is due, until nothing is.
    fn settle(&mut self, cx: &mut Context<'_, impl Observe>) {
        loop {
            self.inform(cx);
            if !self.do_next(cx) {
                return;
            }
        }
    }

    /// Does one thing that is due, if there is one. Without a link, only links count.
    fn do_next(&mut self, cx: &mut Context<'_, impl Observe>) -> bool {
        self.do_link(cx)
            || (self.current().is_some()
                && (self.do_update(cx) || self.do_correspondence(cx) || self.do_fast(cx)))
    }
}
