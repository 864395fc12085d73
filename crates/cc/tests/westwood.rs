//! Westwood+'s estimate and window.

use base::{Duration, Time};
use cc::{
    Ack, Controller, Limits, Loss, LossKind, MinimumRtt, Westwood, WestwoodParameters, WindowRules,
};

use crate::harness::{ACK, LOSS};

const MSS: u64 = 1_000;
const RTT: Duration = Duration::from_millis(100);

/// In congestion avoidance with `window` segments.
fn westwood(window: u32, alpha: f64) -> Westwood {
    let limits = Limits {
        mss: MSS as u32,
        initial_window: window,
        initial_ssthresh: 2,
        maximum_window: 1_000,
        rules: WindowRules::default(),
    };
    Westwood::new(&limits, WestwoodParameters { alpha, ..WestwoodParameters::default() })
}

/// One acknowledgement each round trip, of so many segments.
fn deliver(westwood: &mut Westwood, segments: &[u64]) {
    for (round, segments) in (1..).zip(segments) {
        let bytes = segments * MSS;
        let now = Time::ZERO + RTT * round;
        westwood.on_ack(&Ack { now, acked: bytes, delivered: bytes, rtt: Some(RTT), ..ACK });
    }
}

/// ssthresh in bytes, and the window, after a loss.
fn lose(westwood: &mut Westwood, kind: LossKind) -> (u64, u64) {
    westwood.on_loss(&Loss { kind, ..LOSS });
    (westwood.ssthresh(), westwood.window())
}

#[test]
fn the_estimate_follows_a_low_pass_filter() {
    // By hand with alpha = 0.9, in segments per round trip: the first sample is the estimate,
    // then 0.9 · 10 + 0.1 · 20 = 11, 11.9 and 12.71; 12.71 · 0.9 + 3 = 14.439.
    let check = |rounds: &[u64], ssthresh| {
        let mut westwood = westwood(40, 0.9);
        deliver(&mut westwood, rounds);
        let (actual, _) = lose(&mut westwood, LossKind::DuplicateAcks);
        assert!(actual.abs_diff(ssthresh) <= 1, "{rounds:?}: {actual}, not {ssthresh}");
    };
    check(&[10], 10_000);
    check(&[10, 20], 11_000);
    check(&[10, 20, 20], 11_900);
    check(&[10, 20, 20, 20], 12_710);
    check(&[10, 20, 20, 20, 30], 14_439);
    check(&[1], 2_000);
}

#[test]
fn without_a_filter_the_last_round_trip_decides() {
    let mut westwood = westwood(40, 0.0);
    deliver(&mut westwood, &[10, 20, 33]);
    assert_eq!(lose(&mut westwood, LossKind::DuplicateAcks), (33_000, 33_000));
}

#[test]
fn bunched_acknowledgements_make_one_sample() {
    // Ten segments in a round trip, acknowledged within nanoseconds of each other at its end: the
    // first sample has one of them, the 19 that follow have ten, and 10 − 9 · 0.9^19 = 8.784.
    let mut westwood = westwood(40, 0.9);
    for round in 1..=20 {
        for nth in 0..10 {
            let now = Time::ZERO + RTT * round + Duration::from_nanos(nth);
            westwood.on_ack(&Ack { now, acked: MSS, delivered: MSS, rtt: Some(RTT), ..ACK });
        }
    }
    assert_eq!(lose(&mut westwood, LossKind::DuplicateAcks).0, 8_784);
}

/// A peer without selective acknowledgements acknowledges at the end of a recovery what arrived
/// all along. It took two round trips, not the one that follows (as in ns-3.37: 22 segments).
#[test]
fn what_a_recovery_acknowledges_late_counts_for_the_time_it_took() {
    let mut westwood = westwood(40, 0.9);
    deliver(&mut westwood, &[20; 10]);
    let ack = |round, segments: u64| Ack {
        now: Time::ZERO + RTT * round,
        acked: segments * MSS,
        delivered: segments * MSS,
        rtt: (segments == 20).then_some(RTT),
        ..ACK
    };
    westwood.on_ack(&ack(12, 40));
    westwood.on_ack(&ack(13, 20));
    assert_eq!(lose(&mut westwood, LossKind::DuplicateAcks).0, 20_000);
}

#[test]
fn losses() {
    let check = |window, kind, expect: (u64, u64)| {
        let mut westwood = westwood(window, 0.9);
        deliver(&mut westwood, &[20]);
        let before = westwood.window();
        let (ssthresh, after) = lose(&mut westwood, kind);
        assert_eq!((ssthresh, after.min(before)), expect, "from {window} by {kind:?}");
    };
    check(40, LossKind::DuplicateAcks, (20_000, 20_000));
    check(40, LossKind::Ecn, (20_000, 20_000));
    check(40, LossKind::Timeout, (20_000, 1_000));
    // Never upwards: 10 segments and the tenth that the acknowledgement added.
    check(10, LossKind::DuplicateAcks, (20_000, 10_100));
}

#[test]
fn before_the_first_sample_it_is_reno() {
    assert_eq!(lose(&mut westwood(40, 0.9), LossKind::DuplicateAcks), (20_000, 20_000));
}

#[test]
fn the_threshold_is_for_the_smallest_round_trip_time() {
    let mut westwood = westwood(40, 0.9);
    deliver(&mut westwood, &[20]);
    // Twice the time for twice the data: the rate is the same, 10 of the 40 would be queued.
    let (now, rtt) = (Time::ZERO + RTT * 3, Some(RTT * 2));
    westwood.on_ack(&Ack { now, acked: 40 * MSS, delivered: 40 * MSS, rtt, ..ACK });
    assert_eq!(lose(&mut westwood, LossKind::DuplicateAcks).0, 20_000);
}

/// Linux: a path that is longer after a timeout is taken for what it is.
#[test]
fn a_timeout_may_begin_the_search_for_the_smallest_anew() {
    let check = |minimum_rtt, expect| {
        let limits = Limits {
            mss: 1_000,
            initial_window: 40,
            initial_ssthresh: 64,
            maximum_window: 64,
            rules: WindowRules::default(),
        };
        let parameters = WestwoodParameters { minimum_rtt, ..WestwoodParameters::default() };
        let mut westwood = Westwood::new(&limits, parameters);
        deliver(&mut westwood, &[20]);
        lose(&mut westwood, LossKind::Timeout);
        let (now, rtt) = (Time::ZERO + RTT * 3, Some(RTT * 2));
        westwood.on_ack(&Ack { now, acked: 40 * MSS, delivered: 40 * MSS, rtt, ..ACK });
        assert_eq!(lose(&mut westwood, LossKind::DuplicateAcks).0, expect, "{minimum_rtt:?}");
    };
    check(MinimumRtt::Ever, 20_000);
    check(MinimumRtt::SinceTimeout, 40_000);
}

#[test]
fn data_that_are_only_selected_count_for_the_bandwidth() {
    let mut westwood = westwood(40, 0.9);
    let now = Time::ZERO + RTT;
    let selected = Ack { now, acked: 0, delivered: 15 * MSS, rtt: Some(RTT), ..ACK };
    westwood.on_ack(&Ack { recovering: true, ..selected });
    assert_eq!(westwood.window(), 40 * MSS, "but they open no window");
    assert_eq!(lose(&mut westwood, LossKind::DuplicateAcks).0, 15_000);
}

#[test]
fn idling_is_no_sample() {
    let mut westwood = westwood(40, 0.0);
    deliver(&mut westwood, &[20]);
    let idle = Time::ZERO + Duration::from_secs(60);
    westwood.on_idle(idle);
    let ack = Ack { now: idle + RTT, acked: MSS, rtt: Some(RTT), ..ACK };
    westwood.on_ack(&Ack { delivered: 20 * MSS, ..ack });
    assert_eq!(lose(&mut westwood, LossKind::DuplicateAcks).0, 20_000);
}

/// The mean window, in segments, where one of so many segments is lost and none ever waits in a
/// queue: every round trip carries a window, and what it loses is repaired in the next.
fn window_under_losses(one_in: u64) -> f64 {
    const WARM_UP: u32 = 500;
    const ROUNDS: u32 = 5_000;
    let mut westwood = westwood(10, 0.9);
    let (mut sent, mut to_repair, mut sum) = (0, 0, 0.0);
    for round in 1..=ROUNDS {
        let flight = westwood.window() / MSS;
        let lost = (sent + flight) / one_in - sent / one_in;
        sent += flight;
        if lost > 0 {
            lose(&mut westwood, LossKind::DuplicateAcks);
        }
        let arrived = flight - lost + std::mem::replace(&mut to_repair, lost);
        let ack = Ack { acked: MSS, delivered: MSS, rtt: Some(RTT), recovering: lost > 0, ..ACK };
        for nth in 0..arrived {
            let now = Time::ZERO + RTT * u64::from(round) + Duration::from_nanos(nth);
            westwood.on_ack(&Ack { now, ..ack });
        }
        if round > WARM_UP {
            sum += westwood.window() as f64 / MSS as f64;
        }
    }
    sum / f64::from(ROUNDS - WARM_UP)
}

/// By hand: of a window W, `T` = n/W round trips pass between two losses and one in recovery. BWE ·
/// `RTTmin` is the mean of what arrives, `T`²/2(`T` + 1) segments above the window that the last
/// loss left; 1/`T` of it is lost on the way, and half a segment on average in whole windows. Both
/// are equal for `T` = 2.51. Reno would have √(1.5 n): 12 segments in the place of 40.
#[test]
fn random_losses_on_an_empty_queue_leave_two_fifths_of_what_is_between_them() {
    for one_in in [50, 100, 200] {
        let expected = one_in as f64 / 2.51;
        let actual = window_under_losses(one_in);
        assert!((actual / expected - 1.0).abs() < 0.15, "{one_in}: {actual}, not {expected}");
    }
}
