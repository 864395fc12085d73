//! What a world is made of.

use base::{Direction, Time};
use link::{Link, Pipe};
use middlebox::Middlebox;
use mobility::binding::{Agent, MobilityAgent};
use radio::wlan::Wlan;
use radio::{Bearer, Cell};

use crate::reassembly::Reassembly;
use crate::world::Directory;
use crate::{Body, Host, NodeId, Packet, ParallelBrowser, UdpEnd};

/// The number of a machine in its world, and its rank among those that wake at the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MachineId(pub u32);

/// Anything that has a deadline. A world has many and looks each up by its number, so that all are
/// small: what needs more is boxed.
#[derive(Debug)]
pub enum Machine<B: Body> {
    /// One direction of a wired link.
    Pipe {
        /// The pipe.
        pipe: Box<Pipe<Packet<B>>>,
        /// Where it ends.
        to: NodeId,
    },
    /// One direction of a wired link that a pipe cannot model.
    Link {
        /// The link.
        link: Box<Link<Packet<B>>>,
        /// Where it ends.
        to: NodeId,
    },
    /// Both directions of a radio bearer.
    Bearer {
        /// The bearer.
        bearer: Bearer<Packet<B>>,
        /// The node on the network's side.
        network: NodeId,
        /// The mobile.
        mobile: NodeId,
    },
    /// Radio cells that mobiles share, with a bearer for each.
    Cell {
        /// The network.
        cell: Cell<Packet<B>>,
        /// The node on the network's side.
        network: NodeId,
        /// The mobiles, in the order of their numbers in the network.
        mobiles: Box<[NodeId]>,
    },
    /// Access points and mobiles of a wireless LAN.
    Wlan {
        /// The access network.
        wlan: Box<Wlan<Packet<B>>>,
        /// Which nodes and addresses belong to which station.
        directory: Box<Directory>,
    },
    /// A middlebox at a node.
    Middlebox {
        /// The middlebox.
        middlebox: Box<dyn Middlebox<B::Payload>>,
        /// The node.
        at: NodeId,
    },
    /// An agent of mobility at a node.
    Agent {
        /// The agent.
        agent: Box<Agent>,
        /// The node.
        at: NodeId,
    },
    /// The pieces of packets that wait for others.
    Reassembly(Box<Reassembly<B>>),
    /// A TCP endpoint.
    Host(Box<Host<B::Payload>>),
    /// An end of a UDP flow.
    Udp(Box<UdpEnd>),
    /// A browser that opens connections.
    Browser(Box<ParallelBrowser<B::Payload>>),
}

impl<B: Body> Machine<B> {
    /// When it is due next.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        match self {
            Self::Pipe { pipe, .. } => pipe.poll_timeout(),
            Self::Link { link, .. } => link.poll_timeout(),
            Self::Bearer { bearer, .. } => bearer.poll_timeout(),
            Self::Cell { cell, .. } => cell.poll_timeout(),
            Self::Wlan { wlan, .. } => wlan.poll_timeout(),
            Self::Middlebox { middlebox, .. } => middlebox.poll_timeout(),
            Self::Agent { agent, .. } => agent.poll_timeout(),
            Self::Reassembly(reassembly) => reassembly.poll_timeout(),
            Self::Host(host) => host.poll_timeout(),
            Self::Udp(end) => end.poll_timeout(),
            Self::Browser(browser) => browser.poll_timeout(),
        }
    }

    /// Whether packets may be dropped here.
    pub const fn may_drop(&self) -> bool {
        match self {
            Self::Pipe { .. }
            | Self::Link { .. }
            | Self::Bearer { .. }
            | Self::Cell { .. }
            | Self::Wlan { .. }
            | Self::Agent { .. }
            | Self::Reassembly(_) => true,
            Self::Middlebox { .. } | Self::Host(_) | Self::Udp(_) | Self::Browser(_) => false,
        }
    }

    /// The packets between entry and exit.
    pub fn held(&self) -> Box<dyn Iterator<Item = &Packet<B>> + '_> {
        let both = Direction::BOTH.into_iter();
        match self {
            Self::Pipe { pipe, .. } => Box::new(pipe.held()),
            Self::Link { link, .. } => Box::new(link.held()),
            Self::Bearer { bearer, .. } => Box::new(both.flat_map(move |way| bearer.held(way))),
            Self::Cell { cell, .. } => Box::new(both.flat_map(move |way| cell.held(way))),
            Self::Wlan { wlan, .. } => Box::new(both.flat_map(move |way| wlan.held(way))),
            Self::Reassembly(reassembly) => Box::new(reassembly.held()),
            Self::Middlebox { .. }
            | Self::Agent { .. }
            | Self::Host(_)
            | Self::Udp(_)
            | Self::Browser(_) => Box::new(std::iter::empty()),
        }
    }
}
