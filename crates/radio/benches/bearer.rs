//! What 1000 s of a saturated bearer cost.
//!
//! `cargo bench -p radio`: each figure is the CPU time of 1000 simulated seconds with a full
//! downlink and an acknowledgement packet uplink for each packet delivered.

use base::{Direction, Duration, Probability, Rate, Time};
use divan::Bencher;
use radio::Sdu;
use radio::umts::pdcp::PdcpConfig;
use radio::umts::rlc::{Concatenation, am};
use radio::umts::{Bearer, BlockErrorRate, Channel, DchConfig, Limit};

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

#[divan::bench(args = [0, 5, 30], sample_count = 20, sample_size = 1)]
fn saturated_1000_s(bencher: Bencher<'_, '_>, percent: u32) {
    let config = config(f64::from(percent) / 100.0);
    bencher.bench(|| saturate(&config));
}

/// Keeps 64 packets in the bearer and answers each with 40 bytes.
fn saturate(config: &DchConfig) -> u64 {
    let mut bearer = Bearer::new(0, config, 1, "bench").expect("a valid configuration");
    for _ in 0..64 {
        input(&mut bearer, Time::ZERO, Direction::Downlink, 552);
    }
    let end = Time::ZERO + Duration::from_secs(1000);
    while let Some(now) = bearer.poll_timeout().filter(|now| *now <= end) {
        bearer.handle_timeout(now, &mut ());
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
    let packet = Packet { bytes, _header: [0; 8] };
    bearer.handle_input(now, direction, packet, &mut ()).expect("there is room");
}

fn config(tbler: f64) -> DchConfig {
    let probability = |value| Probability::new(value).expect("in range");
    let millis = Duration::from_millis;
    let channel = |bps, tti| Channel {
        rate: Rate::from_bps(bps).into(),
        tti: millis(tti),
        tbler: BlockErrorRate::Constant(probability(tbler)).into(),
        limit: Limit::NONE,
    };
    let rlc = am::Config {
        pdu_payload: 40,
        window: 4095,
        concatenation: Concatenation::Allowed,
        in_order: true,
        max_retransmissions: None,
        on_limit: am::OnLimit::Reset,
        discard_timer: None,
        poll: am::Poll {
            last_in_buffer: true,
            last_in_retransmission_buffer: true,
            every_pdus: None,
            every_sdus: None,
            window_utilization: Some(probability(1.0)),
            timer: Some(millis(80)),
            prohibit: None,
        },
        status: am::Status {
            missing: true,
            periodic: None,
            prohibit: Some(millis(60)),
            estimated_pdu_counter: None,
        },
        reset: am::Repetition { timer: millis(300), max: None },
        move_window: am::Repetition { timer: millis(200), max: None },
    };
    let pdcp = PdcpConfig { header_bytes: 1, header_compression: false };
    DchConfig::new(channel(384_000, 10), channel(64_000, 20), pdcp, rlc.into())
}
