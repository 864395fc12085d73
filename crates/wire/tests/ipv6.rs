//! IPv6 packets of mobile networks: their bytes, their checksums, and what Wireshark reads there.

use std::net::Ipv6Addr;

use base::{Duration, Ecn, Flags, Seq, TcpHeader, Time};
use wire::{
    Capture, Icmpv6, IpFields, Ipv6Ends, Ipv6Packet, Ipv6Piece, Keeper, LinkLayerAddress, Map,
    MobilityMessage, MobilityOption, Passage, PieceOrder, Prefix64, RouterRole, Sense, Test,
    Unseen,
};

use crate::support::tshark;

const HOME: Ipv6Addr = Ipv6Addr::new(0x2001, 0xDB8, 0, 2, 0, 0, 0, 7);
const AWAY: Ipv6Addr = Ipv6Addr::new(0x2001, 0xDB8, 0, 4, 0, 0, 0, 7);
const NEXT: Ipv6Addr = Ipv6Addr::new(0x2001, 0xDB8, 0, 5, 0, 0, 0, 7);
const AGENT: Ipv6Addr = Ipv6Addr::new(0x2001, 0xDB8, 0, 2, 0, 0, 0, 1);
const TO_AGENT: Ipv6Ends = Ipv6Ends { source: AWAY, destination: AGENT };
const TO_MOBILE: Ipv6Ends = Ipv6Ends { source: AGENT, destination: AWAY };
const MOBILE: LinkLayerAddress = LinkLayerAddress([2, 0, 0, 0, 0, 7]);
const ROUTER: LinkLayerAddress = LinkLayerAddress([2, 0, 0, 0, 0, 4]);

fn whole(packet: Ipv6Packet, ends: Ipv6Ends) -> Vec<u8> {
    let packet = packet.behind_ip(ends, Ecn::NotCapable.into()).expect("it is short");
    packet.bytes().to_vec()
}

fn segment(ends: Ipv6Ends, payload: usize) -> Ipv6Packet {
    let (seq, flags) = (Seq::new(1), Flags::ACK);
    let header =
        TcpHeader { source_port: 1024, destination_port: 80, seq, flags, ..TcpHeader::default() };
    Ipv6Packet::tcp(&header, ends, payload).expect("it is short")
}

/// What Wireshark says of `packets`, one row a packet.
fn read(packets: &[Vec<u8>], fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut capture = Capture::new(Vec::new(), "MN").expect("memory");
    for packet in packets {
        capture.write_packet(Time::ZERO, packet).expect("memory");
    }
    tshark(&capture.finish().expect("memory"), fields)
}

/// The ones' complement sum of a message and its pseudo-header (RFC 8200 §8.1), which is all ones
/// where the checksum is right.
fn sum(ends: Ipv6Ends, kind: u8, message: &[u8]) -> u32 {
    let mut bytes = Vec::new();
    bytes.extend(ends.source.octets());
    bytes.extend(ends.destination.octets());
    bytes.extend([0, 0, 0, message.len() as u8, 0, 0, 0, kind]);
    bytes.extend(message);
    let (words, _) = bytes.as_chunks::<2>();
    let sum = words.iter().map(|word| u32::from(u16::from_be_bytes(*word))).sum::<u32>();
    (sum >> 16) + (sum & 0xFFFF)
}

/// Every mobility header, with its type and its length in bytes.
fn mobility_messages() -> Vec<(MobilityMessage<'static>, u8, usize)> {
    const AUTHORIZED: &[MobilityOption] =
        &[MobilityOption::NonceIndices { home: 1, care_of: 2 }, MobilityOption::Authorization];
    const FAST: &[MobilityOption] =
        &[MobilityOption::AlternateCareOf(NEXT), MobilityOption::FastAuthorization];
    const MOVED: &[MobilityOption] = &[
        MobilityOption::LinkLayer(MOBILE),
        MobilityOption::OldCareOf(AWAY),
        MobilityOption::NewCareOf(NEXT),
    ];
    const ALTERNATE: &[MobilityOption] = &[MobilityOption::AlternateCareOf(AWAY)];
    let update = |to, options| MobilityMessage::Update { to, sequence: 7, lifetime: 15, options };
    let answer = |of, options| {
        let (status, sequence, lifetime) = (0, 7, 15);
        MobilityMessage::Acknowledgement { of, status, sequence, lifetime, options }
    };
    let cookie = 0x0102_0304_0506_0708;
    let test = |of| MobilityMessage::Test { of, index: 3, cookie, token: 9 };
    vec![
        (MobilityMessage::TestInit { of: Test::Home, cookie }, 1, 16),
        (MobilityMessage::TestInit { of: Test::CareOf, cookie }, 2, 16),
        (test(Test::Home), 3, 24),
        (test(Test::CareOf), 4, 24),
        (update(Keeper::HomeAgent, ALTERNATE), 5, 32),
        (update(Keeper::Map, ALTERNATE), 5, 32),
        (update(Keeper::HomeAgent, &[]), 5, 16),
        (update(Keeper::Correspondent, AUTHORIZED), 5, 32),
        (answer(Keeper::HomeAgent, &[]), 6, 16),
        (answer(Keeper::Correspondent, &[MobilityOption::Authorization]), 6, 32),
        (MobilityMessage::Error { status: 1, home: HOME }, 7, 24),
        (update(Keeper::AccessRouter, FAST), 8, 56),
        (answer(Keeper::AccessRouter, &[MobilityOption::FastAuthorization]), 9, 32),
        (MobilityMessage::HandoverInitiate { sequence: 7, code: 1, options: MOVED }, 14, 64),
        (MobilityMessage::HandoverAcknowledge { sequence: 7, code: 0 }, 15, 16),
    ]
}

#[test]
fn mobility_headers_have_their_lengths_and_checksums() {
    for (message, kind, bytes) in mobility_messages() {
        let packet = Ipv6Packet::mobility(&message, TO_AGENT);
        let written = packet.bytes();
        assert_eq!((written[2], written.len()), (kind, bytes), "{message:?}");
        assert_eq!(usize::from(written[1]) * 8 + 8, bytes, "{message:?}");
        assert_eq!(sum(TO_AGENT, 135, written), 0xFFFF, "{message:?}");
    }
}

#[test]
fn wireshark_reads_mobility_headers() {
    let messages = mobility_messages();
    let packets: Vec<_> = messages
        .iter()
        .map(|(message, ..)| whole(Ipv6Packet::mobility(message, TO_AGENT), TO_AGENT))
        .collect();
    let fields = ["mip6.mhtype", "_ws.malformed", "_ws.expert", "mip6.acoa.acoa"];
    let Some(rows) = read(&packets, &fields) else { return };
    for (row, (message, kind, _)) in rows.iter().zip(&messages) {
        assert_eq!(row[..3], [kind.to_string(), String::new(), String::new()], "{message:?}");
    }
    let options: Vec<_> = rows.iter().map(|row| row[3].as_str()).collect();
    let (away, next) = (AWAY.to_string(), NEXT.to_string());
    assert_eq!([options[4], options[5], options[11]], [&*away, &*away, &*next]);
    let flags = ["mip6.bu.a_flag", "mip6.bu.h_flag", "mip6.bu.m_flag", "mip6.bu.lifetime"];
    let Some(rows) = read(&packets[4..8], &flags) else { return };
    let found: Vec<_> = rows.iter().map(|row| row.join(" ")).collect();
    assert_eq!(found, ["1 1 0 15", "1 0 1 15", "1 1 0 15", "1 0 0 15"]);
    let nonces = ["mip6.ni.hni", "mip6.ni.cni", "mip6.bad.auth"];
    let Some(rows) = read(&packets[7..8], &nonces) else { return };
    assert_eq!(rows[0][..2], ["1", "2"]);
    assert_eq!(rows[0][2].len(), 24, "96 bits in hexadecimal");
}

/// Every message of `ICMPv6`, with its type and its length in bytes.
fn icmp_messages(quoted: &[u8]) -> Vec<(Icmpv6<'_>, u8, usize)> {
    let prefix = Prefix64(Ipv6Addr::new(0x2001, 0xDB8, 0, 4, 0, 0, 0, 1));
    let map = Map { address: AGENT, lifetime: Duration::from_secs(60) };
    let interval = Duration::from_millis(50);
    let advertisement =
        |role, map| Icmpv6::RouterAdvertisement { link_layer: ROUTER, prefix, interval, role, map };
    let (mobile, router, next) = (MOBILE, ROUTER, ROUTER);
    vec![
        (Icmpv6::RouterSolicitation { link_layer: MOBILE }, 133, 16),
        (advertisement(RouterRole::HomeAgent, None), 134, 64),
        (advertisement(RouterRole::Router, Some(map)), 134, 88),
        (Icmpv6::NeighborSolicitation { target: AWAY }, 135, 24),
        (Icmpv6::NeighborAdvertisement { target: AWAY, link_layer: MOBILE }, 136, 32),
        (Icmpv6::ProxySolicitation { identifier: 3, mobile, next }, 154, 40),
        (Icmpv6::ProxyAdvertisement { identifier: 3, router, next, prefix }, 154, 104),
        (Icmpv6::TooBig { mtu: 1460, quoted }, 2, 8 + quoted.len()),
    ]
}

#[test]
fn wireshark_reads_neighbour_discovery() {
    let quoted = whole(segment(TO_MOBILE, 100), TO_MOBILE);
    let messages = icmp_messages(&quoted);
    let packet = |message: &Icmpv6<'_>| {
        let packet = Ipv6Packet::icmp(message, TO_AGENT);
        assert_eq!(sum(TO_AGENT, 58, packet.bytes()), 0xFFFF, "{message:?}");
        whole(packet, TO_AGENT)
    };
    let packets: Vec<_> = messages.iter().map(|(message, ..)| packet(message)).collect();
    let fields = [
        "icmpv6.type",
        "ipv6.plen",
        "icmpv6.checksum.status",
        "_ws.malformed",
        "_ws.expert.severity",
        "icmpv6.opt.map.global_address",
        "icmpv6.mtu",
        "icmpv6.opt.prefix",
        "icmpv6.opt.linkaddr",
    ];
    let Some(rows) = read(&packets, &fields) else { return };
    for (row, (message, kind, bytes)) in rows.iter().zip(&messages) {
        let length = row[1].split(',').next();
        assert_eq!((row[0].as_str(), length), (&*kind.to_string(), Some(&*bytes.to_string())));
        assert_eq!((row[2].as_str(), row[3].as_str()), ("1", ""), "{message:?}");
        assert_eq!(row[4], "", "{message:?}");
    }
    let column =
        |number: usize| -> Vec<_> { rows.iter().map(|row| row[number].as_str()).collect() };
    assert_eq!(column(5)[2], AGENT.to_string());
    assert_eq!(column(6)[7], "1460");
    assert_eq!(column(7)[1], "2001:db8:0:4::1");
    assert_eq!(column(8)[0], "02:00:00:00:00:07");
}

/// Home addresses count for the checksum, wherever the packet is on its way.
#[test]
fn wireshark_reads_home_addresses() {
    let home_to_agent = Ipv6Ends { source: HOME, ..TO_AGENT };
    let agent_to_home = Ipv6Ends { destination: HOME, ..TO_MOBILE };
    let packets = [
        whole(segment(home_to_agent, 10).behind_home_address(HOME), TO_AGENT),
        whole(segment(agent_to_home, 10).behind_routing(HOME), TO_MOBILE),
    ];
    assert_eq!(packets.each_ref().map(Vec::len), [40 + 24 + 30; 2]);
    let fields = [
        "ipv6.opt.mipv6.home_address",
        "ipv6.routing.mipv6.home_address",
        "tcp.checksum.status",
        "_ws.malformed",
    ];
    let Some(rows) = read(&packets, &fields) else { return };
    let home = HOME.to_string();
    assert_eq!(rows[0], [&*home, "", "1", ""]);
    assert_eq!(rows[1], ["", &*home, "1", ""]);
}

/// A segment within a tunnel, cut there and put together again.
#[test]
fn wireshark_joins_pieces_in_tunnels() {
    let home = Ipv6Ends { destination: HOME, ..TO_MOBILE };
    let within =
        || segment(home, 100).behind_ip(home, Ecn::NotCapable.into()).expect("it is short");
    let bytes = within().bytes().len() as u16;
    let piece = |offset, bytes, place| Ipv6Piece { identification: 5, offset, bytes, place };
    let first = within().cut(piece(0, 96, PieceOrder::More));
    let rest = bytes - 96;
    let unseen = Ipv6Packet::unseen(Unseen::Packet, rest.into());
    let last = unseen.cut(piece(96, rest, PieceOrder::Last));
    let packets = [whole(first, TO_MOBILE), whole(last, TO_MOBILE)];
    assert_eq!(packets.each_ref().map(Vec::len), [48 + 96, 48 + usize::from(rest)]);
    let fields = ["ipv6.fragment.count", "ipv6.reassembled.length", "tcp.checksum.status"];
    let Some(rows) = read(&packets, &fields) else { return };
    assert_eq!(rows[0], ["", "", ""]);
    assert_eq!(rows[1], ["2", &*bytes.to_string(), "1"]);
}

#[test]
fn wireshark_tells_interfaces_and_directions() {
    let names = ["wan", "WLAN"].map(str::to_owned);
    let mut capture = Capture::at_all(Vec::new(), &names, None).expect("memory");
    let packet = whole(segment(TO_AGENT, 1), TO_AGENT);
    for (interface, sense) in [(1, Sense::In), (0, Sense::Out)] {
        let how = Passage { interface, sense };
        capture.write_passing(Time::ZERO, how, &packet).expect("memory");
    }
    let fields = ["frame.interface_name", "frame.packet_flags_direction"];
    let Some(rows) = tshark(&capture.finish().expect("memory"), &fields) else { return };
    assert_eq!(rows[0], ["WLAN", "0x00000001"]);
    assert_eq!(rows[1], ["wan", "0x00000002"]);
}

#[test]
fn what_is_too_long_is_refused() {
    let packet = || Ipv6Packet::unseen(Unseen::Segment, 65_536);
    let fields: IpFields = Ecn::NotCapable.into();
    assert!(packet().behind_ip(TO_AGENT, fields).is_err());
    assert!(Ipv6Packet::unseen(Unseen::Segment, 65_535).behind_ip(TO_AGENT, fields).is_ok());
}
