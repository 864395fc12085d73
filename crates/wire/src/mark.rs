//! The ECN field in the bytes of an IP packet (RFC 3168 §5).

use base::Ecn;

/// Where a version of IP keeps the field.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// The lower two bits of the second byte; the header has a checksum (RFC 791 §3.1).
    V4,
    /// The same bits of the traffic class, which begins in the middle of a byte (RFC 8200 §3).
    V6,
}

/// Both ECT codepoints, and CE with both bits.
const EITHER: u8 = 0b11;

/// What an IP packet says of congestion; of what is none, that it is not capable.
pub fn ecn(packet: &[u8]) -> Ecn {
    let field = match place(packet) {
        None => return Ecn::NotCapable,
        Some(Place::V4) => packet[1] & EITHER,
        Some(Place::V6) => packet[1] >> 4 & EITHER,
    };
    match field {
        0 => Ecn::NotCapable,
        EITHER => Ecn::Experienced,
        _ => Ecn::Capable,
    }
}

/// Sets Congestion Experienced in an IP packet, the IPv4 header's checksum with it; false, and
/// nothing is changed, where its ends would not understand.
pub fn mark(packet: &mut [u8]) -> bool {
    if ecn(packet) == Ecn::NotCapable {
        return false;
    }
    match place(packet) {
        None => false,
        Some(Place::V4) => {
            let before = word(&packet[..2]);
            packet[1] |= EITHER;
            let checksum = updated(word(&packet[10..12]), before, word(&packet[..2]));
            packet[10..12].copy_from_slice(&checksum.to_be_bytes());
            true
        }
        Some(Place::V6) => {
            packet[1] |= EITHER << 4;
            true
        }
    }
}

pub(crate) fn place(packet: &[u8]) -> Option<Place> {
    match packet.first()? >> 4 {
        4 if packet.len() >= 20 => Some(Place::V4),
        6 if packet.len() >= 40 => Some(Place::V6),
        _ => None,
    }
}

pub(crate) fn word(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[0], bytes[1]])
}

/// A checksum after one word it covers went from `before` to `after` (RFC 1624 §3, eqn. 3). One
/// that was wrong stays as wrong as it was.
pub(crate) fn updated(checksum: u16, before: u16, after: u16) -> u16 {
    if before == after {
        return checksum;
    }
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let sum = (sum & 0xFFFF) + (sum >> 16);
    !((sum & 0xFFFF) + (sum >> 16)) as u16
}
