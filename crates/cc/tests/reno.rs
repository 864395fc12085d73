//! Reno's window, round trip by round trip.

use base::Time;
use cc::{
    Ack, Controller, Growth, Halving, Limits, Loss, LossKind, Reno, RenoParameters, WindowRules,
};

use crate::harness::{ACK, LOSS};

const MSS: u32 = 512;

fn reno(initial_window: u32, initial_ssthresh: u32, maximum_window: u32) -> Reno {
    let limits = Limits {
        mss: MSS,
        initial_window,
        initial_ssthresh,
        maximum_window,
        rules: WindowRules::default(),
    };
    Reno::new(&limits, RenoParameters::default())
}

fn ack(acked: u64) -> Ack {
    Ack { acked, delivered: acked, ..ACK }
}

fn loss(kind: LossKind) -> Loss {
    Loss { kind, ..LOSS }
}

fn segments(bytes: u64) -> u64 {
    bytes / u64::from(MSS)
}

/// The window in whole segments after each of `rounds` round trips, an acknowledgement a segment.
fn rounds(reno: &mut Reno, rounds: usize) -> Vec<u64> {
    let round = |_| {
        (0..segments(reno.window())).for_each(|_| reno.on_ack(&ack(u64::from(MSS))));
        segments(reno.window())
    };
    (0..rounds).map(round).collect()
}

#[test]
fn slow_start_doubles_up_to_the_maximum_and_stays() {
    let mut reno = reno(2, 64, 64);
    assert_eq!(rounds(&mut reno, 8), [4, 8, 16, 32, 64, 64, 64, 64]);
    assert_eq!(reno.window(), 64 * u64::from(MSS), "not a byte above");
}

#[test]
fn congestion_avoidance_adds_a_segment_a_round_trip() {
    let mut reno = reno(4, 8, 64);
    assert_eq!(rounds(&mut reno, 6), [8, 8, 9, 10, 11, 12]);
}

#[test]
fn growth_by_bytes_makes_up_for_delayed_acknowledgements() {
    let check = |growth, ssthresh, expect: [u64; 4]| {
        let limits = Limits {
            mss: MSS,
            initial_window: 8,
            initial_ssthresh: ssthresh,
            maximum_window: 64,
            rules: WindowRules { growth, ..WindowRules::default() },
        };
        let mut reno = Reno::new(&limits, RenoParameters::default());
        let delayed = expect.map(|_| {
            let acks = segments(reno.window()) / 2;
            (0..acks).for_each(|_| reno.on_ack(&ack(2 * u64::from(MSS))));
            segments(reno.window())
        });
        assert_eq!(delayed, expect, "{growth:?}");
    };
    check(Growth::Acknowledgements, 64, [12, 18, 27, 40]);
    check(Growth::Bytes, 64, [16, 32, 64, 64]);
    check(Growth::Acknowledgements, 8, [8, 8, 9, 9]);
    check(Growth::Bytes, 8, [8, 9, 10, 11]);
}

#[test]
fn an_acknowledgement_of_many_segments_opens_slow_start_by_as_many_as_the_growth_says() {
    for (growth, opened) in
        [(Growth::Acknowledgements, 9), (Growth::Bytes, 10), (Growth::AllBytes, 16)]
    {
        let rules = WindowRules { growth, ..WindowRules::default() };
        let limits =
            Limits { mss: MSS, initial_window: 8, initial_ssthresh: 64, maximum_window: 64, rules };
        let mut reno = Reno::new(&limits, RenoParameters::default());
        reno.on_ack(&ack(8 * u64::from(MSS)));
        assert_eq!(segments(reno.window()), opened, "{growth:?}");
    }
}

#[test]
fn what_was_selected_before_does_not_open_the_window_again() {
    for (growth, opened) in [(Growth::Acknowledgements, 9), (Growth::Bytes, 9)] {
        let rules = WindowRules { growth, ..WindowRules::default() };
        let mss = u64::from(MSS);
        let limits =
            Limits { mss: MSS, initial_window: 8, initial_ssthresh: 64, maximum_window: 64, rules };
        let mut reno = Reno::new(&limits, RenoParameters::default());
        reno.on_ack(&Ack { acked: 8 * mss, delivered: mss, ..ACK });
        assert_eq!(segments(reno.window()), opened, "{growth:?}");
    }
}

#[test]
fn an_unused_window_does_not_grow_where_that_is_asked_for() {
    let mss = u64::from(MSS);
    let check = |cwnd_validation, ssthresh, window_limited, most_in_flight, opened| {
        let rules = WindowRules { cwnd_validation, growth: Growth::Bytes, abe: false };
        let limits = Limits {
            mss: MSS,
            initial_window: 8,
            initial_ssthresh: ssthresh,
            maximum_window: 64,
            rules,
        };
        let mut reno = Reno::new(&limits, RenoParameters::default());
        let ack = Ack { acked: mss, delivered: mss, window_limited, most_in_flight, ..ACK };
        reno.on_ack(&ack);
        assert_eq!(reno.window() > 8 * mss, opened, "{rules:?} {ssthresh} {ack:?}");
    };
    check(true, 64, true, 0, true);
    check(true, 2, true, 0, true);
    check(true, 2, false, 8 * mss, false);
    // In slow start more than half of it is enough.
    check(true, 64, false, 4 * mss + 1, true);
    check(true, 64, false, 4 * mss, false);
    check(false, 2, false, 0, true);
}

#[test]
fn a_mark_takes_less_where_rfc_8511_is_asked_for() {
    let left = |abe, kind| {
        let rules = WindowRules { abe, ..WindowRules::default() };
        let limits = Limits {
            mss: MSS,
            initial_window: 10,
            initial_ssthresh: 64,
            maximum_window: 64,
            rules,
        };
        let mut reno = Reno::new(&limits, RenoParameters::default());
        reno.on_loss(&loss(kind));
        (segments(reno.window()), segments(reno.ssthresh()))
    };
    assert_eq!(left(true, LossKind::Ecn), (8, 8));
    assert_eq!(left(false, LossKind::Ecn), (5, 5));
    assert_eq!(left(true, LossKind::DuplicateAcks), (5, 5));
}

#[test]
fn a_truncated_half_may_be_one_segment() {
    let check = |cwnd, expect: (u64, u64)| {
        let rules = WindowRules::default();
        let limits = Limits {
            mss: MSS,
            initial_window: cwnd,
            initial_ssthresh: 64,
            maximum_window: 64,
            rules,
        };
        let mut reno = Reno::new(&limits, RenoParameters { halving: Halving::Truncated });
        reno.on_loss(&loss(LossKind::DuplicateAcks));
        assert_eq!((segments(reno.window()), segments(reno.ssthresh())), expect, "from {cwnd}");
    };
    check(11, (5, 5));
    check(3, (1, 2));
    check(1, (1, 2));
}

#[test]
fn exactly_half_may_be_no_whole_number() {
    let check = |cwnd, expect: (u64, u64)| {
        let limits = Limits {
            mss: 1000,
            initial_window: cwnd,
            initial_ssthresh: 64,
            maximum_window: 64,
            rules: WindowRules::default(),
        };
        let mut reno = Reno::new(&limits, RenoParameters { halving: Halving::Exact });
        reno.on_loss(&loss(LossKind::DuplicateAcks));
        assert_eq!((reno.window(), reno.ssthresh()), expect, "from {cwnd}");
    };
    check(64, (32_000, 32_000));
    check(11, (5_500, 5_000));
    check(3, (1_500, 2_000));
    check(1, (1_000, 2_000));
}

#[test]
fn a_loss_halves_and_a_timeout_starts_over() {
    let check = |cwnd, kind, expect: (u64, u64)| {
        let mut reno = reno(cwnd, 64, 64);
        reno.on_loss(&loss(kind));
        let actual = (segments(reno.window()), segments(reno.ssthresh()));
        assert_eq!(actual, expect, "from {cwnd} by {kind:?}");
    };
    check(64, LossKind::DuplicateAcks, (32, 32));
    check(11, LossKind::DuplicateAcks, (5, 5));
    check(3, LossKind::DuplicateAcks, (2, 2));
    check(1, LossKind::DuplicateAcks, (2, 2));
    check(20, LossKind::FineTimeout, (10, 10));
    check(20, LossKind::Ecn, (10, 10));
    check(20, LossKind::Timeout, (1, 10));
    check(3, LossKind::Timeout, (1, 2));
}

#[test]
fn a_second_timeout_halves_once_more() {
    let mut reno = reno(20, 64, 64);
    (0..2).for_each(|_| reno.on_loss(&loss(LossKind::Timeout)));
    assert_eq!((segments(reno.window()), segments(reno.ssthresh())), (1, 2));
}

#[test]
fn a_segment_acknowledged_in_pieces_counts_once() {
    let (mut pieces, mut whole) = (reno(4, 64, 64), reno(4, 64, 64));
    (0..MSS).for_each(|_| pieces.on_ack(&ack(1)));
    whole.on_ack(&ack(u64::from(MSS)));
    assert_eq!(pieces.window(), whole.window());
    // And an acknowledgement of two segments is one acknowledgement (RFC 5681 equation 2).
    whole.on_ack(&ack(2 * u64::from(MSS)));
    assert_eq!(segments(whole.window()), 6);
}

#[test]
fn idling_falls_back_to_the_initial_window() {
    let check = |cwnd_acks, expect| {
        let mut reno = reno(3, 64, 64);
        (0..cwnd_acks).for_each(|_| reno.on_ack(&ack(u64::from(MSS))));
        reno.on_restart(Time::ZERO);
        assert_eq!(segments(reno.window()), expect);
    };
    check(20, 3);
    check(0, 3);
    let mut reno = reno(3, 64, 64);
    reno.on_loss(&loss(LossKind::Timeout));
    reno.on_restart(Time::ZERO);
    assert_eq!(segments(reno.window()), 1, "never upwards");
}

#[test]
fn nothing_grows_while_losses_are_repaired_or_data_only_selected() {
    let mut reno = reno(4, 64, 64);
    reno.on_ack(&Ack { recovering: true, ..ack(u64::from(MSS)) });
    reno.on_ack(&Ack { delivered: u64::from(MSS), ..ack(0) });
    assert_eq!(segments(reno.window()), 4);
}

#[test]
fn a_loss_that_was_none_is_taken_back() {
    let mut reno = reno(40, 50, 64);
    // A fast retransmit whose segment then times out twice is one loss.
    reno.on_loss(&loss(LossKind::DuplicateAcks));
    (0..2).for_each(|_| reno.on_loss(&loss(LossKind::Timeout)));
    reno.on_undo(Time::ZERO);
    assert_eq!((segments(reno.window()), segments(reno.ssthresh())), (40, 50));
    // Taken back once, it is gone.
    reno.on_loss(&loss(LossKind::Timeout));
    reno.on_ack(&ack(u64::from(MSS)));
    reno.on_loss(&loss(LossKind::DuplicateAcks));
    reno.on_undo(Time::ZERO);
    assert_eq!((segments(reno.window()), segments(reno.ssthresh())), (2, 20));
}
