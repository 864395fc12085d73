//! What stands at a node and takes part in mobility.

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

/// What stands around a packet.
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

/// What an agent puts around a packet, which then goes by these addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outer {
    /// From there.
    pub source: Address,
    /// To there.
    pub destination: Address,
    /// As what.
    pub wrap: Wrap,
}

/// What an agent sees of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The outermost source.
    pub source: Address,
    /// The outermost destination.
    pub destination: Address,
    /// What stands around it, outermost.
    pub wrap: Option<Wrap>,
    /// Whether it carries a [`Message`] (of what is within wraps, if there are any), or an error of
    /// ICMP from elsewhere.
    pub is_message: bool,
}

/// What becomes of a packet at the node of an agent. After `Wrap`, `Both` and `Unwrap` the agent
/// is asked again, about what has come of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on as it is: to its destination, or to whom it is for at this node.
    Pass,
    /// It goes on within this.
    Wrap(Outer),
    /// It goes on twice, once within each (bicast).
    Both([Outer; 2]),
    /// What stands around it outermost is taken off.
    Unwrap,
    /// It is a message for the agent: [`Agent::handle_message`] follows.
    Take,
    /// It goes no further: nobody is bound to its destination (any more), it came by an address
    /// that is not bound, or a mobile has no address to send it by.
    Drop,
}

/// A message that an agent sends, or was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// From there.
    pub source: Address,
    /// To there.
    pub destination: Address,
    /// The message.
    pub message: Message,
}

/// What the link of a mobile tells of the access router numbered `router`, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEvent {
    /// The mobile can be heard there now. Said again if that is the better of two links again.
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

/// What an agent has others do at its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Packets for the mobile take another way from now on: whoever talks to it may know.
    Moved,
    /// Packets for a mobile that comes by a fast handover wait at the access router's link.
    Hold {
        /// Its home address.
        mobile: Address,
    },
    /// They wait no longer.
    Release {
        /// Its home address.
        mobile: Address,
    },
}

/// What stands at a node.
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
    /// What becomes of a packet at its node. After [`Verdict::Drop`] there may be an output.
    pub fn look(&mut self, now: Time, header: &Header) -> Verdict {
        match self {
            Self::Mobile(mobile) => mobile.look(now, header),
            Self::Anchor(anchor) => anchor.look(now, header),
            Self::Correspondent(correspondent) => correspondent.look(now, header),
            Self::AccessRouter(router) => router.look(now, header),
        }
    }

    /// A message that it took.
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

    /// Its link has changed. Nothing but a mobile minds.
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

    /// The next order. To be called after each `handle_…` until it says `None`.
    #[must_use]
    pub fn poll_order(&mut self) -> Option<Order> {
        match self {
            Self::Mobile(mobile) => mobile.poll_order(),
            Self::Correspondent(_) => None,
            Self::Anchor(anchor) => anchor.poll_order(),
            Self::AccessRouter(router) => router.poll_order(),
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
