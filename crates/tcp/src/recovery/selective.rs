//! Recovery from a scoreboard of selective acknowledgements.

use cc::LossKind;

use super::{DUPLICATE_THRESHOLD, Guard, Order, Standing, Verdict};
use crate::scoreboard::Scoreboard;

/// What is lost, given what arrived above it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// RFC 6675 §4, `IsLost`: three segments above it arrived, or three stretches.
    Sack,
    /// Mathis and Mahdavi 1996: everything below the forward-most segment that arrived, once more
    /// than three segments are missing there or three duplicate acknowledgements came.
    Fack,
}

/// RFC 6675 §5: sends again what is lost and then new data, as long as what is in the network
/// stays below the window; from the first loss until everything is acknowledged that had been sent
/// then.
///
/// After a timeout everything that was not selected counts as lost (§5.1).
#[derive(Debug)]
pub(crate) struct Selective {
    rule: Rule,
    guard: Guard,
    limited_transmit: bool,
    pub(crate) duplicates: u32,
    /// RFC 6675's `RecoveryPoint`, while recovery lasts.
    recovery_point: Option<u64>,
}

impl Selective {
    pub(crate) const fn new(rule: Rule, guard: bool, limited_transmit: bool) -> Self {
        let guard = Guard::new(guard);
        Self { rule, guard, limited_transmit, duplicates: 0, recovery_point: None }
    }

    pub(crate) fn on_duplicate_ack(
        &mut self,
        standing: &Standing,
        board: &mut Scoreboard,
    ) -> Verdict {
        self.duplicates += 1;
        self.look(standing, board)
    }

    pub(crate) fn on_new_ack(&mut self, standing: &Standing, board: &mut Scoreboard) -> Verdict {
        // RFC 6675 §5: what selects something is a duplicate, "regardless of its status as a
        // cumulative acknowledgment".
        self.duplicates = u32::from(standing.selected > 0);
        if self.recovery_point.is_some_and(|point| standing.una >= point) {
            self.recovery_point = None;
        }
        self.look(standing, board)
    }

    pub(crate) fn on_timeout(&mut self, max: u64, board: &mut Scoreboard) {
        self.guard.set(max);
        self.duplicates = 0;
        self.recovery_point = None;
        board.lose_all();
    }

    /// Recovery as after a loss that congestion control knows of.
    pub(crate) const fn on_cut(&mut self, max: u64) {
        self.guard.set(max);
        self.duplicates = 0;
        self.recovery_point = Some(max);
    }

    pub(crate) const fn on_undo(&mut self) {
        self.guard.clear();
        self.duplicates = 0;
        self.recovery_point = None;
    }

    pub(crate) const fn is_recovering(&self) -> bool {
        self.recovery_point.is_some()
    }

    pub(crate) fn order(&self, board: &Scoreboard) -> Order {
        // Before a loss is established, only Limited Transmit lets duplicates release new data.
        let in_order = self.recovery_point.is_none() && board.lost_segments() == 0;
        let held = !self.limited_transmit && self.duplicates > 0 && in_order;
        let arrived = if held { board.selected_bytes() } else { 0 };
        Order::Lost { pipe: board.pipe() + arrived }
    }

    /// RFC 6675 §5 steps 1 to 4, and C.
    fn look(&mut self, standing: &Standing, board: &mut Scoreboard) -> Verdict {
        let (lost_below, triggered) = match self.rule {
            Rule::Sack => {
                let segments = u64::from(DUPLICATE_THRESHOLD - 1);
                let edge = board.lost_edge(segments * standing.mss, DUPLICATE_THRESHOLD as usize);
                (edge, edge > standing.una)
            }
            Rule::Fack => {
                let edge = board.forward_most().unwrap_or(0);
                let missing = u64::from(DUPLICATE_THRESHOLD) * standing.mss;
                (edge, edge > standing.una + missing)
            }
        };
        if self.recovery_point.is_some() {
            board.lose_below(lost_below);
            return Verdict::Wait;
        }
        let triggered = triggered || self.duplicates >= DUPLICATE_THRESHOLD;
        let allowed = self.guard.allows_selected(standing.una);
        if !triggered || !allowed || standing.una == standing.max {
            return Verdict::Wait;
        }
        self.guard.set(standing.max);
        self.recovery_point = Some(standing.max);
        board.lose_below(lost_below);
        board.lose_at(standing.una);
        Verdict::Retransmit(LossKind::DuplicateAcks)
    }
}
