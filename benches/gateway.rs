//! What a packet costs a gateway, beside a plain copy of it.
//!
//! `cargo bench -p benches --bench gateway`. In `data`, a host sends segments of 1,448 bytes, a
//! mobile acknowledges every other one, and what comes out is thrown away; the time is that of a
//! data packet with its half of an acknowledgement.

use std::hint::black_box;

use base::{Duration, Ecn, Flags, Options, Seq, TcpHeader, Time, Timestamps};
use divan::Bencher;
use divan::counter::ItemsCount;
use proxy::Gateway;
use wire::{Addresses, Payload, emit};

const SEGMENT: u32 = 1_448;

fn main() {
    divan::main();
}

fn gateway(scheme: &str) -> Gateway {
    let text = format!(
        "[radio]\ninterfaces = ['wl0']\n[wired]\ninterfaces = ['eth0']\n\
         [[profile]]\nname = 'thin'\nmobiles = ['10.45.0.0/16']\n\
         [profile.middlebox]\nkind = '{scheme}'\n\
         atcp.clamp = '100 kB'\natcp.rate = '1 Gbit/s'\natcp.round_trip = '10 ms'\n\
         atcp.budget = '4 MB'\n"
    );
    let config = proxy::Config::parse(&text, "bench").expect("a configuration");
    Gateway::new(&config, [1500, 1500], 1)
}

/// The packets of one connection, made beforehand but for what changes.
struct Flow {
    gateway: Gateway,
    now: Time,
    seq: Seq,
    packet: Vec<u8>,
    out: Vec<u8>,
}

const HOST: u32 = 500;
const MOBILE: u32 = 100;

impl Flow {
    fn new(scheme: &str) -> Self {
        let mut flow = Self {
            gateway: gateway(scheme),
            now: Time::ZERO,
            seq: Seq::new(HOST + 1),
            packet: Vec::new(),
            out: Vec::new(),
        };
        flow.send(Way::Up, Flags::SYN, MOBILE, 0, 0);
        flow.send(Way::Down, Flags::SYN | Flags::ACK, HOST, MOBILE + 1, 0);
        flow.send(Way::Up, Flags::ACK, MOBILE + 1, HOST + 1, 0);
        flow
    }

    fn send(&mut self, way: Way, flags: Flags, seq: u32, ack: u32, bytes: u32) -> u32 {
        put(way, flags, [seq, ack], bytes, &mut self.packet);
        self.gateway.handle_packet(self.now, &self.packet);
        let mut count = 0;
        while self.gateway.poll_packet(self.now, &mut self.out) {
            while black_box(self.gateway.poll_exposure()).is_some() {}
            black_box(&self.out);
            count += 1;
        }
        count
    }

    /// Two segments down, and an acknowledgement up.
    fn pair(&mut self) -> u32 {
        self.now += Duration::from_micros(20);
        let first = self.seq;
        self.seq = first + 2 * SEGMENT;
        let mut count = 0;
        for seq in [first, first + SEGMENT] {
            count += self.send(Way::Down, Flags::ACK, seq.to_u32(), MOBILE + 1, SEGMENT);
        }
        count + self.send(Way::Up, Flags::ACK, MOBILE + 1, self.seq.to_u32(), 0)
    }
}

#[derive(Clone, Copy)]
enum Way {
    Up,
    Down,
}

fn put(way: Way, flags: Flags, [seq, ack]: [u32; 2], bytes: u32, packet: &mut Vec<u8>) {
    let (mobile, host) = ([10, 45, 0, 2].into(), [198, 51, 100, 2].into());
    let (addresses, ports) = match way {
        Way::Up => (Addresses::V4 { source: mobile, destination: host }, [4_000, 80]),
        Way::Down => (Addresses::V4 { source: host, destination: mobile }, [80, 4_000]),
    };
    let syn = flags.contains(Flags::SYN);
    let options = Options {
        mss: syn.then_some(1_460),
        window_scale: syn.then_some(7),
        sack_permitted: syn,
        timestamps: Some(Timestamps { value: 1, echo: 1 }),
        ..Options::default()
    };
    let header = TcpHeader {
        source_port: ports[0],
        destination_port: ports[1],
        seq: Seq::new(seq),
        ack: Seq::new(ack),
        flags,
        window: 60_000,
        options,
    };
    let payload = Payload::Zeros(bytes as usize);
    emit(&header, Ecn::NotCapable, &addresses, payload, packet).expect("it fits");
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
