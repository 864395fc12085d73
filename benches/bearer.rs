//! What 1000 s of a saturated bearer cost.
//!
//! `cargo bench -p benches --bench bearer`: each figure is the CPU time of 1000 simulated seconds
//! with a full downlink and an acknowledgement packet uplink for each packet delivered.

mod packet;
#[expect(dead_code, reason = "the network is enough")]
#[path = "../crates/radio/tests/support/mod.rs"]
mod tested;

use base::{Direction, Duration, Time};
use divan::Bencher;
use observe::Context;
use packet::Packet;
use radio::umts::{Bearer, DchConfig};

fn main() {
    divan::main();
}

#[divan::bench(args = [0, 5, 30], sample_count = 20, sample_size = 1)]
fn saturated_1000_s(bencher: Bencher<'_, '_>, percent: u32) {
    let config = tested::dch(f64::from(percent) / 100.0, tested::rlc());
    bencher.bench(|| saturate(&config));
}

/// Keeps 64 packets in the bearer and answers each with 40 bytes.
fn saturate(config: &DchConfig) -> u64 {
    let mut bearer = Bearer::new(0, config, 1, "bench");
    for _ in 0..64 {
        input(&mut bearer, Time::ZERO, Direction::Downlink, 552);
    }
    let end = Time::ZERO + Duration::from_secs(1000);
    while let Some(now) = bearer.poll_timeout().filter(|now| *now <= end) {
        bearer.handle_timeout(&mut Context { now, observe: &mut () });
        while let Some((direction, _)) = bearer.poll_output() {
            match direction {
                Direction::Downlink => input(&mut bearer, now, Direction::Uplink, 40),
                Direction::Uplink => input(&mut bearer, now, Direction::Downlink, 552),
            }
        }
    }
    bearer.counters(Direction::Uplink).delivered
}

fn input(bearer: &mut Bearer<Packet>, now: Time, direction: Direction, bytes: u32) {
    bearer
        .handle_input(&mut Context { now, observe: &mut () }, direction, Packet::new(bytes))
        .expect("there is room");
}
