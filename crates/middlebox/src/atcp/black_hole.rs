//! A path to the mobile that drops large packets and does not say so by ICMP (RFC 4821 §1). Hosts
//! find such paths themselves (Linux: `tcp_mtu_probing`), but do not see this one.
//!
//! In a stall the third probe and those after it are small. If one of them arrives, or a handshake
//! succeeds, the path may take small packets alone; if then the next stall begins before a large
//! packet has arrived, it does, and all segments to the mobile are small as long as it is known. An
//! outage costs nothing but small probes.

use tcp::Payload;

use super::aggregate::{Aggregate, Context};

/// Probes of a stall that may be large.
const LARGE_PROBES: u32 = 2;

/// What is known of such a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum BlackHole {
    /// Nothing points to it.
    #[default]
    Unsuspected,
    /// Something small has arrived during a stall, and nothing large since.
    Suspected,
    /// Large packets do not arrive.
    Found,
}

impl Aggregate {
    /// The most bytes of a probe that leaves now.
    pub(super) fn probe_limit(&self) -> u32 {
        let small = self.small_segment.filter(|_| self.recovery.stall_probes() >= LARGE_PROBES);
        small.unwrap_or(u32::MAX)
    }

    /// A packet with `length` bytes has arrived.
    pub(super) fn note_arrival(&mut self, length: u32) {
        if self.black_hole == BlackHole::Suspected && u64::from(length) >= self.mss {
            self.black_hole = BlackHole::Unsuspected;
        } else if self.small_segment.is_some_and(|small| length <= small) {
            self.note_small_arrival();
        }
    }

    /// Something small has arrived, or a handshake has succeeded.
    pub(super) fn note_small_arrival(&mut self) {
        if self.recovery.is_stalled() && self.black_hole == BlackHole::Unsuspected {
            self.black_hole = BlackHole::Suspected;
        }
    }

    /// A stall begins.
    pub(super) fn note_stall<P: Payload>(&mut self, cx: &mut Context<'_, P>) {
        let Some(small) = self.small_segment else { return };
        // A FIN may come on top.
        let is_large = |slot| self.unacked.get(slot).length > small + 1;
        let large = self.unacked.oldest().or(self.unacked.first_lost()).is_some_and(is_large);
        if large && self.black_hole == BlackHole::Suspected {
            self.black_hole = BlackHole::Found;
            for index in 0..self.members.len() {
                self.limit_segment(self.members[index], small, cx);
            }
        }
    }
}
