//! The ECN field in the bytes of an IP packet (RFC 3168 §5).

use base::Ecn;

/// The version of IP, which determines where a field is.
#[derive(Clone, Copy)]
pub(crate) enum IpVersion {
    /// RFC 791 §3.1: ECN is the lower two bits of the second byte; the header has a checksum.
    V4,
    /// RFC 8200 §3: ECN is the same bits of the traffic class, which begins in the middle of a
    /// byte.
    V6,
}

/// ECT(1), of L4S (RFC 9331 §5.1).
const ECT_1: u8 = 0b01;

/// Both ECT codepoints, and CE with both bits.
const EITHER: u8 = 0b11;

/// The ECN codepoint of an IP packet; not capable if it is no IP packet.
pub fn ecn(packet: &[u8]) -> Ecn {
    let field = match version(packet) {
        None => return Ecn::NotCapable,
        Some(IpVersion::V4) => packet[1] & EITHER,
        Some(IpVersion::V6) => packet[1] >> 4 & EITHER,
    };
    match field {
        0 => Ecn::NotCapable,
        ECT_1 => Ecn::L4s,
        EITHER => Ecn::Experienced,
        _ => Ecn::Capable,
    }
}

/// The differentiated services codepoint of an IP packet (RFC 2474 §3); 0 if it is no IP packet.
pub fn dscp(packet: &[u8]) -> u8 {
    match version(packet) {
        None => 0,
        Some(IpVersion::V4) => packet[1] >> 2,
        Some(IpVersion::V6) => (packet[0] & 0x0f) << 2 | packet[1] >> 6,
    }
}

/// Sets Congestion Experienced in an IP packet, and updates the IPv4 header's checksum; false, and
/// nothing is changed, if its ends are not ECN-capable.
pub fn mark(packet: &mut [u8]) -> bool {
    if ecn(packet) == Ecn::NotCapable {
        return false;
    }
    match version(packet) {
        None => false,
        Some(IpVersion::V4) => {
            let before = word(&packet[..2]);
            packet[1] |= EITHER;
            let checksum = updated(word(&packet[10..12]), before, word(&packet[..2]));
            packet[10..12].copy_from_slice(&checksum.to_be_bytes());
            true
        }
        Some(IpVersion::V6) => {
            packet[1] |= EITHER << 4;
            true
        }
    }
}

pub(crate) fn version(packet: &[u8]) -> Option<IpVersion> {
    match packet.first()? >> 4 {
        4 if packet.len() >= 20 => Some(IpVersion::V4),
        6 if packet.len() >= 40 => Some(IpVersion::V6),
        _ => None,
    }
}

pub(crate) fn word(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[0], bytes[1]])
}

/// A checksum after one word it covers went from `before` to `after` (RFC 1624 §3, eqn. 3). A wrong
/// one stays wrong by the same amount.
pub(crate) fn updated(checksum: u16, before: u16, after: u16) -> u16 {
    if before == after {
        return checksum;
    }
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let sum = (sum & 0xFFFF) + (sum >> 16);
    !((sum & 0xFFFF) + (sum >> 16)) as u16
}
