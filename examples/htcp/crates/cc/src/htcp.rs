//! H-TCP (Leith and Shorten, "H-TCP: TCP for high-speed and long-distance networks", `PFLDnet`
//! 2004; draft-leith-tcp-htcp-06).

use base::{Duration, Time};
use settings::{Fraction, OfTime, section};

use crate::window::Window;
use crate::{Ack, Controller, Limits, Loss, LossKind};

section! {
    /// `[tcp.htcp]`: growth by the time since the last loss, and what a loss leaves. Defaults:
    /// draft-leith-tcp-htcp-06.
    #[derive(Copy)]
    pub struct HtcpParameters {
        /// `Δ_L`: how long growth is Reno's after a loss.
        pub reno_for: Duration as OfTime = Duration::from_secs(1);
        /// β at least, and where the throughput has changed.
        pub least_backoff: f64 as Fraction = 0.5;
        /// β at most.
        pub most_backoff: f64 as Fraction = 0.8;
        /// Share by which the throughput may differ from that at the last loss.
        pub change: f64 as Fraction = 0.2;
    }
    in_order(least_backoff, most_backoff)
}

/// A window that grows faster the longer no segment was lost.
///
/// ```text
///     α(Δ) = 1 + 10 (Δ − Δ_L) + ((Δ − Δ_L)/2)²,   1 for Δ ≤ Δ_L
/// ```
///
/// with Δ the time since the last loss, in seconds.
///
/// * Slow start: Reno's.
/// * Congestion avoidance: 2 (1 − β) α(Δ) segments more in each round trip.
/// * Loss: ssthresh and cwnd become β · cwnd, at least 2 segments, where β = `RTTmin`/`RTTmax`
///   within its bounds; the lower bound if the throughput before this loss differs from that before
///   the last one by more than a fifth, or if there was none.
/// * Timeout: ssthresh likewise, cwnd one segment.
/// * A spurious loss: Δ counts from the loss before.
///
/// The throughput is what was delivered in the last whole round trip. That α is scaled by the
/// round-trip time is an option of the draft, and left out.
#[derive(Debug)]
pub struct Htcp {
    window: Window,
    parameters: HtcpParameters,
    epoch: Epoch,
    /// The epoch before the last loss.
    before: Epoch,
    shortest: Option<Duration>,
    longest: Duration,
    round: Round,
    /// Bytes per nanosecond.
    throughput: Option<f64>,
}

/// What a loss leaves behind.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When the loss was; at first when the connection began.
    start: Time,
    beta: f64,
    /// Throughput before it, in bytes per nanosecond.
    throughput: Option<f64>,
}

/// Round trip being measured.
#[derive(Debug, Default)]
struct Round {
    /// It ends when this offset is passed.
    end: u64,
    start: Time,
    delivered: u64,
}

impl Htcp {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits, parameters: HtcpParameters) -> Self {
        let beta = parameters.least_backoff;
        let epoch = Epoch { start: Time::ZERO, beta, throughput: None };
        Self {
            window: Window::new(limits),
            parameters,
            epoch,
            before: epoch,
            shortest: None,
            longest: Duration::ZERO,
            round: Round::default(),
            throughput: None,
        }
    }

    fn measure(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.shortest = Some(self.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
            self.longest = self.longest.max(rtt);
        }
        self.round.delivered += ack.delivered;
        if ack.una <= self.round.end {
            return;
        }
        let elapsed = ack.now.saturating_since(self.round.start);
        if elapsed > Duration::ZERO {
            self.throughput = Some(self.round.delivered as f64 / elapsed.as_nanos() as f64);
        }
        self.round = Round { end: ack.nxt, start: ack.now, delivered: 0 };
    }

    /// Segments by which the window grows in a round trip.
    fn alpha(&self, now: Time) -> f64 {
        let since = now.saturating_since(self.epoch.start);
        let fast = since.saturating_sub(self.parameters.reno_for).as_secs_f64();
        2.0 * (1.0 - self.epoch.beta) * (1.0 + 10.0 * fast + (fast / 2.0) * (fast / 2.0))
    }

    /// Share of the window that a loss leaves.
    fn beta(&self) -> f64 {
        let HtcpParameters { least_backoff, most_backoff, change, .. } = self.parameters;
        match (self.epoch.throughput, self.throughput, self.shortest) {
            (Some(last), Some(this), Some(shortest)) if (this - last).abs() <= change * last => {
                let ratio = shortest.as_nanos() as f64 / self.longest.as_nanos() as f64;
                ratio.clamp(least_backoff, most_backoff)
            }
            (..) => least_backoff,
        }
    }

    fn reduce(&mut self, now: Time) {
        self.epoch = Epoch { start: now, beta: self.beta(), throughput: self.throughput };
        self.window.ssthresh = (self.window.cwnd * self.epoch.beta).max(2.0);
        self.window.cwnd = self.window.ssthresh;
    }
}

impl Controller for Htcp {
    fn on_ack(&mut self, ack: &Ack) {
        self.measure(ack);
        if !self.window.opens_with(ack) {
            return;
        }
        let earned = self.window.earned(ack);
        self.window.grow(if self.window.slow_start() {
            earned
        } else {
            self.alpha(ack.now) * earned / self.window.cwnd
        });
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.window.remember() {
            self.before = self.epoch;
            self.reduce(loss.now);
        }
        if loss.kind == LossKind::Timeout {
            self.window.cwnd = 1.0;
        }
    }

    fn on_idle(&mut self, now: Time) {
        self.round.start = now;
    }

    fn on_restart(&mut self, _now: Time) {
        self.window.restart();
    }

    fn on_undo(&mut self, _now: Time) {
        if self.window.undo() {
            self.epoch = self.before;
        }
    }

    fn window(&self) -> u64 {
        self.window.cwnd_bytes()
    }

    fn ssthresh(&self) -> u64 {
        self.window.ssthresh_bytes()
    }
}
