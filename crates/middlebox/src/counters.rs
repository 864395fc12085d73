//! What boxes count.

use std::ops::{AddAssign, Index};

use crate::Bypass;

/// What a box has counted since it began. Counters of what its scheme does not do stay zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Packets in, of either leg.
    pub packets_in: u64,
    /// Packets out, to either leg.
    pub packets_out: u64,
    /// Connections that the box took part in.
    pub flows: u64,
    /// Connections that it let pass untouched.
    pub bypassed: u64,
    /// The same by reason.
    pub bypasses: Bypasses,
    /// Connections that it handed back to plain forwarding.
    pub released: u64,
    /// Payload bytes that it holds now: accepted, and not yet acknowledged by their receivers.
    pub held_bytes: u64,
    /// The most bytes that it ever held for one mobile.
    pub held_max: u64,
    /// Segments that it retransmitted on its own.
    pub retransmissions: u64,
    /// Stalls: times that it heard nothing from a mobile, or from a fixed host, for too long.
    pub timeouts: u64,
    /// The part of both that was towards fixed hosts.
    pub wired: Repairs,
    /// Acknowledgements that it kept from a sender.
    pub suppressed: u64,
    /// Zero windows that it advertised.
    pub zero_windows: u64,
    /// Connections that a reset ended, from either end or its own.
    pub resets: u64,
    /// Payload bytes that it discarded because of a reset.
    pub discarded_bytes: u64,
}

/// What a box did about losses on one leg.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Repairs {
    /// Segments that it retransmitted on its own.
    pub retransmissions: u64,
    /// Times that it heard nothing for too long.
    pub timeouts: u64,
}

/// Connections that a box let pass untouched, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bypasses([u64; Bypass::ALL.len()]);

impl Index<Bypass> for Bypasses {
    type Output = u64;

    fn index(&self, reason: Bypass) -> &u64 {
        &self.0[reason as usize]
    }
}

impl Bypasses {
    /// The reason counted once more than `before`.
    pub fn since(&self, before: &Self) -> Option<Bypass> {
        Bypass::ALL.into_iter().find(|&reason| self[reason] > before[reason])
    }
}

/// Of two boxes with different mobiles together.
impl AddAssign for Counters {
    fn add_assign(&mut self, more: Self) {
        self.packets_in += more.packets_in;
        self.packets_out += more.packets_out;
        self.flows += more.flows;
        self.bypassed += more.bypassed;
        for (count, more) in self.bypasses.0.iter_mut().zip(more.bypasses.0) {
            *count += more;
        }
        self.released += more.released;
        self.held_bytes += more.held_bytes;
        self.held_max = self.held_max.max(more.held_max);
        self.retransmissions += more.retransmissions;
        self.timeouts += more.timeouts;
        self.wired += more.wired;
        self.suppressed += more.suppressed;
        self.zero_windows += more.zero_windows;
        self.resets += more.resets;
        self.discarded_bytes += more.discarded_bytes;
    }
}

impl AddAssign for Repairs {
    fn add_assign(&mut self, more: Self) {
        self.retransmissions += more.retransmissions;
        self.timeouts += more.timeouts;
    }
}

impl Counters {
    /// What a part of the box did about losses.
    pub(crate) const fn add(&mut self, repairs: Repairs) {
        self.retransmissions += repairs.retransmissions;
        self.timeouts += repairs.timeouts;
    }

    /// One more connection passes untouched.
    pub(crate) const fn bypass(&mut self, reason: Bypass) {
        self.bypassed += 1;
        self.bypasses.0[reason as usize] += 1;
    }
}
