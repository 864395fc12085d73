//! Datagrams in pieces, put together or not.

use base::{Duration, Ecn, Flags, TcpHeader, Time};
use proptest::prelude::*;
use wire::{Addresses, Fragment, Fragments, IpFields, Payload, emit, mark, parse, set_hop_limit};

const ADDRESSES: Addresses = Addresses::V4 {
    source: std::net::Ipv4Addr::new(10, 0, 0, 1),
    destination: std::net::Ipv4Addr::new(10, 0, 0, 2),
};

/// A segment of `payload` bytes, in a packet that may be cut up.
fn segment(payload: usize) -> Vec<u8> {
    let mut packet = Vec::new();
    let bytes: Vec<u8> = (0..payload).map(|at| (at % 251) as u8).collect();
    let header = TcpHeader { flags: Flags::ACK, ..TcpHeader::default() };
    let ip = IpFields { dscp: 10, ..Ecn::Capable.into() };
    emit(&header, ip, &ADDRESSES, Payload::Bytes(&bytes), &mut packet).expect("short");
    with(packet, &[(6, 0)])
}

/// The packet with these bytes in its IP header and the checksum of it right.
fn with(mut packet: Vec<u8>, bytes: &[(usize, u8)]) -> Vec<u8> {
    for &(at, byte) in bytes {
        packet[at] = byte;
    }
    packet[10..12].fill(0);
    let words = packet[..20].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let sum = words.sum::<u32>();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    packet[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    packet
}

/// Bytes `from..to` of the payload of an IP packet, as a piece.
fn piece(packet: &[u8], from: usize, to: usize) -> Vec<u8> {
    let last = to == packet.len() - 20;
    piece_at(&packet[20 + from..20 + to], from, last, 7)
}

fn piece_at(payload: &[u8], from: usize, last: bool, identification: u8) -> Vec<u8> {
    let head = segment(0);
    let [high, low] = ((20 + payload.len()) as u16).to_be_bytes();
    let place = (from / 8) as u16 | if last { 0 } else { 0x2000 };
    let [flags, offset] = place.to_be_bytes();
    let bytes = [(2, high), (3, low), (5, identification), (6, flags), (7, offset)];
    with([&head[..20], payload].concat(), &bytes)
}

fn whole(outcome: &Fragment) -> Option<Vec<u8>> {
    let Fragment::Whole(datagram) = outcome else { return None };
    Some(datagram.whole())
}

#[test]
fn pieces_in_any_order_make_the_segment() {
    let packet = segment(3_000);
    let cuts = [[0, 1480], [1480, 2960], [2960, 3020]];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut fragments = Fragments::default();
        let pieces = order.map(|number| piece(&packet, cuts[number][0], cuts[number][1]));
        for first in &pieces[..2] {
            // Repetitions change nothing.
            for _ in 0..2 {
                let outcome = fragments.handle_packet(Time::ZERO, first);
                assert!(matches!(outcome, Fragment::Held), "{outcome:?}");
            }
        }
        let outcome = fragments.handle_packet(Time::ZERO, &pieces[2]);
        let joined = whole(&outcome).expect("all are there");
        assert_eq!(joined, with(packet.clone(), &[(5, 7)]));
        assert!(parse(&joined).is_ok());
        let Fragment::Whole(datagram) = outcome else { unreachable!() };
        let in_order = cuts.map(|[from, to]| piece(&packet, from, to));
        assert!(datagram.pieces().eq(in_order.iter()), "as they came");
        assert_eq!((fragments.pieces(), fragments.bytes(), fragments.poll_timeout()), (0, 0, None));
    }
}

#[test]
fn congestion_of_a_piece_is_that_of_the_whole() {
    let packet = segment(100);
    let mut fragments = Fragments::default();
    let mut second = piece(&packet, 64, 120);
    assert!(mark(&mut second));
    fragments.handle_packet(Time::ZERO, &piece(&packet, 0, 64));
    let joined = whole(&fragments.handle_packet(Time::ZERO, &second)).expect("all are there");
    assert_eq!(parse(&joined).expect("a segment").ip.ecn, Ecn::Experienced);
}

/// Each of these throws away what is there of the datagram: teardrop and its kin.
#[test]
fn pieces_that_contradict_each_other_are_refused() {
    let packet = segment(300);
    let first = || piece(&packet, 0, 160);
    let check = |second: Vec<u8>| {
        let mut fragments = Fragments::default();
        assert!(matches!(fragments.handle_packet(Time::ZERO, &first()), Fragment::Held));
        let outcome = fragments.handle_packet(Time::ZERO, &second);
        assert!(matches!(outcome, Fragment::Refused), "{outcome:?}");
        assert_eq!((fragments.pieces(), fragments.bytes()), (0, 0));
    };
    check(piece(&packet, 24, 32));
    check(piece(&packet, 152, 320));
    check(piece(&packet, 0, 168));
    check(piece_at(&[0; 160], 0, false, 7));
    check(piece_at(&[0; 8], 80, true, 7));
    // Behind the end.
    let mut fragments = Fragments::default();
    fragments.handle_packet(Time::ZERO, &piece(&packet, 160, 320));
    let outcome = fragments.handle_packet(Time::ZERO, &piece_at(&[0; 8], 400, false, 7));
    assert!(matches!(outcome, Fragment::Refused), "{outcome:?}");
}

/// Each of these is refused alone, and what is there of the datagram stays.
#[test]
fn pieces_that_ip_cannot_carry_are_refused() {
    let packet = segment(300);
    let check = |second: Vec<u8>| {
        let mut fragments = Fragments::default();
        fragments.handle_packet(Time::ZERO, &piece(&packet, 0, 160));
        let outcome = fragments.handle_packet(Time::ZERO, &second);
        assert!(matches!(outcome, Fragment::Refused), "{outcome:?}");
        let outcome = fragments.handle_packet(Time::ZERO, &piece(&packet, 160, 320));
        assert!(matches!(outcome, Fragment::Whole(_)));
    };
    // The ping of death.
    check(piece_at(&[0; 1000], 65_528, true, 7));
    check(piece_at(&[0; 1000], 65_528, false, 7));
    check(piece_at(&[0; 13], 160, false, 7));
    check(piece_at(&[], 160, false, 7));
}

/// Options of the first piece may be more than those of the last.
#[test]
fn a_whole_that_ip_cannot_carry_is_refused() {
    let mut fragments = Fragments::default();
    let mut first = piece_at(&vec![0; 40_000], 0, false, 7);
    first.splice(20..20, [1; 40]);
    let [high, low] = (first.len() as u16).to_be_bytes();
    // The checksum of fifteen words, by way of one of five.
    first[0] = 0x4F;
    (first[2], first[3]) = (high, low);
    first[10..12].fill(0);
    let words = first[..60].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let sum = words.sum::<u32>();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    first[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    assert!(matches!(fragments.handle_packet(Time::ZERO, &first), Fragment::Held));
    let rest = piece_at(&vec![0; 65_515 - 40_000], 40_000, true, 7);
    assert!(matches!(fragments.handle_packet(Time::ZERO, &rest), Fragment::Refused));
}

#[test]
fn what_is_no_piece_of_tcp_is_untouched() {
    let packet = segment(300);
    let check = |packet: &[u8]| {
        let mut fragments = Fragments::default();
        let outcome = fragments.handle_packet(Time::ZERO, packet);
        assert!(matches!(outcome, Fragment::Untouched), "{outcome:?}");
    };
    check(&[]);
    check(&packet);
    check(&piece(&packet, 0, 160)[..100]);
    check(&with(piece(&packet, 0, 160), &[(9, 17)]));
    let mut wrong = piece(&packet, 0, 160);
    wrong[11] ^= 1;
    check(&wrong);
}

#[test]
fn room_and_time_are_bounded() {
    let mut fragments = Fragments::default();
    let mut held = 0;
    for number in 0..5_000_u32 {
        let mut piece = piece_at(&[0; 1480], 0, false, number as u8);
        piece[4] = (number >> 8) as u8;
        let piece = with(piece, &[]);
        let later = Time::ZERO + Duration::from_millis(number.into());
        match fragments.handle_packet(later, &piece) {
            Fragment::Held => held += 1,
            Fragment::Untouched => {}
            outcome => panic!("{outcome:?}"),
        }
        assert!(fragments.pieces() <= Fragments::PIECES && fragments.bytes() <= Fragments::BYTES);
    }
    assert_eq!(held, Fragments::BYTES / 1500);
    assert_eq!(fragments.poll_timeout(), Some(Time::ZERO + Fragments::PATIENCE));
    fragments.handle_timeout(Time::ZERO + Fragments::PATIENCE);
    assert_eq!(fragments.pieces(), held - 1);
    fragments.handle_timeout(Time::ZERO + Fragments::PATIENCE + Duration::from_secs(5));
    assert_eq!((fragments.pieces(), fragments.bytes(), fragments.expired()), (0, 0, held));
    for number in 0..2_000_u32 {
        let mut piece = piece_at(&[0; 8], 0, false, number as u8);
        piece[4] = (number >> 8) as u8;
        fragments.handle_packet(Time::ZERO, &with(piece, &[]));
    }
    assert_eq!(fragments.pieces(), Fragments::PIECES);
}

#[test]
fn a_hop_limit_to_the_byte() {
    let mut packet = segment(4);
    let expect = with(packet.clone(), &[(8, 200)]);
    set_hop_limit(&mut packet, 200);
    assert_eq!(packet, expect);
    set_hop_limit(&mut packet[..19], 3);
    assert_eq!(packet, expect, "not even a header");
}

proptest! {
    /// Against a model: each byte of the datagram is covered once, or it is none.
    #[test]
    fn pieces_of_any_cut_and_order_come_together(
        payload in 0..3_000_usize,
        cuts in prop::collection::btree_set(1..380_usize, 0..20),
        seed in any::<u64>(),
    ) {
        let packet = segment(payload);
        let length = packet.len() - 20;
        let inner = cuts.iter().map(|cut| 8 * cut).filter(|&cut| cut < length);
        let edges: Vec<_> = [0].into_iter().chain(inner).chain([length]).collect();
        prop_assume!(edges.len() > 2);
        let cut = |pair: &[usize]| piece(&packet, pair[0], pair[1]);
        let mut pieces: Vec<_> = edges.windows(2).map(cut).collect();
        let count = pieces.len();
        for at in 0..count {
            pieces.swap(at, (seed.rotate_left(at as u32) % count as u64) as usize);
        }
        let mut fragments = Fragments::default();
        for (number, piece) in pieces.iter().enumerate() {
            let outcome = fragments.handle_packet(Time::ZERO, piece);
            prop_assert_eq!(matches!(outcome, Fragment::Whole(_)), number + 1 == count);
            if let Some(joined) = whole(&outcome) {
                prop_assert_eq!(joined, with(packet.clone(), &[(5, 7)]));
            }
        }
        prop_assert_eq!(fragments.pieces(), 0);
    }
}
