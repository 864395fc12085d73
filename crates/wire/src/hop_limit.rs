//! The hop limit in the bytes of an IP packet.

use crate::mark::{Place, place, updated, word};

/// How many routers an IP packet may still pass (RFC 791 §3.1, RFC 8200 §3); `None` of what is
/// none.
pub fn hop_limit(packet: &[u8]) -> Option<u8> {
    place(packet).map(|place| packet[at(place)])
}

/// Sets it, the IPv4 header's checksum with it. What is no IP packet stays as it is.
pub fn set_hop_limit(packet: &mut [u8], hops: u8) {
    let Some(place) = place(packet) else { return };
    let before = word(&packet[8..10]);
    packet[at(place)] = hops;
    match place {
        Place::V4 => {
            let checksum = updated(word(&packet[10..12]), before, word(&packet[8..10]));
            packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        }
        Place::V6 => {}
    }
}

const fn at(place: Place) -> usize {
    match place {
        Place::V4 => 8,
        Place::V6 => 7,
    }
}
