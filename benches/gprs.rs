//! What GPRS costs: `cargo bench -p benches --bench gprs`.

mod packet;
#[expect(dead_code, reason = "the configuration is enough")]
#[path = "../crates/radio/tests/support/mod.rs"]
mod support;
#[expect(dead_code, unused_imports, reason = "the configuration is enough")]
#[path = "../crates/radio/tests/gprs/support.rs"]
mod tested;

use base::{Direction, Duration, Time};
use divan::Bencher;
use link::queue;
use observe::Context;
use packet::Packet;
use radio::gprs::{Errors, GprsBearer, GprsConfig};

fn main() {
    divan::main();
}

/// 600 KB downlink with an acknowledgement for each packet; 4 slots.
#[divan::bench(args = [0, 3, 30], sample_count = 50, sample_size = 1)]
fn transfer_of_600_kb(bencher: Bencher<'_, '_>, percent: u32) {
    let config = config(4, percent);
    bencher.bench(|| run(&config, |bearer| delivered(bearer) < 456));
}

/// 1000 s with a full downlink and an acknowledgement for each packet.
#[divan::bench(args = [1, 3, 8], sample_count = 20, sample_size = 1)]
fn saturated_1000_s(bencher: Bencher<'_, '_>, slots: u32) {
    let config = config(slots, 3);
    let end = Time::ZERO + Duration::from_secs(1000);
    let is_before =
        |bearer: &GprsBearer<Packet>| bearer.poll_timeout().is_some_and(|now| now <= end);
    bencher.bench(|| run(&config, is_before));
}

fn delivered(bearer: &GprsBearer<Packet>) -> u64 {
    bearer.counters(Direction::Downlink).delivered
}

/// Keeps 20 packets under way downlink and answers each with 40 bytes.
fn run(config: &GprsConfig, goes_on: impl Fn(&GprsBearer<Packet>) -> bool) -> u64 {
    let mut bearer = GprsBearer::new(0, config, 1, "bench");
    for _ in 0..20 {
        input(&mut bearer, Time::ZERO, Direction::Downlink, 1388);
    }
    while goes_on(&bearer)
        && let Some(now) = bearer.poll_timeout()
    {
        bearer.handle_timeout(&mut Context { now, observe: &mut () });
        while let Some((direction, _)) = bearer.poll_output() {
            match direction {
                Direction::Downlink => input(&mut bearer, now, Direction::Uplink, 40),
                Direction::Uplink => input(&mut bearer, now, Direction::Downlink, 1388),
            }
        }
    }
    delivered(&bearer)
}

fn input(bearer: &mut GprsBearer<Packet>, now: Time, direction: Direction, bytes: u32) {
    bearer
        .handle_input(&mut Context { now, observe: &mut () }, direction, Packet::new(bytes))
        .expect("there is room");
}

/// The tests' bearer, with queues that hold all.
fn config(slots: u32, percent: u32) -> GprsConfig {
    let errors = Errors::Constant(tested::chance(f64::from(percent) / 100.0));
    GprsConfig { errors, queues: [queue::Config::UNLIMITED; 2], ..tested::config(slots) }
}
