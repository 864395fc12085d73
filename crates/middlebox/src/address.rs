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
    /// One name for all addresses of a mobile. Each mobile has a 64-bit IPv6 prefix for itself
    /// (3GPP TS 23.401 §5.3.1.2.2; RFC 3314) and takes as many addresses of it as it likes (RFC
    /// 8981), over one radio bearer.
    #[must_use]
    pub const fn handset(self) -> Self {
        // An IPv4 address is its own name, and so is the number of a node.
        let host = if self.host >> 64 == 0 { self.host } else { self.host >> 64 << 64 };
        Self { host, ..self }
    }

    /// Whether packets to it have IPv4 headers.
    const fn is_ipv4(self) -> bool {
        self.host >> 32 == 0xFFFF
    }

    /// Bytes of an IP header without options.
    pub(crate) const fn ip_header(self) -> u16 {
        if self.is_ipv4() { 20 } else { 40 }
    }

    /// The smallest packet in bytes that every path to it must carry (RFC 791 §3.2, RFC 8200 §5).
    pub(crate) const fn least_mtu(self) -> u16 {
        if self.is_ipv4() { 68 } else { 1_280 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handset_has_many_addresses() {
        #[track_caller]
        fn check(host: u128, expected: u128) {
            let address = Address { leg: Leg::Radio, host };
            assert_eq!(address.handset(), Address { leg: Leg::Radio, host: expected });
        }
        check(7, 7);
        check(0xFFFF_0A2D_0002, 0xFFFF_0A2D_0002);
        let prefix = 0x2001_0DB8_0045_0001 << 64;
        check(prefix | 2, prefix);
        check(prefix | u128::from(u64::MAX), prefix);
    }
}
