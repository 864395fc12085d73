//! Mobile IPv6 (RFC 6275), hierarchical (RFC 5380) and with fast handovers (RFC 5568).
//!
//! An [`Agent`] at a node is shown every packet there: those that start there, pass through and
//! arrive. It decides on each ([`PacketAction`]), and sends and receives [`Message`]s, which are
//! packets as well.
//!
//! Each state machine is a table: a mobile at an access router ([`attachment`]), its bindings as it
//! knows them ([`registration`]) and its tokens ([`token`]), bindings as others keep them
//! ([`cache`]), and the three sides of a fast handover ([`fast`], [`forwarding`], [`holding`]).

mod access_router;
mod agent;
mod anchor;
pub mod attachment;
mod backoff;
pub mod cache;
mod correspondent;
pub mod fast;
mod fast_router;
pub mod forwarding;
pub mod holding;
mod keys;
mod message;
mod mobile;
mod outbox;
pub mod registration;
mod sequence;
mod size;
pub mod token;
mod transition;

use base::Time;
use observe::{Context, Observe};

use agent::agents;

pub use access_router::{AccessRouter, AccessRouterConfig, Interval};
pub use agent::{
    Address, AgentRequest, Header, LinkEvent, MobilityAgent, Outer, Outgoing, PacketAction, Wrap,
};
pub use anchor::{Anchor, AnchorConfig, Role};
pub use attachment::Detection;
pub use cache::Policy;
pub use correspondent::Correspondent;
pub use fast_router::{FastRouterConfig, Neighbor};
pub use keys::{MobileIp, Reach};
pub use message::{
    Acknowledgement, Answer, Authority, Extent, Fast, Location, Message, Mode, Peer, Status, Update,
};
pub use mobile::{Access, Mobile, MobileConfig, Network, Optimization, Overlap, Regional};
pub use registration::RegistrationConfig;
pub use sequence::Sequence;
pub use transition::Transition;

agents! {
    /// A mobile.
    Mobile,
    /// A home agent or a MAP, which may be an access router as well.
    Anchor,
    /// A correspondent that does route optimization.
    Correspondent,
    /// An access router.
    AccessRouter,
}
