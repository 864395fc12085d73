//! What an acknowledgement costs each algorithm.
//!
//! `cargo bench -p benches --bench on_ack`: nanoseconds for one `on_ack` in steady state, through
//! the trait.

use base::{Duration, Time};
use cc::{Ack, Algorithm, Limits, Loss, LossKind, Marked, Parameters, RateSample, WindowRules};
use divan::Bencher;

const MSS: u64 = 1_460;
const RTT: Duration = Duration::from_millis(50);
/// Acknowledgements in one measurement.
const ACKS: u64 = 1_000;

fn main() {
    divan::main();
}

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::Tahoe,
    Algorithm::Reno,
    Algorithm::Vegas,
    Algorithm::Westwood,
    Algorithm::Cubic,
    Algorithm::Bbr,
];

#[divan::bench(args = ALGORITHMS)]
fn on_ack(bencher: Bencher<'_, '_>, algorithm: Algorithm) {
    let limits = Limits {
        mss: MSS as u32,
        initial_window: 64,
        initial_ssthresh: 64,
        maximum_window: 64,
        rules: WindowRules::default(),
    };
    let mut controller = algorithm.controller(&limits, &Parameters::default());
    let loss = Loss {
        now: Time::ZERO,
        kind: LossKind::DuplicateAcks,
        in_flight: 64 * MSS,
        sent: Time::ZERO,
        transmissions: 1,
        after_mark: false,
    };
    controller.on_loss(&loss);
    let mut nth = 0;
    bencher.counter(divan::counter::ItemsCount::new(ACKS)).bench_local(|| {
        for _ in 0..ACKS {
            nth += 1;
            controller.on_ack(&ack(nth));
        }
        controller.window()
    });
}

/// Acknowledges the segment `nth` of a full window of 64, which takes 50 ms.
fn ack(nth: u64) -> Ack {
    let total = nth * MSS;
    Ack {
        now: Time::ZERO + RTT * nth / 64,
        acked: MSS,
        delivered: MSS,
        una: total,
        nxt: total + 63 * MSS,
        pipe: 63 * MSS,
        rtt: Some(RTT),
        recovering: false,
        window_limited: true,
        most_in_flight: 0,
        marked: Marked::NONE,
        rate: Some(RateSample {
            total,
            prior: total.saturating_sub(64 * MSS),
            interval: RTT,
            app_limited: false,
            pipe_at_send: 64 * MSS,
            lost: 0,
        }),
    }
}
