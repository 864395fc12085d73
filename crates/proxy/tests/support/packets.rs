//! Packets made by hand.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base::{Ecn, Flags, Seq, TcpHeader};
use etherparse::icmpv4::DestUnreachableHeader;
use etherparse::{Icmpv4Type, Icmpv6Type, PacketBuilder};
use wire::{Addresses, Payload, emit, hop_limit, set_hop_limit};

pub const HOST: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 2));
pub const MOBILE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 45, 0, 2));
pub const HOST6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xDB8, 0x100, 0, 0, 0, 0, 2));
pub const MOBILE6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xDB8, 0x45, 0, 0, 0, 0, 2));

pub fn addresses(source: IpAddr, destination: IpAddr) -> Addresses {
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => Addresses::V4 { source, destination },
        (IpAddr::V6(source), IpAddr::V6(destination)) => Addresses::V6 { source, destination },
        _ => panic!("two families"),
    }
}

/// A segment as a packet with 64 hops.
pub fn segment(ends: [IpAddr; 2], header: &TcpHeader, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let addresses = addresses(ends[0], ends[1]);
    emit(header, Ecn::NotCapable, &addresses, Payload::Bytes(payload), &mut packet).expect("short");
    packet
}

/// From port 4000 of the mobile to port 80 of the host.
pub fn from_mobile(flags: Flags, seq: u32, ack: u32, payload: &[u8]) -> Vec<u8> {
    segment([MOBILE, HOST], &header([4000, 80], flags, seq, ack), payload)
}

/// The other way.
pub fn from_host(flags: Flags, seq: u32, ack: u32, payload: &[u8]) -> Vec<u8> {
    segment([HOST, MOBILE], &header([80, 4000], flags, seq, ack), payload)
}

/// With 60,000 B of window and, of a SYN, an MSS.
pub fn header(
    [source_port, destination_port]: [u16; 2],
    flags: Flags,
    seq: u32,
    ack: u32,
) -> TcpHeader {
    let (seq, ack) = (Seq::new(seq), Seq::new(ack));
    let mut header = TcpHeader {
        source_port,
        destination_port,
        seq,
        ack,
        flags,
        window: 60_000,
        ..TcpHeader::default()
    };
    if flags.contains(Flags::SYN) {
        header.options.mss = Some(1460);
    }
    header
}

/// The packet as it is a router further on.
pub fn hops_less(mut packet: Vec<u8>, routers: u8) -> Vec<u8> {
    let hops = hop_limit(&packet).expect("an IP packet");
    assert!(hops > routers, "a router would have dropped it");
    set_hop_limit(&mut packet, hops - routers);
    packet
}

/// An IPv4 segment without options with this option added, whole words of it.
pub fn with_option(packet: &[u8], option: &[u8]) -> Vec<u8> {
    assert!(option.len().is_multiple_of(4) && packet[0] == 0x45);
    let mut packet = packet.to_vec();
    let end = 20 + usize::from(packet[32] >> 4) * 4;
    packet.splice(end..end, option.iter().copied());
    packet[32] += (option.len() as u8 / 4) << 4;
    let length = packet.len() as u16;
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    with_tcp_bytes(packet, &[])
}

/// An IPv4 packet with these bytes replaced and both checksums right.
pub fn with_tcp_bytes(mut packet: Vec<u8>, bytes: &[(usize, u8)]) -> Vec<u8> {
    for &(at, byte) in bytes {
        packet[at] = byte;
    }
    for (from, to, field) in [(0, 20, 10), (20, packet.len(), 36)] {
        packet[field..field + 2].fill(0);
        let pseudo = if from == 0 { 0 } else { sum(&packet[12..20]) + 6 + (to - from) as u32 };
        let mut sum = pseudo + sum(&packet[from..to]);
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        packet[field..field + 2].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    }
    packet
}

fn sum(bytes: &[u8]) -> u32 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    bytes.chunks(2).map(word).sum()
}

/// A datagram of UDP.
pub fn udp(ends: [IpAddr; 2], payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = match (ends[0], ends[1]) {
        (IpAddr::V4(one), IpAddr::V4(other)) => {
            PacketBuilder::ipv4(one.octets(), other.octets(), 9)
        }
        (IpAddr::V6(one), IpAddr::V6(other)) => {
            PacketBuilder::ipv6(one.octets(), other.octets(), 9)
        }
        _ => panic!("two families"),
    };
    builder.udp(443, 5000).write(&mut packet, payload).expect("memory");
    packet
}

/// A router between the gateway and the destination of `about` takes packets of `mtu` bytes.
pub fn too_big(about: &[u8], mtu: u16) -> Vec<u8> {
    let ip = wire::parse(about).expect("a segment").addresses;
    let mut packet = Vec::new();
    match ip {
        Addresses::V4 { source, .. } => {
            let kind = DestUnreachableHeader::FragmentationNeeded { next_hop_mtu: mtu };
            PacketBuilder::ipv4([10, 45, 9, 9], source.octets(), 60)
                .icmpv4(Icmpv4Type::DestinationUnreachable(kind))
                .write(&mut packet, &about[..28])
        }
        Addresses::V6 { source, .. } => PacketBuilder::ipv6([0xFD; 16], source.octets(), 60)
            .icmpv6(Icmpv6Type::PacketTooBig { mtu: mtu.into() })
            .write(&mut packet, &about[..60]),
    }
    .expect("memory");
    packet
}

/// The destination of `about` is not there.
pub fn icmp_unreachable(about: &[u8]) -> Vec<u8> {
    let Addresses::V4 { source, .. } = wire::parse(about).expect("a segment").addresses else {
        panic!("IPv4 alone")
    };
    let mut packet = Vec::new();
    PacketBuilder::ipv4([192, 0, 2, 9], source.octets(), 60)
        .icmpv4(Icmpv4Type::DestinationUnreachable(DestUnreachableHeader::Host))
        .write(&mut packet, &about[..28])
        .expect("memory");
    packet
}

/// Pieces of `packet`, an IPv4 packet that may not be cut but is.
pub fn cut_up(packet: &[u8], at: usize) -> [Vec<u8>; 2] {
    let piece = |from: usize, to: usize, place: u16| {
        let mut piece = [&packet[..20], &packet[20 + from..20 + to]].concat();
        let length = piece.len() as u16;
        piece[2..4].copy_from_slice(&length.to_be_bytes());
        piece[6..8].copy_from_slice(&place.to_be_bytes());
        piece[10..12].fill(0);
        let words = piece[..20].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
        let sum = words.sum::<u32>();
        let sum = (sum & 0xFFFF) + (sum >> 16);
        piece[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
        piece
    };
    [piece(0, at, 0x2000), piece(at, packet.len() - 20, (at / 8) as u16)]
}
