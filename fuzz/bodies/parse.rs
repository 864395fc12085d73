//! Any bytes as an IP packet: they are refused or read, and what is read is written alike.

use base::{Ecn, Options};
use wire::{Addresses, Payload, Segment, TooLong, ecn, emit, glance, mark, parse};

/// Checks that `packet` is refused or a segment that survives being written.
pub(crate) fn check(packet: &[u8]) {
    check_mark(packet);
    let seen = glance(packet);
    let Ok(segment) = parse(packet) else { return };
    let tcp = seen.and_then(|glance| glance.tcp);
    assert_eq!(tcp, Some((segment.header, segment.payload.len())), "a glance sees what is read");
    assert_eq!(ecn(packet), segment.ecn);
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
    let expect = parse(packet).map(|segment| Segment { ecn: Ecn::Experienced, ..segment });
    assert_eq!(parse(&marked), expect, "a checksum stays as right or wrong as it was");
}

fn check_emit(segment: &Segment<'_>) {
    let Segment { addresses, ecn, header, payload } = segment;
    let mut packet = Vec::new();
    match emit(header, *ecn, addresses, Payload::Bytes(payload), &mut packet) {
        Ok(()) => assert_eq!(parse(&packet).as_ref(), Ok(segment)),
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
