//! WTCP (Sinha, Nandagopal, Venkitaraman, Sivakumar and Bharghavan, "WTCP: A Reliable Transport
//! Protocol for Wireless Wide-Area Networks", `MobiCom` 1999; Wireless Networks 8, 2002).
//!
//! Reconstructed: the principles are the paper's, the numbers and where they are computed are ours
//! (`docs/models/wtcp.md`).

use base::{Duration, Rate, Time};

use crate::{Ack, Clocks, Controller, Limits, Loss, LossKind, LostSegment};

/// How far the ratio of separations may stray from 1 before it counts: ours.
const TOLERANCE: f64 = 0.1;

/// The part of what got through that is sent after congestion, so that the queue drains: ours.
const DECREASE: f64 = 0.75;

/// What is left of the rate after a loss that counts as congestion: ours.
const LOSS_DECREASE: f64 = 0.5;

/// Gains of the long-term ratio, and of the mean and the deviation of loss intervals: ours.
const LONG_GAIN: f64 = 0.25;
const INTERVAL_GAIN: f64 = 0.125;
const DEVIATION_GAIN: f64 = 0.25;

/// The minimum number of segments for a decision, so that neither a late one nor the halves of a
/// pair count for much: ours.
const SEGMENTS: u64 = 8;

/// At least one segment in this time is sent: ours.
const LONGEST_SEPARATION: Duration = Duration::from_secs(10);

/// A rate that follows how separations of segments change on their way.
///
/// Segments leave at the rate R. What arrives further apart than it was sent waits in a queue that
/// grows. Once a round trip, or where that is longer, once in eight segments:
///
/// ```text
///     ratio = Σ separations received / Σ separations sent
///     ratio and its long-term average above 1 + ε:  R ← 3/4 · bytes / Σ separations received
///     ratio within 1 ± ε:                           R ← R + segment / RTT
///     ratio below 1 − ε:                            R stays: the queue drains
/// ```
///
/// * Start: two segments back to back; R is what separates them at the far end. Where nothing does,
///   twice what was delivered in the round trip.
/// * Losses: at intervals that are usual while no queue grows they are the radio's, and R stays;
///   sooner than that by two deviations, or while one grows, they halve R, once a round trip.
/// * Silence: no timeout cuts R. A single segment probes, and the first answer resumes R.
#[derive(Debug)]
pub struct Wtcp {
    mss: u64,
    initial_window: u64,
    maximum_window: u64,
    /// R in bytes per nanosecond, once it is known.
    rate: Option<f64>,
    phase: Phase,
    round: Round,
    /// The clocks as last reported.
    clocks: Option<Clocks>,
    long_ratio: f64,
    rtt: Option<Duration>,
    losses: Losses,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Flowing,
    /// Nothing has answered for a timeout.
    Blackout,
}

/// What a round trip has brought so far.
#[derive(Debug, Default)]
struct Round {
    start: Time,
    /// Its last segment ends here.
    end: u64,
    delivered: u64,
    /// Sums of separations in ticks, and the bytes that they separate.
    sent: u64,
    received: u64,
    bytes: u64,
    /// True if the rate has been cut of late.
    is_cut: bool,
}

/// The intervals between losses, in bytes delivered.
#[derive(Debug, Default)]
struct Losses {
    last: Option<u64>,
    /// Mean and mean deviation.
    usual: Option<(f64, f64)>,
}

impl Losses {
    /// Takes a loss after `delivered` bytes in; true if it comes sooner than is usual.
    fn take(&mut self, delivered: u64, growing: bool) -> bool {
        let Some(last) = self.last.replace(delivered) else { return false };
        let interval = delivered.saturating_sub(last) as f64;
        let Some((mean, deviation)) = self.usual else {
            self.usual = (!growing).then_some((interval, interval / 2.0));
            return false;
        };
        let is_early = interval < mean - 2.0 * deviation;
        if !growing && !is_early {
            let error = interval - mean;
            let deviation = deviation + DEVIATION_GAIN * (error.abs() - deviation);
            self.usual = Some((mean + INTERVAL_GAIN * error, deviation));
        }
        is_early
    }
}

impl Wtcp {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits) -> Self {
        let mss = u64::from(limits.mss);
        let initial_window = u64::from(limits.initial_window.max(2)) * mss;
        Self {
            mss,
            initial_window,
            maximum_window: u64::from(limits.maximum_window) * mss,
            rate: None,
            phase: Phase::Flowing,
            round: Round { end: initial_window, ..Round::default() },
            clocks: None,
            long_ratio: 1.0,
            rtt: None,
            losses: Losses::default(),
        }
    }

    /// The separation of two segments that left together gives the rate at which they passed.
    fn measure_pair(&mut self, bytes: u64, apart: Duration) {
        if bytes > 0 && apart > Duration::ZERO {
            self.set_rate(bytes as f64 / apart.as_nanos() as f64);
        }
    }

    /// True if `ack` ends a round trip with enough samples.
    fn is_over(&self, ack: &Ack) -> bool {
        let is_told = self.rate.is_none() || self.round.bytes >= SEGMENTS * self.mss;
        ack.una >= self.round.end && ack.acked > 0 && is_told
    }

    fn end_round(&mut self, ack: &Ack) {
        let elapsed = ack.now.saturating_since(self.round.start).as_nanos();
        // What the next round trip brings was sent before a cut, and is no reason for another.
        let is_cut = match (self.rate, self.rtt) {
            (None, Some(rtt)) if rtt > Duration::ZERO => {
                self.set_rate(2.0 * self.round.delivered as f64 / rtt.as_nanos() as f64);
                false
            }
            (Some(rate), Some(rtt)) if elapsed > 0 => self.decide(rate, rtt, elapsed),
            (None | Some(_), None | Some(_)) => false,
        };
        self.round = Round { start: ack.now, end: ack.nxt, is_cut, ..Round::default() };
    }

    /// True if it cuts the rate.
    fn decide(&mut self, rate: f64, rtt: Duration, elapsed: u64) -> bool {
        let ratio = self.round.received as f64 / self.round.sent.max(1) as f64;
        self.long_ratio += LONG_GAIN * (ratio - self.long_ratio);
        let is_used = self.round.delivered as f64 >= rate * elapsed as f64 / 2.0;
        let is_congested = ratio > 1.0 + TOLERANCE && self.is_growing();
        if is_congested {
            let took = Clocks::TICK * self.round.received;
            let through = self.round.bytes as f64 / took.as_nanos() as f64;
            self.set_rate(rate.min(DECREASE * through));
        } else if ratio >= 1.0 - TOLERANCE && !self.is_growing() && is_used && !self.round.is_cut {
            self.set_rate(rate + self.mss as f64 / rtt.as_nanos().max(1) as f64);
        }
        is_congested
    }

    /// True while the long-term ratio shows a growing queue.
    fn is_growing(&self) -> bool {
        self.long_ratio > 1.0 + TOLERANCE
    }

    fn set_rate(&mut self, rate: f64) {
        let least = self.mss as f64 / LONGEST_SEPARATION.as_nanos() as f64;
        self.rate = Some(rate.max(least));
    }
}

impl Controller for Wtcp {
    fn on_ack(&mut self, ack: &Ack) {
        if self.phase == Phase::Blackout {
            self.phase = Phase::Flowing;
            self.clocks = None;
            self.round = Round { start: ack.now, end: ack.nxt, ..Round::default() };
            return;
        }
        self.rtt = ack.rtt.or(self.rtt);
        self.round.delivered += ack.delivered;
        if self.is_over(ack) {
            self.end_round(ack);
        }
    }

    fn on_clocks(&mut self, clocks: &Clocks) {
        let last = *self.clocks.get_or_insert(*clocks);
        let [sent, received, bytes] = [
            clocks.sent.wrapping_sub(last.sent),
            clocks.received.wrapping_sub(last.received),
            clocks.ack.wrapping_sub(last.ack),
        ];
        // While something is missing, an old timestamp is echoed (RFC 7323 §4.3): only an
        // acknowledgement of something new echoes the segment that it answers.
        if bytes == 0 || [sent, received, bytes].iter().any(|&ahead| ahead > u32::MAX / 2) {
            return;
        }
        self.clocks = Some(*clocks);
        if sent == 0 && self.rate.is_none() {
            return self.measure_pair(u64::from(bytes), Clocks::TICK * u64::from(received));
        }
        self.round.sent += u64::from(sent);
        self.round.received += u64::from(received);
        self.round.bytes += u64::from(bytes);
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        // A timeout considers everything lost: that says nothing about intervals.
        if self.phase == Phase::Blackout {
            return;
        }
        let growing = self.is_growing();
        let is_early = self.losses.take(lost.prior, growing);
        if let Some(rate) = self.rate
            && (is_early || growing)
            && !self.round.is_cut
        {
            self.round.is_cut = true;
            self.set_rate(LOSS_DECREASE * rate);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if loss.kind == LossKind::Timeout {
            self.phase = Phase::Blackout;
        }
    }

    fn on_idle(&mut self, now: Time) {
        self.clocks = None;
        self.round = Round { start: now, end: self.round.end, ..Round::default() };
    }

    fn on_restart(&mut self, _now: Time) {}

    fn on_undo(&mut self, _now: Time) {}

    fn window(&self) -> u64 {
        match (self.phase, self.rate) {
            (Phase::Blackout, _) => self.mss,
            (Phase::Flowing, None) => self.initial_window,
            (Phase::Flowing, Some(_)) => self.maximum_window,
        }
    }

    fn ssthresh(&self) -> u64 {
        self.maximum_window
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.rate.map(|rate| Rate::from_bps((rate * 8e9).max(1.0) as u64))
    }

    fn wants_rate(&self) -> bool {
        true
    }
}
