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
    /// An ICMP message that names less is not to be believed (RFC 1191 §3, RFC 8201 §4).
    pub(crate) const fn least_mtu(self) -> u16 {
        if self.is_ipv4() { 68 } else { 1_280 }
    }

    /// The MSS of packets that get through where larger ones vanish: of IPv4 Linux's
    /// `tcp_base_mss`, of IPv6 that of the smallest packet that every path must carry.
    pub(crate) fn safe_mss(self) -> u16 {
        if self.is_ipv4() { 1_024 } else { self.mss_of(self.least_mtu()) }
    }

    /// The MSS of packets of at most `mtu` bytes to it (RFC 6691); a TCP header without options has
    /// 20.
    pub(crate) fn mss_of(self, mtu: u16) -> u16 {
        mtu.saturating_sub(self.ip_header() + 20).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv6_has_the_larger_header_and_the_larger_least_packet() {
        let hosts = [0xFFFF_0A2D_0002, 0x2001_0DB8 << 96 | 2];
        let hosts = hosts.map(|host| Address { leg: Leg::Radio, host });
        let mss = |mtu| hosts.map(|host| host.mss_of(mtu));
        assert_eq!([1_500, 1_280, 30].map(mss), [[1_460, 1_440], [1_240, 1_220], [1, 1]]);
        assert_eq!(hosts.map(Address::least_mtu), [68, 1_280]);
        assert_eq!(hosts.map(Address::safe_mss), [1_024, 1_220]);
    }

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
