//! Reno (Jacobson 1988 and 1990; RFC 5681).

use settings::{Word, section, words};

use crate::window::{Window, controlled_window};
use crate::{Ack, Controller, Limits, Loss, LossKind};

words! {
    /// What half of a window is. Half of the segments in flight (RFC 5681 equation 4) is no whole
    /// number where these are odd; ssthresh is rounded down to one in any case.
    pub enum Halving {
        /// As many whole segments, at least 2.
        WholeSegments = "whole-segments",
        /// Exactly half, at least 1: ns-2.35.
        Exact = "exact",
    }
}

words! {
    /// What the window grows by. A receiver that acknowledges every other segment halves the pace
    /// of one that counts acknowledgements.
    pub enum Growth {
        /// Acknowledgements: one segment for each in slow start, 1/cwnd in congestion avoidance
        /// (RFC 5681 equations 2 and 3).
        Acknowledgements = "acknowledgements",
        /// The bytes that they acknowledge, in slow start two segments for each at most (RFC 3465;
        /// RFC 5681 §3.1 recommends it for congestion avoidance).
        Bytes = "bytes",
        /// Those bytes without a limit, as Linux has it: an acknowledgement of eight segments opens
        /// slow start by eight.
        AllBytes = "all-bytes",
    }
}

section! {
    /// `[tcp.reno]`: how the window opens, and what a loss leaves of it.
    #[derive(Copy)]
    pub struct RenoParameters {
        /// What half of a window is: as many whole segments, or exactly half. ns-2.35 has the
        /// latter. Default: whole segments.
        pub halving: Halving as Word<Halving> = Halving::WholeSegments;
        /// What the window grows by: acknowledgements, or the bytes that they acknowledge, in slow
        /// start at most two segments for each or all. Default: ns-2.
        pub growth: Growth as Word<Growth> = Growth::Acknowledgements;
    }
}

/// Additive increase, multiplicative decrease.
///
/// * Slow start, cwnd < ssthresh: one segment more for each segment that is acknowledged, or for
///   each acknowledgement (RFC 5681 §3.1).
/// * Congestion avoidance: one segment more per round trip.
/// * Duplicate acknowledgements: ssthresh and cwnd become half of the window, at least 2 segments
///   (RFC 5681 equation 4 and §3.2).
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
            match self.parameters.growth {
                Growth::Acknowledgements => self.window.grow_additively(ack.acked),
                // RFC 3465 §2.3.
                Growth::Bytes => self.window.grow_by_bytes(ack.acked, 2.0),
                Growth::AllBytes => self.window.grow_by_bytes(ack.acked, f64::INFINITY),
            }
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.remember();
        let half = match self.parameters.halving {
            Halving::WholeSegments => self.window.half(),
            Halving::Exact => (self.window.cwnd / 2.0).max(1.0),
        };
        self.window.ssthresh = self.window.half();
        self.window.cwnd = if loss.kind == LossKind::Timeout { 1.0 } else { half };
    }

    controlled_window!();
}
