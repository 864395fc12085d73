//! A bearer with sources at its two ends.
#![allow(unreachable_pub, reason = "tests share it")]

pub mod cell;
pub mod network;

use base::{Direction, Duration, Probability, Rate, Stream, Time};
use link::Load;
use observe::Context;
use radio::Sdu;
use radio::channel::Mobiles;
use radio::umts::rlc::{self, am};
use radio::umts::{Bearer, BlockErrorRate, Channel, DchConfig, Limit, Output, PdcpConfig};

/// An SDU that knows its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    pub number: u32,
    pub bytes: u32,
}

impl Load for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    /// One of four, by size.
    fn dscp(&self) -> u8 {
        (self.bytes % 4) as u8
    }
}

impl Sdu for Packet {}

pub fn probability(value: f64) -> Probability {
    Probability::new(value).expect("in range")
}

/// So many mobiles of a cell.
pub fn mobiles(ues: u32) -> Mobiles {
    Mobiles { ues, ..Mobiles::default() }
}

pub const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub fn at(time: Duration) -> Time {
    Time::ZERO + time
}

/// The triggers that fit paper lo2005.
pub fn rlc() -> rlc::RlcConfig {
    rlc::RlcConfig {
        reset: am::Repetition { timer: millis(300), max: None },
        move_window: am::Repetition { timer: millis(200), max: None },
        ..rlc::RlcConfig::default()
    }
}

/// 384 kbit/s down in 10 ms, 64 kbit/s up in 20 ms.
pub fn dch(tbler: f64, rlc: rlc::RlcConfig) -> DchConfig {
    let channel = |bps, tti| Channel {
        rate: Rate::from_bps(bps).into(),
        tti: millis(tti),
        tbler: BlockErrorRate::Constant(probability(tbler)).into(),
        limit: Limit::NONE,
    };
    let pdcp = PdcpConfig { header_bytes: 1, header_compression: false };
    DchConfig::new(channel(384_000, 10), channel(64_000, 20), pdcp, rlc)
}

/// A delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    pub time: Time,
    pub direction: Direction,
    pub packet: Packet,
}

/// Runs `bearer` until it is idle or `end` comes.
pub fn run(bearer: &mut Bearer<Packet>, end: Time) -> Vec<Delivery> {
    let mut deliveries = Vec::new();
    while let Some(time) = bearer.poll_timeout().filter(|time| *time <= end) {
        bearer.handle_timeout(&mut Context { now: time, observe: &mut () });
        drain(bearer, time, &mut deliveries);
    }
    deliveries
}

/// Hands `packets` in at their times and runs `bearer` until it is idle or `end` comes.
pub fn feed(
    bearer: &mut Bearer<Packet>,
    packets: &[(Time, Direction, Packet)],
    end: Time,
) -> Vec<Delivery> {
    let mut deliveries = Vec::new();
    for &(time, direction, packet) in packets {
        deliveries.extend(run(bearer, time));
        bearer
            .handle_input(&mut Context { now: time, observe: &mut () }, direction, packet)
            .expect("there is room");
        drain(bearer, time, &mut deliveries);
    }
    deliveries.extend(run(bearer, end));
    deliveries
}

fn drain(bearer: &mut Bearer<Packet>, time: Time, deliveries: &mut Vec<Delivery>) {
    while let Some((direction, output)) = bearer.poll_output() {
        if let Output::Delivered(packet) = output {
            deliveries.push(Delivery { time, direction, packet });
        }
    }
}

/// `count` packets a direction of 40 to 1500 B, up to `gap` apart, in the order of their times.
pub fn traffic(seed: u64, count: u32, gap: Duration) -> Vec<(Time, Direction, Packet)> {
    let mut packets = Vec::new();
    for (direction, name) in [(Direction::Downlink, "down"), (Direction::Uplink, "up")] {
        let mut chance = Stream::named(seed, name);
        let mut time = Time::ZERO;
        for number in 0..count {
            time += Duration::from_nanos((gap.as_nanos() as f64 * chance.next_f64()) as u64);
            let bytes = match chance.below(4) {
                0 => 40 + chance.below(3),
                1 => 552,
                2 => 39 + 40 * chance.below(20),
                _ => 40 + chance.below(1461),
            };
            packets.push((time, direction, Packet { number, bytes }));
        }
    }
    packets.sort_by_key(|(time, ..)| *time);
    packets
}

/// The numbers that came out at the end of `direction`, in order.
pub fn numbers(deliveries: &[Delivery], direction: Direction) -> Vec<u32> {
    let of = deliveries.iter().filter(|delivery| delivery.direction == direction);
    of.map(|delivery| delivery.packet.number).collect()
}
