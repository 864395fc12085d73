//! Reno's fast retransmit and fast recovery (RFC 5681 §3.2).

use cc::LossKind;

use super::{DUPLICATE_THRESHOLD, Guard, Standing, Verdict};

/// Sends the oldest segment again on the third duplicate acknowledgement, lets each further one
/// inflate the window by a segment, and deflates it on the first new one.
#[derive(Debug)]
pub(crate) struct Reno {
    guard: Guard,
    pub(crate) duplicates: u32,
    /// Segments by which the window is larger while duplicates tell of segments that arrived.
    pub(crate) inflation: u32,
}

impl Reno {
    pub(crate) const fn new(guard: bool) -> Self {
        Self { guard: Guard::new(guard), duplicates: 0, inflation: 0 }
    }

    pub(crate) fn on_duplicate_ack(&mut self, standing: &Standing) -> Verdict {
        self.duplicates += 1;
        if self.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(standing.una) {
            self.guard.set(standing.max);
            self.inflation = DUPLICATE_THRESHOLD;
            return Verdict::Retransmit(LossKind::DuplicateAcks);
        }
        if self.inflation > 0 {
            self.inflation += 1;
        }
        Verdict::Wait
    }

    pub(crate) const fn on_new_ack(&mut self) -> Verdict {
        self.duplicates = 0;
        self.inflation = 0;
        Verdict::Wait
    }

    pub(crate) const fn on_timeout(&mut self, max: u64) {
        self.guard.set(max);
        self.duplicates = 0;
        self.inflation = 0;
    }

    pub(crate) const fn on_undo(&mut self) {
        self.guard.clear();
        self.duplicates = 0;
        self.inflation = 0;
    }
}
