//! Tahoe's fast retransmit (Jacobson 1988).

use base::Time;
use cc::LossKind;

use super::{AckInfo, DUPLICATE_THRESHOLD, Guard, Recovery, RecoveryAction};
use crate::Config;
use crate::scoreboard::Scoreboard;

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
    pub(super) fn boxed(config: &Config) -> Box<dyn Recovery> {
        let guard = Guard::new(config.recover_guard);
        Box::new(Self { guard, duplicates: 0, earlier: 0 })
    }
}

impl Recovery for Tahoe {
    fn on_duplicate_ack(&mut self, ack: &AckInfo, _: &mut Scoreboard) -> RecoveryAction {
        self.duplicates += 1;
        if self.earlier + self.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(ack.una) {
            self.guard.set(ack.max);
            return RecoveryAction::GoBack(LossKind::DuplicateAcks);
        }
        RecoveryAction::Wait
    }

    fn on_new_ack(&mut self, _: &AckInfo, _: &mut Scoreboard) -> RecoveryAction {
        self.duplicates = 0;
        self.earlier = 0;
        RecoveryAction::Wait
    }

    /// Duplicates that count for Limited Transmit: those before a timeout count for the threshold
    /// alone.
    fn duplicates(&self) -> u32 {
        let counts = self.earlier + self.duplicates < DUPLICATE_THRESHOLD;
        if counts { self.duplicates } else { DUPLICATE_THRESHOLD }
    }

    fn on_timeout(&mut self, _: Time, max: u64, _: u64, _: &mut Scoreboard) {
        self.guard.set(max);
        self.earlier += self.duplicates;
        self.duplicates = 0;
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.guard.clear();
        self.duplicates = 0;
        self.earlier = 0;
    }
}
