//! Recovery from a scoreboard of selective acknowledgements.

use base::Time;
use cc::LossKind;

use super::fack_restarts::FackRestarts;
use super::sack1::Sack1;
use super::{
    AckInfo, DUPLICATE_THRESHOLD, FackWindow, Guard, Recovery, RecoveryAction, RepairOrder,
    SackRule,
};
use crate::Config;
use crate::scoreboard::Scoreboard;

/// What is lost, given what arrived above it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    /// RFC 6675 §4, `IsLost`: three segments above it arrived, or three stretches.
    Sack,
    /// Mathis and Mahdavi 1996: everything below the forward-most segment that arrived, once more
    /// than three segments are missing there or three duplicate acknowledgements came.
    Fack,
}

/// RFC 6675 §5: retransmits what is lost, then sends new data, as long as what is in the network
/// stays below the window; from the first loss until everything sent before it is acknowledged.
///
/// After a timeout everything that was not selected counts as lost (§5.1).
#[derive(Debug)]
pub(crate) struct Selective {
    rule: Rule,
    guard: Guard,
    limited_transmit: bool,
    duplicates: u32,
    /// RFC 6675's `RecoveryPoint`, while recovery lasts.
    recovery_point: Option<u64>,
}

/// The sack recovery.
pub(super) fn sack(config: &Config) -> Box<dyn Recovery> {
    match config.sack_rule {
        SackRule::Rfc6675 => Box::new(Selective::new(Rule::Sack, config)),
        SackRule::Sack1 => Box::new(Sack1::new(config.recover_guard)),
    }
}

/// The fack recovery.
pub(super) fn fack(config: &Config) -> Box<dyn Recovery> {
    match config.repair.fack.window {
        FackWindow::Halves => Box::new(Selective::new(Rule::Fack, config)),
        FackWindow::Restarts => Box::new(FackRestarts::default()),
    }
}

impl Recovery for Selective {
    fn on_duplicate_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.duplicates += 1;
        self.look(ack, board)
    }

    fn on_new_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        // RFC 6675 §5: what selects something is a duplicate, "regardless of its status as a
        // cumulative acknowledgment".
        self.duplicates = u32::from(ack.selected > 0);
        if self.recovery_point.is_some_and(|point| ack.una >= point) {
            self.recovery_point = None;
        }
        self.look(ack, board)
    }

    fn on_timeout(&mut self, _: Time, max: u64, _: u64, board: &mut Scoreboard) {
        self.guard.set(max);
        self.duplicates = 0;
        self.recovery_point = None;
        board.lose_all();
    }

    /// Recovery as after a loss that congestion control knows of.
    fn on_cut(&mut self, _: Time, max: u64, _: u64, _: &mut Scoreboard) {
        self.guard.set(max);
        self.duplicates = 0;
        self.recovery_point = Some(max);
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.guard.clear();
        self.duplicates = 0;
        self.recovery_point = None;
    }

    fn is_recovering(&self) -> bool {
        self.recovery_point.is_some()
    }

    fn order(&self, board: &Scoreboard) -> RepairOrder {
        // Before a loss is established, only Limited Transmit lets duplicates release new data.
        let in_order = self.recovery_point.is_none() && board.lost_segments() == 0;
        let held = !self.limited_transmit && self.duplicates > 0 && in_order;
        let arrived = if held { board.selected_bytes() } else { 0 };
        RepairOrder::Lost { pipe: board.pipe() + arrived }
    }

    fn duplicates(&self) -> u32 {
        self.duplicates
    }

    fn counts_selections(&self) -> bool {
        true
    }
}

impl Selective {
    fn new(rule: Rule, config: &Config) -> Self {
        let guard = Guard::new(config.recover_guard);
        let limited_transmit = config.has_limited_transmit();
        Self { rule, guard, limited_transmit, duplicates: 0, recovery_point: None }
    }

    /// RFC 6675 §5 steps 1 to 4, and C.
    fn look(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        let (lost_below, triggered) = match self.rule {
            Rule::Sack => {
                let segments = u64::from(DUPLICATE_THRESHOLD - 1);
                let edge = board.lost_edge(segments * ack.mss, DUPLICATE_THRESHOLD as usize);
                (edge, edge > ack.una)
            }
            Rule::Fack => {
                let edge = board.forward_most().unwrap_or(0);
                let missing = u64::from(DUPLICATE_THRESHOLD) * ack.mss;
                (edge, edge > ack.una + missing)
            }
        };
        if self.recovery_point.is_some() {
            board.lose_below(lost_below);
            return RecoveryAction::Wait;
        }
        let triggered = triggered || self.duplicates >= DUPLICATE_THRESHOLD;
        let allowed = self.guard.allows_selected(ack.una);
        if !triggered || !allowed || ack.una == ack.max {
            return RecoveryAction::Wait;
        }
        board.lose_below(lost_below);
        if !board.is_oldest_repeated(DUPLICATE_THRESHOLD as usize) {
            board.lose_at(ack.una);
        } else if board.lost_segments() == 0 {
            return RecoveryAction::Wait;
        }
        self.guard.set(ack.max);
        self.recovery_point = Some(ack.max);
        RecoveryAction::Retransmit(LossKind::DuplicateAcks)
    }
}
