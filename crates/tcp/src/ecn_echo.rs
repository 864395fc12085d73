//! Explicit congestion notification, the receiving half (RFC 3168 §6.1): how marks are echoed.

use base::{Ecn, Flags};
use cc::EcnFeedback;

use crate::ecn_counters::EcnCounters;
use crate::{Arrival, Payload, Receiver};

/// Whether acknowledgements echo congestion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Echo {
    /// It was not agreed upon.
    Unagreed,
    /// No mark has come since the peer last reduced its window.
    Clear,
    /// A mark has come, and each acknowledgement says so.
    Congestion,
    /// Each acknowledgement says how many have come (RFC 9768).
    Accurate(Box<EcnCounters>),
}

impl<P: Payload> Receiver<P> {
    /// Handshake done: `feedback` was agreed upon.
    pub fn agree_on_ecn(&mut self, feedback: EcnFeedback) {
        self.echo = match feedback {
            EcnFeedback::Off => Echo::Unagreed,
            EcnFeedback::Classic => Echo::Clear,
            EcnFeedback::Accurate => Echo::Accurate(Box::new(EcnCounters::NEW)),
        };
    }

    /// The flags for a segment that leaves now: ECE or none, or the ACE field.
    #[inline]
    pub fn echo(&self) -> Flags {
        match &self.echo {
            Echo::Unagreed | Echo::Clear => Flags::NONE,
            Echo::Congestion => Flags::ECE,
            Echo::Accurate(counters) => counters.ace(),
        }
    }

    /// RFC 3168 §6.1.3: from a mark on, until the peer says that it reduced its window. A mark on
    /// the very segment that says so is a new one.
    pub(crate) fn note_congestion(&mut self, arrival: &Arrival<P>) {
        if !matches!(self.echo, Echo::Clear | Echo::Congestion) {
            return;
        }
        match arrival.ecn {
            Ecn::Experienced => self.echo = Echo::Congestion,
            Ecn::NotCapable | Ecn::Capable | Ecn::L4s if arrival.cwr => self.echo = Echo::Clear,
            Ecn::NotCapable | Ecn::Capable | Ecn::L4s => {}
        }
    }
}
