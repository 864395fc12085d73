//! Copa (Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet",
//! NSDI 2018).

use std::cmp::Ordering;

use base::{Duration, Rate, Time};
use settings::{Flag, OfTime, Positive, Word, section, words};

use crate::lowest::Lowest;
use crate::window::Window;
use crate::{Ack, Controller, Limits, Loss, LossKind, LostSegment};

words! {
    /// Window that is compared with the target, as a rate.
    pub enum CurrentRate {
        /// What was in flight when the newest acknowledged segment left: that and its round-trip
        /// time are of the same moment, as §3 assumes. A queue as long as the path then empties,
        /// too.
        AtDeparture = "at-departure",
        /// cwnd as it is when the acknowledgement arrives (§2.1 to the letter).
        AtArrival = "at-arrival",
    }
}

section! {
    /// `[tcp.copa]`: how much queueing is worth a rate.
    #[derive(Copy)]
    pub struct CopaParameters {
        /// δ: the flow aims at 1/δ packets in the queue. Default: Arun and Balakrishnan 2018 §2.2.
        pub delta: f64 as Positive = 0.5;
        /// Whether it competes with flows that fill queues: while the queue is not nearly empty in
        /// any of five round trips, 1/δ grows by one a round trip and a loss halves it. Default:
        /// Arun and Balakrishnan 2018 §2.2.
        pub competes: bool as Flag = true;
        /// Span of which `RTTmin` is the smallest round-trip time. Default: Arun and Balakrishnan
        /// 2018 §2.1.
        pub min_rtt_span: Duration as OfTime<1> = Duration::from_secs(10);
        /// Window whose rate is compared with the target: what was in flight when the segment left
        /// that is acknowledged, or cwnd when the acknowledgement arrives, which is §2.1 to the
        /// letter; then a queue as long as the path does not empty, which is taken for competition.
        /// Default: the model of Arun and Balakrishnan 2018 §3.
        pub current_rate: CurrentRate as Word<CurrentRate> = CurrentRate::AtDeparture;
    }
}

/// Round trips in which the queue is nearly empty at least once (§2.2).
const CYCLE: usize = 5;
/// Round trips over which `RTTmax` is measured (§2.2).
const HIGHEST_OVER: usize = 4;
/// Share of the range of round-trip times below which the queue is nearly empty (§2.2).
const NEARLY_EMPTY: f64 = 0.1;
/// Round trips in the direction of the one before, from which on the velocity doubles (§2.1; mvfst
/// counts so).
const STEADY: u32 = 3;
/// Pace in windows a round trip, so that no burst waits in the queue that is measured (§2.1).
const PACE: f64 = 2.0;
/// Smallest window in segments: that of the authors' code, genericCC.
const LEAST: f64 = 2.0;
/// Share of segments lost in two round trips from which on the queue is too short for the target
/// (genericCC, `ReduceOnLoss`).
const HEAVY_LOSS: f64 = 0.3;
/// Segments that have to be known of for that.
const ENOUGH: f64 = 20.0;
/// Share of the window that is left then.
const AFTER_HEAVY_LOSS: f64 = 0.7;

/// A window that steers for the rate 1/(δ · dq).
///
/// ```text
///     dq = RTTstanding − RTTmin,   λ = cwnd / RTTstanding,   λt = 1 / (δ · dq)
/// ```
///
/// with `RTTstanding` the smallest round-trip time of the last half of a smoothed one, and `RTTmin`
/// that of the last ten seconds (§2.1).
///
/// * Slow start: cwnd doubles each round trip until λ > λt.
/// * From then on: for each segment that arrives, cwnd moves by v/(δ · cwnd): upwards while
///   λ ≤ λt, else downwards.
/// * Velocity v: once a round trip, the direction is that in which cwnd went. After three more in
///   one direction v doubles each time; it is 1 after a turn. v/δ is at most cwnd, as in genericCC.
/// * Competitive mode, where the queue was not nearly empty in any of the last five round trips,
///   dq ≤ 0.1 (`RTTmax` − `RTTmin`): 1/δ is one more after each round trip, and half after a loss,
///   at least that of the default mode, which comes back with the first nearly empty queue (§2.2).
/// * A loss means nothing in the default mode, and moves no window in either. A mark counts as a
///   loss. Only where more than three of ten segments are lost in two round trips, cwnd becomes
///   0.7 of itself, as in genericCC: a queue that is shorter than the target says so by no delay.
/// * Data leave at 2 · cwnd / `RTTstanding` (§2.1).
///
/// A round trip is the time of a smoothed one, as in genericCC and mvfst. What the paper leaves
/// open: a timeout leaves two segments and starts slow start; the window grows only while it
/// holds the sender back (RFC 7661); it moves on while losses are repaired, since a path on which
/// each window loses a segment would stop it otherwise. λ is what was in flight when a segment
/// left over the round-trip time that it had, so that both are of the same moment.
#[derive(Debug)]
pub struct Copa {
    window: Window,
    parameters: CopaParameters,
    rtt: Rtt,
    state: State,
    /// The state before the last loss.
    before: State,
    round: Round,
    /// The last round trips, the newest first.
    past: [Option<Seen>; CYCLE],
    toll: Toll,
}

/// State that losses change, besides the window.
#[derive(Clone, Copy, Debug)]
struct State {
    slow_start: bool,
    /// 1/δ.
    inverse_delta: f64,
}

/// Round-trip times.
#[derive(Debug, Default)]
struct Rtt {
    smoothed: Duration,
    standing: Duration,
    least: Duration,
    short: Lowest,
    long: Lowest,
}

/// The round trip under way.
#[derive(Debug)]
struct Round {
    start: Time,
    /// Window at its start, in segments.
    cwnd: f64,
    seen: Option<Seen>,
    lost: bool,
    /// Where the window went in the round trip before.
    direction: Ordering,
    /// Round trips in the direction of the one before.
    steady: u32,
    velocity: f64,
}

/// Segments of two round trips that arrived, and that were lost.
#[derive(Debug, Default)]
struct Toll {
    arrived: f64,
    lost: f64,
    start: Time,
}

/// Round-trip times of a round trip.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// `RTTstanding` at least.
    lowest: Duration,
    highest: Duration,
}

impl Rtt {
    fn update(&mut self, now: Time, rtt: Duration, span: Duration) {
        self.smoothed = if self.smoothed == Duration::ZERO {
            rtt
        } else {
            self.smoothed - self.smoothed / 8 + rtt / 8
        };
        self.standing = self.short.update(now, rtt, self.smoothed / 2);
        self.least = self.long.update(now, rtt, span).min(self.standing);
    }

    /// dq.
    const fn queueing(&self) -> Duration {
        self.standing.saturating_sub(self.least)
    }
}

impl Copa {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits, parameters: CopaParameters) -> Self {
        let window = Window::new(limits);
        let state = State { slow_start: true, inverse_delta: 1.0 / parameters.delta };
        let round = Round {
            start: Time::ZERO,
            cwnd: window.cwnd,
            seen: None,
            lost: false,
            direction: Ordering::Equal,
            steady: 0,
            velocity: 1.0,
        };
        let rtt = Rtt::default();
        Self {
            window,
            parameters,
            rtt,
            state,
            before: state,
            round,
            past: [None; CYCLE],
            toll: Toll::default(),
        }
    }

    /// True if λ ≤ λt: cwnd · dq ≤ 1/δ · `RTTstanding`.
    fn is_below_target(&self, ack: &Ack) -> bool {
        let [queueing, standing] = [self.rtt.queueing(), self.rtt.standing].map(as_f64);
        let cwnd = match (self.parameters.current_rate, ack.rate) {
            (CurrentRate::AtDeparture, Some(sample)) => self.window.segments(sample.pipe_at_send),
            (CurrentRate::AtDeparture, None) | (CurrentRate::AtArrival, _) => self.window.cwnd,
        };
        cwnd * queueing <= self.state.inverse_delta * standing
    }

    fn steer(&mut self, ack: &Ack) {
        let arrived = self.window.segments(ack.delivered);
        let is_below = self.is_below_target(ack);
        self.state.slow_start &= is_below && self.window.slow_start();
        let step = if self.state.slow_start {
            arrived
        } else {
            let reach = (self.round.velocity * self.state.inverse_delta).min(self.window.cwnd);
            arrived * reach / self.window.cwnd
        };
        if !is_below {
            self.window.cwnd = (self.window.cwnd - step).max(LEAST.min(self.window.cwnd));
        } else if ack.window_limited {
            self.window.grow(step);
        }
    }

    fn watch(&mut self, now: Time, rtt: Duration) {
        let standing = self.rtt.standing;
        let seen = self.round.seen.get_or_insert(Seen { lowest: standing, highest: rtt });
        seen.lowest = seen.lowest.min(standing);
        seen.highest = seen.highest.max(rtt);
        if now.saturating_since(self.round.start) >= self.rtt.smoothed {
            self.end_round(now);
        }
    }

    fn end_round(&mut self, now: Time) {
        self.past.rotate_right(1);
        self.past[0] = self.round.seen.take();
        self.set_velocity();
        self.set_mode();
        self.round.start = now;
        self.round.cwnd = self.window.cwnd;
        self.round.lost = false;
    }

    fn set_velocity(&mut self) {
        let round = &mut self.round;
        let direction = self.window.cwnd.total_cmp(&round.cwnd);
        let is_turn = direction != round.direction || direction == Ordering::Equal;
        if is_turn || self.state.slow_start {
            (round.direction, round.steady, round.velocity) = (direction, 0, 1.0);
            return;
        }
        round.steady += 1;
        let most = (self.window.cwnd / self.state.inverse_delta).max(1.0);
        if round.steady >= STEADY {
            round.velocity = (round.velocity * 2.0).min(most);
        }
    }

    fn set_mode(&mut self) {
        let default = 1.0 / self.parameters.delta;
        if !self.parameters.competes || self.has_been_nearly_empty() {
            self.state.inverse_delta = default;
        } else if !self.round.lost {
            self.state.inverse_delta += 1.0;
        }
    }

    /// True if the queue was nearly empty in the last five round trips, or there were fewer.
    fn has_been_nearly_empty(&self) -> bool {
        let highest = self.past.iter().take(HIGHEST_OVER).flatten().map(|seen| seen.highest).max();
        let Some(highest) = highest else { return true };
        let limit = NEARLY_EMPTY * as_f64(highest.saturating_sub(self.rtt.least));
        self.past.iter().any(|seen| {
            seen.is_none_or(|seen| as_f64(seen.lowest.saturating_sub(self.rtt.least)) <= limit)
        })
    }

    fn count_toll(&mut self, ack: &Ack) {
        self.toll.arrived += self.window.segments(ack.delivered);
        let (toll, two_rounds) = (&self.toll, self.rtt.smoothed * 2);
        let sent = toll.arrived + toll.lost;
        if ack.now.saturating_since(toll.start) <= two_rounds || sent <= ENOUGH {
            return;
        }
        if toll.lost > HEAVY_LOSS * sent {
            let least = LEAST.min(self.window.cwnd);
            self.window.cwnd = (self.window.cwnd * AFTER_HEAVY_LOSS).max(least);
        }
        self.toll = Toll { start: ack.now, ..Toll::default() };
    }

    fn compete_less(&mut self) {
        self.round.lost = true;
        let default = 1.0 / self.parameters.delta;
        self.state.inverse_delta = (self.state.inverse_delta / 2.0).max(default);
    }
}

const fn as_f64(duration: Duration) -> f64 {
    duration.as_nanos() as f64
}

impl Controller for Copa {
    fn on_ack(&mut self, ack: &Ack) {
        self.window.opens_with(ack);
        if let Some(rtt) = ack.rtt {
            self.rtt.update(ack.now, rtt, self.parameters.min_rtt_span);
        }
        if self.rtt.smoothed == Duration::ZERO {
            return;
        }
        self.steer(ack);
        self.count_toll(ack);
        if let Some(rtt) = ack.rtt {
            self.watch(ack.now, rtt);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.window.keeps_after_mark(loss) {
            return;
        }
        if self.window.remember() {
            self.before = self.state;
            self.compete_less();
        }
        if loss.kind == LossKind::Timeout {
            self.window.cwnd = self.window.cwnd.min(LEAST);
            self.state.slow_start = true;
        }
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.toll.lost += self.window.segments(lost.bytes);
    }

    /// Measurements begin anew: those before an idle time say nothing about the queue after it.
    fn on_idle(&mut self, now: Time) {
        self.round.start = now;
        self.round.seen = None;
        self.past = [None; CYCLE];
    }

    fn on_restart(&mut self, _now: Time) {
        self.window.restart();
    }

    fn on_undo(&mut self, _now: Time) {
        if self.window.undo() {
            self.state = self.before;
        }
    }

    fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
        self.window.resume(cwnd, ssthresh);
    }

    fn window(&self) -> u64 {
        self.window.cwnd_bytes()
    }

    fn ssthresh(&self) -> u64 {
        self.window.ssthresh_bytes()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        (self.rtt.standing > Duration::ZERO).then(|| {
            let bytes = PACE * self.window.cwnd_bytes() as f64;
            Rate::from_bps(((bytes * 8.0 / self.rtt.standing.as_secs_f64()) as u64).max(1))
        })
    }

    /// For what was in flight, and to hear of each lost segment.
    fn wants_rate(&self) -> bool {
        true
    }

    fn paces_window(&self) -> bool {
        true
    }

    fn base_rtt(&self) -> Option<Duration> {
        (self.rtt.smoothed > Duration::ZERO).then_some(self.rtt.least)
    }
}
