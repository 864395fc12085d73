//! Back-off against the formula of Bianchi (Performance Analysis of the IEEE 802.11 Distributed
//! Coordination Function, IEEE JSAC 18(3), 2000).

use base::{Direction, Time};
use radio::wlan::{ACK_BYTES, Access, DIFS, OVERHEAD_BYTES, SIFS, SLOT, WlanKeys, frame_time};

use super::support::{Net, Packet, config, resting};

const BYTES: u32 = 1024;
const SECONDS: u64 = 60;

/// What saturated stations are: how much they carry, and how often they collide.
#[derive(Debug)]
struct Saturation {
    bits_per_second: f64,
    collision_share: f64,
}

/// Equations 7, 9 and 13 with W = 32 and m = 5, without a retry limit. Here a collision takes as
/// long as a success.
fn bianchi(config: &WlanKeys, stations: i32) -> Saturation {
    let (window, stages) = (32.0, 5);
    let transmits = |p: f64| {
        let doubled = 1.0 - 2.0 * p;
        2.0 * doubled / (doubled * (window + 1.0) + p * window * (1.0 - (2.0 * p).powi(stages)))
    };
    let collides = |tau: f64| 1.0 - (1.0 - tau).powi(stations - 1);
    // p − p(τ(p)) grows with p.
    let (mut low, mut high) = (0.0, 0.499);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if middle < collides(transmits(middle)) { low = middle } else { high = middle }
    }
    let tau = transmits(low);
    let busy = 1.0 - (1.0 - tau).powi(stations);
    let success = f64::from(stations) * tau * (1.0 - tau).powi(stations - 1);
    let data = frame_time(BYTES + OVERHEAD_BYTES, config.rate, config.preamble);
    let acknowledgement = frame_time(ACK_BYTES, config.basic_rate, config.preamble);
    let exchange = (data + SIFS + acknowledgement + DIFS).as_secs_f64();
    let slot = (1.0 - busy) * SLOT.as_secs_f64() + busy * exchange;
    Saturation {
        bits_per_second: success * f64::from(8 * BYTES) / slot,
        collision_share: collides(tau),
    }
}

/// The same of the machine: each delivery brings the next packet of its station.
fn measured(config: &WlanKeys, stations: u32) -> Saturation {
    let places: Vec<_> = (0..stations).map(|number| resting(f64::from(number))).collect();
    let mut net = Net::new(config, 1, &places);
    let end = Time::from_nanos(SECONDS * 1_000_000_000);
    let packet = |number| Packet { number, bytes: BYTES };
    for station in 0..stations {
        for _ in 0..2 {
            net.up(Time::ZERO, station, packet(station)).expect("there is room");
        }
    }
    while let Some(now) = net.wlan.poll_timeout().filter(|now| *now <= end) {
        net.run(now);
        let done = net.delivered();
        net.log.clear();
        for (_, _, station) in done {
            net.up(now, station, packet(station)).expect("there is room");
        }
    }
    let counters = net.wlan.counters(Direction::Uplink);
    Saturation {
        bits_per_second: 8.0 * counters.bytes_delivered as f64 / SECONDS as f64,
        collision_share: counters.collisions as f64 / counters.frames as f64,
    }
}

#[test]
fn saturated_stations_carry_what_bianchi_says() {
    let config = WlanKeys { access: Access::CsmaCa, retry_limit: u32::MAX, ..config() };
    for (stations, tolerance) in [(1, 0.005), (2, 0.02), (5, 0.02), (10, 0.02), (20, 0.02)] {
        let (here, there) = (measured(&config, stations), bianchi(&config, stations as i32));
        let ratio = here.bits_per_second / there.bits_per_second;
        assert!((ratio - 1.0).abs() <= tolerance, "{stations}: {ratio}");
        let more = here.collision_share - there.collision_share;
        assert!(more.abs() <= tolerance, "{stations}: {more}");
    }
}

/// One alone: a mean of 15.5 slots between exchanges.
#[test]
fn one_alone_backs_off_half_its_window() {
    let config = WlanKeys { access: Access::CsmaCa, ..config() };
    let data = frame_time(BYTES + 36, config.rate, config.preamble);
    let exchange = data + SIFS + frame_time(ACK_BYTES, config.basic_rate, config.preamble) + DIFS;
    let cycle = exchange.as_secs_f64() + 15.5 * SLOT.as_secs_f64();
    let expect = f64::from(8 * BYTES) / cycle;
    let ratio = measured(&config, 1).bits_per_second / expect;
    assert!((ratio - 1.0).abs() < 0.003, "{ratio}");
}

#[test]
fn who_has_little_to_send_seldom_collides() {
    let config = WlanKeys { access: Access::CsmaCa, ..config() };
    let places: Vec<_> = (0..10).map(|number| resting(f64::from(number))).collect();
    let mut net = Net::new(&config, 1, &places);
    for number in 0..1000_u32 {
        let now = Time::from_nanos(u64::from(number) * 7_000_000);
        net.up(now, number % 10, Packet { number, bytes: BYTES }).expect("there is room");
    }
    net.run(Time::from_nanos(8_000_000_000));
    let counters = net.wlan.counters(Direction::Uplink);
    assert_eq!((counters.delivered, counters.collisions, counters.frames), (1000, 0, 1000));
}
