//! Reno (Jacobson 1988 and 1990; RFC 5681).

use crate::window::Window;
use crate::{Ack, Controller, Limits, Loss, LossKind};

/// Additive increase, multiplicative decrease.
///
/// * Slow start, cwnd < ssthresh: one segment more for each acknowledgement (RFC 5681 §3.1).
/// * Congestion avoidance: 1/cwnd more for each acknowledgement, which is one segment per round
///   trip (RFC 5681 equation 3).
/// * Duplicate acknowledgements: ssthresh and cwnd become half of the window, at least 2 segments
///   (RFC 5681 equation 4 and §3.2).
/// * Timeout: ssthresh likewise, cwnd one segment. RFC 5681 §3.1 holds ssthresh when the same
///   segment times out again; ns-2 halves once more, and so does this.
#[derive(Debug)]
pub struct Reno {
    window: Window,
}

impl Reno {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits) -> Self {
        Self { window: Window::new(limits) }
    }
}

impl Controller for Reno {
    fn on_ack(&mut self, ack: &Ack) {
        let share = self.window.share(ack.acked);
        let increment = if self.window.slow_start() { share } else { share / self.window.cwnd };
        self.window.grow(increment);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.ssthresh = self.window.half();
        self.window.cwnd = match loss.kind {
            LossKind::DuplicateAcks | LossKind::FineTimeout => self.window.ssthresh,
            LossKind::Timeout => 1.0,
        };
    }

    fn on_idle(&mut self) {
        self.window.restart();
    }

    fn window(&self) -> u64 {
        self.window.cwnd_bytes()
    }

    fn ssthresh(&self) -> u64 {
        self.window.ssthresh_bytes()
    }
}
