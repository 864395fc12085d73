//! Reno's fast retransmit and fast recovery (RFC 5681 §3.2).

use base::Time;
use cc::LossKind;

use super::{AckInfo, DUPLICATE_THRESHOLD, Guard, Recovery, RecoveryAction};
use crate::Config;
use crate::scoreboard::Scoreboard;

/// Retransmits the oldest segment on the third duplicate acknowledgement, lets each further one
/// inflate the window by a segment, and deflates it on the first new one.
#[derive(Debug)]
pub(crate) struct Reno {
    guard: Guard,
    duplicates: u32,
    /// Window inflation in segments, one for each duplicate.
    inflation: u32,
}

impl Reno {
    pub(super) fn boxed(config: &Config) -> Box<dyn Recovery> {
        let guard = Guard::new(config.recover_guard);
        Box::new(Self { guard, duplicates: 0, inflation: 0 })
    }
}

impl Recovery for Reno {
    fn on_duplicate_ack(&mut self, ack: &AckInfo, _: &mut Scoreboard) -> RecoveryAction {
        self.duplicates += 1;
        if self.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(ack.una) {
            self.guard.set(ack.max);
            self.inflation = DUPLICATE_THRESHOLD;
            return RecoveryAction::Retransmit(LossKind::DuplicateAcks);
        }
        if self.inflation > 0 {
            self.inflation += 1;
        }
        RecoveryAction::Wait
    }

    fn on_new_ack(&mut self, _: &AckInfo, _: &mut Scoreboard) -> RecoveryAction {
        self.duplicates = 0;
        self.inflation = 0;
        RecoveryAction::Wait
    }

    fn on_timeout(&mut self, _: Time, max: u64, _: u64, _: &mut Scoreboard) {
        self.guard.set(max);
        self.duplicates = 0;
        self.inflation = 0;
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.guard.clear();
        self.duplicates = 0;
        self.inflation = 0;
    }

    fn is_in_fast_recovery(&self) -> bool {
        self.inflation > 0
    }

    fn duplicates(&self) -> u32 {
        self.duplicates
    }

    fn window(&self, cwnd: u64, mss: u64) -> u64 {
        cwnd + u64::from(self.inflation) * mss
    }
}
