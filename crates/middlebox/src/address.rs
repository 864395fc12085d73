//! Who sends and who receives.

/// One of the two sides of a box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leg {
    /// Where the fixed hosts are.
    Wired,
    /// Where the mobiles are.
    Radio,
}

/// A host, and on which side of the box it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// The side.
    pub leg: Leg,
    /// An IPv6 address, an IPv4 address mapped into one (RFC 4291 §2.5.5.2), or in a simulation
    /// the number of a node.
    pub host: u128,
}

impl Address {
    /// Whether packets to it have IPv4 headers.
    const fn is_ipv4(self) -> bool {
        self.host >> 32 == 0xFFFF
    }

    /// Bytes of an IP header without options.
    pub(crate) const fn ip_header(self) -> u16 {
        if self.is_ipv4() { 20 } else { 40 }
    }

    /// The least packet in bytes that every path to it takes (RFC 791 §3.2, RFC 8200 §5).
    pub(crate) const fn least_mtu(self) -> u16 {
        if self.is_ipv4() { 68 } else { 1_280 }
    }
}
