//! Headers of any packet, and echoes.

use std::net::{Ipv4Addr, Ipv6Addr};

use base::Ecn;
use etherparse::{IpNumber, PacketBuilder};
use proptest::prelude::*;
use wire::{Addresses, Echo, headers};

const HOST: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const MOBILE: Ipv4Addr = Ipv4Addr::new(10, 45, 0, 2);
const HOST6: Ipv6Addr = Ipv6Addr::new(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1);
const MOBILE6: Ipv6Addr = Ipv6Addr::new(0x2001, 0xDB8, 0x45, 0, 0, 0, 0, 2);
const V4: Addresses = Addresses::V4 { source: HOST, destination: MOBILE };
const V6: Addresses = Addresses::V6 { source: HOST6, destination: MOBILE6 };

/// An IPv4 packet of `protocol` with these payload bytes.
fn packet(protocol: u8, offset: u16, payload: &[u8]) -> Vec<u8> {
    let mut header = etherparse::Ipv4Header::new(
        payload.len() as u16,
        64,
        IpNumber(protocol),
        HOST.octets(),
        MOBILE.octets(),
    )
    .expect("short");
    header.fragment_offset = offset.try_into().expect("small");
    header.ecn = etherparse::IpEcn::Ect0;
    header.dscp = etherparse::IpDscp::try_new(46).expect("six bits");
    header.header_checksum = header.calc_header_checksum();
    let mut packet = Vec::new();
    header.write(&mut packet).expect("to memory");
    packet.extend_from_slice(payload);
    packet
}

#[test]
fn ports_are_those_of_protocols_that_have_some() {
    let ports = |protocol, offset, payload: &[u8]| {
        headers(&packet(protocol, offset, payload)).expect("an IP packet").ports
    };
    let bytes = [0x12, 0x34, 0, 53, 9, 9, 9, 9];
    for protocol in [6, 17, 33, 132, 136] {
        assert_eq!(ports(protocol, 0, &bytes), Some([0x1234, 53]), "{protocol}");
        assert_eq!(ports(protocol, 7, &bytes), None, "a fragment of {protocol}");
        assert_eq!(ports(protocol, 0, &bytes[..3]), None, "too short for {protocol}");
    }
    for protocol in [1, 47, 50, 255] {
        assert_eq!(ports(protocol, 0, &bytes), None, "{protocol}");
    }
}

#[test]
fn the_rest_is_there_for_any_packet() {
    let of = headers(&packet(47, 0, b"")).expect("an IP packet");
    assert_eq!((of.addresses, of.protocol, of.dscp, of.ecn), (V4, 47, 46, Ecn::Capable));
    let mut six = Vec::new();
    let builder = PacketBuilder::ipv6(HOST6.octets(), MOBILE6.octets(), 64).udp(7, 8);
    builder.write(&mut six, b"data").expect("to memory");
    let of = headers(&six).expect("an IP packet");
    assert_eq!((of.addresses, of.protocol, of.ports), (V6, 17, Some([7, 8])));
}

/// Answer of a host to a request: the ends turned round, and the type of a reply.
fn answered(request: &[u8]) -> Vec<u8> {
    let of = headers(request).expect("an IP packet");
    let mut reply = Vec::new();
    let ip = if of.protocol == 1 { 20 } else { 40 };
    let (identifier, sequence) = (&request[ip + 4..ip + 6], &request[ip + 6..ip + 8]);
    let word = |bytes: &[u8]| u16::from_be_bytes([bytes[0], bytes[1]]);
    let (id, seq) = (word(identifier), word(sequence));
    match of.addresses {
        Addresses::V4 { source, destination } => {
            PacketBuilder::ipv4(destination.octets(), source.octets(), 64)
                .icmpv4_echo_reply(id, seq)
                .write(&mut reply, &request[ip + 8..])
        }
        Addresses::V6 { source, destination } => {
            PacketBuilder::ipv6(destination.octets(), source.octets(), 64)
                .icmpv6_echo_reply(id, seq)
                .write(&mut reply, &request[ip + 8..])
        }
    }
    .expect("to memory");
    reply
}

proptest! {
    #[test]
    fn a_reply_brings_back_what_was_asked(identifier: u16, number: u32, six: bool) {
        let addresses = if six { V6 } else { V4 };
        let echo = Echo { identifier, number };
        let mut request = Vec::new();
        echo.emit(&addresses, &mut request);
        let checked = etherparse::PacketHeaders::from_ip_slice(&request);
        prop_assert!(checked.is_ok());
        prop_assert_eq!(Echo::read_reply(&request), None, "it is a request");
        let reply = answered(&request);
        prop_assert_eq!(Echo::read_reply(&reply), Some((addresses.reversed(), echo)));
        for place in 0..reply.len() {
            let mut broken = reply.clone();
            broken[place] ^= 0x10;
            let read = Echo::read_reply(&broken);
            let is_other = read.is_none_or(|(ends, it)| ends != addresses.reversed() || it == echo);
            prop_assert!(is_other, "byte {} counts", place);
        }
    }

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        headers(&bytes);
        Echo::read_reply(&bytes);
    }
}
