//! What a world is made of.

use base::{Direction, Time};
use link::{Link, Pipe};
use middlebox::Middlebox;
use mobility::binding::{Agent, MobilityAgent};
use radio::Cell;
use radio::wlan::Wlan;

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
    /// A link or radio that packets pass from node to node.
    Hop(Hop<B>),
    /// A middlebox at a node.
    Middlebox {
        /// The middlebox.
        middlebox: Box<dyn Middlebox<B::Payload>>,
        /// The node.
        at: NodeId,
        /// The hop that it schedules, of a subscriber's box: the others see what passes the node.
        pipe: Option<MachineId>,
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

/// A link or radio that packets pass from node to node.
#[derive(Debug)]
pub enum Hop<B: Body> {
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
    /// Both directions of a radio.
    Radio(Box<RadioHop<B>>),
    /// Access points and mobiles of a wireless LAN.
    Wlan {
        /// The access network.
        wlan: Box<Wlan<Packet<B>>>,
        /// The nodes and addresses of its stations.
        directory: Box<Directory>,
    },
}

/// Radio between a node of the network and the mobiles that share it, or the one that has it to
/// itself.
#[derive(Debug)]
pub struct RadioHop<B: Body> {
    /// The bearer or the cells.
    pub cell: Cell<Packet<B>>,
    /// The node on the network's side.
    pub network: NodeId,
    /// The mobiles, in the order of their numbers in the cell.
    pub mobiles: Box<[NodeId]>,
}

impl<B: Body> Machine<B> {
    /// When it is due next.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        match self {
            Self::Hop(hop) => hop.poll_timeout(),
            Self::Middlebox { middlebox, .. } => middlebox.poll_timeout(),
            Self::Agent { agent, .. } => agent.poll_timeout(),
            Self::Reassembly(reassembly) => reassembly.poll_timeout(),
            Self::Host(host) => host.poll_timeout(),
            Self::Udp(end) => end.poll_timeout(),
            Self::Browser(browser) => browser.poll_timeout(),
        }
    }

    /// The hop, if it is one.
    #[inline]
    pub const fn hop(&self) -> Option<&Hop<B>> {
        if let Self::Hop(hop) = self { Some(hop) } else { None }
    }

    /// The radio, if it is one.
    pub const fn radio(&self) -> Option<&RadioHop<B>> {
        if let Self::Hop(Hop::Radio(radio)) = self { Some(radio) } else { None }
    }

    pub(crate) const fn radio_mut(&mut self) -> Option<&mut RadioHop<B>> {
        if let Self::Hop(Hop::Radio(radio)) = self { Some(radio) } else { None }
    }

    /// The TCP endpoint, if it is one.
    #[inline]
    pub const fn host(&self) -> Option<&Host<B::Payload>> {
        if let Self::Host(host) = self { Some(host) } else { None }
    }

    #[inline]
    pub(crate) const fn host_mut(&mut self) -> Option<&mut Host<B::Payload>> {
        if let Self::Host(host) = self { Some(host) } else { None }
    }

    /// The middlebox and its node, if it is one.
    pub fn middlebox(&self) -> Option<(&dyn Middlebox<B::Payload>, NodeId)> {
        if let Self::Middlebox { middlebox, at, .. } = self {
            Some((&**middlebox, *at))
        } else {
            None
        }
    }

    /// The node at which packets begin and end here, if they do.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Self::Host(host) => Some(host.node()),
            Self::Udp(end) => Some(end.node()),
            Self::Middlebox { at, .. } => Some(*at),
            Self::Hop(_) | Self::Agent { .. } | Self::Reassembly(_) | Self::Browser(_) => None,
        }
    }

    /// True if packets may be dropped here.
    pub const fn may_drop(&self) -> bool {
        match self {
            Self::Hop(_) | Self::Agent { .. } | Self::Reassembly(_) | Self::Middlebox { .. } => {
                true
            }
            Self::Host(_) | Self::Udp(_) | Self::Browser(_) => false,
        }
    }

    /// The packets between entry and exit.
    pub fn held(&self) -> Box<dyn Iterator<Item = &Packet<B>> + '_> {
        match self {
            Self::Hop(hop) => hop.held(),
            Self::Reassembly(reassembly) => Box::new(reassembly.held()),
            Self::Middlebox { .. }
            | Self::Agent { .. }
            | Self::Host(_)
            | Self::Udp(_)
            | Self::Browser(_) => Box::new(std::iter::empty()),
        }
    }
}

impl<B: Body> Hop<B> {
    #[inline]
    fn poll_timeout(&self) -> Option<Time> {
        match self {
            Self::Pipe { pipe, .. } => pipe.poll_timeout(),
            Self::Link { link, .. } => link.poll_timeout(),
            Self::Radio(radio) => radio.cell.poll_timeout(),
            Self::Wlan { wlan, .. } => wlan.poll_timeout(),
        }
    }

    fn held(&self) -> Box<dyn Iterator<Item = &Packet<B>> + '_> {
        let both = Direction::BOTH.into_iter();
        match self {
            Self::Pipe { pipe, .. } => Box::new(pipe.held()),
            Self::Link { link, .. } => Box::new(link.held()),
            Self::Radio(radio) => Box::new(both.flat_map(move |way| radio.cell.held(way))),
            Self::Wlan { wlan, .. } => Box::new(both.flat_map(move |way| wlan.held(way))),
        }
    }
}
