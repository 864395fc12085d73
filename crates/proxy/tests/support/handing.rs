//! Packets through a gateway, one at a time.

use base::Time;
use proxy::{Gateway, Snapshot};
use wire::{hop_limit, set_hop_limit};

/// Hands a packet in, and all that comes out.
pub fn pass(gateway: &mut Gateway, packet: &[u8]) -> Vec<Vec<u8>> {
    gateway.handle_packet(Time::ZERO, packet);
    drain(gateway, Time::ZERO)
}

/// All that comes out.
pub fn drain(gateway: &mut Gateway, now: Time) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut packet = Vec::new();
    while gateway.poll_packet(now, &mut packet) {
        while gateway.poll_exposure().is_some() {}
        out.push(packet.clone());
    }
    out
}

/// As it is after the kernel has taken the hop that the gateway gives back.
pub fn one_more(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let hops = hop_limit(&packet).map_or(0, |hops| hops.saturating_add(1));
    set_hop_limit(&mut packet, hops);
    packet
}

/// How many packets have passed untouched for `reason`.
pub fn bypassed(stats: &Snapshot, reason: &str) -> u64 {
    let is_it = |each: &&proxy::Reason| each.reason == reason;
    stats.bypassed.iter().find(is_it).expect("a reason").packets
}
