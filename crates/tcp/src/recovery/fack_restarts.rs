//! Forward acknowledgement as ns-2 has it, where a loss starts the window over.

use base::{Duration, Time};
use cc::LossKind;
use settings::{Word, section, words};

use super::{AckInfo, DUPLICATE_THRESHOLD, Recovery, RecoveryAction, RepairOrder};
use crate::scoreboard::{Scoreboard, Sent};

section! {
    /// `[tcp.fack]`: the window in the fack recovery.
    #[derive(Copy)]
    pub struct FackRules {
        /// What a loss does to it: it is halved and frozen during recovery; or it starts over from
        /// one segment, opens with each acknowledgement from the first retransmission on, and
        /// duplicates before that release nothing. Default: Mathis and Mahdavi 1996.
        pub window: FackWindow as Word<FackWindow> = FackWindow::Halves;
    }
}

words! {
    /// What a loss does to the window in the fack recovery.
    pub enum FackWindow {
        /// It is halved, and frozen during recovery (Mathis and Mahdavi 1996).
        Halves = "halves",
        /// It starts over from one segment, and each acknowledgement opens it from the first
        /// retransmission on; duplicates before that release nothing (ns-2).
        Restarts = "restarts",
    }
}

/// A loss is found when more than three segments are missing below the forward-most one that
/// arrived; it is reported to congestion control as a timeout, and each acknowledgement of the
/// recovery, duplicates too, opens the window. Recovery ends with an acknowledgement beyond what
/// had been sent when it began, if nothing selected is left beyond that.
///
/// * Nothing is sent while something is missing that does not count as lost yet.
/// * A retransmission that is lost again is found (a segment sent after it was selected), but not
///   repaired: everything waits for the timer.
/// * After a timeout everything is sent again in the order of the stream, including what is
///   selected from then on. It does not end a recovery.
/// * While something is missing, each acknowledgement restarts the timer, and then feeds it with
///   the age of the segment that was the last to be acknowledged in order.
#[derive(Debug, Default)]
pub(crate) struct FackRestarts {
    /// What had been sent when recovery began, while it lasts.
    recover: Option<u64>,
    /// True if a retransmission was lost again.
    stalled: bool,
    /// True if the newest acknowledgement opens the window.
    opens: bool,
    /// The lowest offset not acknowledged, and when the segment that ends there was sent.
    una: u64,
    echoed: Time,
}

impl FackRestarts {
    fn on_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.una = ack.una;
        let edge = board.forward_most().unwrap_or(ack.una);
        if let Some(recover) = self.recover {
            self.opens = true;
            board.lose_below(edge);
            self.stalled |= is_lost_again(board, edge);
            if board.selected_bytes() == 0 && ack.una > recover {
                self.recover = None;
                self.stalled = false;
            }
            return RecoveryAction::Wait;
        }
        self.opens = ack.acked > 0 && board.selected_bytes() == 0;
        if edge <= ack.una + u64::from(DUPLICATE_THRESHOLD) * ack.mss {
            return RecoveryAction::Wait;
        }
        self.recover = Some(board.lost_from(edge).map_or(ack.nxt, |lost| lost.offset));
        board.lose_below(edge);
        RecoveryAction::Retransmit(LossKind::Timeout)
    }
}

impl Recovery for FackRestarts {
    fn on_duplicate_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.on_ack(ack, board)
    }

    fn on_new_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.on_ack(ack, board)
    }

    fn on_timeout(&mut self, _: Time, _: u64, _: u64, board: &mut Scoreboard) {
        self.stalled = false;
        board.start_over();
    }

    fn on_cut(&mut self, _: Time, max: u64, _: u64, _: &mut Scoreboard) {
        self.stalled = false;
        self.recover = Some(max);
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.stalled = false;
        self.recover = None;
    }

    fn on_arrival(&mut self, _: Time, segment: &Sent, _: Option<u32>) {
        if segment.offset == self.una {
            self.echoed = segment.last_at;
        }
    }

    fn is_recovering(&self) -> bool {
        self.recover.is_some()
    }

    fn holds_window(&self) -> bool {
        !self.opens
    }

    /// The age of the segment that was the last to be acknowledged in order, on a duplicate or
    /// while something is missing.
    fn age(&self, now: Time, acked: u64, board: &Scoreboard) -> Option<Duration> {
        let plain = acked > 0 && !self.is_recovering() && board.selected_bytes() == 0;
        (!plain).then(|| now - self.echoed)
    }

    fn burst(&self, board: &Scoreboard) -> Option<u32> {
        let waits = self.stalled || !self.is_recovering() && board.selected_bytes() > 0;
        waits.then_some(0)
    }

    fn opens_with_duplicates(&self) -> bool {
        self.opens
    }

    fn order(&self, board: &Scoreboard) -> RepairOrder {
        RepairOrder::Lost { pipe: board.pipe() }
    }
}

/// True if a segment below `edge`, sent again, is still missing when one has arrived that was sent
/// after it.
fn is_lost_again(board: &Scoreboard, edge: u64) -> bool {
    let Some(newest) = board.ending_at(edge) else { return false };
    board
        .flying()
        .take_while(|segment| segment.offset < edge)
        .any(|segment| segment.last_at <= newest.last_at)
}
