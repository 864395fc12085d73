//! Where a scheme sends packets and facts.

use std::collections::VecDeque;

use base::{Duration, Time};
use observe::{MiddleboxFact, RepairReason};

use crate::{Counters, Packet};

/// The way out, for one direction of one connection.
pub struct Port<'a, P> {
    /// The time.
    pub now: Time,
    pub(super) mobile: u32,
    pub(super) connection: u32,
    /// When the mobile last sent something, on any connection.
    pub heard: Time,
    pub(super) out: &'a mut VecDeque<Packet<P>>,
    pub(super) counters: &'a mut Counters,
    pub(super) watch: &'a mut dyn FnMut(MiddleboxFact),
}

impl<P> Port<'_, P> {
    /// Sends a packet, now.
    pub fn send(&mut self, packet: Packet<P>) {
        self.out.push_back(packet);
    }

    /// Retransmits to the mobile what lies at `offset`. It leaves before the packet that caused
    /// this.
    pub fn resend(&mut self, offset: u64, packet: Packet<P>, reason: RepairReason) {
        self.counters.retransmissions += 1;
        let (mobile, connection) = (self.mobile, self.connection);
        (self.watch)(MiddleboxFact::Retransmitted { mobile, connection, offset, reason });
        self.send(packet);
    }

    /// An acknowledgement was kept from the sender.
    pub const fn suppressed(&mut self) {
        self.counters.suppressed += 1;
    }

    /// A timer found that the mobile has been silent for too long.
    pub const fn timed_out(&mut self) {
        self.counters.timeouts += 1;
    }

    /// A segment took `rtt` to be acknowledged by the mobile.
    pub fn measured(&mut self, rtt: Duration) {
        let (mobile, connection) = (self.mobile, self.connection);
        (self.watch)(MiddleboxFact::Rtt { mobile, connection, rtt });
    }

    /// The sender is told of a window of `window` bytes up to offset `edge`, which is not the
    /// mobile's own.
    pub fn advertised(&mut self, window: u64, edge: u64) {
        self.counters.zero_windows += u64::from(window == 0);
        let (mobile, connection) = (self.mobile, self.connection);
        (self.watch)(MiddleboxFact::Advertised { mobile, connection, window, edge });
    }
}
