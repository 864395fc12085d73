//! Prague's window, its share of marks and its growth, beside the draft's equations.

use base::{Duration, Ecn, Time};
use cc::{
    Ack, Controller, EcnFeedback, Limits, Loss, LossKind, Marked, Prague, PragueParameters,
    WindowRules,
};

use crate::harness::{ACK, LOSS};

const MSS: u64 = 1_000;

/// A connection of which each segment is acknowledged a round trip after it left.
struct Path {
    prague: Prague,
    rtt: Duration,
    now: Time,
    una: u64,
    nxt: u64,
}

impl Path {
    fn new(cwnd: u32, rtt_ms: u64, parameters: PragueParameters, feedback: EcnFeedback) -> Self {
        let limits = Limits {
            mss: MSS as u32,
            initial_window: cwnd,
            initial_ssthresh: 2,
            maximum_window: 10_000,
            rules: WindowRules::default(),
        };
        let mut prague = Prague::new(&limits, parameters);
        prague.on_feedback(feedback);
        let rtt = Duration::from_millis(rtt_ms);
        Self { prague, rtt, now: Time::ZERO + rtt, una: 0, nxt: u64::from(cwnd) * MSS }
    }

    fn ack(&mut self, is_marked: bool) -> f64 {
        self.una += MSS;
        let marked = Marked { packets: u64::from(is_marked), bytes: u64::from(is_marked) * MSS };
        self.prague.on_ack(&Ack {
            now: self.now,
            acked: MSS,
            delivered: MSS,
            una: self.una,
            nxt: self.nxt,
            rtt: Some(self.rtt),
            marked,
            ..ACK
        });
        self.nxt = self.nxt.max(self.una + self.prague.window());
        self.cwnd()
    }

    /// A round trip without a mark.
    fn round(&mut self) -> f64 {
        let end = self.nxt;
        while self.una < end {
            self.ack(false);
        }
        self.now += self.rtt;
        self.cwnd()
    }

    fn cwnd(&self) -> f64 {
        self.prague.window() as f64 / MSS as f64
    }
}

fn usual() -> PragueParameters {
    PragueParameters::default()
}

fn near(actual: f64, expect: f64) {
    assert!((actual - expect).abs() < 0.002, "{actual}, not {expect}");
}

/// The first mark finds α = 1 and halves the window; the others of the round trip do nothing.
#[test]
fn the_first_mark_halves_once_a_round_trip() {
    let mut path = Path::new(20, 50, usual(), EcnFeedback::Accurate);
    near(path.ack(true), 10.0);
    near(path.ack(true), 10.0);
    near(path.ack(false), 10.1);
    near(path.prague.ssthresh() as f64 / MSS as f64, 10.0);
}

/// α ← 15/16 · α + 1/16 · M at the end of each virtual round trip, and the next mark takes α/2.
#[test]
fn a_mark_takes_half_of_the_average_share() {
    let mut path = Path::new(20, 50, usual(), EcnFeedback::Accurate);
    path.ack(true);
    for _ in 0..19 {
        path.ack(false);
    }
    // One of the 21 that arrived up to the end of the virtual round trip has a mark.
    path.now += path.rtt;
    path.ack(false);
    let alpha = 15.0 / 16.0 + 1.0 / 21.0 / 16.0;
    let before = path.cwnd();
    near(path.ack(true), before * (1.0 - alpha / 2.0));
}

/// Draft §2.4.4: a virtual round trip of 25 ms. At 5 ms, congestion avoidance grows by (5/25)²
/// segments a round trip; at 25 ms and above by one.
#[test]
fn short_round_trips_grow_more_slowly() {
    let growth = |rtt_ms, transition| {
        let parameters = PragueParameters { transition, ..usual() };
        let mut path = Path::new(100, rtt_ms, parameters, EcnFeedback::Accurate);
        path.round();
        let before = path.cwnd();
        path.round() - before
    };
    let check = |rtt_ms, transition, expect: f64| {
        let grown = growth(rtt_ms, transition);
        // A window of w segments that grows by 1/w with each of them grows by a little less than 1;
        // and it is told in bytes, of which a segment has a thousand.
        let error = (grown - expect).abs();
        assert!(error < 0.01 * expect + 1.0 / MSS as f64, "{rtt_ms} ms: {grown}, not {expect}");
    };
    check(5, 0, 0.04);
    check(10, 0, 0.16);
    check(25, 0, 1.0);
    check(80, 0, 1.0);
    check(5, 500, 1.0);
}

/// So at the same share of marks rates are the same: what grows by (r/R)² and shrinks by α/2 each
/// round trip balances at a window of 2·(r/R)²/α, at two marks a virtual round trip.
#[test]
fn a_shorter_round_trip_gets_the_same_rate() {
    let balance = |rtt_ms: u64| {
        let parameters = PragueParameters { transition: 0, ..usual() };
        let mut path = Path::new(100, rtt_ms, parameters, EcnFeedback::Accurate);
        // One packet in forty, evenly.
        let mut total = 0.0;
        for nth in 0..200_000_u64 {
            let cwnd = path.ack(nth % 40 == 39);
            path.now += Duration::from_nanos((path.rtt.as_nanos() as f64 / cwnd) as u64);
            if nth >= 100_000 {
                total += cwnd;
            }
        }
        total / 100_000.0 / rtt_ms as f64
    };
    let [short, long] = [balance(12), balance(24)];
    assert!((short / long - 1.0).abs() < 0.35, "{short} and {long} segments/ms");
}

/// Draft §2.4: a loss stands for the mark of the same round trip as well: half of the window before
/// both.
#[test]
fn a_loss_halves_what_was_before_the_mark() {
    let loss = |path: &Path, kind| Loss { kind, in_flight: path.nxt - path.una, ..LOSS };
    let mut path = Path::new(40, 50, usual(), EcnFeedback::Accurate);
    near(path.ack(true), 20.0);
    path.prague.on_loss(&loss(&path, LossKind::DuplicateAcks));
    near(path.cwnd(), 20.0);
    near(path.ack(true), 20.0);
    path.prague.on_loss(&loss(&path, LossKind::Timeout));
    near(path.cwnd(), 1.0);
}

/// With a peer that tells of one mark in a window of data it is Reno, and so are its packets.
#[test]
fn with_a_classic_peer_it_is_reno() {
    for (feedback, codepoint, expect) in [
        (EcnFeedback::Accurate, Ecn::L4s, 40.0),
        (EcnFeedback::Classic, Ecn::Capable, 20.0),
        (EcnFeedback::Off, Ecn::Capable, 20.0),
    ] {
        let parameters = PragueParameters { transition: 0, ..usual() };
        let mut path = Path::new(40, 5, parameters, feedback);
        assert_eq!(path.prague.codepoint(), codepoint);
        path.prague.on_loss(&Loss { kind: LossKind::Ecn, in_flight: 40 * MSS, ..LOSS });
        near(path.cwnd(), expect);
        let step = if feedback == EcnFeedback::Accurate { 0.04 } else { 1.0 };
        near(path.ack(false), expect + step / expect);
    }
}

#[test]
fn it_sends_a_window_each_round_trip() {
    let mut path = Path::new(40, 50, usual(), EcnFeedback::Accurate);
    assert_eq!(path.prague.pacing_rate(), None, "no round trip is known");
    path.ack(false);
    let rate = path.prague.pacing_rate().expect("one is").as_bps();
    assert_eq!(rate, path.prague.window() * 8 * 20);
}

/// A queue that swings by 20 ms beside one of 1 ms: with few marks α falls, but a mark in the first
/// costs the window 0.625/2 (`prague_classic_ecn_fallback`).
#[test]
fn a_mark_of_a_classic_queue_counts_more() {
    for (swing_ms, falls_back, least) in [(20, true, 0.625), (1, true, 0.0), (20, false, 0.0)] {
        let parameters =
            PragueParameters { classic_fallback: falls_back, ..PragueParameters::default() };
        let mut path = Path::new(30, 20, parameters, EcnFeedback::Accurate);
        path.ack(true);
        for nth in 0..6_000 {
            path.rtt = Duration::from_micros(20_000 + swing_ms * 25 * (nth % 40));
            path.ack(false);
            path.now += Duration::from_millis(1);
        }
        let before = path.cwnd();
        path.ack(true);
        let lost = 1.0 - path.cwnd() / before;
        assert!((lost - least / 2.0).abs() < 0.02, "{swing_ms} ms, {falls_back}: {lost}");
    }
}
