//! Reno (Jacobson 1988 and 1990; RFC 5681).

use settings::{Word, section, words};

use crate::window::{Window, controlled_window};
use crate::{Ack, Controller, Limits, Loss, LossKind};

words! {
    /// Half of a window. Half of the segments in flight (RFC 5681 equation 4) is no whole number
    /// where these are odd; ssthresh is rounded down to one in any case, and is at least 2.
    pub enum Halving {
        /// As many whole segments, at least 2.
        WholeSegments = "whole-segments",
        /// As many whole segments, at least 1: ns-2 without `precisionReduce_`.
        Truncated = "truncated",
        /// Exactly half, at least 1: ns-2.35.
        Exact = "exact",
    }
}

/// Share of the window that a mark leaves (RFC 8511 §3).
const ABE: f64 = 0.8;

section! {
    /// `[tcp.reno]`: what a loss leaves of the window.
    #[derive(Copy)]
    pub struct RenoParameters {
        /// Half of a window: as many whole segments, at least 2 or (ns-2 without
        /// `precisionReduce_`) 1, or exactly half (ns-2.35). Default: RFC 5681 equation 4.
        pub halving: Halving as Word<Halving> = Halving::WholeSegments;
    }
}

/// Additive increase, multiplicative decrease.
///
/// * Slow start, cwnd < ssthresh: one segment more for each segment that is acknowledged, or for
///   each acknowledgement (RFC 5681 §3.1).
/// * Congestion avoidance: one segment more per round trip.
/// * Duplicate acknowledgements: ssthresh and cwnd become half of the window, at least 2 segments
///   (RFC 5681 equation 4 and §3.2). A mark leaves 0.8 of it where RFC 8511 is asked for.
/// * Timeout: ssthresh likewise, cwnd one segment. RFC 5681 §3.1 holds ssthresh when the same
///   segment times out again; ns-2 halves once more, and so does this.
#[derive(Debug)]
pub struct Reno {
    window: Window,
    parameters: RenoParameters,
}

impl Reno {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits, parameters: RenoParameters) -> Self {
        Self { window: Window::new(limits), parameters }
    }
}

impl Controller for Reno {
    fn on_ack(&mut self, ack: &Ack) {
        if self.window.opens_with(ack) {
            self.window.grow_additively(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.window.keeps_after_mark(loss) {
            return;
        }
        self.window.remember();
        if self.window.backs_off_less(loss.kind) {
            self.window.ssthresh = (self.window.cwnd * ABE).max(2.0);
            self.window.cwnd = self.window.ssthresh;
            return;
        }
        let half = match self.parameters.halving {
            Halving::WholeSegments => self.window.half(),
            Halving::Truncated => f64::from(self.window.whole() / 2).max(1.0),
            Halving::Exact => (self.window.cwnd / 2.0).max(1.0),
        };
        self.window.ssthresh = self.window.half();
        self.window.cwnd = if loss.kind == LossKind::Timeout { 1.0 } else { half };
    }

    controlled_window!();
}
