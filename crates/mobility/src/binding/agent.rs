//! The mobility agent of a node.

use base::Time;
use observe::{Context, Observe};

use super::{AccessRouter, Anchor, Correspondent, Message, Mobile, size};

/// An IPv6 address, by its number in the network. A mobile's home address, its regional care-of
/// address at a MAP and its local one at each access router are numbers of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Address(pub u32);

impl Address {
    /// All nodes on the link that a packet starts on, `ff02::1` (RFC 4291 §2.7.1). To it an access
    /// router sends advertisements that nobody asked for.
    pub const ALL_NODES: Self = Self(u32::MAX);
}

/// What encapsulates a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// An IPv6 header of its own (RFC 2473).
    Tunnel,
    /// A type 2 routing header with the home address (RFC 6275 §6.4): from a correspondent.
    Routing,
    /// A home address option (RFC 6275 §6.3): to a correspondent or an agent.
    HomeAddress,
}

impl Wrap {
    /// What it adds to a packet, in bytes.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Tunnel => size::IPV6,
            Self::Routing => size::ROUTING,
            Self::HomeAddress => size::HOME_ADDRESS,
        }
    }
}

/// An outer header that an agent adds, with the addresses that the packet then has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outer {
    /// The source.
    pub source: Address,
    /// The destination.
    pub destination: Address,
    /// Which kind of header.
    pub wrap: Wrap,
}

/// What an agent sees of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The outermost source.
    pub source: Address,
    /// The outermost destination.
    pub destination: Address,
    /// Its outermost encapsulation.
    pub wrap: Option<Wrap>,
    /// Whether it carries a [`Message`] (within its encapsulation, if any), or an ICMP error from
    /// elsewhere.
    pub is_message: bool,
}

/// What to do with a packet at the node of an agent. After `Wrap`, `Both` and `Unwrap` the agent is
/// asked again about the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketAction {
    /// Pass it on as it is: towards its destination, or up at this node.
    Pass,
    /// Encapsulate it in this.
    Wrap(Outer),
    /// Send it twice, once in each (bicast).
    Both([Outer; 2]),
    /// Remove its outermost encapsulation.
    Unwrap,
    /// It is a message for the agent: [`Agent::handle_message`] follows.
    Take,
    /// Drop it: its destination is not bound (any more), it came through an address that is not
    /// bound, or a mobile has no address to send it from.
    Drop,
}

/// A message that an agent sends, or was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// The source.
    pub source: Address,
    /// The destination.
    pub destination: Address,
    /// The message.
    pub message: Message,
}

/// What the link of a mobile reports of the access router numbered `router`, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEvent {
    /// The mobile can be heard there now. Repeated if that is the better of two links again.
    Up {
        /// The access router.
        router: u32,
    },
    /// It no longer can.
    Down {
        /// The access router.
        router: u32,
    },
    /// It is about to change to that one.
    Fading {
        /// The next access router.
        next: u32,
    },
}

/// What an agent requests of its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentRequest {
    /// Packets for the mobile take another path from now on: its peers may be notified.
    Moved,
    /// Hold packets for a mobile that arrives by a fast handover at the access router's link.
    Hold {
        /// Its home address.
        mobile: Address,
    },
    /// Release them.
    Release {
        /// Its home address.
        mobile: Address,
    },
}

/// The agent of a node.
#[derive(Debug)]
pub enum Agent {
    /// A mobile.
    Mobile(Box<Mobile>),
    /// A home agent or a MAP, which may be an access router as well.
    Anchor(Box<Anchor>),
    /// A correspondent that does route optimization.
    Correspondent(Correspondent),
    /// An access router.
    AccessRouter(Box<AccessRouter>),
}

impl Agent {
    /// Decides what to do with a packet at its node. After [`PacketAction::Drop`] there may be an
    /// output.
    pub fn look(&mut self, now: Time, header: &Header) -> PacketAction {
        match self {
            Self::Mobile(mobile) => mobile.look(now, header),
            Self::Anchor(anchor) => anchor.look(now, header),
            Self::Correspondent(correspondent) => correspondent.look(now, header),
            Self::AccessRouter(router) => router.look(now, header),
        }
    }

    /// Takes in a message.
    pub fn handle_message(&mut self, cx: &mut Context<'_, impl Observe>, message: &Outgoing) {
        match self {
            Self::Mobile(mobile) => mobile.handle_message(cx, message),
            Self::Anchor(anchor) => anchor.handle_message(cx, message),
            Self::Correspondent(correspondent) => {
                correspondent.handle_message(cx, message);
            }
            Self::AccessRouter(router) => router.handle_message(cx, message),
        }
    }

    /// Its link has changed. Only a mobile reacts.
    pub fn handle_link(&mut self, cx: &mut Context<'_, impl Observe>, event: LinkEvent) {
        match self {
            Self::Mobile(mobile) => mobile.handle_link(cx, event),
            Self::Anchor(_) | Self::Correspondent(_) | Self::AccessRouter(_) => {}
        }
    }

    /// Does what is due; nothing if it is early.
    pub fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        match self {
            Self::Mobile(mobile) => mobile.handle_timeout(cx),
            Self::Anchor(anchor) => anchor.handle_timeout(cx),
            Self::Correspondent(correspondent) => correspondent.handle_timeout(cx),
            Self::AccessRouter(router) => router.handle_timeout(cx),
        }
    }

    /// The next message to be sent. To be called after each `handle_…` until it says `None`.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<Outgoing> {
        match self {
            Self::Mobile(mobile) => mobile.poll_output(),
            Self::Anchor(anchor) => anchor.poll_output(),
            Self::Correspondent(correspondent) => correspondent.poll_output(),
            Self::AccessRouter(router) => router.poll_output(),
        }
    }

    /// The next request. To be called after each `handle_…` until it says `None`.
    #[must_use]
    pub fn poll_request(&mut self) -> Option<AgentRequest> {
        match self {
            Self::Mobile(mobile) => mobile.poll_request(),
            Self::Correspondent(_) => None,
            Self::Anchor(anchor) => anchor.poll_request(),
            Self::AccessRouter(router) => router.poll_request(),
        }
    }

    /// When something is due next: may change with each `handle_…`.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        match self {
            Self::Mobile(mobile) => mobile.poll_timeout(),
            Self::Anchor(anchor) => anchor.poll_timeout(),
            Self::Correspondent(correspondent) => correspondent.poll_timeout(),
            Self::AccessRouter(router) => router.poll_timeout(),
        }
    }
}
