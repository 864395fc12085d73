//! What GPRS costs: `cargo bench -p radio --bench gprs`.

use base::{Direction, Duration, Probability, Time};
use divan::Bencher;
use link::queue;
use radio::Sdu;
use radio::gprs::{Arq, Bearer, Channel, CodingScheme, Config, CoreDelay, Coupling, Errors, SetUp};

fn main() {
    divan::main();
}

/// As large as a packet of the simulator.
#[derive(Debug)]
struct Packet {
    bytes: u32,
    _header: [u64; 8],
}

impl Sdu for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }
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
    let is_before = |bearer: &Bearer<Packet>| bearer.poll_timeout().is_some_and(|now| now <= end);
    bencher.bench(|| run(&config, is_before));
}

fn delivered(bearer: &Bearer<Packet>) -> u64 {
    bearer.counters(Direction::Downlink).delivered
}

/// Keeps 20 packets under way downlink and answers each with 40 bytes.
fn run(config: &Config, goes_on: impl Fn(&Bearer<Packet>) -> bool) -> u64 {
    let mut bearer = Bearer::new(0, config, 1, "bench").expect("a valid configuration");
    for _ in 0..20 {
        input(&mut bearer, Time::ZERO, Direction::Downlink, 1388);
    }
    while goes_on(&bearer)
        && let Some(now) = bearer.poll_timeout()
    {
        bearer.handle_timeout(now, &mut ());
        while let Some((direction, _)) = bearer.poll_output() {
            match direction {
                Direction::Downlink => input(&mut bearer, now, Direction::Uplink, 40),
                Direction::Uplink => input(&mut bearer, now, Direction::Downlink, 1388),
            }
        }
    }
    delivered(&bearer)
}

fn input(bearer: &mut Bearer<Packet>, now: Time, direction: Direction, bytes: u32) {
    let packet = Packet { bytes, _header: [0; 8] };
    bearer.handle_input(now, direction, packet, &mut ()).expect("there is room");
}

fn config(slots: u32, percent: u32) -> Config {
    let ms = Duration::from_millis;
    let channel = |slots, median| Channel {
        slots,
        core: CoreDelay { median: ms(median), jitter: 0.15, coherence: ms(1000) },
        queue: queue::Config::UNLIMITED,
        lifetime: None,
        keep: Duration::ZERO,
    };
    let tbler = Probability::new(f64::from(percent) / 100.0).expect("in range");
    Config {
        downlink: channel(slots, 300),
        uplink: channel(1, 250),
        scheme: CodingScheme::Cs2,
        adaptation: None,
        arq: Arq { window: 64, poll_blocks: 25, round_trip: ms(120) },
        set_up: SetUp {
            associated: [ms(100), ms(200)],
            common: [ms(300), ms(700)],
            access: [ms(150), ms(400)],
            t3192: ms(500),
            coupling: Coupling::Piggybacked(ms(1000)),
        },
        control_every: None,
        errors: Errors::Constant(tbler),
        gaps: Vec::new(),
        keep: ms(10_000),
    }
}
