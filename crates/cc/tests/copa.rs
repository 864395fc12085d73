//! Copa's steps, velocity, modes and losses, by hand (Arun and Balakrishnan 2018, §2).

use base::{Duration, Time};
use cc::{
    Ack, Controller, Copa, CopaParameters, CurrentRate, Limits, Loss, LossKind, LostSegment,
    WindowRules,
};

use crate::harness::{ACK, LOSS};

const MSS: u64 = 1_000;
const LIMITS: Limits = Limits {
    mss: MSS as u32,
    initial_window: 100,
    initial_ssthresh: 2,
    maximum_window: 10_000,
    rules: WindowRules { growth: cc::Growth::Acknowledgements, cwnd_validation: false, abe: false },
};

/// Past slow start with a hundred segments, after one acknowledgement of 100 ms, and the time.
struct Flow {
    copa: Copa,
    now: Time,
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

impl Flow {
    fn new() -> Self {
        let parameters =
            CopaParameters { current_rate: CurrentRate::AtArrival, ..CopaParameters::default() };
        let mut flow = Self { copa: Copa::new(&LIMITS, parameters), now: Time::ZERO + millis(100) };
        flow.copa.on_ack(&Ack {
            now: flow.now,
            rtt: Some(millis(100)),
            acked: 0,
            delivered: 0,
            ..ACK
        });
        flow
    }

    /// `segments` arrive after `pause`, the newest of which took `rtt`. By how many segments the
    /// window moves.
    fn ack(&mut self, pause: Duration, segments: u64, rtt: Duration) -> f64 {
        let before = self.copa.window();
        self.now += pause;
        let bytes = segments * MSS;
        self.copa.on_ack(&Ack {
            now: self.now,
            acked: bytes,
            delivered: bytes,
            rtt: Some(rtt),
            ..ACK
        });
        (self.copa.window() as f64 - before as f64) / MSS as f64
    }

    /// A round trip without a queue, or with one that lets the window shrink.
    fn round(&mut self, rtt: Duration) -> f64 {
        self.ack(rtt, 10, rtt)
    }

    fn lose(&mut self, kind: LossKind) {
        self.copa.on_loss(&Loss { now: self.now, kind, ..LOSS });
    }
}

fn assert_near(actual: f64, expect: f64, what: &str) {
    assert!(
        (actual - expect).abs() < 0.002 + expect.abs() * 0.02,
        "{what}: {actual}, not {expect}"
    );
}

/// λ ≤ λt is cwnd · dq ≤ 1/δ · `RTTstanding`: with 100 segments and δ = ½, a queue of up to 2.04
/// ms over a path of 100 ms. A segment moves the window by 1/(δ · cwnd) = 0.02.
#[test]
fn a_segment_moves_the_window_towards_the_target() {
    for (micros, step) in [(0, 0.02), (1_500, 0.02), (2_000, 0.02), (2_100, -0.02), (9_000, -0.02)]
    {
        let mut flow = Flow::new();
        // The lowest of half a round trip is what stands in the queue.
        let rtt = millis(100) + Duration::from_micros(micros);
        let moved = flow.ack(millis(60), 1, rtt);
        assert_near(moved, step, &format!("{micros} us"));
    }
}

#[test]
fn slow_start_doubles_until_the_rate_is_above_the_target() {
    let limits = Limits { initial_window: 10, initial_ssthresh: 10_000, ..LIMITS };
    let mut copa = Copa::new(&limits, CopaParameters::default());
    let mut ack = |now, rtt| {
        let (acked, delivered) = (copa.window(), copa.window());
        let now = Time::ZERO + millis(now);
        copa.on_ack(&Ack { now, acked, delivered, rtt: Some(millis(rtt)), ..ACK });
        copa.window() / MSS
    };
    assert_eq!([ack(100, 100), ack(200, 100), ack(300, 100)], [20, 40, 80]);
    assert!(ack(460, 160) < 80, "80 segments, of which 30 wait");
    assert!(ack(600, 100) < 100, "it does not come back");
}

/// Ten segments a round trip: 10 · 2/cwnd more at first. The direction is known after the first;
/// after three more in it each has twice the velocity.
#[test]
fn the_velocity_doubles_in_one_direction_and_a_turn_ends_it() {
    let mut flow = Flow::new();
    let mut velocities = Vec::new();
    for _ in 0..8 {
        let cwnd = flow.copa.window() as f64 / MSS as f64;
        velocities.push((flow.round(millis(100)) * cwnd / 20.0).round() as u32);
    }
    assert_eq!(velocities, [1, 1, 1, 1, 2, 4, 8, 16]);
    // The round trip that turns has the velocity of the one before, as all of it does.
    let cwnd = flow.copa.window() as f64 / MSS as f64;
    assert_near(flow.ack(millis(60), 10, millis(150)), -32.0 * 20.0 / cwnd, "down");
    flow.ack(millis(60), 1, millis(150));
    let cwnd = flow.copa.window() as f64 / MSS as f64;
    assert_near(flow.ack(millis(60), 10, millis(150)), -20.0 / cwnd, "after the turn");
}

#[test]
fn a_step_is_a_window_at_most() {
    let mut flow = Flow::new();
    for _ in 0..40 {
        let before = flow.copa.window();
        flow.ack(millis(100), before / MSS, millis(100));
        assert!(flow.copa.window() <= 2 * before);
    }
    assert_eq!(flow.copa.window(), 10_000 * MSS);
}

/// What ten segments move is 10/(δ · cwnd): it tells 1/δ where the window stood, so that the
/// velocity is one.
fn inverse_delta(flow: &mut Flow) -> f64 {
    let cwnd = flow.copa.window() as f64 / MSS as f64;
    flow.ack(Duration::ZERO, 10, millis(200)).abs() * cwnd / 10.0
}

/// Round trips of 190 to 200 ms over a path of 100 ms: the queue is never nearly empty.
fn compete(flow: &mut Flow, rounds: u32) {
    for _ in 0..rounds {
        flow.ack(millis(110), 0, millis(190));
        flow.ack(millis(110), 0, millis(200));
    }
}

#[test]
fn a_queue_that_never_empties_is_competed_with() {
    let mut flow = Flow::new();
    compete(&mut flow, 2);
    assert_near(inverse_delta(&mut flow), 2.0, "five round trips have to pass");
    compete(&mut flow, 20);
    let before = inverse_delta(&mut flow);
    assert!(before > 10.0, "one more a round trip: {before}");
    flow.lose(LossKind::DuplicateAcks);
    assert_near(inverse_delta(&mut flow), before / 2.0, "a loss halves it");
    flow.copa.on_undo(flow.now);
    assert_near(inverse_delta(&mut flow), before, "one that was none does not");
    flow.lose(LossKind::Ecn);
    assert_near(inverse_delta(&mut flow), before / 2.0, "a mark does");
    for _ in 0..10 {
        flow.copa.on_ack(&Ack { now: flow.now, acked: MSS, delivered: MSS, ..ACK });
        flow.lose(LossKind::DuplicateAcks);
    }
    assert_near(inverse_delta(&mut flow), 2.0, "never below the default's");
    compete(&mut flow, 20);
    flow.ack(millis(220), 0, millis(101));
    flow.ack(millis(220), 0, millis(101));
    assert_near(inverse_delta(&mut flow), 2.0, "a nearly empty queue ends it");
}

#[test]
fn a_loss_moves_no_window_and_many_do() {
    let mut flow = Flow::new();
    let before = flow.copa.window();
    flow.lose(LossKind::DuplicateAcks);
    assert_eq!(flow.copa.window(), before);
    for (lost, share) in [(30, 1.0), (60, 0.7)] {
        let mut flow = Flow::new();
        let segment = LostSegment {
            now: flow.now,
            bytes: MSS,
            prior: 0,
            pipe_at_send: 0,
            lost: MSS,
            app_limited: false,
        };
        (0..lost).for_each(|_| flow.copa.on_lost_segment(&segment));
        let before = flow.copa.window() as f64;
        flow.ack(millis(250), 100, millis(100));
        assert_near(
            flow.copa.window() as f64 / before,
            share,
            &format!("{lost} of {}", lost + 100),
        );
    }
}

#[test]
fn a_timeout_begins_anew() {
    let mut flow = Flow::new();
    flow.lose(LossKind::Timeout);
    assert_eq!(flow.copa.window(), 2 * MSS);
}

#[test]
fn the_pace_is_two_windows_in_a_round_trip() {
    let flow = Flow::new();
    assert_eq!(flow.copa.pacing_rate().map(base::Rate::as_bps), Some(2 * 100 * MSS * 8 * 10));
    assert!(flow.copa.paces_window());
    assert_eq!(flow.copa.base_rtt(), Some(millis(100)));
}

#[test]
fn the_window_that_left_counts_and_not_the_present_one() {
    let mut copa = Copa::new(&LIMITS, CopaParameters::default());
    assert!(copa.wants_rate());
    let mut ack = |now, rtt, in_flight: u64| {
        let rate = Some(cc::RateSample {
            total: 0,
            prior: 0,
            interval: millis(rtt),
            app_limited: false,
            pipe_at_send: in_flight * MSS,
            lost: 0,
        });
        let before = copa.window();
        let now = Time::ZERO + millis(now);
        copa.on_ack(&Ack { now, rtt: Some(millis(rtt)), rate, delivered: MSS, acked: MSS, ..ACK });
        copa.window() >= before
    };
    // Over 100 ms a queue of 10 ms: 22 segments in flight are 2 in the queue.
    assert!(ack(100, 100, 100));
    assert!(ack(200, 110, 21));
    assert!(!ack(210, 110, 23));
}
