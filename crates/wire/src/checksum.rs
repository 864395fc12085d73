//! The checksum of IP, TCP and UDP (RFC 1071).

use std::net::Ipv6Addr;

use etherparse::IpNumber;

use crate::Addresses;

/// Of an IPv4 header or an ICMP message: the checksum to write if its field is zero, or zero if the
/// field is right.
pub(crate) fn of_bytes(bytes: &[u8]) -> [u8; 2] {
    complement(sum(bytes))
}

/// Of a segment of TCP or a datagram of UDP between `addresses`, in pieces of which only the last
/// may have an odd length: the checksum to write if its field is zero, or zero if the field is
/// right (RFC 9293 §3.1, RFC 768).
pub(crate) fn of_segment(addresses: &Addresses, protocol: IpNumber, pieces: [&[u8]; 2]) -> [u8; 2] {
    let ends = match addresses {
        Addresses::V4 { source, destination } => sum(&source.octets()) + sum(&destination.octets()),
        Addresses::V6 { source, destination } => sum(&source.octets()) + sum(&destination.octets()),
    };
    let length = pieces[0].len() + pieces[1].len();
    complement(ends + rest_of_pseudo(protocol, length) + sum(pieces[0]) + sum(pieces[1]))
}

/// As [`of_segment`], of a `segment` in one piece between two addresses of so many bytes as in an
/// IP header.
pub(crate) fn of_transport(ends: &[u8], protocol: IpNumber, segment: &[u8]) -> [u8; 2] {
    complement(sum(ends) + rest_of_pseudo(protocol, segment.len()) + sum(segment))
}

/// What a device that sums itself expects in the field of the checksum: the sum of what is ahead of
/// a segment of `length` bytes.
pub(crate) fn of_pseudo_header(ends: &[u8], protocol: IpNumber, length: usize) -> [u8; 2] {
    complement(sum(ends) + rest_of_pseudo(protocol, length)).map(|byte| !byte)
}

/// What a pseudo header has behind the addresses.
fn rest_of_pseudo(protocol: IpNumber, length: usize) -> u64 {
    let [high, low] = (length as u16).to_be_bytes();
    sum(&[0, protocol.0, high, low])
}

/// Of the message `bytes` of protocol `kind` over IPv6 (RFC 8200 §8.1): the checksum to write if
/// its field is zero.
pub(crate) fn of_message(source: &Ipv6Addr, to: &Ipv6Addr, kind: u8, bytes: &[u8]) -> [u8; 2] {
    let ends = sum(&source.octets()) + sum(&to.octets());
    let pseudo = ends + sum(&(bytes.len() as u32).to_be_bytes()) + sum(&[0, 0, 0, kind]);
    complement(pseudo + sum(bytes))
}

/// In the machine's byte order: the sum comes out in the same (RFC 1071 §2). Longer words give the
/// same sum, since a carry counts as 1. Words of eight bytes cost two instructions each.
fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let word = |bytes: &[u8; 8]| u128::from(u64::from_ne_bytes(*bytes));
    let sum = words.iter().map(word).sum::<u128>() + word(&last);
    [sum, sum >> 32, sum >> 64].iter().map(|&part| u64::from(part as u32)).sum()
}

fn complement(mut sum: u64) -> [u8; 2] {
    while sum > u64::from(u16::MAX) {
        sum = (sum & u64::from(u16::MAX)) + (sum >> 16);
    }
    (!(sum as u16)).to_ne_bytes()
}
