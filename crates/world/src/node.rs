//! Nodes and their routes.

use std::ops::{Index, IndexMut};

use middlebox::Leg;
use rustc_hash::FxHashMap;

use crate::MachineId;

/// The number of a node in its world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A host or router: its routes and its endpoints.
#[derive(Debug)]
pub struct Node {
    name: String,
    /// The default route.
    default_route: Option<MachineId>,
    /// By number of the destination; shorter than the world where the rest takes the default.
    routes: Vec<Option<MachineId>>,
    /// Endpoints by their connections.
    endpoints: FxHashMap<FourTuple, MachineId>,
    /// The next ephemeral port to try.
    next_port: u16,
    /// Whether endpoints have ended for which packets may still come.
    has_released: bool,
    /// Whether what arrives here leaves the world.
    is_open: bool,
    /// The middlebox that intercepts packets here.
    middlebox: Option<MachineId>,
    /// The mobility agent that is shown all packets here.
    agent: Option<MachineId>,
    /// Its side of middleboxes.
    leg: Leg,
}

/// What identifies a connection at a node: the peer, its port and the local one. What differs most
/// comes last, where it affects all bits of the map's multiplicative hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct FourTuple(u64);

impl FourTuple {
    const fn new(local: u16, peer: NodeId, remote: u16) -> Self {
        Self((peer.0 as u64) << 32 | (remote as u64) << 16 | local as u64)
    }

    const fn peer(self) -> NodeId {
        NodeId((self.0 >> 32) as u32)
    }

    /// The local and the remote port.
    const fn ports(self) -> [u16; 2] {
        [self.0 as u16, (self.0 >> 16) as u16]
    }
}

impl Node {
    /// The first ephemeral port.
    pub const FIRST_PORT: u16 = 1024;

    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            default_route: None,
            routes: Vec::new(),
            endpoints: FxHashMap::default(),
            next_port: Self::FIRST_PORT,
            has_released: false,
            is_open: false,
            middlebox: None,
            agent: None,
            leg: Leg::Wired,
        }
    }

    /// What people call it: `host`, `RNC`, `UE`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if packets for it leave the world.
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) const fn open(&mut self) {
        self.is_open = true;
    }

    /// The middlebox that intercepts packets here.
    pub const fn middlebox(&self) -> Option<MachineId> {
        self.middlebox
    }

    pub(crate) fn set_middlebox(&mut self, middlebox: MachineId) {
        assert!(self.watcher().is_none(), "a node has one middlebox or agent");
        self.middlebox = Some(middlebox);
    }

    /// The agent that is shown all packets here.
    pub const fn agent(&self) -> Option<MachineId> {
        self.agent
    }

    pub(crate) fn set_agent(&mut self, agent: MachineId) {
        assert!(self.watcher().is_none(), "a node has one middlebox or agent");
        self.agent = Some(agent);
    }

    /// The middlebox or the agent.
    pub(crate) fn watcher(&self) -> Option<MachineId> {
        self.middlebox.or(self.agent)
    }

    /// On which side of middleboxes it is.
    pub const fn leg(&self) -> Leg {
        self.leg
    }

    pub(crate) const fn set_leg(&mut self, leg: Leg) {
        self.leg = leg;
    }

    pub(crate) fn set_route(&mut self, destination: Option<NodeId>, hop: MachineId) {
        let Some(NodeId(destination)) = destination else {
            self.default_route = Some(hop);
            return;
        };
        let index = destination as usize;
        if self.routes.len() <= index {
            self.routes.resize(index + 1, None);
        }
        self.routes[index] = Some(hop);
    }

    /// The link or bearer that a packet to `destination` takes from here.
    pub(crate) fn hop(&self, destination: NodeId) -> Option<MachineId> {
        self.routes.get(destination.0 as usize).copied().flatten().or(self.default_route)
    }

    /// The links and bearers that packets leave by from here, each as often as a route names it.
    pub fn hops(&self) -> impl Iterator<Item = MachineId> {
        self.routes.iter().copied().chain([self.default_route]).flatten()
    }

    /// A port for a connection to `remote` of `peer`: the next that has no connection to the same
    /// port yet. `None` if all 64,512 have.
    pub(crate) fn take_port(&mut self, peer: NodeId, remote: u16) -> Option<u16> {
        for _ in Self::FIRST_PORT..=u16::MAX {
            let port = self.next_port;
            self.next_port = port.checked_add(1).unwrap_or(Self::FIRST_PORT);
            if !self.endpoints.contains_key(&FourTuple::new(port, peer, remote)) {
                return Some(port);
            }
        }
        None
    }

    /// What comes to port `local` from port `remote` of `peer` is for `endpoint`.
    pub(crate) fn bind(&mut self, local: u16, peer: NodeId, remote: u16, endpoint: MachineId) {
        let other = self.endpoints.insert(FourTuple::new(local, peer, remote), endpoint);
        assert_eq!(other, None, "a connection has two endpoints of its own");
    }

    /// That connection is over.
    pub(crate) fn release(&mut self, local: u16, peer: NodeId, remote: u16) {
        self.endpoints.remove(&FourTuple::new(local, peer, remote));
        self.has_released = true;
    }

    /// The endpoint of a connection.
    #[inline]
    pub(crate) fn endpoint(&self, local: u16, peer: NodeId, remote: u16) -> Option<MachineId> {
        self.endpoints.get(&FourTuple::new(local, peer, remote)).copied()
    }

    /// The endpoints of connections to `peer`, in no order.
    pub(crate) fn endpoints_to(&self, peer: NodeId) -> impl Iterator<Item = MachineId> {
        let of_peer = move |tuple: &FourTuple| tuple.peer() == peer;
        self.endpoints.iter().filter(move |(tuple, _)| of_peer(tuple)).map(|(_, id)| *id)
    }

    /// The endpoints of all connections, each with its peer and its ports here and there, in no
    /// order.
    pub(crate) fn connections(&self) -> impl Iterator<Item = (MachineId, NodeId, [u16; 2])> {
        self.endpoints.iter().map(|(tuple, id)| (*id, tuple.peer(), tuple.ports()))
    }

    /// Whether connections have ended here for which packets may still come.
    pub(crate) const fn has_released(&self) -> bool {
        self.has_released
    }
}

/// All nodes and addresses of mobiles by number.
#[derive(Debug, Default)]
pub(crate) struct Nodes(Vec<Node>);

impl Nodes {
    pub(crate) fn add(&mut self, name: &str) -> NodeId {
        self.0.push(Node::new(name));
        NodeId(self.0.len() as u32 - 1)
    }

    pub(crate) fn into_names(self) -> Vec<String> {
        self.0.into_iter().map(|node| node.name).collect()
    }

    pub(crate) fn as_slice(&self) -> &[Node] {
        &self.0
    }
}

impl Index<NodeId> for Nodes {
    type Output = Node;

    #[inline]
    fn index(&self, id: NodeId) -> &Node {
        &self.0[id.0 as usize]
    }
}

impl IndexMut<NodeId> for Nodes {
    #[inline]
    fn index_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.0[id.0 as usize]
    }
}
