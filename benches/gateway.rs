//! What a packet costs a gateway, beside a plain copy of it.
//!
//! `cargo bench -p benches --bench gateway`. In `data`, a host sends segments of 1,448 bytes, a
//! mobile acknowledges every other one, and what comes out is thrown away; the time is that of a
//! data packet with its half of an acknowledgement.

use std::hint::black_box;

use base::{Flags, Time};
use costs::gateway::{Flow, SEGMENT, Way, gateway, put};
use divan::Bencher;
use divan::counter::ItemsCount;
use wire::{Payload, emit};

fn main() {
    divan::main();
}

/// Data packets through a box. What it takes to make them is in `making`.
#[divan::bench(args = ["atcp", "split", "i-tcp", "snoop"])]
fn data(bencher: Bencher<'_, '_>, scheme: &str) {
    let mut flow = Flow::new(scheme);
    let mut out = 0;
    bencher.counter(ItemsCount::new(2_u32)).bench_local(|| out += flow.pair());
    let stats = flow.gateway.snapshot(flow.now);
    assert_eq!(stats.profiles[0].connections.taken, 1);
    assert!(out > 0 && stats.dropped.iter().all(|each| each.packets == 0));
}

/// The same packets are made, and nothing is done with them.
#[divan::bench]
fn making(bencher: Bencher<'_, '_>) {
    let mut packet = Vec::new();
    bencher.counter(ItemsCount::new(2_u32)).bench_local(|| {
        for seq in [1, 2] {
            put(Way::Down, Flags::ACK, [seq, 3], SEGMENT, &mut packet);
            black_box(&packet);
        }
        put(Way::Up, Flags::ACK, [1, 3], 0, &mut packet);
        black_box(&packet);
    });
}

/// Data packets of a connection that no box knows: they pass untouched.
#[divan::bench]
fn untouched(bencher: Bencher<'_, '_>) {
    let mut gateway = gateway("atcp");
    let (mut packet, mut out) = (Vec::new(), Vec::new());
    put(Way::Down, Flags::ACK, [1, 1], SEGMENT, &mut packet);
    bencher.counter(ItemsCount::new(1_u32)).bench_local(|| {
        gateway.handle_packet(Time::ZERO, &packet);
        assert!(gateway.poll_packet(Time::ZERO, &mut out));
        black_box(&out);
    });
}

/// Reading a packet and its checksums, and writing it anew.
#[divan::bench]
fn parse_and_emit(bencher: Bencher<'_, '_>) {
    let (mut packet, mut out) = (Vec::new(), Vec::new());
    put(Way::Down, Flags::ACK, [1, 1], SEGMENT, &mut packet);
    bencher.counter(ItemsCount::new(1_u32)).bench_local(|| {
        let seen = wire::parse(black_box(&packet)).expect("a segment");
        let payload = Payload::Bytes(seen.payload);
        emit(&seen.header, seen.ip, &seen.addresses, payload, &mut out).expect("it fits");
        black_box(&out);
    });
}

/// The bytes of a packet, from one buffer to another.
#[divan::bench]
fn plain_copy(bencher: Bencher<'_, '_>) {
    let (mut packet, mut out) = (Vec::new(), Vec::new());
    put(Way::Down, Flags::ACK, [1, 1], SEGMENT, &mut packet);
    bencher.counter(ItemsCount::new(1_u32)).bench_local(|| {
        out.clear();
        out.extend_from_slice(black_box(&packet));
        black_box(&out);
    });
}
