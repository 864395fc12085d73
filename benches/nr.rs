//! What NR costs: `cargo bench -p benches --bench nr`.

mod packet;
#[expect(dead_code, reason = "the configuration is enough")]
#[path = "../crates/radio/tests/support/mod.rs"]
mod support;
#[expect(dead_code, unused_imports, reason = "the scenario's context is enough")]
#[path = "../crates/radio/tests/scheduled/support.rs"]
mod tested;

use base::{Direction, Duration, Time};
use divan::Bencher;
use observe::Context;
use packet::Packet;
use radio::nr::{NrKeys, Tdd};
use radio::scheduled::{ScheduledCell, ScheduledConfig};

fn main() {
    divan::main();
}

/// 100 s, which are 200,000 slots, with a full downlink of 100 MHz that slots share in time, and an
/// acknowledgement for every other packet.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn saturated_100_s(bencher: Bencher<'_, '_>) {
    let mut keys = NrKeys::default();
    keys.nr.tdd = Some(Tdd::default());
    let config = keys.config(&tested::context());
    bencher.bench(|| run(&config, Duration::from_secs(100)));
}

/// Keeps 1000 packets under way downlink and answers every other with 40 bytes.
fn run(config: &ScheduledConfig, span: Duration) -> u64 {
    let mut network = ScheduledCell::new(0, config, 1);
    let end = Time::ZERO + span;
    for _ in 0..1000 {
        input(&mut network, Time::ZERO, Direction::Downlink, 1500);
    }
    let mut delivered = 0_u64;
    while let Some(now) = network.poll_timeout().filter(|now| *now <= end) {
        network.handle_timeout(&mut Context { now, observe: &mut () });
        let mut came = 0;
        while let Some((_, direction, _)) = network.poll_output() {
            came += u64::from(direction == Direction::Downlink);
        }
        for _ in 0..came {
            delivered += 1;
            input(&mut network, now, Direction::Downlink, 1500);
            if delivered.is_multiple_of(2) {
                input(&mut network, now, Direction::Uplink, 40);
            }
        }
    }
    delivered
}

fn input(network: &mut ScheduledCell<Packet>, now: Time, direction: Direction, bytes: u32) {
    network
        .handle_input(&mut Context { now, observe: &mut () }, 0, direction, Packet::new(bytes))
        .expect("there is room");
}
