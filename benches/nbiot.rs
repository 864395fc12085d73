//! What NB-IoT costs: `cargo bench -p benches --bench nbiot`.

mod packet;

use base::{Direction, Duration, Time};
use divan::Bencher;
use link::queue;
use observe::Context;
use packet::Packet;
use radio::nbiot::{NbIotCell, NbIotConfig, NbIotKeys};
use radio::{EdrxKeys, RadioContext};

fn main() {
    divan::main();
}

/// 1000 s of a mobile that reports 200 bytes each 20 s and is answered.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn reports_1000_s(bencher: Bencher<'_, '_>) {
    let config = config();
    bencher.bench(|| run(&config, 20, 200));
}

/// 1000 s with a full uplink.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn saturated_1000_s(bencher: Bencher<'_, '_>) {
    let config = config();
    bencher.bench(|| run(&config, 1, 4000));
}

fn config() -> NbIotConfig {
    let context = RadioContext {
        queues: [queue::Config::UNLIMITED; 2],
        per_flow: false,
        duration: Duration::from_secs(1000),
        seed: 1,
        asked: None,
        asked_of: Box::new(|_, _| Vec::new()),
    };
    let keys = NbIotKeys { edrx: Some(EdrxKeys::default()), ..NbIotKeys::default() };
    keys.config(&context)
}

/// Sends `bytes` each `every` seconds, and answers each packet with 40 bytes.
fn run(config: &NbIotConfig, every: u64, bytes: u32) -> u64 {
    let mut cell = NbIotCell::new(0, config, 1);
    let (end, mut delivered) = (Time::ZERO + Duration::from_secs(1000), 0);
    for at in (0..1000).step_by(every as usize) {
        let at = Time::ZERO + Duration::from_secs(at);
        delivered += until(&mut cell, at);
        input(&mut cell, at, Direction::Uplink, bytes);
    }
    delivered + until(&mut cell, end)
}

fn until(cell: &mut NbIotCell<Packet>, end: Time) -> u64 {
    let mut delivered = 0;
    while let Some(now) = cell.poll_timeout().filter(|now| *now <= end) {
        cell.handle_timeout(&mut Context { now, observe: &mut () });
        let mut came = 0;
        while let Some((_, direction, _)) = cell.poll_output() {
            delivered += 1;
            came += u64::from(direction == Direction::Uplink);
        }
        for _ in 0..came {
            input(cell, now, Direction::Downlink, 40);
        }
    }
    delivered
}

fn input(cell: &mut NbIotCell<Packet>, now: Time, direction: Direction, bytes: u32) {
    cell.handle_input(&mut Context { now, observe: &mut () }, 0, direction, Packet::new(bytes))
        .expect("there is room");
}
