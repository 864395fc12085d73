//! ICMP errors and what they quote.

use std::net::{Ipv4Addr, Ipv6Addr};

use base::{Ecn, Flags, Seq, TcpHeader};
use etherparse::icmpv4::DestUnreachableHeader;
use etherparse::icmpv6::{DestUnreachableCode, TimeExceededCode};
use etherparse::{Icmpv4Type, Icmpv6Type, PacketBuilder};
use wire::{Addresses, Complaint, IcmpError, Payload, Quote, emit, icmp_error};

const ROUTER: [u8; 4] = [192, 0, 2, 1];
const HOST: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const MOBILE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const HOST6: Ipv6Addr = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 1);
const MOBILE6: Ipv6Addr = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 2);
const V4: Addresses = Addresses::V4 { source: HOST, destination: MOBILE };
const V6: Addresses = Addresses::V6 { source: HOST6, destination: MOBILE6 };

fn segment(addresses: &Addresses) -> Vec<u8> {
    let header = TcpHeader {
        source_port: 80,
        destination_port: 4000,
        seq: Seq::new(0xFEDC_BA98),
        flags: Flags::ACK,
        ..TcpHeader::default()
    };
    let mut packet = Vec::new();
    emit(&header, Ecn::NotCapable, addresses, Payload::Zeros(1_000), &mut packet).expect("short");
    packet
}

fn about(addresses: Addresses, complaint: Complaint) -> IcmpError {
    let seq = Seq::new(0xFEDC_BA98);
    let quote = Quote { addresses, source_port: 80, destination_port: 4000, seq };
    IcmpError { complaint, quote }
}

fn v4(kind: Icmpv4Type, to: Ipv4Addr, quoted: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4(ROUTER, to.octets(), 60).icmpv4(kind);
    builder.write(&mut packet, quoted).expect("memory");
    packet
}

fn v6(kind: Icmpv6Type, to: Ipv6Addr, quoted: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv6([1; 16], to.octets(), 60).icmpv6(kind);
    builder.write(&mut packet, quoted).expect("memory");
    packet
}

const fn frag_needed(next_hop_mtu: u16) -> Icmpv4Type {
    Icmpv4Type::DestinationUnreachable(DestUnreachableHeader::FragmentationNeeded { next_hop_mtu })
}

#[test]
fn errors_are_read_however_much_they_quote() {
    let (four, six) = (segment(&V4), segment(&V6));
    for bytes in [28, 29, 40, 60, 548, four.len()] {
        let check = |kind, complaint| {
            assert_eq!(icmp_error(&v4(kind, HOST, &four[..bytes])), Some(about(V4, complaint)));
        };
        check(frag_needed(1_300), Complaint::TooBig { mtu: 1_300 });
        check(frag_needed(0), Complaint::TooBig { mtu: 0 });
        let port = Icmpv4Type::DestinationUnreachable(DestUnreachableHeader::Port);
        check(port, Complaint::Unreachable);
    }
    for bytes in [48, 60, 1_000, six.len()] {
        let check = |kind, complaint| {
            assert_eq!(icmp_error(&v6(kind, HOST6, &six[..bytes])), Some(about(V6, complaint)));
        };
        check(Icmpv6Type::PacketTooBig { mtu: 1_280 }, Complaint::TooBig { mtu: 1_280 });
        let hops = Icmpv6Type::TimeExceeded(TimeExceededCode::HopLimitExceeded);
        check(hops, Complaint::TimeExceeded);
        let admin = Icmpv6Type::DestinationUnreachable(DestUnreachableCode::Prohibited);
        check(admin, Complaint::Unreachable);
    }
}

#[test]
fn what_is_no_error_about_a_segment() {
    let four = segment(&V4);
    let good = v4(frag_needed(1_300), HOST, &four[..60]);
    let check = |packet: &[u8]| assert_eq!(icmp_error(packet), None);
    for cut in 0..good.len() {
        check(&good[..cut]);
    }
    for at in 20..good.len() {
        let mut wrong = good.clone();
        wrong[at] ^= 1;
        check(&wrong);
    }
    check(&four);
    check(&v4(frag_needed(1_300), MOBILE, &four[..60]));
    check(&v4(frag_needed(1_300), HOST, &four[..27]));
    check(&v4(frag_needed(1_300), HOST, &[]));
    check(&v4(frag_needed(1_300), HOST, &segment(&V6)));
    let mut udp = four.clone();
    udp[9] = 17;
    check(&v4(frag_needed(1_300), HOST, &udp[..60]));
    let mut piece = four.clone();
    piece[6] = 0x20;
    check(&v4(frag_needed(1_300), HOST, &piece[..60]));
    let echo = etherparse::IcmpEchoHeader { id: 1, seq: 2 };
    check(&v4(Icmpv4Type::EchoRequest(echo), HOST, &four[..60]));
    check(&v6(Icmpv6Type::EchoRequest(echo), HOST6, &segment(&V6)));
    check(&v6(Icmpv6Type::PacketTooBig { mtu: 1_280 }, HOST6, &segment(&V6)[..47]));
}
