//! A UDP datagram to the bytes of an IP packet.

use base::UdpDatagram;
use etherparse::{IpNumber, Ipv4Header, Ipv6Header};

use crate::checksum::of_segment;
use crate::emit::put_ip;
use crate::{Addresses, IpFields, TooLong};

/// Replaces what is in `packet` with an IP packet of `datagram`, checksums included, with zeros for
/// payload. The packet may not be fragmented on its way.
///
/// # Errors
/// [`TooLong`] if IP cannot carry that much.
pub fn emit_udp(
    datagram: &UdpDatagram,
    ip: impl Into<IpFields>,
    addresses: &Addresses,
    packet: &mut Vec<u8>,
) -> Result<(), TooLong> {
    // The length in an IPv4 header counts that itself.
    let (ip_bytes, counted) = match addresses {
        Addresses::V4 { .. } => (Ipv4Header::MIN_LEN, Ipv4Header::MIN_LEN),
        Addresses::V6 { .. } => (Ipv6Header::LEN, 0),
    };
    let payload = datagram.payload as usize;
    let udp_bytes = payload + UdpDatagram::HEADER_BYTES as usize;
    if counted + udp_bytes > usize::from(u16::MAX) {
        return Err(TooLong::Packet { payload });
    }
    packet.clear();
    packet.resize(ip_bytes + udp_bytes, 0);
    let (head, udp) = packet.split_at_mut(ip_bytes);
    put_ip(addresses, ip.into(), (udp_bytes as u16, IpNumber::UDP.0), head);
    udp[..2].copy_from_slice(&datagram.source_port.to_be_bytes());
    udp[2..4].copy_from_slice(&datagram.destination_port.to_be_bytes());
    udp[4..6].copy_from_slice(&(udp_bytes as u16).to_be_bytes());
    let checksum = match of_segment(addresses, IpNumber::UDP, [udp, &[]]) {
        // Zero would say that there is none (RFC 768).
        [0, 0] => [0xFF; 2],
        checksum => checksum,
    };
    udp[6..8].copy_from_slice(&checksum);
    Ok(())
}
