//! A mobile (RFC 6275 §11, RFC 5380 §6.1): where it is, and who is told.

mod config;
mod fast_mobile;
mod link;
mod optimization;
mod updates;

use base::{MobilityFact, Observe, Time};

use super::outbox::Outbox;
use super::registration::Registration;
use super::{Address, Header, LinkEvent, Message, Outer, Outgoing, Verdict, Wrap};
pub use config::{
    Access, FastMobileConfig, MobileConfig, Network, Optimization, Overlap, Regional, Solicitation,
};
use fast_mobile::FastHandover;
use link::Attachment;
use optimization::Correspondence;

/// A mobile.
#[derive(Debug)]
pub struct Mobile {
    config: MobileConfig,
    outbox: Outbox,
    attachments: Vec<Attachment>,
    /// Counts addresses as they become usable: the newest is sent by.
    usable: u64,
    to_map: Registration,
    to_home: Registration,
    correspondences: Vec<Correspondence>,
    fast: FastHandover,
}

impl Mobile {
    /// Machine number `machine`, that cannot be heard anywhere yet.
    pub fn new(machine: u32, config: MobileConfig) -> Self {
        let attachments = config.access.iter().map(|_| Attachment::new()).collect();
        let correspondents = config.optimization.iter().flat_map(|o| &o.correspondents);
        let correspondences = correspondents.copied().map(Correspondence::new).collect();
        Self {
            config,
            outbox: Outbox::new(machine),
            attachments,
            usable: 0,
            to_map: Registration::new(),
            to_home: Registration::new(),
            correspondences,
            fast: FastHandover::new(),
        }
    }

    /// The access router that is sent by: of the usable ones the newest.
    fn current(&self) -> Option<usize> {
        let usable = self.attachments.iter().enumerate().filter(|(_, a)| a.state.is_usable());
        usable.max_by_key(|(_, attachment)| attachment.since).map(|(index, _)| index)
    }

    fn is_at_home(&self) -> bool {
        self.current().is_some_and(|index| self.config.access[index].network == Network::Home)
    }

    /// The address that the home agent sends to, if the mobile is away and bound.
    #[must_use]
    pub fn care_of(&self) -> Option<Address> {
        self.to_home.care_of()
    }

    /// Whether all that are to know where the mobile is have acknowledged it.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let Some(current) = self.current() else { return false };
        self.is_registered(current) && self.correspondences.iter().all(|c| !c.is_busy())
    }

    pub(super) fn look(&self, header: &Header) -> Verdict {
        if self.is_own(header.destination) {
            return arrived(header);
        }
        if header.destination == Address::ALL_NODES {
            return if header.is_message { Verdict::Take } else { Verdict::Drop };
        }
        let regional = self.config.regional.filter(|r| r.care_of == header.source);
        if header.source == self.config.home {
            self.starting_at_home_address(header)
        } else if let Some(regional) = regional {
            self.tunnel(self.to_map.care_of(), regional.map)
        } else {
            Verdict::Pass
        }
    }

    fn is_own(&self, address: Address) -> bool {
        address == self.config.home
            || self.config.regional.is_some_and(|regional| regional.care_of == address)
            || self.config.access.iter().any(|access| access.care_of == address)
    }

    /// A packet that starts here. To a correspondent it goes directly once that has a binding
    /// (RFC 6275 §11.3.1), but for messages: they show that the home agent can be passed.
    fn starting_at_home_address(&self, header: &Header) -> Verdict {
        if self.is_at_home() || (header.is_message && self.is_home_router(header.destination)) {
            return Verdict::Pass;
        }
        let care_of = self.to_home.care_of();
        let direct = self.correspondences.iter().any(|correspondence| {
            correspondence.address == header.destination
                && correspondence.registration.care_of() == care_of
        });
        match care_of.filter(|_| direct && !header.is_message && self.current().is_some()) {
            Some(source) => Verdict::Wrap(Outer {
                source,
                destination: header.destination,
                wrap: Wrap::HomeAddress,
            }),
            None => self.tunnel(care_of, self.config.home_agent),
        }
    }

    /// Neighbour discovery by the home address goes over the home link, before the mobile knows
    /// that it is home.
    fn is_home_router(&self, address: Address) -> bool {
        let mut access = self.config.access.iter();
        access.any(|access| access.network == Network::Home && access.router == address)
    }

    /// Nothing is sent by an address that is bound nowhere, or on no link.
    fn tunnel(&self, care_of: Option<Address>, destination: Address) -> Verdict {
        match care_of.filter(|_| self.current().is_some()) {
            Some(source) => Verdict::Wrap(Outer { source, destination, wrap: Wrap::Tunnel }),
            None => Verdict::Drop,
        }
    }

    pub(super) fn handle_message(
        &mut self,
        now: Time,
        incoming: &Outgoing,
        observe: &mut impl Observe,
    ) {
        if let Message::RouterAdvertisement { router, map } = incoming.message {
            return self.advertised(now, router, map, observe);
        }
        self.outbox.received(now, incoming, observe);
        match incoming.message {
            Message::NeighborAdvertisement { target } => self.objected(now, target, observe),
            Message::BindingAcknowledgement(answer) => {
                self.acknowledged(now, incoming.source, &answer, observe);
            }
            Message::BindingError => self.unknown_to(now, incoming.source, observe),
            Message::HomeTest { cookie, nonce } | Message::CareOfTest { cookie, nonce } => {
                self.tested(now, incoming, (cookie, nonce), observe);
            }
            Message::ProxyAdvertisement { next } => self.advised(now, next, observe),
            Message::FastAcknowledgement { sequence, answer } => {
                self.fast_answered(now, sequence, answer, observe);
            }
            // Nobody sends these to a mobile.
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
        self.settle(now, observe);
    }

    pub(super) fn handle_link(&mut self, now: Time, event: LinkEvent, observe: &mut impl Observe) {
        let (fact, router) = match event {
            LinkEvent::Up { router } => (MobilityFact::LinkUp { router }, router),
            LinkEvent::Down { router } => (MobilityFact::LinkDown { router }, router),
            LinkEvent::Fading { next } => (MobilityFact::LinkFading { next }, next),
        };
        let index = router as usize;
        if index >= self.attachments.len() {
            return;
        }
        self.outbox.tell(now, fact, observe);
        match event {
            LinkEvent::Up { .. } => self.link_up(now, index, observe),
            LinkEvent::Down { .. } => self.link_down(now, index, observe),
            LinkEvent::Fading { .. } => self.link_fading(now, index, observe),
        }
        self.settle(now, observe);
    }

    pub(super) fn handle_timeout(&mut self, now: Time, observe: &mut impl Observe) {
        self.settle(now, observe);
    }

    /// Tells whom it concerns, then does what is due, until nothing is.
    fn settle(&mut self, now: Time, observe: &mut impl Observe) {
        loop {
            self.inform(now, observe);
            if !self.do_next(now, observe) {
                return;
            }
        }
    }

    /// Does one thing that is due, if there is one. Without a link nothing but links matters.
    fn do_next(&mut self, now: Time, observe: &mut impl Observe) -> bool {
        self.do_link(now, observe)
            || (self.current().is_some()
                && (self.do_update(now, observe)
                    || self.do_correspondence(now, observe)
                    || self.do_fast(now, observe)))
    }

    pub(super) fn poll_output(&mut self) -> Option<Outgoing> {
        self.outbox.pop()
    }

    pub(super) fn poll_timeout(&self) -> Option<Time> {
        let link = self.attachments.iter().filter_map(|a| a.due).min();
        if self.current().is_none() {
            return link;
        }
        let agents = Time::earlier(self.to_map.deadline(), self.to_home.deadline());
        let others = self.correspondences.iter().filter_map(Correspondence::deadline).min();
        let upper = Time::earlier(agents, Time::earlier(others, self.fast.deadline()));
        Time::earlier(link, upper)
    }
}

/// A packet for one of the mobile's addresses.
fn arrived(header: &Header) -> Verdict {
    match header.wrap {
        Some(Wrap::Tunnel | Wrap::Routing) => Verdict::Unwrap,
        // A mobile keeps no bindings of others.
        Some(Wrap::HomeAddress) => Verdict::Drop,
        None if header.is_message => Verdict::Take,
        None => Verdict::Pass,
    }
}
