//! What a packet of a real network costs on its way through a world.

use std::hint::black_box;

use base::{Duration, Ecn, Flags, Rate, Schedule, TcpHeader, Time};
use bytes::Bytes;
use divan::Bencher;
use divan::counter::ItemsCount;
use link::queue::{self, droptail};
use link::{LinkConfig, Service, disorder, loss};
use observe::Context;
use wire::{Addresses, Payload, emit};
use world::{Datagram, NodeId, World};

fn main() {
    divan::main();
}

const COUNT: u64 = 10_000;

/// A world of one link of 1 Gbit/s: a pipe, or a link in general.
fn world(bytes: Option<u64>) -> (World<Datagram>, [NodeId; 2]) {
    let mut world = World::new();
    let ends = ["network", "mobile"].map(|name| world.add_node(name));
    let limit = droptail::Limit { packets: Some(1000), bytes };
    let config = LinkConfig {
        service: Service::Rate(Schedule::constant(Some(Rate::from_bps(1_000_000_000)))),
        delay: Schedule::constant(Duration::from_micros(100)),
        queue: queue::Config { limit, ..queue::Config::UNLIMITED },
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    };
    let down = world.add_link("down", &config, ends[1], 1);
    world.set_route(ends[0], None, down);
    world.open(ends[1]);
    (world, ends)
}

fn packet() -> Bytes {
    let (source, destination) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
    let header = TcpHeader { flags: Flags::ACK, ..TcpHeader::default() };
    let addresses = Addresses::V4 { source, destination };
    let mut packet = Vec::new();
    emit(&header, Ecn::Capable, &addresses, Payload::Zeros(1460), &mut packet).expect("short");
    packet.into()
}

/// Every 12 us a packet enters, and those that are due leave.
fn pass((mut world, [from, to]): (World<Datagram>, [NodeId; 2]), frame: &Bytes) {
    let mut now = Time::ZERO;
    for _ in 0..COUNT {
        now += Duration::from_micros(12);
        while world.step(now, &mut ()).is_some() {}
        while let Some(delivery) = world.poll_packet() {
            black_box(delivery);
        }
        let body = Datagram::new(frame.clone(), 0);
        world.handle_packet(&mut Context { now, observe: &mut () }, from, to, body);
    }
}

#[divan::bench]
fn pipe(bencher: Bencher<'_, '_>) {
    let frame = packet();
    let bencher = bencher.counter(ItemsCount::new(COUNT));
    bencher.with_inputs(|| world(None)).bench_values(|world| pass(world, &frame));
}

#[divan::bench]
fn link(bencher: Bencher<'_, '_>) {
    let frame = packet();
    let bencher = bencher.counter(ItemsCount::new(COUNT));
    bencher.with_inputs(|| world(Some(1 << 20))).bench_values(|world| pass(world, &frame));
}
