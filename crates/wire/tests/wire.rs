//! Headers to bytes and back.

use base::{Ecn, EcnBytes, EcnOrder, Flags, Options, SackBlocks, Seq, TcpHeader, Timestamps};
use proptest::prelude::*;
use wire::{Addresses, IpFields, ParseError, Payload, TooLong, Unkept, emit, parse};

const ADDRESSES: Addresses = Addresses::V4 {
    source: std::net::Ipv4Addr::new(10, 0, 0, 1),
    destination: std::net::Ipv4Addr::new(10, 0, 0, 2),
};

fn packet(header: &TcpHeader, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    emit(header, Ecn::NotCapable, &ADDRESSES, Payload::Bytes(payload), &mut packet).expect("short");
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
        options: Options { mss: Some(512), window_scale: Some(1), ..Options::default() },
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
fn a_checksum_of_zero_has_two_forms() {
    let checksum = |packet: &[u8]| [packet[36], packet[37]];
    let rest = u16::from_be_bytes(checksum(&packet(&TcpHeader::default(), b"")));
    let mut packet = packet(&TcpHeader { window: rest, ..TcpHeader::default() }, b"");
    assert_eq!(checksum(&packet), [0, 0]);
    assert!(parse(&packet).is_ok());
    packet[36..38].fill(0xFF);
    assert!(parse(&packet).is_ok());
    packet[36..38].fill(0xFE);
    assert_eq!(parse(&packet), Err(ParseError::Checksum));
}

#[test]
fn options_of_others_are_skipped_and_broken_ones_end_the_list() {
    let header = TcpHeader {
        options: Options { mss: Some(512), window_scale: Some(7), ..Options::default() },
        ..TcpHeader::default()
    };
    let check = |at: usize, byte: u8, mss: Option<u16>, window_scale: Option<u8>, foreign| {
        let packet = changed(packet(&header, b""), at, byte);
        let segment = parse(&packet).expect("a segment");
        let expect = Options { mss, window_scale, ..Options::default() };
        assert_eq!(segment.header.options, expect, "{at} {byte}");
        assert_eq!(segment.unkept, Unkept { option: foreign, ..Unkept::default() });
    };
    let (mss, padding, scale) = (40, 44, 45);
    check(mss, 254, None, Some(7), Some(254));
    check(mss + 1, 0, None, None, Some(2));
    check(mss + 1, 1, None, None, Some(2));
    check(mss + 1, 3, None, None, Some(2));
    check(mss + 1, 255, None, None, Some(2));
    check(padding, 0, Some(512), None, None);
    check(scale, 254, Some(512), None, Some(254));
    check(scale + 1, 4, Some(512), None, Some(3));
}

#[test]
fn options_after_the_handshake_to_the_byte() {
    let timestamps = Some(Timestamps { value: 0x0102_0304, echo: 0x0506_0708 });
    let sack = sack(&[[0xA0B0_C0D0, 0xA0B0_C0E0]]);
    let check = |options: Options, expect: &[u8]| {
        let packet = packet(&TcpHeader { options, ..TcpHeader::default() }, b"");
        assert_eq!(&packet[40..], expect);
    };
    let none = Options::default();
    let clocks = [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8];
    let blocks = [1, 1, 5, 10, 0xA0, 0xB0, 0xC0, 0xD0, 0xA0, 0xB0, 0xC0, 0xE0];
    check(Options { timestamps, ..none }, &clocks);
    check(Options { sack, ..none }, &blocks);
    check(Options { timestamps, sack, ..none }, &[clocks, blocks].concat());
    check(Options { sack_permitted: true, ..none }, &[1, 1, 4, 2]);
    check(
        Options { sack_permitted: true, timestamps, ..none },
        &[&[4, 2][..], &clocks[2..]].concat(),
    );
}

#[test]
fn options_of_a_wrong_length_say_nothing() {
    let timestamps = Some(Timestamps { value: 1, echo: 2 });
    let sack = sack(&[[3, 4]]);
    let given = Options { timestamps, sack, window_scale: Some(7), ..Options::default() };
    let good = packet(&TcpHeader { options: given, ..TcpHeader::default() }, b"");
    let check = |at: usize, byte: u8, expect: Options| {
        let options = parse(&changed(good.clone(), at, byte)).expect("a segment").header.options;
        assert_eq!(options, expect, "{at} {byte}");
    };
    let (clocks, blocks) = (42, 58);
    assert_eq!((good[clocks], good[blocks]), (8, 5));
    check(clocks + 1, 10, given);
    check(clocks + 1, 11, Options { timestamps: None, ..given });
    check(clocks + 1, 0, Options::default());
    check(blocks + 1, 9, Options { sack: SackBlocks::NONE, ..given });
    check(blocks + 1, 18, Options { sack: SackBlocks::NONE, ..given });
}

#[test]
fn each_codepoint_has_its_meaning() {
    let capable = |type_of_service| {
        parse(&changed(packet(&TcpHeader::default(), b""), 1, type_of_service))
            .expect("sent")
            .ip
            .ecn
    };
    assert_eq!(
        [0, 1, 2, 3].map(capable),
        [Ecn::NotCapable, Ecn::L4s, Ecn::Capable, Ecn::Experienced]
    );
    assert_eq!(capable(0xFC), Ecn::NotCapable, "the rest of the byte is about something else");
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
    assert_eq!(
        emit(&header, Ecn::NotCapable, &ADDRESSES, Payload::Zeros(65_495), &mut out),
        Ok(())
    );
    assert_eq!(out.len(), 65_535);
    for payload in [65_496, usize::MAX] {
        let refused = emit(&header, Ecn::NotCapable, &ADDRESSES, Payload::Zeros(payload), &mut out);
        assert_eq!(refused, Err(TooLong::Packet { payload }));
    }
}

fn any_header() -> impl Strategy<Value = TcpHeader> {
    let numbers = (any::<[u16; 3]>(), any::<[u32; 2]>(), 0..0x200_u16);
    (numbers, any_options()).prop_map(|((words, numbers, flags), options)| TcpHeader {
        source_port: words[0],
        destination_port: words[1],
        seq: Seq::new(numbers[0]),
        ack: Seq::new(numbers[1]),
        flags: Flags::from_bits(flags),
        window: words[2],
        options,
    })
}

fn any_options() -> impl Strategy<Value = Options> {
    let on_syn = (any::<Option<u16>>(), any::<Option<u8>>(), any::<bool>());
    let timestamps = any::<Option<[u32; 2]>>();
    let blocks = prop::collection::vec(any::<[u32; 2]>(), 0..=SackBlocks::MAX);
    (on_syn, timestamps, blocks, prop::option::of(any_ecn_bytes())).prop_map(
        |((mss, window_scale, sack_permitted), clocks, blocks, ecn_bytes)| {
            let timestamps = clocks.map(|[value, echo]| Timestamps { value, echo });
            let sack = sack(&blocks);
            Options { mss, window_scale, sack_permitted, timestamps, sack, ecn_bytes }
        },
    )
}

fn any_ecn_bytes() -> impl Strategy<Value = EcnBytes> {
    let order = prop_oneof![Just(EcnOrder::Ect0First), Just(EcnOrder::Ect1First)];
    (order, 0..=3_u8, any::<[u32; 3]>())
        .prop_map(|(order, fields, counts)| EcnBytes::new(order, fields, counts))
}

#[test]
fn counts_of_marked_bytes_of_any_length_are_read() {
    let check = |length: u8, fields| {
        let counts = [0x01_0203, 0x04_0506, 0x07_0809];
        let full = EcnBytes::new(EcnOrder::Ect1First, 3, counts);
        let options = Options { ecn_bytes: Some(full), ..Options::default() };
        let packet =
            changed(packet(&TcpHeader { options, ..TcpHeader::default() }, b""), 42, length);
        let expect = EcnBytes::new(EcnOrder::Ect1First, fields, counts);
        assert_eq!(parse(&packet).expect("it is one").header.options.ecn_bytes, Some(expect));
    };
    // RFC 9768 §3.2.3: the fields that fit count, the rest is padding.
    for (length, fields) in [(2, 0), (4, 0), (5, 1), (7, 1), (8, 2), (10, 2), (11, 3)] {
        check(length, fields);
    }
}

fn sack(blocks: &[[u32; 2]]) -> SackBlocks {
    let mut sack = SackBlocks::NONE;
    for &[left, right] in blocks {
        sack.push(Seq::new(left), Seq::new(right));
    }
    sack
}

fn any_ecn() -> impl Strategy<Value = Ecn> {
    prop_oneof![Just(Ecn::NotCapable), Just(Ecn::Capable), Just(Ecn::Experienced)]
}

/// Addresses, and fields that a header of theirs has room for.
fn any_ip_of(addresses: Addresses) -> impl Strategy<Value = (Addresses, IpFields)> {
    let label = match addresses {
        Addresses::V4 { .. } => 1_u32,
        Addresses::V6 { .. } => 1 << 20,
    };
    (any_ecn(), 0..64_u8, any::<u8>(), 0..label).prop_map(
        move |(ecn, dscp, hop_limit, flow_label)| {
            (addresses, IpFields { ecn, dscp, hop_limit, flow_label })
        },
    )
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

/// Mostly bytes that mean something as a kind or a length.
fn odd_byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => 0..12_u8, 1 => any::<u8>()]
}

proptest! {
    #[test]
    fn what_is_sent_is_what_arrives(
        header in any_header(),
        (addresses, ip) in any_addresses().prop_flat_map(any_ip_of),
        payload in prop::collection::vec(any::<u8>(), 0..1500),
        zeros in any::<bool>(),
    ) {
        let payload = if zeros { vec![0; payload.len()] } else { payload };
        let given =
            if zeros { Payload::Zeros(payload.len()) } else { Payload::Bytes(&payload) };
        let mut packet = b"what was there before".to_vec();
        let bytes = header.options.bytes();
        let written = emit(&header, ip, &addresses, given, &mut packet);
        if bytes > Options::ROOM {
            prop_assert_eq!(written, Err(TooLong::Options { bytes }));
            return Ok(());
        }
        prop_assert_eq!(written, Ok(()));
        let segment = parse(&packet).expect("a segment");
        prop_assert_eq!((segment.addresses, segment.ip), (addresses, ip));
        prop_assert_eq!((wire::ecn(&packet), wire::dscp(&packet)), (ip.ecn, ip.dscp));
        prop_assert_eq!((segment.header, segment.payload), (header, &payload[..]));
        let ip_bytes = packet.len() - payload.len() - header.bytes() as usize;
        prop_assert_eq!(ip_bytes, if packet[0] >> 4 == 4 { 20 } else { 40 });
    }

    /// Forty bytes of anything where options belong.
    #[test]
    fn no_options_are_too_odd(options in prop::collection::vec(odd_byte(), 40..=40)) {
        let mut odd = packet(&TcpHeader::default(), &options);
        odd = changed(odd, 32, 0xF0);
        let segment = parse(&odd).expect("a segment");
        prop_assert!(segment.payload.is_empty());
        prop_assert!(segment.header.options.sack.as_slice().len() <= SackBlocks::MAX);
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _: Result<_, _> = parse(&bytes);
    }

    #[test]
    fn no_change_is_too_odd(mut header in any_header(), at in 0..44_usize, byte in any::<u8>()) {
        header.options.sack = SackBlocks::NONE;
        let good = packet(&header, b"data");
        let _: Result<_, _> = parse(&changed(good.clone(), at, byte));
        let _: Result<_, _> = parse(&good[..at]);
    }
}
