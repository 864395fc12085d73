//! Westwood+ (Grieco and Mascolo, "Performance Evaluation and Comparison of Westwood+, New Reno,
//! and Vegas TCP Congestion Control", ACM CCR 34(2), 2004; Mascolo, Casetti, Gerla, Sanadidi and
//! Wang, "TCP Westwood", `MobiCom` 2001).

use base::{Duration, Time};
use settings::{Fraction, OfTime, Word, section, words};

use crate::window::{Window, controlled_window};
use crate::{Ack, Controller, Limits, Loss, LossKind};

section! {
    /// `[tcp.westwood]`: the estimate of the bandwidth.
    #[derive(Copy)]
    pub struct WestwoodParameters {
        /// α: the share that the estimate keeps of itself at each sample, one a round trip.
        /// Default: Grieco and Mascolo 2004.
        pub alpha: f64 as Fraction = 0.9;
        /// Which round-trip times `RTTmin` is the smallest of: all, or those since the last
        /// timeout, as in Linux. Default: Grieco and Mascolo 2004.
        pub minimum_rtt: MinimumRtt as Word<MinimumRtt> = MinimumRtt::Ever;
        /// A sample spans a round trip, and no less than this. Default: Grieco and Mascolo 2004;
        /// Linux has 50 ms.
        pub shortest_sample: Duration as OfTime = Duration::ZERO;
    }
}

words! {
    /// Which round-trip times `RTTmin` is the smallest of.
    pub enum MinimumRtt {
        /// All that were seen (Grieco and Mascolo 2004).
        Ever = "ever",
        /// Those since the last timeout, as the path may be another by then (Linux,
        /// `tcp_westwood_event` on `CA_EVENT_LOSS`).
        SinceTimeout = "since-timeout",
    }
}

/// Reno that closes its window to what the path carried, not to half.
///
/// Once per round trip the bytes delivered during it make a sample of the bandwidth, and the
/// samples pass a discrete low-pass filter with a fixed pole:
///
/// ```text
///     b = delivered / elapsed,   BWE ← α · BWE + (1 − α) · b
/// ```
///
/// (Grieco and Mascolo 2004; the first sample is the first BWE, as in Linux.) A sample
/// per round trip, not per acknowledgement, is the "+": bunched acknowledgements do not inflate it.
///
/// * Slow start and congestion avoidance: Reno's.
/// * Duplicate acknowledgements: ssthresh becomes BWE · `RTTmin`, at least 2 segments, and cwnd no
///   more than that.
/// * Timeout: ssthresh likewise, cwnd one segment.
/// * Before the first sample BWE is unknown, and ssthresh is Reno's half.
///
/// `RTTmin` is the smallest round-trip time seen, ever or since the last timeout.
#[derive(Debug)]
pub struct Westwood {
    window: Window,
    parameters: WestwoodParameters,
    rtt: Rtt,
    round: Round,
    /// BWE in bytes per nanosecond.
    bandwidth: Option<f64>,
}

/// Round-trip times seen.
#[derive(Debug, Default)]
struct Rtt {
    last: Duration,
    min: Option<Duration>,
    /// True if the smallest is to be looked for anew.
    outdated: bool,
}

/// The round trip being measured.
#[derive(Debug, Default)]
struct Round {
    start: Time,
    delivered: u64,
}

impl Westwood {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits, parameters: WestwoodParameters) -> Self {
        Self {
            window: Window::new(limits),
            parameters,
            rtt: Rtt::default(),
            round: Round::default(),
            bandwidth: None,
        }
    }

    fn measure(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.sample_rtt(ack.now, rtt);
        }
        self.round.delivered += ack.delivered;
        let elapsed = ack.now.saturating_since(self.round.start);
        let enough = self.rtt.last.max(self.parameters.shortest_sample);
        if self.rtt.min.is_some() && elapsed >= enough && elapsed > Duration::ZERO {
            self.filter(self.round.delivered as f64 / elapsed.as_nanos() as f64);
            self.round = Round { start: ack.now, delivered: 0 };
        }
    }

    /// The first round-trip time says when the first round trip began.
    fn sample_rtt(&mut self, now: Time, rtt: Duration) {
        if self.rtt.min.is_none() {
            self.round.start = Time::from_nanos(now.as_nanos().saturating_sub(rtt.as_nanos()));
        }
        let min = self.rtt.min.filter(|_| !std::mem::take(&mut self.rtt.outdated));
        self.rtt.min = Some(min.map_or(rtt, |min| min.min(rtt)));
        self.rtt.last = rtt;
    }

    fn filter(&mut self, sample: f64) {
        let alpha = self.parameters.alpha;
        let filtered = |bwe| alpha * bwe + (1.0 - alpha) * sample;
        self.bandwidth = Some(self.bandwidth.map_or(sample, filtered));
    }

    /// BWE · `RTTmin` in segments.
    fn share(&self) -> f64 {
        match (self.bandwidth, self.rtt.min) {
            (Some(bandwidth), Some(rtt)) => {
                let bytes = (bandwidth * rtt.as_nanos() as f64 + 0.5) as u64;
                self.window.segments(bytes).max(2.0)
            }
            (None, _) | (_, None) => self.window.half(),
        }
    }
}

impl Controller for Westwood {
    fn on_ack(&mut self, ack: &Ack) {
        self.measure(ack);
        if self.window.opens_with(ack) {
            self.window.grow_additively(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.window.keeps_after_mark(loss) {
            return;
        }
        self.window.remember();
        self.window.ssthresh = self.share();
        self.window.cwnd = if loss.kind == LossKind::Timeout {
            self.rtt.outdated = self.parameters.minimum_rtt == MinimumRtt::SinceTimeout;
            1.0
        } else {
            self.window.cwnd.min(self.window.ssthresh)
        };
    }

    fn on_idle(&mut self, now: Time) {
        self.round = Round { start: now, delivered: 0 };
    }

    controlled_window!();
}
