//! Which box a packet belongs to, under one configuration.

use std::cmp::Reverse;

use ipnet::IpNet;
use middlebox::{Address, Connection, Leg};

use crate::hosts;
use crate::prefixes::Prefixes;

/// The mobiles, and their boxes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct View {
    mobiles: Prefixes<u32>,
}

/// A packet as one view has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// The number of its box.
    pub(crate) number: u32,
    /// As the packet names it.
    pub(crate) connection: Connection,
}

/// Bits of an IPv6 address that name a mobile.
const HANDSET: u32 = 64;

impl View {
    /// Of mobiles with the numbers of their boxes.
    pub(crate) fn new(mobiles: impl IntoIterator<Item = (IpNet, u32)>) -> Self {
        Self { mobiles: Prefixes::new(mobiles) }
    }

    /// Whether packets come to a box.
    pub(crate) fn shows(&self, number: u32) -> bool {
        self.mobiles.values().any(|other| other == number)
    }

    /// Whether a mobile is one here, with any of its addresses ([`Address::handset`]).
    pub(crate) fn has(&self, mobile: Address) -> bool {
        let found = self.mobiles.find(mobile.host);
        found.is_some_and(|(bits, _)| bits <= HANDSET || hosts::address(mobile.host).is_ipv4())
    }

    /// A packet between these hosts; `None` if neither is a mobile. Packets of both ways come to
    /// the same box: where both ends are mobiles, to that of the longer prefix.
    pub(crate) fn see(&self, hosts: [u128; 2], ports: [u16; 2]) -> Option<Seen> {
        let ends = hosts.map(|host| self.mobiles.find(host));
        let nearer = ends.iter().flatten().max_by_key(|&&(bits, number)| (bits, Reverse(number)));
        let &(_, number) = nearer?;
        let leg = |end: Option<_>| if end.is_some() { Leg::Radio } else { Leg::Wired };
        let connection = Connection {
            source: Address { leg: leg(ends[0]), host: hosts[0] },
            destination: Address { leg: leg(ends[1]), host: hosts[1] },
            source_port: ports[0],
            destination_port: ports[1],
        };
        Some(Seen { number, connection })
    }
}

impl Seen {
    /// The mobile that the connection is for, if there is one.
    pub(crate) const fn mobile(&self) -> Option<u128> {
        let Connection { source, destination, .. } = self.connection;
        match (source.leg, destination.leg) {
            (Leg::Radio, Leg::Wired) => Some(source.host),
            (Leg::Wired, Leg::Radio) => Some(destination.host),
            (Leg::Radio, Leg::Radio) | (Leg::Wired, Leg::Wired) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_come_to_the_same_box() {
        let prefix = |text: &str| text.parse().expect("a prefix");
        let all = [("10.0.0.0/8", 0), ("10.1.0.0/16", 1), ("10.2.0.0/16", 2)];
        let view = View::new(all.map(|(text, number)| (prefix(text), number)));
        let host = |text: &str| hosts::number(text.parse().expect("an address")).expect("a host");
        let check = |one, other, expect: Option<u32>| {
            let there = view.see([host(one), host(other)], [1, 2]);
            let back = view.see([host(other), host(one)], [2, 1]);
            assert_eq!(there.map(|seen| seen.number), expect);
            assert_eq!(back.map(|seen| seen.number), expect);
            let [there, back] = [there, back].map(|seen| seen.map(|seen| seen.connection));
            assert_eq!(there.map(Connection::reversed), back);
        };
        check("10.9.9.9", "192.0.2.1", Some(0));
        check("10.9.9.9", "10.1.0.1", Some(1));
        check("10.2.0.1", "10.1.0.1", Some(1));
        check("192.0.2.2", "192.0.2.1", None);
    }

    #[test]
    fn a_mobile_is_all_of_its_addresses() {
        let check = |prefix: &str, address: &str, expect: bool| {
            let view = View::new([(prefix.parse().expect("a prefix"), 0)]);
            let host = hosts::number(address.parse().expect("an address"));
            let mobile = Address { leg: Leg::Radio, host: host.expect("a host") }.handset();
            assert_eq!(view.has(mobile), expect, "{prefix} {address}");
        };
        check("10.45.0.0/16", "10.45.0.2", true);
        check("10.45.0.2/32", "10.45.0.2", true);
        check("10.45.0.0/16", "10.46.0.2", false);
        check("2001:db8:45::/48", "2001:db8:45:1::2", true);
        check("2001:db8:45:1::/64", "2001:db8:45:1::2", true);
        check("2001:db8:45:1::/64", "2001:db8:45:2::2", false);
        check("2001:db8:45:1::/65", "2001:db8:45:1::2", false);
    }
}
