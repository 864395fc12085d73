//! A wrong bit in an IP packet.

use crate::mark::{IpVersion, version};

/// Inverts the bit above the IP header that the uniform `draw` picks. The sum in ones' complement
/// that TCP, UDP and ICMP check differs with any single bit (RFC 1071). What is no IP packet may
/// change anywhere; what ends with its header stays as it is.
pub fn corrupt(packet: &mut [u8], draw: u32) {
    let half = |at: usize| usize::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
    let (from, to) = match version(packet) {
        Some(IpVersion::V4) => (usize::from(packet[0] & 0x0f) * 4, half(2)),
        Some(IpVersion::V6) => (40, 40 + half(4)),
        None => (0, packet.len()),
    };
    let to = to.min(packet.len());
    let Some(body) = packet.get_mut(from..to) else { return };
    let bit = (u64::from(draw) * (body.len() as u64 * 8)) >> 32;
    if let Some(byte) = body.get_mut((bit / 8) as usize) {
        *byte ^= 0x80 >> (bit % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which bits differ once `draw` has picked one, from the first of `packet` on.
    fn differing(packet: &[u8], draw: u32) -> Vec<usize> {
        let mut other = packet.to_vec();
        corrupt(&mut other, draw);
        let bit = |bytes: &[u8], bit: usize| bytes[bit / 8] & 0x80 >> (bit % 8);
        (0..packet.len() * 8).filter(|&at| bit(packet, at) != bit(&other, at)).collect()
    }

    #[test]
    fn one_bit_between_header_and_padding() {
        let mut v4 = [0; 46];
        (v4[0], v4[3]) = (0x46, 28);
        let mut v6 = [0; 46];
        (v6[0], v6[5]) = (0x60, 4);
        let check = |packet: &[u8], first: usize, last: usize| {
            assert_eq!(differing(packet, 0), [first]);
            assert_eq!(differing(packet, u32::MAX), [last]);
            let middle = usize::midpoint(first, last + 1);
            assert_eq!(differing(packet, 1 << 31), [middle]);
        };
        check(&v4, 24 * 8, 28 * 8 - 1);
        check(&v6, 40 * 8, 44 * 8 - 1);
        check(&[0; 5], 0, 39);
    }

    #[test]
    fn what_has_no_bits_stays() {
        let mut header = [0; 20];
        (header[0], header[3]) = (0x45, 20);
        for packet in [&header[..], &[]] {
            assert_eq!(differing(packet, 1 << 31), [0; 0]);
        }
        let mut cut_off = [0; 22];
        (cut_off[0], cut_off[3]) = (0x4f, 60);
        assert_eq!(differing(&cut_off, 0), [0; 0]);
    }
}
