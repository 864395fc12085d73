//! Packets to frames of many, and back.

use std::net::{Ipv4Addr, Ipv6Addr};

use base::{Ecn, Flags, Options, Seq, TcpHeader, Timestamps, UdpDatagram};
use proptest::prelude::*;
use proptest::sample::select;
use wire::{
    Addresses, Coalescer, OFFLOAD_HEADER, ParseError, Payload, Split, emit, emit_udp, parse,
};

use crate::corpus::frames;

const OVER_IPV4: Addresses =
    Addresses::V4 { source: Ipv4Addr::new(10, 0, 0, 1), destination: Ipv4Addr::new(10, 0, 0, 2) };
const OVER_IPV6: Addresses = Addresses::V6 {
    source: Ipv6Addr::new(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1),
    destination: Ipv6Addr::new(0x2001, 0xDB8, 0, 0, 0, 0, 0, 2),
};
const BOTH: [Addresses; 2] = [OVER_IPV4, OVER_IPV6];

/// The payload of a full packet over Ethernet with timestamps.
const FULL: usize = 1448;

const fn ip_bytes(addresses: &Addresses) -> usize {
    match addresses {
        Addresses::V4 { .. } => 20,
        Addresses::V6 { .. } => 40,
    }
}

fn header(seq: u32) -> TcpHeader {
    let timestamps = Some(Timestamps { value: 7, echo: 8 });
    TcpHeader {
        source_port: 80,
        destination_port: 1024,
        seq: Seq::new(seq),
        ack: Seq::new(9),
        flags: Flags::ACK,
        window: 500,
        options: Options { timestamps, ..Options::default() },
    }
}

fn packet(header: &TcpHeader, addresses: &Addresses, payload: usize) -> Vec<u8> {
    let seq = header.seq.to_u32();
    let bytes: Vec<_> = (0..payload as u32).map(|at| (seq.wrapping_add(at) / 3) as u8).collect();
    let mut packet = Vec::new();
    emit(header, Ecn::Capable, addresses, Payload::Bytes(&bytes), &mut packet).expect("short");
    packet
}

/// Segments of so many bytes of payload in a row.
fn row(addresses: &Addresses, from: u32, payloads: &[usize]) -> Vec<Vec<u8>> {
    let mut seq = from;
    let one = |&payload: &usize| {
        let made = packet(&header(seq), addresses, payload);
        seq = seq.wrapping_add(payload as u32);
        made
    };
    payloads.iter().map(one).collect()
}

/// Gives a packet of IPv4 an identification.
fn identify(packet: &mut [u8], identification: u16) {
    if packet[0] >> 4 == 4 {
        packet[4..6].copy_from_slice(&identification.to_be_bytes());
        packet[10..12].fill(0);
        let words = packet[..20].chunks(2);
        let mut sum: u32 = words.map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        packet[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    }
}

fn numbered(mut packets: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    (65_530..).zip(&mut packets).for_each(|(number, packet)| identify(packet, number as u16));
    packets
}

fn drain(coalescer: &mut Coalescer, frames: &mut Vec<(usize, Vec<u8>)>) {
    let mut frame = vec![1; 3];
    while let Some(packets) = coalescer.poll_frame(&mut frame) {
        frames.push((packets, frame.clone()));
    }
}

fn coalesced(packets: &[Vec<u8>]) -> Vec<(usize, Vec<u8>)> {
    coalesced_by(Coalescer::push, packets)
}

fn coalesced_by(push: fn(&mut Coalescer, &[u8]), packets: &[Vec<u8>]) -> Vec<(usize, Vec<u8>)> {
    let (mut coalescer, mut frames) = (Coalescer::default(), Vec::new());
    for packet in packets {
        push(&mut coalescer, packet);
        drain(&mut coalescer, &mut frames);
    }
    coalescer.finish();
    drain(&mut coalescer, &mut frames);
    frames
}

fn sizes(packets: &[Vec<u8>]) -> Vec<usize> {
    coalesced(packets).iter().map(|(packets, _)| *packets).collect()
}

fn split(frame: &[u8]) -> Vec<Vec<u8>> {
    let mut frame = frame.to_vec();
    let mut split = Split::new(&mut frame);
    let mut packets = Vec::new();
    while let Some(packet) = split.next_packet() {
        packets.push(packet.to_vec());
    }
    packets
}

#[test]
fn segments_in_a_row_are_one_frame_until_it_is_full() {
    for addresses in BOTH {
        let packets = numbered(row(&addresses, u32::MAX - 9_999, &[FULL; 50]));
        let frames = coalesced(&packets);
        // What IP can carry: 65,535 bytes.
        let counts: Vec<_> = frames.iter().map(|(packets, _)| *packets).collect();
        assert_eq!(counts, [45, 5]);
        assert!(frames[0].1.len() <= OFFLOAD_HEADER + 65_535);
        let back: Vec<_> = frames.iter().flat_map(|(_, frame)| split(frame)).collect();
        assert_eq!(back, packets);
    }
}

#[test]
fn a_frame_is_one_run_until_a_packet_comes_out() {
    for addresses in BOTH {
        let packets = numbered(row(&addresses, u32::MAX - 9_999, &[FULL, FULL, FULL, 700]));
        let [(count, frame)] = &mut coalesced(&packets)[..] else { panic!("one frame") };
        let mut split = Split::new(frame);
        let run = split.run().expect("segments");
        assert_eq!((run.count, run.size), (*count, FULL));
        assert_eq!(run.wire_bytes, packets.iter().map(Vec::len).sum::<usize>());
        let first = parse(&packets[0]).expect("a segment");
        let payloads = packets.iter().flat_map(|packet| parse(packet).expect("one").payload);
        assert_eq!(run.segment.payload, payloads.copied().collect::<Vec<_>>());
        assert_eq!(wire::Segment { payload: first.payload, ..run.segment }, first);
        split.next_packet();
        assert_eq!(split.run(), None);
    }
    let [(1, one)] = &mut coalesced(&row(&OVER_IPV4, 1, &[FULL]))[..] else { panic!("one") };
    assert_eq!(Split::new(one).run(), None, "a packet");
}

#[test]
fn in_order_a_frame_ends_where_another_flow_begins() {
    let [one, other] = BOTH.map(|addresses| numbered(row(&addresses, 1, &[FULL; 4])));
    let packets = [&one[..2], &other[..3], &one[2..], &other[3..]].concat();
    let frames = coalesced_by(Coalescer::push_in_order, &packets);
    let counts: Vec<_> = frames.iter().map(|(packets, _)| *packets).collect();
    assert_eq!(counts, [2, 3, 2, 1]);
    assert_eq!(sizes(&packets).iter().sum::<usize>(), packets.len());
    assert_eq!(sizes(&packets).len(), BOTH.len(), "out of order they meet again");
}

#[test]
fn the_kernel_is_told_what_to_do() {
    let ip = |addresses: &Addresses| ip_bytes(addresses) as u16;
    for (addresses, kind) in [(OVER_IPV4, 1), (OVER_IPV6, 4)] {
        let [(2, frame)] = &coalesced(&row(&addresses, 1, &[FULL, 100]))[..] else {
            panic!("one frame")
        };
        // A checksum is needed; what is to be cut; the headers, a segment, where to sum from, and
        // the field.
        let numbers: Vec<_> = frame[2..OFFLOAD_HEADER]
            .chunks(2)
            .map(|pair| u16::from_ne_bytes([pair[0], pair[1]]))
            .collect();
        assert_eq!(frame[..2], [1, kind]);
        assert_eq!(numbers, [ip(&addresses) + 32, FULL as u16, ip(&addresses), 16]);
        let packet = &frame[OFFLOAD_HEADER..];
        assert_eq!(packet.len(), ip_bytes(&addresses) + 32 + FULL + 100);
        assert_eq!(parse(packet).map(drop), Err(ParseError::Checksum), "only that is missing");
        let [alone] = &coalesced(&row(&addresses, 1, &[FULL]))[..] else { panic!("one frame") };
        assert_eq!(alone.1[..OFFLOAD_HEADER], [0; OFFLOAD_HEADER]);
    }
}

#[test]
fn a_short_one_or_a_push_is_the_last() {
    for addresses in BOTH {
        assert_eq!(sizes(&row(&addresses, 1, &[FULL, FULL, 10, 10])), [3, 1]);
        assert_eq!(sizes(&row(&addresses, 1, &[10, 10, FULL, FULL])), [2, 2]);
        let mut packets = row(&addresses, 1, &[FULL; 4]);
        let flags = Flags::ACK | Flags::PSH;
        let pushed = TcpHeader { flags, ..header(1 + FULL as u32) };
        packets[1] = packet(&pushed, &addresses, FULL);
        assert_eq!(sizes(&packets), [2, 2]);
        assert_eq!(split(&coalesced(&packets)[0].1)[1][ip_bytes(&addresses) + 13], flags.byte());
    }
}

/// A packet that differs in anything but what counts on from one to the next.
#[test]
fn what_differs_is_not_joined() {
    let second = header(1 + FULL as u32);
    let timestamps = Some(Timestamps { value: 8, echo: 8 });
    let others = [
        TcpHeader { seq: second.seq + 1, ..second },
        TcpHeader { seq: Seq::new(1), ..second },
        TcpHeader { ack: second.ack + 1, ..second },
        TcpHeader { window: 501, ..second },
        TcpHeader { source_port: 81, ..second },
        TcpHeader { options: Options { timestamps, ..Options::default() }, ..second },
        TcpHeader { options: Options::default(), ..second },
        TcpHeader { flags: Flags::ACK | Flags::FIN, ..second },
        TcpHeader { flags: Flags::ACK | Flags::ECE, ..second },
        TcpHeader { flags: Flags::ACK | Flags::CWR, ..second },
        TcpHeader { flags: Flags::ACK | Flags::SYN, ..second },
        TcpHeader { flags: Flags::RST, ..second },
    ];
    for addresses in BOTH {
        let first = packet(&header(1), &addresses, FULL);
        let pair = |other| sizes(&[first.clone(), other]);
        assert_eq!(pair(packet(&second, &addresses, FULL)), [2]);
        assert_eq!(pair(packet(&second, &addresses, 0)), [1, 1], "an acknowledgement");
        for other in &others {
            assert_eq!(pair(packet(other, &addresses, FULL)), [1, 1], "{other:?}");
        }
        let mut marked = Vec::new();
        let payload = Payload::Zeros(FULL);
        emit(&second, Ecn::Experienced, &addresses, payload, &mut marked).expect("short");
        assert_eq!(pair(marked), [1, 1]);
        for at in [ip_bytes(&addresses) + 40, ip_bytes(&addresses) + 16] {
            let mut wrong = packet(&second, &addresses, FULL);
            wrong[at] ^= 1;
            assert_eq!(pair(wrong.clone()), [1, 1], "a wrong checksum stays wrong");
            let third = packet(&header(1 + 2 * FULL as u32), &addresses, FULL);
            assert_eq!(sizes(&[wrong, third]), [1, 1], "so does that of the first");
        }
    }
    let [mut one, mut two] = row(&OVER_IPV4, 1, &[FULL; 2]).try_into().expect("two");
    identify(&mut one, 5);
    identify(&mut two, 7);
    assert_eq!(sizes(&[one, two]), [1, 1], "numbers of packets between them");
}

#[test]
fn flows_are_apart_and_in_order() {
    let other = |seq| packet(&TcpHeader { source_port: 81, ..header(seq) }, &OVER_IPV4, FULL);
    let rows = row(&OVER_IPV4, 1, &[FULL; 3]);
    let packets = [&rows[0], &other(1), &rows[1], &other(1 + FULL as u32), &rows[2]];
    let mut counts = sizes(&packets.map(Clone::clone));
    counts.sort_unstable();
    assert_eq!(counts, [2, 3]);
    // An acknowledgement between data of a flow stays there.
    let late = packet(&TcpHeader { window: 400, ..header(1 + FULL as u32) }, &OVER_IPV4, 0);
    let packets = [rows[0].clone(), late, rows[1].clone(), rows[2].clone()];
    let frames = coalesced(&packets);
    assert_eq!(frames.iter().map(|(packets, _)| *packets).collect::<Vec<_>>(), [1, 1, 2]);
    assert_eq!(frames[1].1[OFFLOAD_HEADER..], packets[1]);
}

/// More flows than frames may be open: memory is limited, and nothing stays behind.
#[test]
fn any_number_of_flows_passes() {
    let of = |port| packet(&TcpHeader { source_port: port, ..header(1) }, &OVER_IPV4, 100);
    let packets: Vec<_> = (1..=1000).map(of).collect();
    assert_eq!(sizes(&packets), [1; 1000]);
}

/// A frame as the kernel makes it of a row of segments, with partial checksums.
fn of_kernel(packets: &[Vec<u8>]) -> Vec<u8> {
    let [(count, frame)] = &coalesced(packets)[..] else { panic!("one frame") };
    assert_eq!(*count, packets.len());
    frame.clone()
}

#[test]
fn flags_of_all_segments_come_out_at_their_places() {
    for addresses in BOTH {
        let flags = ip_bytes(&addresses) + 13;
        let mut frame = of_kernel(&row(&addresses, 1, &[FULL, FULL, 10]));
        let all = Flags::ACK | Flags::PSH | Flags::FIN | Flags::CWR;
        frame[OFFLOAD_HEADER + flags] = all.byte();
        // Congestion control says so in the kind, too.
        frame[1] |= 0x80;
        let packets = split(&frame);
        let expected = [Flags::ACK | Flags::CWR, Flags::ACK, Flags::ACK | Flags::PSH | Flags::FIN];
        assert_eq!(
            packets.iter().map(|packet| packet[flags]).collect::<Vec<_>>(),
            expected.map(Flags::byte)
        );
        assert!(packets.iter().all(|packet| parse(packet).is_ok()));
    }
}

/// Segments shorter than their headers overlap those of the one before.
#[test]
fn tiny_segments_come_out_whole() {
    for addresses in BOTH {
        for size in [1, 2, 39, 40, 52, 53] {
            let packets = numbered(row(&addresses, 77, &[[size; 20].as_slice(), &[1]].concat()));
            let frames = coalesced(&packets);
            let back: Vec<_> = frames.iter().flat_map(|(_, frame)| split(frame)).collect();
            assert_eq!(back, packets);
            assert!(frames.len() <= 2, "{size}");
        }
    }
}

#[test]
fn a_packet_alone_gets_its_checksum() {
    for addresses in BOTH {
        let whole = packet(&header(1), &addresses, 300);
        let ip = ip_bytes(&addresses);
        let mut frame = [&[0; OFFLOAD_HEADER], &whole[..]].concat();
        assert_eq!(split(&frame), std::slice::from_ref(&whole));
        // The sum of the pseudo header, as of_kernel() has it.
        let two = row(&addresses, 1, &[150; 2]);
        let partial = of_kernel(&two)[OFFLOAD_HEADER + ip + 16..][..2].to_vec();
        let at = OFFLOAD_HEADER + ip + 16;
        frame[at..at + 2].copy_from_slice(&partial);
        frame[0] = 1;
        frame[6..8].copy_from_slice(&(ip as u16).to_ne_bytes());
        frame[8..10].copy_from_slice(&16u16.to_ne_bytes());
        assert_eq!(split(&frame), [whole]);
    }
}

#[test]
fn datagrams_of_one_frame_are_split() {
    for addresses in BOTH {
        let datagram = UdpDatagram {
            source_port: 1024,
            destination_port: 9,
            payload: 250,
            sender: 0,
            number: 0,
        };
        let mut whole = Vec::new();
        emit_udp(&datagram, Ecn::NotCapable, &addresses, &mut whole).expect("short");
        let ip = ip_bytes(&addresses);
        let mut frame = vec![1, 5];
        for number in [ip as u16 + 8, 100, ip as u16, 6] {
            frame.extend_from_slice(&number.to_ne_bytes());
        }
        frame.extend_from_slice(&whole);
        let expected = [100, 100, 50].map(|payload| {
            let mut piece = Vec::new();
            emit_udp(&UdpDatagram { payload, ..datagram }, Ecn::NotCapable, &addresses, &mut piece)
                .expect("short");
            piece
        });
        let mut back = split(&frame);
        for packet in &mut back {
            identify(packet, 0);
        }
        assert_eq!(back, expected);
    }
}

#[test]
fn nonsense_comes_out_as_it_is() {
    let packet = packet(&header(1), &OVER_IPV4, 100);
    let check = |head: [u8; 2], numbers: [u16; 4], packet: &[u8]| {
        let mut frame = head.to_vec();
        for number in numbers {
            frame.extend_from_slice(&number.to_ne_bytes());
        }
        frame.extend_from_slice(packet);
        assert_eq!(split(&frame), [packet.to_vec()], "{head:?} {numbers:?}");
    };
    check([1, 1], [52, 0, 20, 16], &packet);
    check([1, 1], [52, 10, 19, 16], &packet);
    check([1, 1], [52, 10, 900, 16], &packet);
    check([1, 4], [52, 10, 20, 16], &packet);
    check([1, 3], [52, 10, 20, 16], &packet);
    check([1, 1], [52, 10, 20, 16], &packet[..40]);
    check([1, 5], [52, 10, 150, 6], &packet);
    check([1, 0], [0, 0, 900, 16], &packet);
    check([1, 0], [0, 0, 140, 30], &packet);
    check([1, 1], [0, 10, 20, 16], b"");
    assert!(split(&[0; 9]).is_empty());
}

/// Where a byte of a frame becomes which other, mostly in its headers.
fn spoilt() -> impl Strategy<Value = Option<(usize, u8)>> {
    prop::option::weighted(
        0.5,
        (prop_oneof![0..10_usize, 10..80_usize, 0..9_000_usize], any::<u8>()),
    )
}

fn junk() -> impl Strategy<Value = Option<Vec<u8>>> {
    let kind = select(vec![0, 1, 3, 4, 5, 0x81]);
    let bytes = (prop::collection::vec(any::<u8>(), 2..200), kind).prop_map(|(mut bytes, kind)| {
        bytes[1] = kind;
        bytes
    });
    prop::option::weighted(0.2, bytes)
}

/// What a packet of the laws is.
#[derive(Clone, Debug)]
enum Kind {
    /// Of the flow's data, so many bytes, with such flags.
    Next(usize, Flags),
    /// Of its data so far, once more.
    Again(usize),
    /// Acknowledgements alone.
    Ack,
    /// With a new window from now on.
    Window(u16),
    /// With a bit wrong.
    Wrong(usize),
    /// A piece of a packet.
    Fragment,
    Datagram,
    Junk(Vec<u8>),
}

fn kind() -> impl Strategy<Value = Kind> {
    let payload = || select(vec![1, 2, 60, 1000, FULL]);
    let flags = [
        Flags::ACK,
        Flags::ACK | Flags::PSH,
        Flags::ACK | Flags::FIN,
        Flags::ACK | Flags::ECE,
        Flags::RST,
    ];
    prop_oneof![
        30 => Just(Kind::Next(FULL, Flags::ACK)),
        6 => (payload(), select(flags.to_vec()))
            .prop_map(|(bytes, flags)| Kind::Next(bytes, flags)),
        2 => payload().prop_map(Kind::Again),
        3 => Just(Kind::Ack),
        1 => any::<u16>().prop_map(Kind::Window),
        1 => (0..60_usize).prop_map(Kind::Wrong),
        1 => Just(Kind::Fragment),
        1 => Just(Kind::Datagram),
        1 => prop::collection::vec(any::<u8>(), 1..90).prop_map(Kind::Junk),
    ]
}

/// Flows whose packets are made one after the other.
struct Sender([TcpHeader; 4]);

impl Sender {
    fn make(&mut self, flow: usize, kind: &Kind) -> Vec<u8> {
        let addresses = &BOTH[flow % 2];
        let next = &mut self.0[flow];
        match *kind {
            Kind::Next(payload, flags) => {
                let made = packet(&TcpHeader { flags, ..*next }, addresses, payload);
                next.seq = next.seq + payload as u32;
                made
            }
            Kind::Again(payload) => {
                packet(&TcpHeader { seq: next.seq - payload as u32, ..*next }, addresses, payload)
            }
            Kind::Ack => packet(next, addresses, 0),
            Kind::Window(window) => {
                next.window = window;
                packet(next, addresses, FULL)
            }
            Kind::Wrong(at) => {
                let mut made = packet(next, addresses, FULL);
                next.seq = next.seq + FULL as u32;
                made[at] ^= 1;
                made
            }
            Kind::Fragment => {
                let mut made = packet(next, &OVER_IPV4, FULL);
                made[6] = 0x20;
                made
            }
            Kind::Datagram => {
                let ports = (next.source_port, next.destination_port);
                let datagram = UdpDatagram {
                    source_port: ports.0,
                    destination_port: ports.1,
                    payload: 100,
                    sender: 0,
                    number: 0,
                };
                let mut made = Vec::new();
                emit_udp(&datagram, Ecn::NotCapable, addresses, &mut made).expect("short");
                made
            }
            Kind::Junk(ref bytes) => bytes.clone(),
        }
    }
}

/// Addresses and ports of a packet that is a whole segment of TCP, whatever its checksum.
fn flow(packet: &[u8]) -> Option<Vec<u8>> {
    wire::glance(packet)?.tcp?;
    let (addresses, ip) = if packet[0] >> 4 == 4 { (12..20, 20) } else { (8..40, 40) };
    (packet[0] & 0xF == 5 || ip == 40).then(|| [&packet[addresses], &packet[ip..ip + 4]].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// All packets come out as they went in, whatever they are: each flow in order, and what is of
    /// no flow behind everything that was ahead of it.
    #[test]
    fn split_undoes_coalescing(
        kinds in prop::collection::vec((0..4_usize, kind()), 1..120),
        is_counting in any::<bool>(),
    ) {
        let mut sender = Sender([0, 1, 2, 3].map(|port| {
            TcpHeader { source_port: 80 + port, ..header(u32::MAX - 5_000) }
        }));
        let made: Vec<_> = kinds.iter().map(|(flow, kind)| sender.make(*flow, kind)).collect();
        let mut counts = [0_u16; 4];
        let packets: Vec<_> = made
            .into_iter()
            .zip(&kinds)
            .map(|(mut packet, (flow, kind))| {
                let is_whole = !matches!(kind, Kind::Wrong(_) | Kind::Junk(_));
                if is_counting && is_whole {
                    counts[*flow] += 1;
                    identify(&mut packet, counts[*flow]);
                }
                packet
            })
            .collect();
        let frames = coalesced(&packets);
        let mut back = Vec::new();
        for (count, frame) in &frames {
            let pieces = split(frame);
            prop_assert_eq!(pieces.len(), *count);
            prop_assert!(frame.len() <= OFFLOAD_HEADER + 65_535);
            if *count > 1 {
                prop_assert!(pieces.iter().all(|piece| parse(piece).is_ok()));
            }
            back.extend(pieces);
        }
        prop_assert_eq!(back.len(), packets.len());
        let plain = |packets: &[Vec<u8>]| -> Vec<Vec<u8>> {
            let mut plain = packets.to_vec();
            if !is_counting {
                let whole = plain.iter_mut().filter(|packet| parse(packet).is_ok());
                whole.for_each(|packet| identify(packet, 0));
            }
            plain
        };
        let (before, after) = (plain(&packets), plain(&back));
        let mut flows: Vec<_> = before.iter().map(|packet| flow(packet)).collect();
        flows.sort();
        flows.dedup();
        for each in &flows {
            let of = |packets: &[Vec<u8>]| -> Vec<Vec<u8>> {
                packets.iter().filter(|packet| flow(packet) == *each).cloned().collect()
            };
            prop_assert_eq!(of(&before), of(&after));
        }
        for (at, packet) in before.iter().enumerate() {
            if flow(packet).is_none() {
                prop_assert_eq!(&after[at], packet);
            }
        }
        let in_order = coalesced_by(Coalescer::push_in_order, &packets);
        let back: Vec<_> = in_order.iter().flat_map(|(_, frame)| split(frame)).collect();
        prop_assert_eq!(plain(&back), before);
    }

    /// What fuzzing checks (`fuzz/README.md`), on frames at random: some that are right, some with
    /// a byte that is not, some of nothing but such.
    #[test]
    fn frames_come_apart_and_join_again(
        runs in prop::collection::vec((0..4_usize, 1..9_usize, spoilt(), junk()), 1..9),
    ) {
        let mut input = Vec::new();
        let mut sender = Sender([0, 1, 2, 3].map(|port| {
            TcpHeader { source_port: 80 + port, ..header(u32::MAX - 5_000) }
        }));
        for (flow, segments, spoilt, junk) in runs {
            let next = || sender.make(flow, &Kind::Next(FULL, Flags::ACK));
            let packets: Vec<_> = std::iter::repeat_with(next).take(segments).collect();
            for frame in coalesced(&packets).into_iter().map(|(_, frame)| frame).chain(junk) {
                let mut frame = frame;
                if let Some((at, byte)) = spoilt {
                    let at = at % frame.len();
                    frame[at] = byte;
                }
                input.extend_from_slice(&(frame.len() as u16).to_le_bytes());
                input.extend_from_slice(&frame);
            }
        }
        frames::check(&input);
    }
}
