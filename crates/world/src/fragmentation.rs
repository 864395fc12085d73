//! When a host cuts its packets.

use crate::{FRAGMENT_HEADER_BYTES, IPV6_HEADER_BYTES};

/// The most that hosts send in one packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fragmentation {
    /// A packet of so many bytes: each piece but the last carries a multiple of 8 (RFC 8200 §4.5).
    Mtu(u32),
    /// So many bytes of a TCP payload, whatever else there is in the packet: the cap of ns-2 in
    /// `yew2012`, where 1024 bytes become 1000 and 24.
    Payload(u32),
}

impl Fragmentation {
    /// The bytes above the IPv6 header of each piece of a packet of `bytes`, of which `payload` are
    /// TCP's; none if it goes in one.
    pub(crate) fn sizes(self, bytes: u32, payload: u32) -> Vec<u32> {
        let above = bytes - IPV6_HEADER_BYTES;
        let (first, each) = match self {
            Self::Mtu(mtu) if bytes > mtu => {
                let room = (mtu - IPV6_HEADER_BYTES - FRAGMENT_HEADER_BYTES) & !7;
                (room, room)
            }
            Self::Payload(most) if payload > most => (above - payload + most, most),
            Self::Mtu(_) | Self::Payload(_) => return Vec::new(),
        };
        let mut sizes = vec![first];
        let mut rest = above - first;
        while rest > 0 {
            sizes.push(rest.min(each));
            rest -= rest.min(each);
        }
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_packets() {
        let check = |of: Fragmentation, bytes, payload, expected: &[u32]| {
            assert_eq!(of.sizes(bytes, payload), expected, "{of:?} {bytes}");
        };
        check(Fragmentation::Mtu(1_280), 1_280, 1_220, &[]);
        // 1280 - 48 = 1232 is a multiple of 8.
        check(Fragmentation::Mtu(1_280), 1_281, 1_221, &[1_232, 9]);
        check(Fragmentation::Mtu(1_285), 2_600, 2_540, &[1_232, 1_232, 96]);
        check(Fragmentation::Payload(1_000), 1_060, 1_000, &[]);
        check(Fragmentation::Payload(1_000), 1_084, 1_024, &[1_020, 24]);
        check(Fragmentation::Payload(1_000), 2_072, 2_000, &[1_032, 1_000]);
    }
}
