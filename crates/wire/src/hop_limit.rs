//! The hop limit in the bytes of an IP packet.

use crate::mark::{IpVersion, updated, version, word};

/// How many routers an IP packet may still pass (RFC 791 §3.1, RFC 8200 §3); `None` if it is no IP
/// packet.
pub fn hop_limit(packet: &[u8]) -> Option<u8> {
    version(packet).map(|version| packet[at(version)])
}

/// Sets it, the IPv4 header's checksum with it. What is no IP packet stays as it is.
pub fn set_hop_limit(packet: &mut [u8], hops: u8) {
    let Some(version) = version(packet) else { return };
    let before = word(&packet[8..10]);
    packet[at(version)] = hops;
    match version {
        IpVersion::V4 => {
            let checksum = updated(word(&packet[10..12]), before, word(&packet[8..10]));
            packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        }
        IpVersion::V6 => {}
    }
}

const fn at(version: IpVersion) -> usize {
    match version {
        IpVersion::V4 => 8,
        IpVersion::V6 => 7,
    }
}
