//! The mobility agent of a node.

use base::Time;
use observe::{Context, Observe};

use super::{Message, size};

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
    /// It is a message for the agent: [`MobilityAgent::handle_message`] follows.
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

/// What an agent does at its node. The messages and requests that it then has are to be polled
/// after each `handle_…`, until there are none.
pub trait MobilityAgent {
    /// Decides what to do with a packet at its node. After [`PacketAction::Drop`] there may be an
    /// output.
    fn look(&mut self, now: Time, header: &Header) -> PacketAction;

    /// Takes in a message.
    fn handle_message(&mut self, cx: &mut Context<'_, impl Observe>, message: &Outgoing);

    /// Its link has changed. Only a mobile reacts.
    fn handle_link(&mut self, _cx: &mut Context<'_, impl Observe>, _event: LinkEvent) {}

    /// Does what is due; nothing if it is early.
    fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>);

    /// The next message to be sent.
    #[must_use]
    fn poll_output(&mut self) -> Option<Outgoing>;

    /// The next request.
    #[must_use]
    fn poll_request(&mut self) -> Option<AgentRequest> {
        None
    }

    /// When something is due next: may change with each `handle_…`.
    #[must_use]
    fn poll_timeout(&self) -> Option<Time>;
}

/// Registers agents, a line for each: its type.
macro_rules! agents {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// The agent of a node.
        #[derive(Debug)]
        pub enum Agent {
            $($(#[doc = $doc])* $name(Box<$name>),)*
        }

        impl MobilityAgent for Agent {
            fn look(&mut self, now: Time, header: &Header) -> PacketAction {
                match self {
                    $(Self::$name(agent) => agent.look(now, header),)*
                }
            }

            fn handle_message(
                &mut self,
                cx: &mut Context<'_, impl Observe>,
                message: &Outgoing,
            ) {
                match self {
                    $(Self::$name(agent) => agent.handle_message(cx, message),)*
                }
            }

            fn handle_link(&mut self, cx: &mut Context<'_, impl Observe>, event: LinkEvent) {
                match self {
                    $(Self::$name(agent) => agent.handle_link(cx, event),)*
                }
            }

            fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
                match self {
                    $(Self::$name(agent) => agent.handle_timeout(cx),)*
                }
            }

            fn poll_output(&mut self) -> Option<Outgoing> {
                match self {
                    $(Self::$name(agent) => agent.poll_output(),)*
                }
            }

            fn poll_request(&mut self) -> Option<AgentRequest> {
                match self {
                    $(Self::$name(agent) => agent.poll_request(),)*
                }
            }

            fn poll_timeout(&self) -> Option<Time> {
                match self {
                    $(Self::$name(agent) => agent.poll_timeout(),)*
                }
            }
        }

        $(impl From<$name> for Agent {
            fn from(agent: $name) -> Self {
                Self::$name(Box::new(agent))
            }
        })*
    };
}
pub(super) use agents;
