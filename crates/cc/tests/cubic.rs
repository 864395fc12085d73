//! CUBIC's window beside the curves of RFC 9438.

use base::{Duration, Time};
use cc::{
    Ack, Alpha, Controller, Cubic, CubicParameters, Limits, Loss, LossKind, Reduction, SlowStart,
    WindowRules,
};

use crate::harness::{ACK, LOSS};

/// Bytes of a segment: so many that the window tells millionths of one.
const MSS: u64 = 1_000_000;

const PARAMETERS: CubicParameters = CubicParameters {
    c: 0.4,
    beta: 0.7,
    reduction: Reduction::Exact,
    fast_convergence: true,
    reno_friendly: true,
    alpha: Alpha::Rises,
    slow_start: SlowStart::Standard,
};

/// With nothing but the curve.
const CURVE: CubicParameters = CubicParameters { reno_friendly: false, ..PARAMETERS };

fn limits(initial_window: u32, initial_ssthresh: u32) -> Limits {
    Limits {
        mss: MSS as u32,
        initial_window,
        initial_ssthresh,
        maximum_window: 100_000,
        rules: WindowRules::default(),
    }
}

/// A sender that keeps the window full over a path of fixed delay.
struct Path {
    cubic: Cubic,
    now: Time,
    una: u64,
    rtt: Duration,
}

impl Path {
    /// In congestion avoidance from the start if `ssthresh` is at most `cwnd`.
    fn new(cwnd: u32, ssthresh: u32, rtt: Duration, parameters: CubicParameters) -> Self {
        Self {
            cubic: Cubic::new(&limits(cwnd, ssthresh), parameters),
            now: Time::ZERO,
            una: 0,
            rtt,
        }
    }

    fn cwnd(&self) -> f64 {
        self.cubic.window() as f64 / MSS as f64
    }

    fn ssthresh(&self) -> f64 {
        self.cubic.ssthresh() as f64 / MSS as f64
    }

    fn lose(&mut self, kind: LossKind) {
        self.cubic.on_loss(&Loss { now: self.now, kind, ..LOSS });
    }

    fn ack(&mut self, window_limited: bool) {
        let flight = self.cubic.window() / MSS * MSS;
        self.una += MSS;
        self.cubic.on_ack(&Ack {
            now: self.now,
            acked: MSS,
            delivered: MSS,
            una: self.una,
            nxt: self.una + flight,
            rtt: Some(self.rtt),
            window_limited,
            ..ACK
        });
    }

    /// Acknowledgements, evenly spread over round trips, for `span`.
    fn run(&mut self, span: Duration) {
        let end = self.now + span;
        while self.now < end {
            self.ack(true);
            self.now += self.rtt * MSS / self.cubic.window();
        }
    }

    /// The window after each of `times` milliseconds from the first acknowledgement on.
    fn at_millis(&mut self, times: &[u64]) -> Vec<f64> {
        let start = self.now;
        let mut at = |millis: &u64| {
            let span = (start + Duration::from_millis(*millis)).saturating_since(self.now);
            self.run(span);
            self.cwnd()
        };
        times.iter().map(&mut at).collect()
    }
}

fn close(actual: &[f64], expect: &[f64], within: f64) {
    assert_eq!(actual.len(), expect.len());
    for (a, e) in actual.iter().zip(expect) {
        assert!((a - e).abs() <= within, "{actual:?}, not {expect:?}");
    }
}

#[test]
fn the_first_acknowledgement_after_a_loss() {
    let rtt = Duration::from_millis(100);
    let mut path = Path::new(100, 10, rtt, CURVE);
    path.lose(LossKind::DuplicateAcks);
    close(&[path.cwnd(), path.ssthresh()], &[70.0, 70.0], 1e-6);
    // K = ∛(30/0.4) = 4.2172, W(0.1) = 0.4 · (0.1 − 4.2172)³ + 100 = 72.0844, and 1/70 of the way.
    path.ack(true);
    close(&[path.cwnd()], &[70.029_770], 1e-6);
}

#[test]
fn the_window_follows_the_curve() {
    let mut path = Path::new(100, 10, Duration::from_millis(100), CURVE);
    path.lose(LossKind::DuplicateAcks);
    // 0.4 · (t − 4.2172)³ + 100 at t = 0.5 ... 8 s; the plateau at W_max is around K. The window is
    // behind the target by less than it grows in a round trip.
    let actual = path.at_millis(&[500, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000]);
    let curve = [79.456, 86.681, 95.640, 99.279, 99.996, 100.192, 102.267, 108.620, 121.653];
    close(&actual, &curve, 0.25);
}

#[test]
fn a_second_loss_below_the_first_releases_more() {
    let check = |fast_convergence, plateau: f64| {
        let parameters = CubicParameters { fast_convergence, ..CURVE };
        let mut path = Path::new(100, 10, Duration::from_millis(100), parameters);
        path.lose(LossKind::DuplicateAcks);
        path.run(Duration::from_millis(500));
        let cwnd = path.cwnd();
        path.lose(LossKind::DuplicateAcks);
        close(&[path.cwnd()], &[0.7 * cwnd], 1e-5);
        // Where the second curve is flat, K = ∛((W_max − 0.7 · cwnd)/0.4) later.
        let w_max = plateau * cwnd;
        let k = ((w_max - 0.7 * cwnd) / 0.4).cbrt();
        let millis = (k * 1e3) as u64;
        close(&path.at_millis(&[millis]), &[w_max], 0.05);
    };
    check(true, 0.85);
    check(false, 1.0);
}

#[test]
fn a_small_product_of_bandwidth_and_delay_is_renos() {
    // 10 ms: cubic growth from 7 back to 10 would take ∛(3/0.4) = 1.96 s. α = 0.9/1.7 a round
    // trip: 5.67 of them to 10, and then a segment each.
    let rtt = Duration::from_millis(10);
    let friendly = |reno_friendly, expect: &[f64], within| {
        let mut path = Path::new(10, 2, rtt, CubicParameters { reno_friendly, ..PARAMETERS });
        path.lose(LossKind::DuplicateAcks);
        close(&path.at_millis(&[30, 50, 110]), expect, within);
    };
    friendly(true, &[8.588, 9.647, 15.333], 0.15);
    // Without it, the curve: 0.4 · (t − 1.9574)³ + 10.
    friendly(false, &[7.136, 7.224, 7.477], 0.06);
}

#[test]
fn no_more_than_half_of_the_window_a_round_trip() {
    // From an hour of plateau the curve is far away; a window's worth of acknowledgements at that
    // instant brings each (1.5 · cwnd − cwnd)/cwnd = 1/2 segment.
    let mut path = Path::new(100, 10, Duration::from_millis(100), PARAMETERS);
    path.lose(LossKind::DuplicateAcks);
    path.ack(true);
    let before = path.cwnd();
    path.now += Duration::from_secs(3_600);
    path.ack(true);
    close(&[path.cwnd()], &[before + 0.5], 1e-5);
}

#[test]
fn losses() {
    let check = |cwnd, kind, expect: [f64; 2]| {
        let mut path = Path::new(cwnd, 100, Duration::from_millis(100), PARAMETERS);
        path.lose(kind);
        close(&[path.cwnd(), path.ssthresh()], &expect, 1e-5);
    };
    check(100, LossKind::DuplicateAcks, [70.0, 70.0]);
    check(100, LossKind::Ecn, [70.0, 70.0]);
    check(100, LossKind::Timeout, [1.0, 70.0]);
    check(2, LossKind::DuplicateAcks, [2.0, 2.0]);
    // Only a mark leaves less than two segments (§4.6).
    check(2, LossKind::Ecn, [1.4, 2.0]);
}

/// 0.7 of 11 is 7.7.
#[test]
fn whole_segments_lose_more() {
    let check = |reduction, left: f64, again: fn(f64) -> f64| {
        let parameters = CubicParameters { reduction, ..PARAMETERS };
        let mut path = Path::new(11, 2, Duration::from_millis(100), parameters);
        path.lose(LossKind::DuplicateAcks);
        close(&[path.cwnd()], &[left], 1e-5);
        path.run(Duration::from_millis(500));
        let grown = path.cwnd();
        assert!(grown.fract() > 0.0, "{grown}");
        path.lose(LossKind::DuplicateAcks);
        close(&[path.cwnd()], &[again(grown)], 1e-5);
    };
    check(Reduction::Exact, 7.7, |grown| 0.7 * grown);
    check(Reduction::WholeSegments, 7.0, |grown| (0.7 * grown.floor()).floor());
}

#[test]
fn after_a_timeout_the_curve_begins_where_congestion_avoidance_does() {
    let mut path = Path::new(100, 10, Duration::from_millis(100), PARAMETERS);
    (0..2).for_each(|_| path.lose(LossKind::Timeout));
    close(&[path.cwnd(), path.ssthresh()], &[1.0, 70.0], 1e-5);
    (0..69).for_each(|_| path.ack(true));
    close(&[path.cwnd()], &[70.0], 1e-5);
    // K = 0 and W_max = 70 (§4.8): 70 + 0.4 · t³, but Reno is faster for the first
    // √(0.529/0.1/0.4) = 3.6 s. With 5 s, 50 round trips of it give 96.5; the curve gives 120.
    let actual = path.at_millis(&[2_000, 5_000]);
    close(&actual, &[70.0 + 0.529 * 20.0, 120.0], 1.0);
}

#[test]
fn a_loss_that_was_none_is_taken_back_curve_and_all() {
    let path = || {
        let mut path = Path::new(100, 10, Duration::from_millis(100), PARAMETERS);
        path.lose(LossKind::DuplicateAcks);
        path.run(Duration::from_secs(2));
        path
    };
    let (mut spurious, mut plain) = (path(), path());
    spurious.lose(LossKind::DuplicateAcks);
    (0..3).for_each(|_| spurious.lose(LossKind::Timeout));
    close(&[spurious.cwnd()], &[1.0], 0.0);
    spurious.cubic.on_undo(spurious.now);
    let millis = [0, 1_000, 3_000, 6_000];
    assert_eq!(spurious.at_millis(&millis), plain.at_millis(&millis));
}

#[test]
fn time_in_which_the_application_sends_little_does_not_count() {
    let path = || {
        let mut path = Path::new(100, 10, Duration::from_millis(100), PARAMETERS);
        path.lose(LossKind::DuplicateAcks);
        path.run(Duration::from_secs(1));
        path
    };
    let (mut paused, mut plain) = (path(), path());
    for _ in 0..1_000 {
        paused.now += Duration::from_millis(10);
        paused.ack(false);
    }
    close(&[paused.cwnd()], &[plain.cwnd()], 0.0);
    paused.run(Duration::from_secs(2));
    plain.run(Duration::from_secs(2));
    close(&[paused.cwnd()], &[plain.cwnd()], 0.02);
}

#[test]
fn slow_start_doubles_a_round_trip() {
    let mut path = Path::new(10, 1_000, Duration::from_millis(100), PARAMETERS);
    let mut rounds = Vec::new();
    for _ in 0..4 {
        (0..path.cubic.window() / MSS).for_each(|_| path.ack(true));
        rounds.push(path.cwnd());
    }
    assert_eq!(rounds, [20.0, 40.0, 80.0, 160.0]);
    // But not for an application that sends less.
    path.ack(false);
    close(&[path.cwnd()], &[160.0], 0.0);
}

/// Rounds of slow start with `HyStart++` at these round-trip times; says the window after each.
fn hystart(path: &mut Path, rtt_millis: &[u64]) -> Vec<f64> {
    let round = |millis: &u64| {
        path.rtt = Duration::from_millis(*millis);
        (0..path.cubic.window() / MSS).for_each(|_| path.ack(true));
        path.cwnd().floor()
    };
    rtt_millis.iter().map(round).collect()
}

#[test]
fn hystart_ends_slow_start_when_the_round_trip_time_rises() {
    let parameters = CubicParameters { slow_start: SlowStart::Hystart, ..PARAMETERS };
    let path = || Path::new(16, 10_000, Duration::from_millis(100), parameters);
    // An eighth of 100 ms is 12.5 ms: 112 is not enough, 113 is. From the eighth sample on
    // (the first is of the round before: 2 + 8 of 32), a quarter of a segment each.
    assert_eq!(hystart(&mut path(), &[100, 112, 112])[1..], [64.0, 128.0]);
    let mut rising = path();
    let windows = hystart(&mut rising, &[100, 113, 113, 113, 113, 113, 113]);
    close(&windows[..1], &[32.0], 0.0);
    assert!((40.0..50.0).contains(&windows[1]), "{windows:?}");
    assert!(rising.ssthresh() < 200.0, "five rounds later it is over: {}", rising.ssthresh());
    // Back to where it was: it was none, and slow start goes on.
    let windows = hystart(&mut path(), &[100, 113, 100, 100, 100]);
    assert!(windows[4] > 1.9 * windows[3], "{windows:?}");
}

/// After the first slow start, however it ended, and a pause (RFC 5681 §4.1).
#[test]
fn the_slow_start_after_hystart_is_an_ordinary_one() {
    let parameters = CubicParameters { slow_start: SlowStart::Hystart, ..PARAMETERS };
    let mut path = Path::new(16, 10_000, Duration::from_millis(100), parameters);
    hystart(&mut path, &[100, 113, 113, 113, 113, 113, 113]);
    let ssthresh = path.ssthresh();
    assert!(ssthresh < 200.0, "it is over: {ssthresh}");
    path.cubic.on_restart(path.now);
    (0..16).for_each(|_| path.ack(true));
    close(&[path.cwnd(), path.ssthresh()], &[32.0, ssthresh], 0.0);
}

#[test]
fn ack_trains_end_slow_start_when_they_last_half_a_round_trip() {
    let parameters = CubicParameters { slow_start: SlowStart::AckTrains, ..PARAMETERS };
    // The acknowledgements of a round, so far apart each, and the round-trip time of the round.
    let check = |cwnd, gap_micros, rtts: &[u64], ends: bool| {
        let mut path = Path::new(cwnd, 10_000, Duration::from_millis(100), parameters);
        for millis in rtts {
            path.rtt = Duration::from_millis(*millis);
            (0..path.cubic.window() / MSS).for_each(|_| {
                path.now += Duration::from_micros(gap_micros);
                path.ack(true);
            });
        }
        let ended = path.ssthresh() < 10_000.0;
        assert_eq!(ended, ends, "{cwnd} by {gap_micros} us, {rtts:?}");
    };
    check(30, 1_000, &[100], false);
    check(60, 1_000, &[100], true);
    // A pause of more than 2 ms ends a train.
    check(60, 2_001, &[100], false);
    // Below 16 segments nothing ends it; the delay does from an eighth more on.
    check(4, 100, &[100, 150], false);
    check(16, 100, &[100, 112], false);
    check(16, 100, &[100, 113], true);
}

#[test]
fn a_constant_alpha_stays_below_one_beyond_the_former_window() {
    let window_after = |alpha| {
        let parameters = CubicParameters { alpha, ..PARAMETERS };
        let mut path = Path::new(20, 2, Duration::from_millis(10), parameters);
        path.lose(LossKind::DuplicateAcks);
        path.run(Duration::from_secs(1));
        path.cwnd()
    };
    let (rises, constant) = (window_after(Alpha::Rises), window_after(Alpha::Constant));
    // From 14 on by 9/17 a round trip for a second, and by 1 from 20 on.
    close(&[constant], &[14.0 + 100.0 * 9.0 / 17.0], 1.0);
    close(&[rises], &[20.0 + (100.0 - 6.0 * 17.0 / 9.0)], 2.0);
}

#[test]
fn a_mark_takes_less_where_rfc_8511_is_asked_for() {
    let left = |abe, kind| {
        let rules = WindowRules { abe, ..WindowRules::default() };
        let limits = Limits { rules, ..limits(100, 2) };
        let mut cubic = Cubic::new(&limits, PARAMETERS);
        cubic.on_loss(&Loss { kind, ..LOSS });
        cubic.window() / MSS
    };
    assert_eq!(left(true, LossKind::Ecn), 85);
    assert_eq!(left(false, LossKind::Ecn), 70);
    assert_eq!(left(true, LossKind::DuplicateAcks), 70);
}

#[test]
fn hystart_judges_a_round_by_the_smallest_of_eight_samples() {
    let parameters = CubicParameters { slow_start: SlowStart::Hystart, ..PARAMETERS };
    let mut path = Path::new(16, 10_000, Duration::from_millis(100), parameters);
    hystart(&mut path, &[100]);
    // The smallest of the first seven says that it rose, the eighth that it did not.
    for round_trip in [150, 150, 150, 150, 150, 150, 150, 100, 100] {
        let before = path.cwnd();
        path.rtt = Duration::from_millis(round_trip);
        path.ack(true);
        close(&[path.cwnd()], &[before + 1.0], 0.0);
    }
}
