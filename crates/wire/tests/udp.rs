//! UDP datagrams: their bytes, their checksums, and what Wireshark reads there.

use std::net::{Ipv4Addr, Ipv6Addr};

use base::{Ecn, Time, UdpDatagram};
use wire::{Addresses, Capture, TooLong, emit_udp};

use crate::support::tshark;

const OVER_IPV4: Addresses =
    Addresses::V4 { source: Ipv4Addr::new(10, 0, 0, 1), destination: Ipv4Addr::new(10, 0, 0, 2) };
const OVER_IPV6: Addresses = Addresses::V6 {
    source: Ipv6Addr::new(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1),
    destination: Ipv6Addr::new(0x2001, 0xDB8, 0, 0, 0, 0, 0, 2),
};

const fn datagram(source_port: u16, payload: u32) -> UdpDatagram {
    UdpDatagram { source_port, destination_port: 9, payload, sender: 0, number: 0 }
}

fn packet(datagram: &UdpDatagram, addresses: &Addresses) -> Vec<u8> {
    let mut packet = vec![7; 3];
    emit_udp(datagram, Ecn::NotCapable, addresses, &mut packet).expect("it fits");
    packet
}

#[test]
fn headers_of_8_bytes_stand_behind_those_of_ip() {
    let check = |addresses, ip: usize| {
        let packet = packet(&datagram(1024, 100), addresses);
        assert_eq!(packet.len(), ip + 8 + 100);
        assert_eq!(packet[ip..ip + 6], [4, 0, 0, 9, 0, 108]);
        assert!(packet[ip + 8..].iter().all(|byte| *byte == 0));
    };
    check(&OVER_IPV4, 20);
    check(&OVER_IPV6, 40);
}

/// A checksum of zero would say that there is none: it is sent as its other form (RFC 768).
#[test]
fn no_checksum_is_zero() {
    let checksum = |port| {
        let packet = packet(&datagram(port, 1), &OVER_IPV4);
        u16::from_be_bytes([packet[26], packet[27]])
    };
    let all: Vec<_> = (0..=u16::MAX).map(checksum).collect();
    assert!(!all.contains(&0));
    assert_eq!(all.iter().filter(|sum| **sum == 0xFFFF).count(), 1);
}

#[test]
fn what_ip_cannot_carry_is_refused() {
    let check = |addresses, most: u32| {
        let mut packet = Vec::new();
        assert_eq!(emit_udp(&datagram(1, most), Ecn::NotCapable, addresses, &mut packet), Ok(()));
        let payload = most as usize + 1;
        let refused = emit_udp(&datagram(1, most + 1), Ecn::NotCapable, addresses, &mut packet);
        assert_eq!(refused, Err(TooLong::Packet { payload }));
    };
    check(&OVER_IPV4, 65_507);
    check(&OVER_IPV6, 65_527);
}

#[test]
fn wireshark_finds_nothing_wrong() {
    let mut capture = Capture::new(Vec::new(), "host").expect("memory");
    for addresses in [OVER_IPV4, OVER_IPV6] {
        for payload in [1, 210, 1471] {
            capture
                .write_udp(Time::ZERO, &datagram(1024, payload), Ecn::NotCapable, &addresses)
                .expect("memory");
        }
    }
    let fields = ["udp.srcport", "udp.dstport", "udp.length", "udp.checksum.status"];
    let Some(rows) = tshark(&capture.finish().expect("memory"), &fields) else { return };
    let expected = ["9", "218", "1479"].map(|length| ["1024", "9", length, "1"]);
    assert_eq!(rows, [expected, expected].concat());
}
