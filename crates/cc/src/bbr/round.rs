//! Packet-timed round trips (§5.5.1).

use super::sample::Sample;

/// A round ends when data that were sent after its start are delivered.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// `C.delivered`.
    pub(super) delivered: u64,
    /// The lowest offset not acknowledged.
    pub(super) una: u64,
    /// `BBR.next_round_delivered`.
    next: u64,
    /// `BBR.round_start`: this acknowledgement begins a round.
    pub(super) starts: bool,
    /// `BBR.round_count`.
    pub(super) count: u64,
}

impl Round {
    /// `UpdateRound`.
    pub(super) fn update(&mut self, sample: &Sample) {
        self.starts = sample.total > 0 && sample.prior >= self.next;
        if self.starts {
            self.start();
            self.count += 1;
        }
    }

    /// `StartRound`.
    pub(super) const fn start(&mut self) {
        self.next = self.delivered;
    }
}
