//! How a window is reduced: once for what a window of data met (RFC 3168 §6.1.2), and in proportion
//! where that is asked for (RFC 9937).

use cc::LossKind;

use super::Sender;
use crate::Payload;
use crate::recovery::RepairOrder;
use crate::recovery::prr::{Progress, Prr, PrrUnit};

impl<P: Payload> Sender<P> {
    /// True if a loss is of the congestion for which a mark has reduced the window. The loss of a
    /// retransmission is news (RFC 3168 §6.1.2), and a timeout reduces the window in any case (RFC
    /// 5681 equation 4).
    pub(super) fn is_of_mark(&self, kind: LossKind, transmissions: u16) -> bool {
        let is_by_acks = matches!(kind, LossKind::DuplicateAcks | LossKind::FineTimeout);
        is_by_acks && transmissions < 2 && self.ecn.has_answered(self.buffer.una())
    }

    /// A recovery begins that congestion control knows of: the reduction ends at its window. One
    /// that a mark has begun goes on. A controller that names a rate keeps its own window, as in
    /// Linux.
    pub(super) fn begin_reduction(&mut self) {
        let window = self.controller.window();
        let goes_on = self.prr.as_ref().is_some_and(|prr| prr.goes_on_to(window));
        if self.config.prr && !goes_on {
            self.prr = self.reduction().map(Box::new);
        }
    }

    /// A mark has reduced the window from `before` bytes: in proportion where that is asked for, or
    /// where losses are repaired so.
    pub(super) fn begin_reduction_after_mark(&mut self, before: u64) {
        if self.config.prr_after_marks {
            let until = self.buffer.max();
            self.prr = self.reduction().map(|prr| Box::new(prr.after_mark(before, until)));
        } else if self.prr.is_some() {
            self.prr = self.reduction().map(Box::new);
        }
    }

    /// A reduction in proportion from what is in flight to the controller's window.
    fn reduction(&self) -> Option<Prr> {
        let RepairOrder::Lost { pipe } = self.order() else { return None };
        if self.controller.pacing_rate().is_some() {
            return None;
        }
        let (target, mss) = (self.controller.window(), u64::from(self.mss));
        let flight = self.in_flight().saturating_sub(self.buffer.board.selected_bytes());
        let unit = match self.config.prr_unit {
            PrrUnit::Bytes => 1,
            PrrUnit::Segments => mss,
        };
        Some(Prr::new(target, flight, pipe, mss).in_units_of(unit))
    }

    /// True while a mark reduces the window in proportion.
    pub(super) fn is_reducing_after_mark(&self) -> bool {
        let una = self.buffer.una();
        self.prr.as_ref().is_some_and(|prr| prr.until().is_some_and(|until| una <= until))
    }

    /// An acknowledgement reported `delivered` bytes.
    pub(super) fn reduce(&mut self, delivered: u64, progress: Progress) {
        let goes_on = self.recovery.is_recovering() || self.is_reducing_after_mark();
        let Some(prr) = &mut self.prr else { return };
        if !goes_on {
            self.prr = None;
            return;
        }
        if let RepairOrder::Lost { pipe } = self.recovery.order(&self.buffer.board) {
            prr.on_ack(delivered, pipe, progress, u64::from(self.mss));
        }
    }
}
