//! Captures of what an endpoint's node would see on its interface.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};

use base::Ecn;
use wire::{Addresses, Capture, Payload};
use world::{Body, Machine, World};

use crate::Trace;

/// A node with endpoints or a middlebox, as a place to capture at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vantage {
    /// The node's name.
    pub name: String,
    /// The numbers of its endpoints and its middlebox, in order.
    machines: Vec<u32>,
    version: Version,
}

/// A version of IP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    V4,
    V6,
}

impl Vantage {
    /// Every node of `world`, whose packets are of `version`, that has endpoints or a middlebox.
    pub(crate) fn all<B: Body>(world: &World<B>, version: Version) -> Vec<Self> {
        let mut vantages: Vec<Self> = Vec::new();
        let mut by_node = BTreeMap::new();
        for (id, _, machine) in world.machines() {
            let node = match machine {
                Machine::Host(host) => host.node(),
                Machine::Middlebox { at, .. } => *at,
                Machine::Pipe { .. }
                | Machine::Link { .. }
                | Machine::Bearer { .. }
                | Machine::Cell { .. }
                | Machine::Wlan { .. }
                | Machine::Agent { .. }
                | Machine::Reassembly(_)
                | Machine::Browser(_) => continue,
            };
            let index = *by_node.entry(node).or_insert_with(|| {
                let name = world.node(node).name().to_owned();
                vantages.push(Self { name, machines: Vec::new(), version });
                vantages.len() - 1
            });
            vantages[index].machines.push(id.0);
        }
        vantages
    }
}

/// Writes what `vantage` would have captured, as pcapng. Payloads are zeros: a simulation carries
/// their lengths only.
///
/// # Errors
/// The writer's.
pub fn write_pcapng(trace: &Trace, vantage: &Vantage, writer: impl Write) -> io::Result<()> {
    let mut capture = Capture::new(writer, &vantage.name)?;
    for row in &trace.segments {
        if vantage.machines.binary_search(&row.endpoint).is_ok() {
            let addresses = addresses(row.way.nodes, vantage.version);
            let payload = Payload::Zeros(row.payload as usize);
            capture.write(row.time, &row.header, Ecn::NotCapable, &addresses, payload)?;
        }
    }
    capture.finish().map(drop)
}

/// The addresses of a simulated network: `10.0.0.1` or `2001:db8::1` is its first node.
fn addresses(nodes: [u32; 2], version: Version) -> Addresses {
    match version {
        Version::V4 => {
            let first = Ipv4Addr::new(10, 0, 0, 1).to_bits();
            let [source, destination] = nodes.map(|node| Ipv4Addr::from_bits(first + node));
            Addresses::V4 { source, destination }
        }
        Version::V6 => {
            let first = Ipv6Addr::new(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1).to_bits();
            let [source, destination] =
                nodes.map(|node| Ipv6Addr::from_bits(first + u128::from(node)));
            Addresses::V6 { source, destination }
        }
    }
}
