//! Forward acknowledgement as ns-2 has it, where a loss starts the window over.

use base::{Duration, Time};
use cc::LossKind;

use super::{DUPLICATE_THRESHOLD, Order, Standing, Verdict};
use crate::scoreboard::{Scoreboard, Sent};

/// A loss is found when more than three segments are missing below the forward-most one that
/// arrived; congestion control is told of it as of a timeout, and each acknowledgement of the
/// recovery, duplicates too, opens the window. Recovery ends with an acknowledgement of more than
/// had been sent when it began that leaves nothing selected behind.
///
/// * Nothing is sent while something is missing that does not count as lost yet.
/// * A retransmission that is lost again is found (a segment sent after it was selected), but not
///   repaired: everything waits for the timer.
/// * After a timeout everything is sent again in the order of the stream, over what is selected
///   from then on. It does not end a recovery.
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
    pub(crate) fn on_ack(&mut self, standing: &Standing, board: &mut Scoreboard) -> Verdict {
        self.una = standing.una;
        let edge = board.forward_most().unwrap_or(standing.una);
        if let Some(recover) = self.recover {
            self.opens = true;
            board.lose_below(edge);
            self.stalled |= is_lost_again(board, edge);
            if board.selected_bytes() == 0 && standing.una > recover {
                self.recover = None;
                self.stalled = false;
            }
            return Verdict::Wait;
        }
        self.opens = standing.acked > 0 && board.selected_bytes() == 0;
        if edge <= standing.una + u64::from(DUPLICATE_THRESHOLD) * standing.mss {
            return Verdict::Wait;
        }
        self.recover = Some(board.lost_from(edge).map_or(standing.nxt, |lost| lost.offset));
        board.lose_below(edge);
        Verdict::Retransmit(LossKind::Timeout)
    }

    pub(crate) fn on_timeout(&mut self, board: &mut Scoreboard) {
        self.stalled = false;
        board.start_over();
    }

    pub(crate) const fn on_cut(&mut self, max: u64) {
        self.stalled = false;
        self.recover = Some(max);
    }

    pub(crate) const fn on_undo(&mut self) {
        self.stalled = false;
        self.recover = None;
    }

    pub(crate) const fn on_arrival(&mut self, segment: &Sent) {
        if segment.offset == self.una {
            self.echoed = segment.last_at;
        }
    }

    pub(crate) const fn is_recovering(&self) -> bool {
        self.recover.is_some()
    }

    pub(crate) const fn holds_window(&self) -> bool {
        !self.opens
    }

    /// The age of the segment that was the last to be acknowledged in order, on a duplicate or
    /// while something is missing.
    pub(crate) fn age(&self, now: Time, acked: u64, board: &Scoreboard) -> Option<Duration> {
        let plain = acked > 0 && !self.is_recovering() && board.selected_bytes() == 0;
        (!plain).then(|| now - self.echoed)
    }

    pub(crate) fn burst(&self, board: &Scoreboard) -> Option<u32> {
        let waits = self.stalled || !self.is_recovering() && board.selected_bytes() > 0;
        waits.then_some(0)
    }

    pub(crate) const fn order(board: &Scoreboard) -> Order {
        Order::Lost { pipe: board.pipe() }
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
