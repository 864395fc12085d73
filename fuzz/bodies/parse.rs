//! Any bytes as an IP packet: they are refused or read, and what is read is written alike.

use base::{Ecn, Options, Time};
use wire::{
    Addresses, Fragment, Fragments, IpFields, Payload, Segment, TooLong, Unkept, ecn, emit, glance,
    hop_limit, icmp_error, mark, parse, set_hop_limit,
};

/// Checks that `packet` is refused or a segment that survives being written.
pub(crate) fn check(packet: &[u8]) {
    check_mark(packet);
    check_hop_limit(packet);
    check_fragments(packet);
    let seen = glance(packet);
    let error = icmp_error(packet);
    let Ok(segment) = parse(packet) else { return };
    assert_eq!(error, None, "what is TCP is no ICMP");
    let tcp = seen.and_then(|glance| glance.tcp);
    assert_eq!(tcp, Some((segment.header, segment.payload.len())), "a glance sees what is read");
    assert_eq!(ecn(packet), segment.ip.ecn);
    assert_eq!(hop_limit(packet), Some(segment.ip.hop_limit));
    check_emit(&segment);
}

/// A mark changes the ECN field and the checksum that covers it, and nothing that is read.
fn check_mark(packet: &[u8]) {
    let mut marked = packet.to_vec();
    let before = ecn(packet);
    assert_eq!(mark(&mut marked), before != Ecn::NotCapable);
    if before == Ecn::NotCapable {
        assert_eq!(marked, packet);
        return;
    }
    assert_eq!(ecn(&marked), Ecn::Experienced);
    let is_v4 = packet[0] >> 4 == 4;
    let may_change = |at: &usize| *at == 1 || is_v4 && (10..12).contains(at);
    assert!((0..packet.len()).all(|at| may_change(&at) || marked[at] == packet[at]));
    let expect = parse(packet)
        .map(|segment| Segment { ip: IpFields { ecn: Ecn::Experienced, ..segment.ip }, ..segment });
    assert_eq!(parse(&marked), expect, "a checksum stays as right or wrong as it was");
}

/// A hop limit is set with the checksum that covers it, and set back nothing has changed.
fn check_hop_limit(packet: &[u8]) {
    let mut edited = packet.to_vec();
    let Some(before) = hop_limit(packet) else {
        set_hop_limit(&mut edited, 7);
        assert_eq!(edited, packet);
        return;
    };
    let hops = before.wrapping_add(1);
    set_hop_limit(&mut edited, hops);
    let expect = parse(packet)
        .map(|segment| Segment { ip: IpFields { hop_limit: hops, ..segment.ip }, ..segment });
    assert_eq!(parse(&edited), expect, "a checksum stays as right or wrong as it was");
    set_hop_limit(&mut edited, before);
    // Ones' complement has two zeros, and the sum has come back as one of them.
    let is_zero = |packet: &[u8]| [[0; 2], [0xFF; 2]].contains(&[packet[10], packet[11]]);
    if packet[0] >> 4 == 4 && is_zero(packet) {
        edited[10..12].copy_from_slice(&packet[10..12]);
    }
    assert_eq!(edited, packet);
}

/// A piece is held or refused, repeated as well, and what is no piece is let pass.
fn check_fragments(packet: &[u8]) {
    let mut fragments = Fragments::default();
    let first = fragments.handle_packet(Time::ZERO, packet);
    let held = matches!(first, Fragment::Held);
    assert!(!matches!(first, Fragment::Whole(_)), "a piece alone is no datagram");
    assert_eq!(held, fragments.pieces() == 1 && fragments.bytes() > 0);
    let again = fragments.handle_packet(Time::ZERO, packet);
    assert_eq!(held, matches!(again, Fragment::Held));
    fragments.handle_timeout(Time::ZERO + Fragments::PATIENCE);
    assert_eq!((fragments.pieces(), fragments.bytes()), (0, 0));
}

fn check_emit(segment: &Segment<'_>) {
    let Segment { addresses, ip, header, payload, .. } = segment;
    let mut packet = Vec::new();
    match emit(header, *ip, addresses, Payload::Bytes(payload), &mut packet) {
        Ok(()) => {
            let again = parse(&packet).expect("what was written can be read");
            let urgent = segment.unkept.urgent.map(|_| 0);
            let expect = Segment { unkept: Unkept { urgent, ..Unkept::default() }, ..*segment };
            assert_eq!(again, expect);
        }
        // Padding to whole words may need more room than its sender took.
        Err(TooLong::Options { bytes }) => {
            assert!(bytes == header.options.bytes() && bytes > Options::ROOM);
        }
        // IPv6 counts its payload, in which 65,535 bytes fit beside the header.
        Err(TooLong::Packet { .. }) => {
            assert!(matches!(addresses, Addresses::V6 { .. }));
            assert!(payload.len() + 40 + header.bytes() as usize > 65_535);
        }
    }
}
