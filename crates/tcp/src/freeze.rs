//! Freeze-TCP (Goff, Moronski, Phatak and Gupta, "Freeze-TCP: A true end-to-end TCP enhancement
//! mechanism for mobile environments", INFOCOM 2000): a receiver that sees a disconnection coming
//! closes its window, so that the sender waits with all its state, and opens it again afterwards.
//!
//! Only the receiving end knows of it. The sender does what RFC 9293 §3.8.6 asks of any.

use base::Duration;
use settings::{Count, Flag, OfTime, Off, Or, section};

use crate::{AckDue, Endpoint, Payload, Receiver, State};

section! {
    /// `[tcp.freeze]`: receivers that see a disconnection coming freeze their senders (Freeze-TCP,
    /// Goff et al. 2000). Disconnections are the outages of [link] towards the mobile or of
    /// [radio], and coverage that is lost.
    pub struct Freeze {
        /// How long before a disconnection the mobile is warned; about a round trip (Goff et al.
        /// §3.2), as 1 s over GPRS. Default: never.
        pub warning: Option<Duration> as Or<Off, OfTime> = None;
        /// How many acknowledgements advertise the closed window, in case some are lost. Default:
        /// our choice.
        pub notices: u8 as Count<u8, 1, 100> = 3;
        /// Reopen the window with three acknowledgements (TR-ACKs), not one. Default: Goff et al.
        /// §3.
        pub tr_acks: bool as Flag = true;
        /// Mean of the exponential time from one false warning to the next. The sender is thawed
        /// when the disconnection should have begun. Default: never.
        pub false_warnings: Option<Duration> as Or<Off, OfTime<1>> = None;
    }
    only_with(false_warnings: warning not "off")
}

impl Freeze {
    /// Each change is advertised once.
    pub const ONCE: Self = Self { warning: None, notices: 1, tr_acks: false, false_warnings: None };

    /// How many acknowledgements reopen the window. Three (Goff et al. §3, after Cáceres and Iftode
    /// 1995) have a sender that was not frozen in time send again at once.
    const fn reopenings(&self) -> u8 {
        if self.tr_acks { 3 } else { 1 }
    }
}

/// The window that is advertised, whatever room there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Gate {
    #[default]
    Open,
    Closed,
}

impl<P: Payload> Endpoint<P> {
    /// The path to the peer is about to break: closes the peer's window (ZWA, zero window
    /// advertisement). Without a connection nothing happens.
    pub fn freeze(&mut self) {
        if self.is_connected() {
            self.receiver.set_gate(Gate::Closed, self.config.freeze.notices);
        }
    }

    /// The path is there again, or never broke: advertises the room that there is.
    pub fn thaw(&mut self) {
        if self.is_connected() && self.receiver.gate == Gate::Closed {
            self.receiver.set_gate(Gate::Open, self.config.freeze.reopenings());
        }
    }

    fn is_connected(&self) -> bool {
        self.state.is_synchronized() && self.state != State::TimeWait
    }
}

impl<P: Payload> Receiver<P> {
    /// Opens or closes the gate, with `times` acknowledgements.
    fn set_gate(&mut self, gate: Gate, times: u8) {
        self.gate = gate;
        self.copies = times.saturating_sub(1);
        self.ack = AckDue::Alone;
    }
}
