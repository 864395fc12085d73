//! Nodes and where they send things.

use crate::MachineId;

/// The number of a node in its world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

/// A host or router: where packets for each destination leave, and which endpoints live here.
#[derive(Debug)]
pub struct Node {
    name: String,
    /// Where everything without a route of its own leaves.
    default_route: Option<MachineId>,
    /// By number of the destination; shorter than the world where the rest takes the default.
    routes: Vec<Option<MachineId>>,
    /// Endpoints by port, from [`Node::FIRST_PORT`] on.
    endpoints: Vec<MachineId>,
    /// Whether what arrives here leaves the world.
    is_open: bool,
}

impl Node {
    /// The port of a node's first endpoint.
    pub const FIRST_PORT: u16 = 1024;

    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            default_route: None,
            routes: Vec::new(),
            endpoints: Vec::new(),
            is_open: false,
        }
    }

    /// What people call it: `host`, `RNC`, `UE`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The endpoints that live here, in the order of their ports.
    pub fn endpoints(&self) -> &[MachineId] {
        &self.endpoints
    }

    /// True if packets for it leave the world.
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) const fn open(&mut self) {
        self.is_open = true;
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

    /// The port that the next endpoint here will have.
    ///
    /// # Panics
    /// If all 64,512 ports are taken.
    pub(crate) fn next_port(&self) -> u16 {
        let taken = u16::try_from(self.endpoints.len()).expect("a node has at most 64,512 ports");
        Self::FIRST_PORT.checked_add(taken).expect("a node has at most 64,512 ports")
    }

    pub(crate) fn bind(&mut self, endpoint: MachineId) {
        self.endpoints.push(endpoint);
    }

    /// The endpoint that listens on `port`.
    pub(crate) fn endpoint(&self, port: u16) -> Option<MachineId> {
        self.endpoints.get(usize::from(port.checked_sub(Self::FIRST_PORT)?)).copied()
    }
}
