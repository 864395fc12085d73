//! How large packets on a path may be.

use crate::Address;

/// A TCP header without options.
const TCP_HEADER: u16 = 20;

/// The MSS of packets of at most `mtu` bytes to `host` (RFC 6691).
pub(super) fn mss_of(mtu: u16, host: Address) -> u16 {
    mtu.saturating_sub(host.ip_header() + TCP_HEADER).max(1)
}

/// True if no path of its family takes less (RFC 791 §3.2, RFC 8200 §5): an ICMP message that says
/// so is not to be believed (RFC 1191 §3, RFC 8201 §4).
pub(super) fn is_possible(mtu: u16, host: Address) -> bool {
    mtu >= host.least_mtu()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Leg;

    const IPV4: Address = Address { leg: Leg::Radio, host: 0xFFFF_0A2D_0002 };
    const IPV6: Address = Address { leg: Leg::Radio, host: 0x2001_0DB8 << 96 | 2 };

    #[test]
    fn ipv6_has_the_larger_header() {
        let mss = |mtu| [IPV4, IPV6].map(|host| mss_of(mtu, host));
        assert_eq!(mss(1_500), [1_460, 1_440]);
        assert_eq!(mss(1_280), [1_240, 1_220]);
        assert_eq!(mss(30), [1, 1]);
    }

    #[test]
    fn no_path_takes_less_than_its_family_allows() {
        let possible = |mtu| [IPV4, IPV6].map(|host| is_possible(mtu, host));
        assert_eq!(possible(67), [false, false]);
        assert_eq!(possible(68), [true, false]);
        assert_eq!(possible(1_279), [true, false]);
        assert_eq!(possible(1_280), [true, true]);
    }
}
