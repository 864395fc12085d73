//! Any bytes as frames of a device that is offloading: they are split, and what is joined again has
//! the same packets in the same order.

use std::collections::BTreeMap;

use wire::{Coalescer, OFFLOAD_HEADER, Split, parse};

/// Bytes of an IPv4 header that a packet in a frame of many need not keep: the identification, and
/// the checksum that covers it.
const RENUMBERED: [std::ops::Range<usize>; 2] = [4..6, 10..12];

/// Checks the frames of `input`, each behind its length in two bytes.
pub(crate) fn check(input: &[u8]) {
    let mut packets = Vec::new();
    let mut rest = input;
    while let Some((length, behind)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes(*length)).min(behind.len());
        let (frame, next) = behind.split_at(length);
        let pieces = split(frame);
        check_split(frame, &pieces);
        packets.extend(pieces);
        rest = next;
    }
    check_in_order(&packets);
    check_by_flow(&packets);
}

fn split(frame: &[u8]) -> Vec<Vec<u8>> {
    let (mut frame, mut packets) = (frame.to_vec(), Vec::new());
    let mut split = Split::new(&mut frame);
    while let Some(packet) = split.next_packet() {
        packets.push(packet.to_vec());
    }
    packets
}

/// All of a frame comes out, and what was payload is so in the same order.
fn check_split(frame: &[u8], pieces: &[Vec<u8>]) {
    let Some(packet) = frame.get(OFFLOAD_HEADER..) else { return assert!(pieces.is_empty()) };
    let [first, .., last] = pieces else {
        return assert_eq!(pieces[0].len(), packet.len());
    };
    let size = usize::from(u16::from_ne_bytes([frame[4], frame[5]]));
    let headers = first.len() - size;
    let payload: Vec<_> = pieces.iter().flat_map(|piece| &piece[headers..]).copied().collect();
    assert_eq!(payload, packet[headers..]);
    assert!(pieces.iter().all(|piece| piece.len() == first.len()) || last.len() < first.len());
}

/// The frames of `packets` as they are to be sent, with how many each has.
fn joined(packets: &[Vec<u8>], push: fn(&mut Coalescer, &[u8])) -> Vec<(usize, Vec<u8>)> {
    let (mut coalescer, mut frames, mut frame) = (Coalescer::default(), Vec::new(), Vec::new());
    for packet in packets {
        push(&mut coalescer, packet);
    }
    coalescer.finish();
    while let Some(count) = coalescer.poll_frame(&mut frame) {
        frames.push((count, frame.clone()));
    }
    frames
}

/// What frames come apart to. A packet that shared one is told from its original by no more than a
/// number that means nothing, and is intact.
fn parted(frames: &[(usize, Vec<u8>)]) -> Vec<(bool, Vec<u8>)> {
    let part = |(count, frame): &(usize, Vec<u8>)| {
        let pieces = split(frame);
        assert_eq!(pieces.len(), *count);
        let is_shared = *count > 1;
        assert!(!is_shared || pieces.iter().all(|piece| parse(piece).is_ok()));
        pieces.into_iter().map(move |piece| (is_shared, piece))
    };
    frames.iter().flat_map(part).collect()
}

fn assert_alike(before: &[u8], (is_shared, after): &(bool, Vec<u8>)) {
    let (mut before, mut after) = (before.to_vec(), after.clone());
    if *is_shared && before[0] >> 4 == 4 {
        for bytes in RENUMBERED {
            before[bytes.clone()].fill(0);
            after[bytes].fill(0);
        }
    }
    assert_eq!(before, after);
}

/// In order, packets come out as they came.
fn check_in_order(packets: &[Vec<u8>]) {
    let after = parted(&joined(packets, Coalescer::push_in_order));
    assert_eq!(packets.len(), after.len());
    packets.iter().zip(&after).for_each(|(packet, after)| assert_alike(packet, after));
}

/// Out of order, those of each flow do, and what is of none stays at its place.
fn check_by_flow(packets: &[Vec<u8>]) {
    let after = parted(&joined(packets, Coalescer::push));
    assert_eq!(packets.len(), after.len());
    let mut flows: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (at, packet) in packets.iter().enumerate() {
        match flow(packet) {
            Some(flow) => flows.entry(flow).or_default().push(packet),
            None => assert_alike(packet, &after[at]),
        }
    }
    let mut flows: BTreeMap<_, _> =
        flows.into_iter().map(|(flow, packets)| (flow, packets.into_iter())).collect();
    for packet in &after {
        let Some(flow) = flow(&packet.1) else { continue };
        let before = flows.get_mut(&flow).and_then(Iterator::next);
        assert_alike(before.expect("no flow has more than it had"), packet);
    }
}

/// Addresses and ports, if there may be any.
fn flow(packet: &[u8]) -> Option<Vec<u8>> {
    const TCP: u8 = 6;
    let (addresses, protocol, ip) = match packet.first()? >> 4 {
        4 => (12..20, 9, 20),
        6 => (8..40, 6, 40),
        _ => return None,
    };
    let ports = packet.get(ip..ip + 4)?;
    (packet[protocol] == TCP).then(|| [&packet[addresses], ports].concat())
}
