//! Sack1, the first TCP with selective acknowledgements (Fall and Floyd 1996), which ns-2 has.

use base::Time;
use cc::LossKind;
use settings::words;

use super::{AckInfo, DUPLICATE_THRESHOLD, Guard, Recovery, RecoveryAction, RepairOrder};
use crate::scoreboard::Scoreboard;

words! {
    /// How the sack recovery counts what is in the network.
    pub enum SackRule {
        /// RFC 6675 §4.
        Rfc6675 = "rfc6675",
        /// Fall and Floyd 1996 §3; ns-2.
        Sack1 = "sack1",
    }
}

/// Reno's fast retransmit; then, until everything is acknowledged that had been sent when recovery
/// began, `pipe` estimates what is in the network: one segment less for each duplicate
/// acknowledgement, two less for a partial one (the lost segment and its retransmission), one more
/// for each sent. While it is below the window, the next hole below the forward-most selected
/// segment is sent again, or else new data.
#[derive(Debug)]
pub(crate) struct Sack1 {
    /// Set by timeouts alone: after a fast retransmit ns-2 asks for no more than three duplicates.
    guard: Guard,
    duplicates: u32,
    recovery: Option<Episode>,
    /// True if the newest acknowledgement ended an episode.
    ended: bool,
    /// True from a timeout until something new is acknowledged: duplicates mean nothing.
    timed_out: bool,
}

#[derive(Debug)]
struct Episode {
    /// What had been sent when it began.
    recover: u64,
    /// In bytes; may fall below zero, as an estimate.
    pipe: i64,
}

impl Sack1 {
    pub(super) const fn new(guard: bool) -> Self {
        Self {
            guard: Guard::new(guard),
            duplicates: 0,
            recovery: None,
            ended: false,
            timed_out: false,
        }
    }
}

impl Recovery for Sack1 {
    fn on_duplicate_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        let mss = ack.mss as i64;
        if let Some(episode) = &mut self.recovery {
            episode.pipe -= mss;
            lose_holes(board);
            return RecoveryAction::Wait;
        }
        // RFC 6675 §2, and ns-2: a duplicate selects something new.
        if self.timed_out || ack.selected == 0 {
            return RecoveryAction::Wait;
        }
        self.duplicates += 1;
        if self.duplicates != DUPLICATE_THRESHOLD || !self.guard.allows(ack.una) {
            return RecoveryAction::Wait;
        }
        self.guard.clear();
        let flight = (ack.nxt - ack.una) as i64;
        let pipe = flight - i64::from(DUPLICATE_THRESHOLD) * mss;
        self.recovery = Some(Episode { recover: ack.max, pipe });
        lose_holes(board);
        // The oldest goes first, even if the last episode retransmitted it.
        board.lose_at(ack.una);
        RecoveryAction::Retransmit(LossKind::DuplicateAcks)
    }

    fn on_new_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.duplicates = 0;
        self.timed_out = false;
        self.ended = self.recovery.as_ref().is_some_and(|it| ack.una >= it.recover);
        let Some(episode) = self.recovery.as_mut().filter(|_| !self.ended) else {
            self.recovery = None;
            // What was selected beyond it may be selected, and count as a duplicate, once more.
            board.forget_selections();
            return RecoveryAction::Wait;
        };
        episode.pipe -= 2 * ack.mss as i64;
        lose_holes(board);
        RecoveryAction::Wait
    }

    fn on_timeout(&mut self, _: Time, max: u64, _: u64, board: &mut Scoreboard) {
        self.guard.set(max);
        self.timed_out = true;
        self.duplicates = 0;
        self.recovery = None;
        board.forget_selections();
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.guard.clear();
        self.timed_out = false;
        self.duplicates = 0;
        self.recovery = None;
    }

    /// A segment left. The first retransmission of an episode is not counted: it takes the place of
    /// the lost segment.
    fn on_sent(&mut self, offset: u64, end: u64) {
        if let Some(episode) = &mut self.recovery {
            episode.pipe += (end - offset) as i64;
        }
    }

    fn is_recovering(&self) -> bool {
        self.recovery.is_some()
    }

    /// In ns-2 the acknowledgement that ends an episode does not open the window.
    fn holds_window(&self) -> bool {
        self.is_recovering() || self.ended
    }

    fn duplicates(&self) -> u32 {
        self.duplicates
    }

    fn order(&self, _: &Scoreboard) -> RepairOrder {
        match &self.recovery {
            Some(episode) => RepairOrder::Lost { pipe: episode.pipe.max(0) as u64 },
            None => RepairOrder::Stream,
        }
    }
}

/// Everything unselected below the forward-most selected segment that was not retransmitted is a
/// hole.
fn lose_holes(board: &mut Scoreboard) {
    if let Some(edge) = board.forward_most() {
        board.lose_below(edge);
    }
}
