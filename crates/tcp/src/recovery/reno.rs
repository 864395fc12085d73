//! Reno's fast retransmit and fast recovery (RFC 5681 §3.2).

use base::Time;
use cc::LossKind;

use super::{DUPLICATE_THRESHOLD, Guard, Recovery, Standing, Verdict};
use crate::Config;
use crate::scoreboard::Scoreboard;

/// Sends the oldest segment again on the third duplicate acknowledgement, lets each further one
/// inflate the window by a segment, and deflates it on the first new one.
#[derive(Debug)]
pub(crate) struct Reno {
    guard: Guard,
    duplicates: u32,
    /// Segments by which the window is larger while duplicates tell of segments that arrived.
    inflation: u32,
}

impl Reno {
    pub(super) fn boxed(config: &Config) -> Box<dyn Recovery> {
        let guard = Guard::new(config.recover_guard);
        Box::new(Self { guard, duplicates: 0, inflation: 0 })
    }
}

impl Recovery for Reno {
    fn on_duplicate_ack(&mut self, standing: &Standing, _: &mut Scoreboard) -> Verdict {
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

    fn on_new_ack(&mut self, _: &Standing, _: &mut Scoreboard) -> Verdict {
        self.duplicates = 0;
        self.inflation = 0;
        Verdict::Wait
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

    fn duplicates(&self) -> u32 {
        self.duplicates
    }

    fn window(&self, cwnd: u64, mss: u64) -> u64 {
        cwnd + u64::from(self.inflation) * mss
    }
}
