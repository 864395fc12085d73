//! Freeze-TCP (Goff, Moronski, Phatak and Gupta, "Freeze-TCP: A true end-to-end TCP enhancement
//! mechanism for mobile environments", INFOCOM 2000): a receiver that sees a disconnection coming
//! closes its window, so that the sender waits with all its state, and opens it again afterwards.
//!
//! Only the receiving end knows of it. The sender does what RFC 9293 §3.8.6 asks of any.

use crate::{AckDue, Endpoint, Payload, Receiver, State};

/// How a receiver freezes its peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Freeze {
    /// How often the closed window is told: further copies stand in for lost ones.
    pub notices: u8,
    /// How many acknowledgements tell that it is open again. Three (Goff et al. §3, after Cáceres
    /// and Iftode 1995) have a sender that was not frozen in time send again at once.
    pub reopenings: u8,
}

impl Freeze {
    /// Each is told once.
    pub const ONCE: Self = Self { notices: 1, reopenings: 1 };
}

/// The window that is told, whatever room there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Gate {
    #[default]
    Open,
    Closed,
}

impl<P: Payload> Endpoint<P> {
    /// The way to the peer is about to break: its window is closed (ZWA, zero window
    /// advertisement). Without a connection nothing happens.
    pub fn freeze(&mut self) {
        if self.is_connected() {
            self.receiver.set_gate(Gate::Closed, self.config.freeze.notices);
        }
    }

    /// The way is there again, or never broke: the window is what room there is.
    pub fn thaw(&mut self) {
        if self.is_connected() && self.receiver.gate == Gate::Closed {
            self.receiver.set_gate(Gate::Open, self.config.freeze.reopenings);
        }
    }

    fn is_connected(&self) -> bool {
        self.state.is_synchronized() && self.state != State::TimeWait
    }
}

impl<P: Payload> Receiver<P> {
    /// Opens or closes the gate, which `times` acknowledgements tell.
    fn set_gate(&mut self, gate: Gate, times: u8) {
        self.gate = gate;
        self.copies = times.saturating_sub(1);
        self.ack = AckDue::Alone;
    }
}
