//! `NewReno`'s fast recovery (RFC 6582).

use base::Time;
use cc::LossKind;
use settings::{Count, Or, Unlimited, Word, section, words};

use super::{AckInfo, DUPLICATE_THRESHOLD, Guard, Recovery, RecoveryAction};
use crate::Config;
use crate::scoreboard::Scoreboard;

section! {
    /// `[tcp.newreno]`: what a partial acknowledgement does in the newreno recovery, beside
    /// repairing the next loss. Defaults: RFC 6582; ns-2 since 2003.
    #[derive(Copy)]
    pub struct NewRenoRules {
        /// To the retransmission timer: only the first one restarts it, or each one does
        /// (RFC 6582 §4).
        pub timer: PartialAckTimer as Word<PartialAckTimer> = PartialAckTimer::Impatient;
        /// To the window that duplicates have inflated: it shrinks by what was acknowledged, less
        /// one segment (RFC 6582 §3.2 step 3), or to what it was when recovery began (Fall and
        /// Floyd 1996).
        pub window: PartialAckWindow as Word<PartialAckWindow> = PartialAckWindow::Deflates;
        /// How many new segments an acknowledgement may release during recovery. Default: RFC 6582
        /// sets no number; ns-2 has 2.
        pub burst: Option<u32> as Or<Unlimited, Count<u32, 1, 1_073_741_824>> = None;
    }
}

words! {
    /// What a partial acknowledgement does to the retransmission timer (RFC 6582 §4).
    pub enum PartialAckTimer {
        /// The first one restarts it, later ones do not: many losses end in a timeout soon.
        Impatient = "impatient",
        /// Each one restarts it: a loss per round trip, as long as it takes.
        SlowButSteady = "slow-but-steady",
    }
}

words! {
    /// What a partial acknowledgement does to the window that duplicates have inflated.
    pub enum PartialAckWindow {
        /// It shrinks by what was acknowledged, less one segment (RFC 6582 §3.2 step 3).
        Deflates = "deflates",
        /// It is what it was when recovery began (Fall and Floyd 1996).
        Closes = "closes",
    }
}

/// Reno's, but recovery lasts until everything is acknowledged that had been sent when it began. A
/// new acknowledgement of less (a partial one) reveals the next loss, which is repaired at once:
/// one loss a round trip.
#[derive(Debug)]
pub(crate) struct NewReno {
    guard: Guard,
    rules: NewRenoRules,
    /// What had been sent when recovery began, while it lasts.
    recover: Option<u64>,
    /// True once a partial acknowledgement came in this recovery.
    partial: bool,
    duplicates: u32,
    /// Bytes by which the window is larger than congestion control's.
    inflation: i64,
}

impl NewReno {
    pub(super) fn boxed(config: &Config) -> Box<dyn Recovery> {
        Box::new(Self::new(config.recover_guard, config.repair.newreno))
    }

    /// As RFC 6582 recommends, whatever the rules are.
    pub(super) fn rfc_6582(config: &Config) -> Box<dyn Recovery> {
        Box::new(Self::new(config.recover_guard, NewRenoRules::default()))
    }

    const fn new(guard: bool, rules: NewRenoRules) -> Self {
        Self {
            guard: Guard::new(guard),
            rules,
            recover: None,
            partial: false,
            duplicates: 0,
            inflation: 0,
        }
    }
}

impl Recovery for NewReno {
    fn on_duplicate_ack(&mut self, ack: &AckInfo, _: &mut Scoreboard) -> RecoveryAction {
        let mss = ack.mss as i64;
        self.duplicates += 1;
        if self.recover.is_some() {
            self.inflation += mss;
            return RecoveryAction::Wait;
        }
        if self.duplicates != DUPLICATE_THRESHOLD || !self.guard.allows(ack.una) {
            return RecoveryAction::Wait;
        }
        self.guard.set(ack.max);
        self.recover = Some(ack.max);
        self.partial = false;
        self.inflation = i64::from(DUPLICATE_THRESHOLD) * mss;
        RecoveryAction::Retransmit(LossKind::DuplicateAcks)
    }

    fn on_new_ack(&mut self, ack: &AckInfo, _: &mut Scoreboard) -> RecoveryAction {
        if self.recover.is_none_or(|recover| ack.una >= recover) {
            self.duplicates = 0;
            self.recover = None;
            self.inflation = 0;
            return RecoveryAction::Wait;
        }
        self.inflation = match self.rules.window {
            PartialAckWindow::Closes => 0,
            // RFC 6582 §3.2 step 3.
            PartialAckWindow::Deflates => {
                self.inflation - ack.acked as i64 + ack.mss.min(ack.acked) as i64
            }
        };
        let first = !std::mem::replace(&mut self.partial, true);
        match self.rules.timer {
            PartialAckTimer::Impatient if !first => RecoveryAction::RepairImpatiently,
            PartialAckTimer::Impatient | PartialAckTimer::SlowButSteady => RecoveryAction::Repair,
        }
    }

    fn on_timeout(&mut self, _: Time, max: u64, _: u64, _: &mut Scoreboard) {
        self.guard.set(max);
        self.recover = None;
        self.duplicates = 0;
        self.inflation = 0;
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.guard.clear();
        self.recover = None;
        self.duplicates = 0;
        self.inflation = 0;
    }

    fn is_recovering(&self) -> bool {
        self.recover.is_some()
    }

    fn burst(&self, _: &Scoreboard) -> Option<u32> {
        self.rules.burst.filter(|_| self.is_recovering())
    }

    fn duplicates(&self) -> u32 {
        self.duplicates
    }

    /// At least one segment.
    fn window(&self, cwnd: u64, mss: u64) -> u64 {
        cwnd.saturating_add_signed(self.inflation).max(mss.min(cwnd))
    }
}
