//! Tahoe's fast retransmit (Jacobson 1988).

use cc::LossKind;

use super::{DUPLICATE_THRESHOLD, Guard, Standing, Verdict};

/// On the third duplicate acknowledgement everything is sent again from the oldest segment on, in
/// slow start, as after a timeout but without the wait. There is no fast recovery: what arrived
/// already may be sent once more.
#[derive(Debug)]
pub(crate) struct Tahoe {
    guard: Guard,
    duplicates: u32,
    /// Those of the same segment that had come before the last timeout.
    earlier: u32,
}

impl Tahoe {
    pub(crate) const fn new(guard: bool) -> Self {
        Self { guard: Guard::new(guard), duplicates: 0, earlier: 0 }
    }

    pub(crate) fn on_duplicate_ack(&mut self, standing: &Standing) -> Verdict {
        self.duplicates += 1;
        if self.earlier + self.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(standing.una)
        {
            self.guard.set(standing.max);
            return Verdict::GoBack(LossKind::DuplicateAcks);
        }
        Verdict::Wait
    }

    pub(crate) const fn on_new_ack(&mut self) -> Verdict {
        self.duplicates = 0;
        self.earlier = 0;
        Verdict::Wait
    }

    /// Duplicates that count for Limited Transmit: those before a timeout have had their turn, and
    /// count for the threshold alone.
    pub(crate) const fn duplicates(&self) -> u32 {
        let counts = self.earlier + self.duplicates < DUPLICATE_THRESHOLD;
        if counts { self.duplicates } else { DUPLICATE_THRESHOLD }
    }

    pub(crate) const fn on_timeout(&mut self, max: u64) {
        self.guard.set(max);
        self.earlier += self.duplicates;
        self.duplicates = 0;
    }

    pub(crate) const fn on_undo(&mut self) {
        self.guard.clear();
        self.duplicates = 0;
        self.earlier = 0;
    }
}
