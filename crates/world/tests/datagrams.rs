//! Packets of a real network: what is read of them, and what is changed.

use std::borrow::Cow;

use base::{Ecn, Flags, Options, Seq, TcpHeader, Timestamps};
use bytes::Bytes;
use proptest::prelude::*;
use wire::rfc2507::Headers;
use wire::{Addresses, Payload, emit};
use world::{Body, Datagram, Ends, NodeId};

const ENDS: Ends = Ends { source: NodeId(0), destination: NodeId(1) };
const V4: Addresses = Addresses::V4 {
    source: std::net::Ipv4Addr::new(10, 0, 0, 1),
    destination: std::net::Ipv4Addr::new(10, 0, 0, 2),
};
const V6: Addresses = Addresses::V6 {
    source: std::net::Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 1),
    destination: std::net::Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 2),
};

fn header() -> TcpHeader {
    TcpHeader {
        source_port: 4000,
        destination_port: 80,
        seq: Seq::new(u32::MAX - 1),
        ack: Seq::new(77),
        flags: Flags::ACK | Flags::PSH,
        window: 1024,
        options: Options::default(),
    }
}

fn tcp(addresses: &Addresses, ecn: Ecn, options: Options, payload: usize) -> Vec<u8> {
    let mut packet = Vec::new();
    let header = TcpHeader { options, ..header() };
    emit(&header, ecn, addresses, Payload::Zeros(payload), &mut packet).expect("it fits");
    packet
}

fn plain(addresses: &Addresses) -> Vec<u8> {
    tcp(addresses, Ecn::NotCapable, Options::default(), 100)
}

/// `packet` with the bytes from `at` on replaced.
fn with(mut packet: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    packet[at..at + bytes.len()].copy_from_slice(bytes);
    packet
}

fn cut(mut packet: Vec<u8>, length: usize) -> Vec<u8> {
    packet.truncate(length);
    packet
}

/// What is read of a packet: its IP protocol, size and TCP payload, the last if it has a header.
type Reading = (Option<u8>, u32, Option<u32>);

#[test]
fn what_is_read() {
    let check = |name: &str, packet: Vec<u8>, expect: Reading| {
        let datagram = Datagram::new(packet.clone().into(), 0);
        let payload = datagram.header().map(|_| datagram.payload_bytes());
        assert_eq!((datagram.protocol(), datagram.bytes(), payload), expect, "{name}");
        assert_eq!(datagram.frame(), &packet, "{name}");
        let framed = Datagram::new([vec![7; 14], packet].concat().into(), 14);
        assert_eq!((framed.protocol(), framed.bytes()), (expect.0, expect.1), "{name} in a frame");
    };
    let (four, six) = (plain(&V4), plain(&V6));
    check("TCP over IPv4", four.clone(), (Some(6), 140, Some(100)));
    check("TCP over IPv6", six.clone(), (Some(6), 160, Some(100)));
    check("a wrong TCP checksum", with(four.clone(), 36, &[1, 2]), (Some(6), 140, Some(100)));
    check("a wrong IP checksum", with(four.clone(), 10, &[1, 2]), (Some(6), 140, Some(100)));
    check("UDP", with(four.clone(), 9, &[17]), (Some(17), 140, None));
    check("an authenticated segment", authenticated(&four), (Some(6), 152, Some(100)));
    check("ICMPv6", with(six.clone(), 6, &[58]), (Some(58), 160, None));
    check("a first fragment", with(four.clone(), 6, &[0x20, 0]), (Some(6), 140, None));
    check("a later fragment", with(four.clone(), 6, &[0, 9]), (Some(6), 140, None));
    check("an illegal data offset", with(four.clone(), 32, &[0x40]), (Some(6), 140, None));
    check("options beyond the packet", with(tcp_only_header(), 32, &[0xF0]), (Some(6), 40, None));
    check("a truncated packet", cut(four.clone(), 60), (None, 60, None));
    check("a truncated header", cut(four.clone(), 7), (None, 7, None));
    check("a truncated IPv6 header", cut(six, 39), (None, 39, None));
    check("a length below the header's", with(four.clone(), 2, &[0, 3]), (None, 140, None));
    check("padding", [four.clone(), vec![0; 6]].concat(), (Some(6), 146, Some(100)));
    check("no version", vec![0; 40], (None, 40, None));
    check("nothing", Vec::new(), (None, 1, None));
    let jumbo = [with(four, 2, &[0xFF, 0xFF]), vec![0; 65_395]].concat();
    check("the longest", jumbo.clone(), (Some(6), 65_535, Some(65_495)));
    check("more than IP has", [jumbo, vec![0; 9]].concat(), (Some(6), 65_544, Some(65_495)));
}

fn tcp_only_header() -> Vec<u8> {
    tcp(&V4, Ecn::NotCapable, Options::default(), 0)
}

#[test]
fn a_frame_shorter_than_its_link_header_passes() {
    let datagram = Datagram::new(Bytes::from_static(b"short"), 14);
    assert_eq!((datagram.protocol(), datagram.bytes()), (None, 1));
    assert_eq!(datagram.frame(), &Bytes::from_static(b"short"));
}

/// A mark changes the field and the IPv4 checksum, which stays right, and nothing else.
#[test]
fn marks() {
    let check = |addresses, before, understood, after| {
        let packet = tcp(addresses, before, Options::default(), 9);
        let mut datagram = Datagram::new([vec![1; 14], packet].concat().into(), 14);
        let shared = datagram.clone();
        assert_eq!(datagram.mark(), understood);
        assert_eq!(datagram.packet(), tcp(addresses, after, Options::default(), 9));
        assert_eq!(datagram.frame()[..14], [1; 14]);
        assert_eq!(wire::ecn(shared.packet()), before, "other holders see no mark");
    };
    for addresses in [&V4, &V6] {
        check(addresses, Ecn::NotCapable, false, Ecn::NotCapable);
        check(addresses, Ecn::Capable, true, Ecn::Experienced);
        check(addresses, Ecn::L4s, true, Ecn::Experienced);
        check(addresses, Ecn::Experienced, true, Ecn::Experienced);
    }
    let mut datagram = Datagram::new(Bytes::from_static(&[0x45, 2]), 0);
    assert!(!datagram.mark(), "there is no header to mark");
}

#[test]
fn a_wrong_checksum_stays_as_wrong_as_it_was() {
    let packet = tcp(&V4, Ecn::Capable, Options::default(), 9);
    let right = u16::from_be_bytes([packet[10], packet[11]]);
    for off in [1_u16, 0x1234, 0xFFFE] {
        let wrong = with(packet.clone(), 10, &right.wrapping_add(off).to_be_bytes());
        let mut datagram = Datagram::new(wrong.into(), 0);
        assert!(datagram.mark());
        assert!(matches!(wire::parse(datagram.packet()), Err(wire::ParseError::Checksum)));
    }
}

#[test]
fn headers_for_compression_are_the_packets_own() {
    let options = Options { timestamps: Some(Timestamps::default()), ..Options::default() };
    let mut packet = tcp(&V4, Ecn::NotCapable, options, 100);
    packet[1] = 0xB8;
    packet[4..6].copy_from_slice(&[0x12, 0x34]);
    packet[8] = 55;
    packet[38..40].copy_from_slice(&[0, 3]);
    let checksum = u16::from_be_bytes([packet[36], packet[37]]);
    let expect = Headers {
        source: 0x0A00_0001,
        destination: 0x0A00_0002,
        type_of_service: 0xB8,
        time_to_live: 55,
        identification: 0x1234,
        source_port: 4000,
        destination_port: 80,
        seq: u32::MAX - 1,
        ack: 77,
        flags: Flags::ACK | Flags::PSH,
        window: 1024,
        checksum,
        urgent: 3,
        option_bytes: 12,
        payload: 100,
    };
    let headers = |packet: Vec<u8>| Datagram::new(packet.into(), 0).headers(ENDS, 9);
    assert_eq!(headers(packet.clone()), Some(expect));
    assert_eq!(headers(plain(&V6)), None);
    assert_eq!(headers(with(packet.clone(), 9, &[17])), None);
    assert_eq!(headers(with(packet.clone(), 6, &[0x20, 0])), None);
    let with_ip_options = with(packet.clone(), 0, &[0x46]);
    assert_eq!(headers(with_ip_options), None);
    assert_eq!(headers(authenticated(&packet)), None);
}

/// `packet` with an authentication header (RFC 4302) between those of IP and TCP.
fn authenticated(packet: &[u8]) -> Vec<u8> {
    let (ip, tcp) = packet.split_at(20);
    let length = packet.len() as u16 + 12;
    let ip = with(with(ip.to_vec(), 9, &[51]), 2, &length.to_be_bytes());
    [&ip[..], &[6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], tcp].concat()
}

#[test]
fn a_segment_goes_in_and_comes_out() {
    let payload = Bytes::from_static(b"payload");
    let segment = tcp::Segment { header: header(), payload, ecn: Ecn::Capable };
    let datagram = Datagram::from_segment(segment.clone(), ENDS);
    assert_eq!(datagram.bytes(), segment.bytes());
    assert_eq!(datagram.header(), Some(&segment.header));
    assert_eq!(datagram.segment().map(Cow::into_owned), Some(segment));
    let wrong = with(plain(&V4), 36, &[1, 2]);
    assert_eq!(Datagram::new(wrong.into(), 0).segment(), None);
}

proptest! {
    /// Whatever the bytes, nothing panics, and a refused mark changes none of them.
    #[test]
    fn any_bytes_pass(
        mut packet in prop::collection::vec(any::<u8>(), 0..120),
        version in prop::sample::select(vec![0x45_u8, 0x4F, 0x60, 0x00]),
        offset in prop::sample::select(vec![0_usize, 14, 200]),
    ) {
        if let Some(first) = packet.get_mut(offset) {
            *first = version;
        }
        let frame = Bytes::from(packet);
        let mut datagram = Datagram::new(frame.clone(), offset);
        prop_assert!(datagram.bytes() > 0);
        let headers = datagram.headers(ENDS, 0);
        prop_assert!(headers.is_none_or(|headers| headers.bytes() <= datagram.bytes()));
        prop_assert!(datagram.segment().is_none() || datagram.header().is_some());
        if !datagram.mark() {
            prop_assert_eq!(datagram.frame(), &frame);
        }
    }
}
