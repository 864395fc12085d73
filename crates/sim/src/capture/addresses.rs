//! The addresses of a mobile network in its captures.

use std::net::Ipv6Addr;

use base::Duration;
use mobility::binding::MobileIp;
use mobility::binding::{Address, Agent, Mobile};
use wire::LinkLayerAddress;
use world::{Body, Machine, World};

/// The address of each number. Node number n, counted from 1 and written in hexadecimal, has the
/// prefix `2001:db8:0:n::/64` on its links (RFC 3849), its own address there is `::1`, and its
/// link-layer address is `02:00:` and n in four bytes. The addresses of mobile number m have the
/// prefix of the router where they are (home agent, MAP or access router) and the interface
/// identifier that follows from its link-layer address (RFC 4291, appendix A): `::ff:fe00:m`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AddressBook {
    /// By number of the node or address.
    entries: Vec<Entry>,
    /// The access routers by their numbers.
    routers: Vec<u32>,
    home_agent: Option<u32>,
    /// From one advertisement to the next.
    pub(crate) interval: Duration,
    /// The lifetime of bindings, and of a MAP option.
    pub(crate) lifetime: Duration,
    /// For how long an access router forwards packets of a mobile that left.
    pub(crate) forward: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    /// The node whose prefix the address has.
    prefix: u32,
    /// The node whose address it is.
    owner: u32,
    role: Role,
}

/// The kind of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// Of a fixed node.
    Fixed,
    /// Of a mobile at its home agent or at an access router.
    Mobile,
    /// Of a mobile at a MAP (`RCoA`).
    Regional,
}

impl AddressBook {
    /// The addresses of `world`, which was built from `mobile_ip`.
    pub(crate) fn of<B: Body>(world: &World<B>, mobile_ip: &MobileIp) -> Self {
        let numbers = 0..world.nodes().len() as u32;
        let fixed = |number| Entry { prefix: number, owner: number, role: Role::Fixed };
        let mut book = Self {
            entries: numbers.map(fixed).collect(),
            routers: Vec::new(),
            home_agent: None,
            interval: mobile_ip.advertisement_interval,
            lifetime: mobile_ip.lifetime,
            forward: mobile_ip.forward_time,
        };
        for (_, _, machine) in world.machines() {
            if let Machine::Agent { agent, .. } = machine
                && let Agent::Mobile(mobile) = &**agent
            {
                book.add(mobile);
            }
        }
        book
    }

    fn add(&mut self, mobile: &Mobile) {
        let config = mobile.config();
        let owner = config.home.0;
        let mut add = |Address(address), Address(prefix), role| {
            self.entries[address as usize] = Entry { prefix, owner, role };
        };
        for access in &config.access {
            add(access.care_of, access.router, Role::Mobile);
        }
        if let Some(regional) = config.regional {
            add(regional.care_of, regional.map, Role::Regional);
        }
        add(config.home, config.home_agent, Role::Mobile);
        self.routers = config.access.iter().map(|access| access.router.0).collect();
        self.home_agent = Some(config.home_agent.0);
    }

    /// The address of that number.
    pub(crate) fn global(&self, Address(number): Address) -> Ipv6Addr {
        if Address(number) == Address::ALL_NODES {
            return Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);
        }
        let Entry { prefix, owner, role } = self.entries[number as usize];
        let host = match role {
            Role::Fixed => 1,
            Role::Mobile | Role::Regional => interface_identifier(owner),
        };
        let documentation = 0x2001_0DB8_u128 << 96;
        Ipv6Addr::from_bits(documentation | u128::from(prefix + 1) << 64 | host)
    }

    /// The address of the same node on a link alone.
    pub(crate) fn link_local(&self, address: Address) -> Ipv6Addr {
        let Entry { owner, .. } = self.entries[address.0 as usize];
        Ipv6Addr::from_bits(0xFE80_u128 << 112 | interface_identifier(owner))
    }

    /// The link-layer address of the same node.
    pub(crate) fn link_layer(&self, address: Address) -> LinkLayerAddress {
        LinkLayerAddress(link_layer(self.entries[address.0 as usize].owner))
    }

    /// The home address of the mobile with `address`.
    pub(crate) fn home(&self, address: Address) -> Address {
        Address(self.entries[address.0 as usize].owner)
    }

    /// Whether a mobile has `address` at a MAP.
    pub(crate) fn is_regional(&self, address: Address) -> bool {
        self.entries[address.0 as usize].role == Role::Regional
    }

    /// Whether `address` is the home agent's.
    pub(crate) fn is_home_agent(&self, address: Address) -> bool {
        self.home_agent == Some(address.0)
    }

    /// Access router number `number`.
    pub(crate) fn router(&self, number: u32) -> Address {
        Address(self.routers[number as usize])
    }
}

fn link_layer(node: u32) -> [u8; 6] {
    let [a, b, c, d] = (node + 1).to_be_bytes();
    [2, 0, a, b, c, d]
}

/// Modified EUI-64, in which the bit for local addresses is inverted.
fn interface_identifier(node: u32) -> u128 {
    let address = link_layer(node);
    let mut bytes = [0, 0, 0, 0xFF, 0xFE, 0, 0, 0];
    bytes[1..3].copy_from_slice(&address[1..3]);
    bytes[5..].copy_from_slice(&address[3..]);
    u64::from_be_bytes(bytes).into()
}
