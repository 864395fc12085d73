//! Captures of what an endpoint's node would see on its interface.

use std::io::{self, Write};
use std::net::Ipv4Addr;

use base::{Ecn, PacketEvent};
use wire::{Addresses, Capture, Payload};
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
    local: Ipv4Addr,
    remote: Ipv4Addr,
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

impl Endpoint {
    /// The addresses of a packet that it sent or received.
    const fn addresses(&self, event: PacketEvent) -> Addresses {
        match event {
            PacketEvent::Departed => Addresses::V4 { source: self.local, destination: self.remote },
            PacketEvent::Arrived
            | PacketEvent::Entered
            | PacketEvent::Left
            | PacketEvent::Dropped(_) => {
                Addresses::V4 { source: self.remote, destination: self.local }
            }
        }
    }
}

/// Writes what `vantage` would have captured, as pcapng. Payloads are zeros: a simulation carries
/// their lengths only.
///
/// # Errors
/// The writer's.
pub fn write_pcapng(trace: &Trace, vantage: &Vantage, writer: impl Write) -> io::Result<()> {
    let mut capture = Capture::new(writer, &vantage.name)?;
    let last = vantage.endpoints.iter().map(|endpoint| endpoint.machine + 1).max().unwrap_or(0);
    let mut by_machine = vec![None; last as usize];
    for endpoint in &vantage.endpoints {
        by_machine[endpoint.machine as usize] = Some(endpoint);
    }
    for row in &trace.segments {
        if let Some(Some(endpoint)) = by_machine.get(row.endpoint as usize) {
            let addresses = endpoint.addresses(row.event);
            capture.write(
                row.time,
                &row.header,
                Ecn::NotCapable,
                &addresses,
                Payload::Zeros(row.payload as usize),
            )?;
        }
    }
    capture.finish().map(drop)
}

/// The addresses of a simulated network: 10.0.0.1 is its first node.
fn address(node: NodeId) -> Ipv4Addr {
    Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 1).to_bits() + node.0)
}
