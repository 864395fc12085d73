//! `NewReno`'s fast recovery (RFC 6582).

use cc::LossKind;

use super::{DUPLICATE_THRESHOLD, Guard, Standing, Verdict};
use crate::{NewReno as Rule, PartialAckTimer, PartialAckWindow};

/// Reno's, but recovery lasts until everything is acknowledged that had been sent when it began. A
/// new acknowledgement of less (a partial one) tells of the next loss, which is repaired at once:
/// one loss a round trip.
#[derive(Debug)]
pub(crate) struct NewReno {
    guard: Guard,
    rule: Rule,
    /// What had been sent when recovery began, while it lasts.
    recover: Option<u64>,
    /// True once a partial acknowledgement came in this recovery.
    partial: bool,
    pub(crate) duplicates: u32,
    /// Bytes by which the window is larger than congestion control's.
    inflation: i64,
}

impl NewReno {
    pub(crate) const fn new(guard: bool, rule: Rule) -> Self {
        Self {
            guard: Guard::new(guard),
            rule,
            recover: None,
            partial: false,
            duplicates: 0,
            inflation: 0,
        }
    }

    pub(crate) fn on_duplicate_ack(&mut self, standing: &Standing) -> Verdict {
        let mss = standing.mss as i64;
        self.duplicates += 1;
        if self.recover.is_some() {
            self.inflation += mss;
            return Verdict::Wait;
        }
        if self.duplicates != DUPLICATE_THRESHOLD || !self.guard.allows(standing.una) {
            return Verdict::Wait;
        }
        self.guard.set(standing.max);
        self.recover = Some(standing.max);
        self.partial = false;
        self.inflation = i64::from(DUPLICATE_THRESHOLD) * mss;
        Verdict::Retransmit(LossKind::DuplicateAcks)
    }

    pub(crate) fn on_new_ack(&mut self, standing: &Standing) -> Verdict {
        if self.recover.is_none_or(|recover| standing.una >= recover) {
            self.duplicates = 0;
            self.recover = None;
            self.inflation = 0;
            return Verdict::Wait;
        }
        self.inflation = match self.rule.window {
            PartialAckWindow::Closes => 0,
            // RFC 6582 §3.2 step 3.
            PartialAckWindow::Deflates => {
                self.inflation - standing.acked as i64 + standing.mss.min(standing.acked) as i64
            }
        };
        let first = !std::mem::replace(&mut self.partial, true);
        match self.rule.timer {
            PartialAckTimer::Impatient if !first => Verdict::RepairImpatiently,
            PartialAckTimer::Impatient | PartialAckTimer::SlowButSteady => Verdict::Repair,
        }
    }

    pub(crate) const fn on_timeout(&mut self, max: u64) {
        self.guard.set(max);
        self.recover = None;
        self.duplicates = 0;
        self.inflation = 0;
    }

    pub(crate) const fn on_undo(&mut self) {
        self.guard.clear();
        self.recover = None;
        self.duplicates = 0;
        self.inflation = 0;
    }

    pub(crate) const fn is_recovering(&self) -> bool {
        self.recover.is_some()
    }

    pub(crate) fn burst(&self) -> Option<u32> {
        self.rule.burst.filter(|_| self.is_recovering())
    }

    /// At least one segment.
    pub(crate) fn window(&self, cwnd: u64, mss: u64) -> u64 {
        cwnd.saturating_add_signed(self.inflation).max(mss.min(cwnd))
    }
}
