//! Tahoe (Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988).

use crate::window::{Window, controlled_window};
use crate::{Ack, Controller, Limits, Loss};

/// Slow start after every loss.
///
/// * Slow start, cwnd < ssthresh: one segment more for each acknowledgement (§2).
/// * Congestion avoidance: 1/cwnd more for each acknowledgement (§3, appendix D).
/// * Any loss, however it was found: ssthresh becomes half of the window, at least 2 segments, and
///   cwnd one segment (§3: "set cwnd to half", then "slow-start"; appendix D).
#[derive(Debug)]
pub struct Tahoe {
    window: Window,
}

impl Tahoe {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits) -> Self {
        Self { window: Window::new(limits) }
    }
}

impl Controller for Tahoe {
    fn on_ack(&mut self, ack: &Ack) {
        if self.window.opens_with(ack) {
            self.window.grow_additively(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if !self.window.keeps_after_mark(loss) {
            self.window.remember();
            self.window.ssthresh = self.window.half();
        }
        self.window.cwnd = 1.0;
    }

    controlled_window!();
}
