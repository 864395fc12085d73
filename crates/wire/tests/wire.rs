//! Headers to bytes and back.

use base::{Flags, Options, Seq, TcpHeader};
use proptest::prelude::*;
use wire::{Addresses, ParseError, Payload, TooLong, emit, parse};

const ADDRESSES: Addresses = Addresses::V4 {
    source: std::net::Ipv4Addr::new(10, 0, 0, 1),
    destination: std::net::Ipv4Addr::new(10, 0, 0, 2),
};

fn packet(header: &TcpHeader, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    emit(header, &ADDRESSES, Payload::Bytes(payload), &mut packet).expect("short");
    packet
}

/// The packet with byte `at` replaced and both checksums made right.
fn changed(mut packet: Vec<u8>, at: usize, byte: u8) -> Vec<u8> {
    packet[at] = byte;
    for (from, to, field) in [(0, 20, 10), (20, packet.len(), 36)] {
        packet[field..field + 2].fill(0);
        let pseudo: u32 =
            if from == 0 { 0 } else { words(&packet[12..20]) + 6 + (to - from) as u32 };
        let mut sum = pseudo + words(&packet[from..to]);
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        packet[field..field + 2].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    }
    packet
}

fn words(bytes: &[u8]) -> u32 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    bytes.chunks(2).map(word).sum()
}

#[test]
fn a_syn_to_the_byte() {
    let syn = TcpHeader {
        source_port: 1024,
        destination_port: 80,
        seq: Seq::new(0x0102_0304),
        ack: Seq::new(0),
        flags: Flags::SYN,
        window: 0x8000,
        options: Options { mss: Some(512), window_scale: Some(1) },
    };
    let expect: &[u8] = &[
        0x45, 0, 0, 48, 0, 0, 0x40, 0, 64, 6, 0x26, 0xC6, 10, 0, 0, 1, 10, 0, 0, 2, // IP
        4, 0, 0, 80, 1, 2, 3, 4, 0, 0, 0, 0, 0x70, 2, 0x80, 0, 0xEB, 0x79, 0, 0, // TCP
        2, 4, 2, 0, 1, 3, 3, 1, // options
    ];
    assert_eq!(packet(&syn, b""), expect);
    assert_eq!(changed(packet(&syn, b""), 0, 0x45), expect, "checksums computed apart");
}

#[test]
fn options_of_others_are_skipped_and_broken_ones_end_the_list() {
    let header = TcpHeader {
        options: Options { mss: Some(512), window_scale: Some(7) },
        ..TcpHeader::default()
    };
    let check = |at: usize, byte: u8, mss: Option<u16>, window_scale: Option<u8>| {
        let packet = changed(packet(&header, b""), at, byte);
        let options = parse(&packet).expect("a segment").header.options;
        assert_eq!(options, Options { mss, window_scale }, "{at} {byte}");
    };
    let (mss, padding, scale) = (40, 44, 45);
    check(mss, 254, None, Some(7));
    check(mss + 1, 0, None, None);
    check(mss + 1, 1, None, None);
    check(mss + 1, 3, None, None);
    check(mss + 1, 255, None, None);
    check(padding, 0, Some(512), None);
    check(scale, 254, Some(512), None);
    check(scale + 1, 4, Some(512), None);
}

#[test]
fn what_is_no_segment() {
    let good = packet(&TcpHeader::default(), b"data");
    let check = |packet: &[u8], expect| assert_eq!(parse(packet).err(), Some(expect));
    check(&[], ParseError::Ip);
    check(&good[..43], ParseError::Ip);
    check(&changed(good.clone(), 0, 0x55), ParseError::Ip);
    check(&changed(good.clone(), 6, 0x20), ParseError::Fragment);
    check(&changed(good.clone(), 9, 17), ParseError::NotTcp);
    check(&changed(good.clone(), 32, 0x40), ParseError::Tcp);
    check(&changed(good.clone(), 32, 0xF0), ParseError::Tcp);
    for at in [8, 30, 43] {
        let mut wrong = good.clone();
        wrong[at] ^= 1;
        check(&wrong, ParseError::Checksum);
    }
    assert_eq!(
        parse(&[&good[..], b"behind"].concat()).map(|segment| segment.payload),
        Ok(&b"data"[..])
    );
}

#[test]
fn what_ip_cannot_carry() {
    let mut out = Vec::new();
    let header = TcpHeader::default();
    assert_eq!(emit(&header, &ADDRESSES, Payload::Zeros(65_495), &mut out), Ok(()));
    assert_eq!(out.len(), 65_535);
    for payload in [65_496, usize::MAX] {
        let refused = emit(&header, &ADDRESSES, Payload::Zeros(payload), &mut out);
        assert_eq!(refused, Err(TooLong { payload }));
    }
}

fn any_header() -> impl Strategy<Value = TcpHeader> {
    let numbers = (any::<[u16; 3]>(), any::<[u32; 2]>(), any::<u8>());
    let options = (any::<Option<u16>>(), any::<Option<u8>>());
    (numbers, options).prop_map(|((words, numbers, flags), (mss, window_scale))| TcpHeader {
        source_port: words[0],
        destination_port: words[1],
        seq: Seq::new(numbers[0]),
        ack: Seq::new(numbers[1]),
        flags: Flags::from_bits(flags),
        window: words[2],
        options: Options { mss, window_scale },
    })
}

fn any_addresses() -> impl Strategy<Value = Addresses> {
    let v4 = any::<[[u8; 4]; 2]>().prop_map(|[source, destination]| Addresses::V4 {
        source: source.into(),
        destination: destination.into(),
    });
    let v6 = any::<[[u8; 16]; 2]>().prop_map(|[source, destination]| Addresses::V6 {
        source: source.into(),
        destination: destination.into(),
    });
    prop_oneof![v4, v6]
}

proptest! {
    #[test]
    fn what_is_sent_is_what_arrives(
        header in any_header(),
        addresses in any_addresses(),
        payload in prop::collection::vec(any::<u8>(), 0..1500),
        zeros in any::<bool>(),
    ) {
        let payload = if zeros { vec![0; payload.len()] } else { payload };
        let given =
            if zeros { Payload::Zeros(payload.len()) } else { Payload::Bytes(&payload) };
        let mut packet = b"what was there before".to_vec();
        emit(&header, &addresses, given, &mut packet).expect("short");
        let segment = parse(&packet).expect("a segment");
        prop_assert_eq!((segment.addresses, segment.header), (addresses, header));
        prop_assert_eq!(segment.payload, &payload);
        let ip_bytes = packet.len() - payload.len() - header.bytes() as usize;
        prop_assert_eq!(ip_bytes, if packet[0] >> 4 == 4 { 20 } else { 40 });
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _: Result<_, _> = parse(&bytes);
    }

    #[test]
    fn no_change_is_too_odd(header in any_header(), at in 0..44_usize, byte in any::<u8>()) {
        let good = packet(&header, b"data");
        let _: Result<_, _> = parse(&changed(good.clone(), at, byte));
        let _: Result<_, _> = parse(&good[..at]);
    }
}
