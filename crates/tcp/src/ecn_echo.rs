//! Explicit congestion notification, the handshake and the receiving half (RFC 3168 §6.1): how
//! both sides agree upon it, and how marks are echoed.

use base::{Ecn, Flags};

use crate::{Arrival, Payload, Receiver};

/// What a SYN, or the answer to one, carries to agree (RFC 3168 §6.1.1).
pub(crate) fn setup_flags(flags: Flags) -> Flags {
    if flags.contains(Flags::ACK) { Flags::ECE } else { Flags::ECE | Flags::CWR }
}

/// True if a SYN, or the answer to one, agrees. An answer with both flags comes from a peer that
/// only mirrors them.
pub(crate) fn is_setup(flags: Flags) -> bool {
    let both = Flags::ECE | Flags::CWR;
    flags.bits() & both.bits() == setup_flags(flags).bits()
}

/// Whether acknowledgements echo congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Echo {
    /// It was not agreed upon.
    Unagreed,
    /// No mark has come since the peer last reduced its window.
    Clear,
    /// A mark has come, and each acknowledgement says so.
    Congestion,
}

impl<P: Payload> Receiver<P> {
    /// ECN was agreed upon.
    pub const fn agree_on_ecn(&mut self) {
        self.echo = Echo::Clear;
    }

    /// The flag for a segment that leaves now: ECE, or none.
    pub const fn echo(&self) -> Flags {
        if matches!(self.echo, Echo::Congestion) { Flags::ECE } else { Flags::NONE }
    }

    /// RFC 3168 §6.1.3: from a mark on, until the peer says that it reduced its window. A mark on
    /// the very segment that says so is a new one.
    pub(crate) fn note_congestion(&mut self, arrival: &Arrival<P>) {
        self.echo = match (self.echo, arrival.ecn) {
            (Echo::Unagreed, _) => Echo::Unagreed,
            (Echo::Clear | Echo::Congestion, Ecn::Experienced) => Echo::Congestion,
            (Echo::Clear | Echo::Congestion, Ecn::NotCapable | Ecn::Capable | Ecn::L4s)
                if arrival.cwr =>
            {
                Echo::Clear
            }
            (echo, Ecn::NotCapable | Ecn::Capable | Ecn::L4s) => echo,
        };
    }
}
