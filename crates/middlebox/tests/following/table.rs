//! Which connections a box follows.

use base::{Flags, Seq, TcpHeader, Time};
use middlebox::{Address, IpFields, Middlebox, Packet, Snoop};
use observe::BoxContext;
use tcp::{Length, Segment};

use super::snoop::CONFIG;
use crate::support::{fixed, mobile};

const ISN: Seq = Seq::new(u32::MAX);

fn packet(from: Address, to: Address, flags: Flags, seq: Seq, length: u64) -> Packet<Length> {
    let (source_port, destination_port) = if flags.contains(Flags::ACK) { (2, 1) } else { (1, 2) };
    let header = TcpHeader { source_port, destination_port, seq, flags, ..TcpHeader::default() };
    let segment = Segment { header, payload: Length(length), ..Segment::default() };
    Packet { source: from, destination: to, ip: IpFields { dscp: 5, ..<_>::default() }, segment }
}

/// Packets in; how many bytes of the last one's segment the box keeps a copy of.
#[track_caller]
fn check(packets: &[Packet<Length>], held: u64, flows: u64) {
    let mut middlebox = Snoop::new(CONFIG);
    for packet in packets {
        let cx = &mut BoxContext { now: Time::ZERO, observe: &mut |_| {} };
        middlebox.handle_packet(cx, packet.clone());
        let out = middlebox.poll_output(cx);
        assert_eq!(out.as_ref(), Some(packet));
        assert_eq!(middlebox.poll_output(cx), None);
    }
    let counters = middlebox.counters();
    assert_eq!((counters.held_bytes, counters.flows), (held, flows));
    let count = packets.len() as u64;
    assert_eq!((counters.packets_in, counters.packets_out), (count, count));
}

#[test]
fn a_connection_is_followed_from_its_syns_on() {
    let (host, radio) = (fixed(1), mobile(1));
    let syn = |from, to| packet(from, to, Flags::SYN, ISN, 0);
    let answer = |from, to| packet(from, to, Flags::SYN | Flags::ACK, ISN, 0);
    let data = |from, to| packet(from, to, Flags::ACK, ISN + 1, 100);
    let (called, calls) = (syn(radio, host), answer(host, radio));
    check(&[called.clone(), calls.clone(), data(host, radio)], 100, 1);
    check(&[called.clone(), called.clone(), calls.clone(), data(host, radio)], 100, 1);
    check(&[called.clone(), calls.clone(), calls.clone(), data(host, radio)], 100, 1);
    check(&[data(host, radio)], 0, 0);
    check(&[calls.clone(), data(host, radio)], 0, 0);
    check(&[called.clone(), data(host, radio)], 0, 1);
    let wired = fixed(2);
    check(&[syn(wired, host), answer(host, wired), data(host, wired)], 0, 0);
    let other = mobile(2);
    check(&[syn(other, radio), answer(radio, other), data(radio, other)], 100, 1);
}

#[test]
fn data_on_a_syn_let_the_connection_pass() {
    let (host, radio) = (fixed(1), mobile(1));
    let mut middlebox = Snoop::new(CONFIG);
    for packet in [
        packet(radio, host, Flags::SYN, ISN, 20),
        packet(host, radio, Flags::SYN | Flags::ACK, ISN, 0),
        packet(host, radio, Flags::ACK, ISN + 1, 100),
    ] {
        middlebox.handle_packet(&mut BoxContext { now: Time::ZERO, observe: &mut |_| {} }, packet);
    }
    let counters = middlebox.counters();
    assert_eq!((counters.held_bytes, counters.flows, counters.bypassed), (0, 0, 1));
}

#[test]
fn a_new_syn_begins_anew() {
    let (host, radio) = (fixed(1), mobile(1));
    let syn = |isn| packet(radio, host, Flags::SYN, isn, 0);
    let answer = |isn| packet(host, radio, Flags::SYN | Flags::ACK, isn, 0);
    let data = |isn: Seq, length| packet(host, radio, Flags::ACK, isn + 1, length);
    let (first, second) = (ISN, Seq::new(2_000_000_000));
    let old = [syn(first), answer(first), data(first, 100)];
    let both = |more: &[Packet<Length>]| [&old[..], more].concat();
    check(&both(&[syn(second)]), 0, 2);
    check(&both(&[syn(second), answer(second), data(second, 70)]), 70, 2);
    check(&both(&[syn(first), answer(second), data(first + 100, 50)]), 150, 1);
}

/// Both SYNs cross: each answers the other's (RFC 9293 §3.5).
#[test]
fn a_simultaneous_open_is_followed() {
    let (host, radio) = (fixed(1), mobile(1));
    let called = packet(radio, host, Flags::SYN, ISN, 0);
    let mut calls = packet(host, radio, Flags::SYN, ISN, 0);
    (calls.segment.header.source_port, calls.segment.header.destination_port) = (2, 1);
    check(&[called, calls, packet(host, radio, Flags::ACK, ISN + 1, 100)], 100, 1);
}
