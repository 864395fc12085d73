//! H-TCP's growth and what its losses leave, by hand.

use base::{Duration, Time};
use cc::{Controller, Htcp, HtcpParameters, Limits, Loss, LossKind, WindowRules};

use crate::harness::{ACK, LOSS};

const MSS: u64 = 1_000;

fn at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(seconds)
}

/// In congestion avoidance with `window` segments.
fn htcp(window: u32) -> Htcp {
    let limits = Limits {
        mss: MSS as u32,
        initial_window: window,
        initial_ssthresh: 2,
        maximum_window: 10_000,
        rules: WindowRules::default(),
    };
    Htcp::new(&limits, HtcpParameters::default())
}

/// A round trip that ends at `now` and acknowledges so many segments, the last after `rtt`.
fn round(htcp: &mut Htcp, now: f64, segments: u64, rtt: f64, una: &mut u64) {
    let rtt = Some(Duration::from_secs_f64(rtt));
    *una += segments * MSS;
    let (acked, delivered) = (segments * MSS, segments * MSS);
    htcp.on_ack(&cc::Ack { now: at(now), acked, delivered, una: *una, nxt: *una, rtt, ..ACK });
}

/// Share of the window, in thousandths, that a loss leaves.
fn lose(htcp: &mut Htcp, now: f64) -> u64 {
    let before = htcp.window();
    htcp.on_loss(&Loss { now: at(now), ..LOSS });
    (htcp.window() * 1_000 + before / 2) / before
}

#[test]
fn growth_follows_the_time_since_the_last_loss() {
    // By hand: 1 up to a second, then 1 + 10 · 1 + ¼, 1 + 20 + 1, 1 + 90 + 20.25; with β = ½ the
    // factor 2 (1 − β) is one. An acknowledgement adds α/100, of 100 segments by a hundredth each.
    for (since, alpha) in [(0.5, 1.0), (1.0, 1.0), (2.0, 11.25), (3.0, 22.0), (10.0, 111.25)] {
        let mut htcp = htcp(200);
        assert_eq!(lose(&mut htcp, 5.0), 500);
        htcp.on_ack(&cc::Ack { now: at(5.0 + since), acked: MSS, delivered: MSS, ..ACK });
        let expect = 100_000 + (alpha * MSS as f64 / 100.0) as u64;
        assert!(htcp.window().abs_diff(expect) <= 1, "{since} s: {}, not {expect}", htcp.window());
    }
}

#[test]
fn a_steady_throughput_leaves_what_empties_the_queue() {
    // Round-trip times of 100 ms to the second of the pair, and the share of the window that is
    // left in thousandths: their ratio, from ½ to 0.8.
    for (longest, left) in [(0.1, 800), (0.125, 800), (0.15, 667), (0.2, 500), (0.3, 500)] {
        let (mut htcp, mut una) = (htcp(1_000), 0);
        for (nth, rtt) in [0.1, longest, 0.1, 0.1].into_iter().enumerate() {
            round(&mut htcp, 0.1 * (nth + 1) as f64, 100, rtt, &mut una);
        }
        assert_eq!(lose(&mut htcp, 0.45), 500, "nothing to compare with yet");
        round(&mut htcp, 0.5, 100, 0.1, &mut una);
        assert_eq!(lose(&mut htcp, 0.55), left, "{longest} s");
    }
}

#[test]
fn a_throughput_that_has_changed_by_more_than_a_fifth_halves() {
    for (segments, left) in [(79, 500), (81, 800), (119, 800), (121, 500)] {
        let (mut htcp, mut una) = (htcp(1_000), 0);
        (1..=2).for_each(|nth| round(&mut htcp, 0.1 * f64::from(nth), 100, 0.1, &mut una));
        lose(&mut htcp, 0.25);
        round(&mut htcp, 0.3, segments, 0.1, &mut una);
        assert_eq!(lose(&mut htcp, 0.35), left, "{segments} segments after 100");
    }
}

#[test]
fn a_loss_that_was_none_takes_no_time_back() {
    let mut htcp = htcp(200);
    lose(&mut htcp, 1.0);
    htcp.on_ack(&cc::Ack { now: at(10.0), ..ACK });
    htcp.on_loss(&Loss { now: at(11.0), kind: LossKind::Timeout, ..LOSS });
    htcp.on_undo(at(11.0));
    let before = htcp.window();
    htcp.on_ack(&cc::Ack { now: at(11.0), acked: MSS, delivered: MSS, ..ACK });
    // Ten seconds after the first loss α is 111.25, of a window of a hundred segments.
    let grown = htcp.window() - before;
    assert!(grown.abs_diff(1_112) <= 2, "{grown}");
}
