//! Congestion control before the connection is established.

use base::Time;
use cc::{Ack, Controller, Loss};

/// Allows nothing in flight: the handshake decides what the real controller starts with.
#[derive(Debug)]
pub(crate) struct Unopened;

impl Controller for Unopened {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_loss(&mut self, _loss: &Loss) {}

    fn on_restart(&mut self, _now: Time) {}

    fn on_undo(&mut self, _now: Time) {}

    fn window(&self) -> u64 {
        0
    }

    fn ssthresh(&self) -> u64 {
        0
    }
}
