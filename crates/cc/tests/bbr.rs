//! BBR over a bottleneck that is modelled here: a rate, a delay and a buffer.

use std::collections::VecDeque;

use base::{Duration, Time};
use cc::{
    Ack, Bbr, BbrParameters, Controller, EcnFeedback, Limits, Loss, LossKind, LostSegment,
    MarkAnswer, Marked, RateSample, WindowRules,
};

use crate::harness::{ACK, LOSS, seeded};

const MSS: u64 = 1_000;
/// 10 Mbit/s.
const BYTES_PER_SECOND: u64 = 1_250_000;
const DELAY: Duration = Duration::from_millis(40);
/// In segments: 1.25 MB/s · 40 ms.
const BDP: u64 = 50;

/// A segment in the network, and what was known when it was sent.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    /// When its acknowledgement arrives; never, if the buffer was full.
    back: Option<Time>,
    is_marked: bool,
    sent: Time,
    first_sent: Time,
    delivered: u64,
    delivered_at: Time,
    pipe: u64,
    lost: u64,
}

/// One connection that always has something to send, and its path.
struct Path {
    bbr: Bbr,
    now: Time,
    bytes_per_second: u64,
    delay: Duration,
    /// Acknowledgements leave the network together, so often.
    bunches: Duration,
    /// In segments.
    buffer: u64,
    /// When the bottleneck has sent what it holds.
    busy_until: Time,
    next_send: Time,
    flying: VecDeque<InFlight>,
    /// A segment that makes the queue longer than this is marked, in segments.
    marks_above: u64,
    /// One mark in a window of data counts as a loss, where marks do.
    marked_until: u64,
    pipe: u64,
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    lost: u64,
    sent: u64,
    /// Losses are being repaired until so much was delivered or lost.
    recover: Option<u64>,
    limited: bool,
}

impl Path {
    fn new(buffer: u64) -> Self {
        Self::with(buffer, seeded().bbr)
    }

    fn with(buffer: u64, parameters: BbrParameters) -> Self {
        let limits = Limits {
            mss: MSS as u32,
            initial_window: 10,
            initial_ssthresh: 10_000,
            maximum_window: 10_000,
            rules: WindowRules::default(),
        };
        let mut bbr = Bbr::new(&limits, parameters);
        bbr.on_feedback(EcnFeedback::Accurate);
        Self {
            bbr,
            now: Time::ZERO,
            bytes_per_second: BYTES_PER_SECOND,
            delay: DELAY,
            bunches: Duration::from_nanos(1),
            buffer,
            busy_until: Time::ZERO,
            next_send: Time::ZERO,
            flying: VecDeque::new(),
            marks_above: u64::MAX,
            marked_until: 0,
            pipe: 0,
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            lost: 0,
            sent: 0,
            recover: None,
            limited: false,
        }
    }

    fn cwnd(&self) -> u64 {
        self.bbr.window() / MSS
    }

    /// In flight, in segments.
    fn flight(&self) -> u64 {
        self.pipe / MSS
    }

    /// The pacing rate as a multiple of the bottleneck's.
    fn pace(&self) -> f64 {
        let rate = self.bbr.pacing_rate().expect("it paces").as_bps();
        rate as f64 / (self.bytes_per_second * 8) as f64
    }

    /// The time at the bottleneck, without a segment of one's own.
    fn queue(&self) -> Duration {
        self.busy_until.saturating_since(self.now)
    }

    fn run_until(&mut self, end: Time) {
        while self.now < end {
            self.step();
        }
    }

    fn run(&mut self, span: Duration) {
        self.run_until(self.now + span);
    }

    /// The next thing that happens: a segment is sent, or an acknowledgement arrives.
    fn step(&mut self) {
        let back = self.flying.iter().find_map(|flying| flying.back);
        let may_send = self.pipe + MSS <= self.bbr.window();
        self.limited |= !may_send;
        match back {
            Some(back) if !may_send || back <= self.next_send => {
                self.now = back;
                self.acknowledge();
            }
            _ => {
                self.now = self.now.max(self.next_send);
                self.send();
            }
        }
    }

    fn send(&mut self) {
        if self.pipe == 0 {
            (self.first_sent, self.delivered_at) = (self.now, self.now);
        }
        let service = Duration::from_nanos(MSS * 1_000_000_000 / self.bytes_per_second);
        let fits = self.queue() <= service * self.buffer;
        let is_marked = self.queue() + service > service * self.marks_above.min(1_000_000);
        if fits {
            self.busy_until = self.busy_until.max(self.now) + service;
        }
        self.pipe += MSS;
        self.sent += MSS;
        self.flying.push_back(InFlight {
            back: fits.then(|| (self.busy_until + self.delay).next_multiple(self.bunches)),
            is_marked,
            sent: self.now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            pipe: self.pipe,
            lost: self.lost,
        });
        let rate = self.bbr.pacing_rate().expect("it paces").as_bps();
        self.next_send = self.now + Duration::from_nanos(MSS * 8_000_000_000 / rate);
    }

    /// The first acknowledgement on the way arrives; what was sent before it is lost.
    fn acknowledge(&mut self) {
        while self.flying.front().is_some_and(|flying| flying.back.is_none()) {
            self.lose();
        }
        let flying = self.flying.pop_front().expect("something is in flight");
        self.pipe -= MSS;
        self.delivered += MSS;
        self.delivered_at = self.now;
        self.first_sent = flying.sent;
        let elapsed = self.now.saturating_since(flying.delivered_at);
        let una = self.delivered + self.lost;
        self.recover = self.recover.filter(|recover| una < *recover);
        let rate = RateSample {
            total: self.delivered,
            prior: flying.delivered,
            interval: elapsed.max(flying.sent.saturating_since(flying.first_sent)),
            app_limited: false,
            pipe_at_send: flying.pipe,
            lost: self.lost - flying.lost,
        };
        if flying.is_marked && una >= self.marked_until {
            self.marked_until = self.sent;
            self.bbr.on_loss(&Loss { now: self.now, kind: LossKind::Ecn, ..LOSS });
        }
        let marked = Marked {
            packets: u64::from(flying.is_marked),
            bytes: u64::from(flying.is_marked) * MSS,
        };
        self.bbr.on_ack(&Ack {
            marked,
            now: self.now,
            acked: MSS,
            delivered: MSS,
            una,
            nxt: self.sent,
            pipe: self.pipe,
            rtt: Some(self.now.saturating_since(flying.sent)),
            recovering: self.recover.is_some(),
            window_limited: self.limited,
            most_in_flight: 0,
            rate: Some(rate),
        });
        self.limited = false;
    }

    fn lose(&mut self) {
        let flying = self.flying.pop_front().expect("something is in flight");
        self.pipe -= MSS;
        self.lost += MSS;
        self.bbr.on_lost_segment(&LostSegment {
            now: self.now,
            bytes: MSS,
            prior: flying.delivered,
            pipe_at_send: flying.pipe,
            lost: self.lost - flying.lost,
            app_limited: false,
        });
        // What was lost is not sent again here; its repair takes a round trip.
        if self.recover.replace(self.sent).is_none() {
            let in_flight = self.sent - self.delivered - self.lost + MSS;
            self.bbr.on_loss(&Loss { now: self.now, in_flight, ..LOSS });
        }
    }

    /// Runs through Startup; says when it ended.
    fn drain(&mut self) -> Time {
        self.wait("Startup", |path| path.delivered > 0 && path.pace() > 1.0);
        self.wait("Drain", |path| path.pace() < 0.6)
    }

    /// Runs until `holds`, for at most 20 s; says when that was.
    fn wait(&mut self, what: &str, holds: impl Fn(&Self) -> bool) -> Time {
        let end = self.now + Duration::from_secs(20);
        while !holds(self) {
            assert!(self.now < end, "{what}: never");
            self.step();
        }
        self.now
    }
}

fn seconds(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(seconds)
}

fn near(actual: f64, expect: f64, within: f64) {
    assert!((actual - expect).abs() <= within, "{actual}, not {expect}");
}

#[test]
fn the_first_rate_is_from_the_initial_window() {
    // 2.77 · 10 segments in the nominal millisecond, then in the first round-trip time of 40.8 ms:
    // 10 kB · 2.77 / 0.0408 s = 678.9 kB/s = 0.543 of the bottleneck.
    let mut path = Path::new(1_000);
    near(path.pace(), 22.16, 0.01);
    path.wait("an acknowledgement", |path| path.delivered > 0);
    near(path.pace(), 0.543, 0.001);
}

#[test]
fn startup_doubles_and_ends_after_three_rounds_without_growth() {
    let mut path = Path::new(1_000);
    // 10, 20, 40 segments a round trip, then the pipe is full: three more rounds of queueing.
    let full = path.wait("the pipe is full", |path| path.queue() > Duration::from_millis(10));
    assert!(full < seconds(0.2), "{full:?}");
    let drain = path.drain();
    near(path.pace(), 0.5 * 0.99, 0.01);
    let rounds = drain.saturating_since(full).as_secs_f64() / 0.08;
    assert!((1.5..5.0).contains(&rounds), "{rounds} rounds of 80 ms with the queue of cwnd_gain 2");
    assert_eq!(path.lost, 0);
}

#[test]
fn drain_ends_with_a_bandwidth_delay_product_in_flight() {
    let mut path = Path::new(1_000);
    path.drain();
    assert!(path.flight() > BDP + 20, "a queue to drain: {}", path.flight());
    path.wait("ProbeBW", |path| path.pace() > 0.6);
    near(path.flight() as f64, BDP as f64, 2.0);
    // Its first phase is DOWN, or CRUISE at once.
    assert!(path.pace() < 1.0, "{}", path.pace());
}

#[test]
fn startup_ends_with_losses_in_a_shallow_buffer() {
    let mut path = Path::new(10);
    path.drain();
    assert!(path.lost > 0);
    assert!(path.now < seconds(1.0), "{:?}", path.now);
}

#[test]
fn the_model_converges() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(4.0));
    // cwnd = 2 · BDP, or 2.25 · BDP + 2 in UP; the delay is 40 ms and 0.8 ms at the bottleneck.
    let full = (2 * BDP..=117).contains(&path.cwnd());
    assert!(full, "{}", path.cwnd());
    let before = path.delivered;
    path.run(Duration::from_secs(1));
    let utilisation = (path.delivered - before) as f64 / BYTES_PER_SECOND as f64;
    assert!(utilisation > 0.95, "{utilisation}");
}

/// The pacing gains in percent in the order in which they come, with 1 % off taken back.
fn gains(path: &mut Path, span: Duration) -> Vec<(u64, Time)> {
    let end = path.now + span;
    let mut gains: Vec<(u64, Time)> = Vec::new();
    while path.now < end {
        path.step();
        let gain = (path.pace() / 0.99 * 20.0).round() as u64 * 5;
        if gains.last().is_none_or(|(last, _)| *last != gain) {
            gains.push((gain, path.now));
        }
    }
    gains
}

#[test]
fn probe_bw_goes_down_cruises_refills_and_goes_up() {
    let mut path = Path::new(1_000);
    path.drain();
    let start = path.wait("ProbeBW", |path| path.pace() > 0.6);
    let gains = gains(&mut path, Duration::from_secs(4));
    // DOWN for a moment (there is no queue), CRUISE and REFILL, UP, DOWN until the queue is gone,
    // and CRUISE again.
    let values: Vec<u64> = gains.iter().map(|(gain, _)| *gain).collect();
    assert!(values.windows(4).any(|four| four == [100, 125, 90, 100]), "{values:?}");
    // UP lets 2.25 · 51 segments and 2 more fly.
    path.wait("UP", |path| path.pace() > 1.2);
    let mut most = 0;
    while path.pace() > 1.2 {
        path.step();
        most = most.max(path.cwnd());
    }
    near(most as f64, 2.25 * 51.0 + 2.0, 1.5);
    // UP comes after the 2 to 3 s of waiting, or after as many round trips as Reno takes to win
    // a bandwidth-delay product, 51 of 41 ms; and REFILL is one more.
    let (_, up) = gains.iter().find(|(gain, _)| *gain == 125).expect("UP");
    let wait = up.saturating_since(start).as_secs_f64();
    assert!((2.0..2.3).contains(&wait), "{wait} s");
}

#[test]
fn the_time_between_probes() {
    let check = |delay_millis, factor, from: f64, to: f64| {
        let mut path = Path::new(10_000);
        path.delay = Duration::from_millis(delay_millis);
        path.bytes_per_second *= factor;
        path.drain();
        let start = path.wait("ProbeBW", |path| path.pace() > 0.6);
        let up = path.wait("UP", |path| path.pace() > 1.2);
        let wait = up.saturating_since(start).as_secs_f64();
        assert!((from..to).contains(&wait), "{delay_millis} ms: {wait} s");
    };
    // 126 segments: 2 to 3 s, and a round of REFILL.
    check(100, 1, 2.1, 3.2);
    // 13 segments: as many rounds of 10.8 ms, less the one that chance may give, and REFILL's.
    check(10, 1, 0.12, 0.18);
    // 251 segments, but rounds of 20 ms: 63 of them, less that one, and REFILL's.
    check(20, 10, 1.24, 1.32);
}

#[test]
fn after_a_probe_that_lost_the_next_is_cautious() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(6.0));
    path.wait("UP", |path| path.pace() > 1.2);
    path.run(Duration::from_millis(40));
    let pipe_at_send = path.pipe;
    path.bbr.on_lost_segment(&LostSegment {
        now: path.now,
        bytes: MSS,
        prior: path.delivered - pipe_at_send,
        pipe_at_send,
        lost: pipe_at_send / 10,
        app_limited: false,
    });
    path.wait("DOWN", |path| path.pace() < 0.95);
    // Until then 15 % of what it found are left free.
    path.wait("CRUISE", |path| path.pace() > 0.95);
    let bound = (pipe_at_send / MSS) as f64 + 2.0;
    near(path.cwnd() as f64, 0.85 * bound, 2.0);
    // The next UP stops as soon as so much is in flight again, and when a round of that brought
    // no loss, REFILL and a whole UP follow at once.
    let first = path.wait("UP", |path| path.pace() > 1.2);
    let down = path.wait("DOWN", |path| path.pace() < 0.95);
    assert!(down.saturating_since(first) < Duration::from_millis(60), "{first:?} {down:?}");
    near(path.flight() as f64, (pipe_at_send / MSS) as f64, 2.0);
    let second = path.wait("UP", |path| path.pace() > 1.2);
    assert!(second.saturating_since(down) < Duration::from_millis(150), "{down:?} {second:?}");
    // In it the bound rises by 1, 2, 4, ... segments a round.
    path.run(Duration::from_millis(350));
    assert!(path.cwnd() > pipe_at_send / MSS + 6, "{} of {pipe_at_send}", path.cwnd());
}

#[test]
fn bunched_acknowledgements_earn_as_much_more_window() {
    let mut path = Path::new(1_000);
    path.bunches = Duration::from_millis(20);
    path.run_until(seconds(2.0));
    // Twice 50 and the 25 segments that 20 ms have.
    path.wait("cruising", |path| (0.95..1.02).contains(&path.pace()));
    assert!((115..=140).contains(&path.cwnd()), "{}", path.cwnd());
}

/// One acknowledgement a round of 100 ms, of so many segments each; says the pacing rate as a
/// multiple of the last delivery rate.
fn feed(rounds: impl Iterator<Item = u64>, app_limited: bool) -> f64 {
    let rtt = Duration::from_millis(100);
    let mut path = Path::new(1);
    let (mut total, mut last) = (0, 1);
    for (nth, segments) in (1..).zip(rounds) {
        let prior = total;
        last = segments * MSS;
        total += last;
        path.bbr.on_ack(&Ack {
            now: Time::ZERO + rtt * nth,
            acked: last,
            delivered: last,
            una: total,
            nxt: total + 10_000 * MSS,
            pipe: 10_000 * MSS,
            rtt: Some(rtt),
            rate: Some(RateSample {
                total,
                prior,
                interval: rtt,
                app_limited,
                pipe_at_send: 10_000 * MSS,
                lost: 0,
            }),
            ..ACK
        });
    }
    let rate = path.bbr.pacing_rate().expect("it paces").as_bps();
    rate as f64 / (last * 80) as f64
}

#[test]
fn startup_lasts_while_the_bandwidth_grows_by_a_quarter() {
    let growing = || {
        (1..15).scan(100, |segments, _| {
            *segments += *segments * 26 / 100 + 1;
            Some(*segments)
        })
    };
    near(feed(growing(), false), 2.77 * 0.99, 0.01);
    // The third round after the first of its size, and not the second.
    near(feed(growing().chain([4_000; 3]), false), 2.77 * 0.99, 0.01);
    near(feed(growing().chain([4_000; 4]), false), 0.5 * 0.99, 0.01);
    // What the application limits says nothing of the path.
    near(feed([100; 20].into_iter(), true), 2.77 * 0.99, 0.01);
}

#[test]
fn a_faster_bottleneck_is_found_by_probing() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(3.0));
    path.bytes_per_second = 2 * BYTES_PER_SECOND;
    path.run(Duration::from_secs(8));
    assert!(path.pace() > 0.85, "{}", path.pace());
}

#[test]
fn a_slower_bottleneck_is_learned_within_two_cycles() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(3.0));
    path.bytes_per_second = BYTES_PER_SECOND / 2;
    path.run(Duration::from_secs(12));
    assert!(path.pace() < 1.3, "{}", path.pace());
}

#[test]
fn probe_rtt_comes_after_five_seconds_with_half_a_product() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(2.0));
    let start = path.wait("ProbeRTT", |path| path.cwnd() <= BDP / 2 + 1);
    // 0.5 · 51 segments (0.8 ms at the bottleneck count for the delay).
    near(path.cwnd() as f64, 25.0, 1.0);
    assert!((5.0..6.0).contains(&start.as_secs_f64()), "{start:?}");
    let end = path.wait("the end of it", |path| path.cwnd() > BDP);
    let duration = end.saturating_since(start).as_secs_f64();
    assert!((0.2..0.35).contains(&duration), "{duration} s");
    // The next one is five seconds later.
    let again = path.wait("ProbeRTT", |path| path.cwnd() <= BDP / 2 + 1);
    near(again.saturating_since(end).as_secs_f64(), 5.0, 0.1);
}

#[test]
fn a_longer_path_is_believed_after_probe_rtt() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(4.0));
    path.delay = DELAY * 2;
    path.run(Duration::from_secs(18));
    // The filter is ten seconds long: 2 · 101 segments by now.
    assert!((190..240).contains(&path.cwnd()), "{}", path.cwnd());
}

#[test]
fn losses_bound_what_is_in_flight() {
    // Half a product of buffer: UP may lose, and then stays below 75 segments.
    let mut path = Path::new(BDP / 2);
    path.run_until(seconds(5.0));
    let (lost, sent) = (path.lost, path.sent);
    path.run(Duration::from_secs(20));
    let rate = (path.lost - lost) as f64 / (path.sent - sent) as f64;
    assert!(rate < 0.02, "{rate} lost");
    let utilisation = (path.delivered as f64 - lost as f64) / (25.0 * BYTES_PER_SECOND as f64);
    assert!(utilisation > 0.85, "{utilisation}");
}

#[test]
fn a_timeout_leaves_one_segment_and_the_window_comes_back_with_what_was_lost() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(2.0));
    let before = path.cwnd();
    let in_flight = path.pipe;
    path.bbr.on_loss(&Loss { now: path.now, kind: LossKind::Timeout, in_flight, ..LOSS });
    assert_eq!(path.cwnd(), 1);
    // All of it was lost: the acknowledgement of the next segment ends the repair at once, and
    // what was is bounded by 0.7 of it for the losses.
    path.flying.iter_mut().for_each(|flying| flying.back = None);
    (path.pipe, path.recover) = (0, Some(path.sent));
    path.send();
    path.pipe += in_flight;
    path.now = path.flying.back().and_then(|flying| flying.back).expect("it is on its way");
    path.acknowledge();
    near(path.cwnd() as f64, 0.7 * before as f64, 1.0);
}

#[test]
fn congestion_lowers_the_rate_to_what_is_delivered() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(1.0));
    path.wait("cruising", |path| (0.98..1.0).contains(&path.pace()));
    // One mark: by no more than what the last round delivered, which was all.
    let mark = |path: &mut Path| {
        path.bbr.on_loss(&Loss { now: path.now, kind: LossKind::Ecn, ..LOSS });
        path.run(Duration::from_millis(100));
    };
    mark(&mut path);
    near(path.pace(), 0.99, 0.02);
    assert!(path.cwnd() < 2 * BDP, "{}", path.cwnd());
    // A bottleneck of half the rate, that marks in every round: 0.7 a round, down to its rate,
    // though the maximum of the last two cycles still says twice as much.
    path.bytes_per_second = BYTES_PER_SECOND / 2;
    path.run(Duration::from_millis(200));
    near(path.pace(), 1.98, 0.04);
    path.bbr.on_loss(&Loss { now: path.now, kind: LossKind::Ecn, ..LOSS });
    path.wait("the end of the round", |path| path.pace() < 1.9);
    near(path.pace(), 0.7 * 1.98, 0.06);
    (0..6).for_each(|_| mark(&mut path));
    near(path.pace(), 0.99, 0.05);
}

#[test]
fn a_probe_that_lost_ends_and_goes_on_if_it_lost_nothing() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(1.0));
    path.wait("UP", |path| path.pace() > 1.2);
    path.run(Duration::from_millis(50));
    let (before, pipe_at_send) = (path.cwnd(), path.pipe);
    // A tenth of the flight is lost: 60 of them were in flight, the 2 % of that were lost before.
    let lost = LostSegment {
        now: path.now,
        bytes: MSS,
        prior: path.delivered - pipe_at_send,
        pipe_at_send,
        lost: pipe_at_send / 10,
        app_limited: false,
    };
    path.bbr.on_lost_segment(&lost);
    path.bbr.on_loss(&Loss { now: path.now, ..LOSS });
    path.run(Duration::from_millis(5));
    near(path.pace(), 0.9 * 0.99, 0.01);
    near(path.cwnd() as f64, (pipe_at_send / MSS) as f64 - 1.0, 1.0);
    path.bbr.on_undo(path.now);
    path.run(Duration::from_millis(5));
    near(path.pace(), 0.99, 0.01);
    assert!(path.cwnd() + 2 >= before.min(2 * BDP), "{} of {before}", path.cwnd());
    let undone = path.now;
    let up = path.wait("UP again", |path| path.pace() > 1.2);
    assert!(up.saturating_since(undone) < Duration::from_millis(100), "after a round of REFILL");
}

#[test]
fn startup_goes_on_if_it_lost_nothing() {
    let mut path = Path::new(10);
    path.drain();
    path.bbr.on_undo(path.now);
    path.run(Duration::from_millis(5));
    assert!(path.pace() > 1.0, "it was losses that ended it: {}", path.pace());
}

#[test]
fn an_acknowledgement_without_a_sample_or_with_one_too_short_changes_no_model() {
    let mut path = Path::new(1_000);
    path.run_until(seconds(2.0));
    let before = path.pace();
    let ack = Ack { now: path.now, pipe: path.pipe, ..ACK };
    path.bbr.on_ack(&ack);
    near(path.pace(), before, 0.0);
    // All of a flight within a millisecond: no round trip was ever that short.
    let rate = RateSample {
        total: path.delivered,
        prior: path.delivered - path.pipe,
        interval: Duration::from_millis(1),
        app_limited: false,
        pipe_at_send: path.pipe,
        lost: 0,
    };
    path.bbr.on_ack(&Ack { rate: Some(rate), ..ack });
    near(path.pace(), before, 0.0);
}

/// Marks by their share, on a path of any length.
fn by_share() -> BbrParameters {
    BbrParameters { marks: MarkAnswer::Share, ecn_max_rtt: Duration::ZERO, ..seeded().bbr }
}

/// `bbr_full_ecn_cnt`: two rounds of which more than half was marked.
#[test]
fn startup_ends_after_two_rounds_of_marks() {
    let ends = |parameters, marks_above| {
        let mut path = Path { marks_above, ..Path::with(1_000, parameters) };
        let full = path.wait("the pipe is full", |path| path.queue() > Duration::from_millis(1));
        path.drain().saturating_since(full).as_secs_f64()
    };
    let [marked, unmarked] = [2, 1_000].map(|marks_above| ends(by_share(), marks_above));
    assert!(unmarked - marked > 0.04, "a round of 40 ms or more: {marked} and {unmarked} s");
    assert_eq!(ends(seeded().bbr, 2).to_bits(), unmarked.to_bits(), "a mark ends it no earlier");
}

/// `bbr_ecn_lower_bounds`: what is in flight falls by α/3. After 3 s without marks α is nearly
/// zero, and a round of nothing but marks makes it 1/16.
#[test]
fn a_round_of_marks_takes_a_third_of_their_share() {
    let mut path = Path::with(1_000, by_share());
    path.run_until(seconds(3.0));
    path.wait("DOWN", |path| (path.pace() - 0.9 * 0.99).abs() < 0.01);
    path.wait("CRUISE", |path| (path.pace() - 0.99).abs() < 0.01);
    let before = path.cwnd() as f64;
    let round = path.sent;
    path.marks_above = 0;
    path.run(DELAY * 2);
    assert!(path.delivered > round - 20 * MSS, "at least a round");
    let left = path.cwnd() as f64 / before;
    assert!((0.90..0.99).contains(&left), "{left} of {before}, by at most two rounds of 1/48");
}

/// `bbr_ecn_max_rtt_us`: on a path of 40 ms a mark is as a loss, as without the key; so is it
/// where the peer does not tell of all.
#[test]
fn a_long_path_answers_marks_as_losses() {
    let run = |parameters, feedback| {
        let mut path = Path { marks_above: 5, ..Path::with(1_000, parameters) };
        path.bbr.on_feedback(feedback);
        (0..5_000)
            .map(|_| {
                path.step();
                (path.cwnd(), path.now)
            })
            .collect::<Vec<_>>()
    };
    let short = BbrParameters { marks: MarkAnswer::Share, ..seeded().bbr };
    let as_loss = run(seeded().bbr, EcnFeedback::Accurate);
    assert_eq!(run(short, EcnFeedback::Accurate), as_loss, "40 ms");
    assert_eq!(run(by_share(), EcnFeedback::Classic), as_loss, "a classic peer");
    assert_ne!(run(by_share(), EcnFeedback::Accurate), as_loss, "any length");
}

/// `bbr_ecn_reprobe_gain`: where marks cease, it probes at once, not after two seconds.
#[test]
fn when_marks_cease_it_probes() {
    let mut path = Path::with(1_000, by_share());
    path.run_until(seconds(3.0));
    path.wait("DOWN", |path| (path.pace() - 0.9 * 0.99).abs() < 0.01);
    path.wait("CRUISE", |path| (path.pace() - 0.99).abs() < 0.01);
    path.marks_above = 0;
    path.run(DELAY * 3);
    path.marks_above = 1_000;
    let ceased = path.now;
    let up = path.wait("UP", |path| path.pace() > 1.2);
    let rounds = up.saturating_since(ceased).as_secs_f64() / DELAY.as_secs_f64();
    assert!((2.0..6.0).contains(&rounds), "{rounds} round trips");
}
