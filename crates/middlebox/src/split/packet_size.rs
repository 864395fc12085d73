//! How large packets on a leg may be.

use crate::Address;

/// A TCP header without options.
const TCP_HEADER: u16 = 20;

/// Bounds of packets on one leg; the tighter counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketSize {
    /// The largest MSS option in bytes that a SYN may carry.
    pub mss: Option<u16>,
    /// The largest packet in bytes, IP header included.
    pub mtu: Option<u16>,
}

impl PacketSize {
    /// As SYNs say.
    pub const ANY: Self = Self { mss: None, mtu: None };

    /// At most `mss` bytes of data and TCP options.
    pub const fn of_mss(mss: u16) -> Self {
        Self { mss: Some(mss), mtu: None }
    }

    /// The largest MSS option in bytes for packets to `host` (RFC 6691).
    pub(super) fn mss_to(self, host: Address) -> u16 {
        let of_mtu = self.mtu.map(|mtu| mss_of(mtu, host));
        self.mss.into_iter().chain(of_mtu).min().unwrap_or(u16::MAX)
    }
}

/// The MSS of packets of at most `mtu` bytes to `host`.
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
    fn the_tighter_bound_counts_and_ipv6_has_the_larger_header() {
        #[track_caller]
        fn check(mss: Option<u16>, mtu: Option<u16>, expected: [u16; 2]) {
            let size = PacketSize { mss, mtu };
            assert_eq!([IPV4, IPV6].map(|host| size.mss_to(host)), expected);
        }
        check(None, None, [u16::MAX; 2]);
        check(None, Some(1_500), [1_460, 1_440]);
        check(Some(1_450), Some(1_500), [1_450, 1_440]);
        check(Some(536), Some(1_500), [536, 536]);
        check(None, Some(30), [1, 1]);
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
