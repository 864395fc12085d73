//! How a spurious loss is undone (RFC 4015).

use base::{Duration, Time};

use super::Sender;
use crate::Payload;
use crate::recovery::RepairOrder;
use crate::spurious::{Cause, Finding, PROBES};

impl<P: Payload> Sender<P> {
    /// A loss was detected: starts the check whether it was spurious.
    pub(super) fn begin_spurious_check(&mut self, cause: Cause) {
        if let Some(spurious) = &mut self.spurious {
            let outstanding = [self.buffer.una(), self.buffer.max()];
            spurious.begin(cause, outstanding, &self.buffer.board);
        }
    }

    /// Acts on what an acknowledgement with the round-trip time `rtt` shows about the last loss,
    /// before loss recovery sees it.
    pub(super) fn conclude(&mut self, finding: Finding, now: Time, rtt: Option<Duration>) {
        match finding {
            Finding::GoBack if self.order() == RepairOrder::Stream => self.go_back(),
            Finding::Open | Finding::Genuine | Finding::GoBack => {}
            Finding::Probe => self.probe_with_new_data(),
            Finding::Spurious => self.take_back(now, rtt),
        }
    }

    /// RFC 5682 §2.1 step 2b.
    fn probe_with_new_data(&mut self) {
        let mss = u64::from(self.mss);
        let waiting = self.buffer.end().saturating_sub(self.buffer.max()).min(mss);
        let room = self.peer.size().min(self.cap).saturating_sub(self.buffer.outstanding());
        let may = waiting > 0 && waiting <= room && !self.waits_for_more(waiting);
        if may && self.order() == RepairOrder::Stream {
            self.buffer.go_on_from(self.buffer.max());
        }
        let allowance = may.then(|| self.pipe() + (PROBES * mss).min(room));
        if let Some(spurious) = &mut self.spurious {
            spurious.probe(allowance);
        }
    }

    /// RFC 4015 §3.2: the window is restored, sending goes on with new data (step 7), and the
    /// retransmission timer becomes more patient (step 9).
    ///
    /// The window is restored whole (steps 8: ssthresh only, and cwnd from there on by slow
    /// start): the acknowledgements that were late still come one by one and clock what is sent.
    fn take_back(&mut self, now: Time, rtt: Option<Duration>) {
        self.restore_window(now);
        self.buffer.set_resend(false);
        match self.order() {
            RepairOrder::Stream => self.buffer.go_on_from(self.buffer.max()),
            RepairOrder::Lost { .. } => self.buffer.board.find_lost(),
        }
        self.recovery.on_undo(&self.buffer.board);
        let una = self.buffer.una();
        let late = self.spurious.as_mut().is_some_and(|spurious| spurious.take_back(una));
        if let Some(rtt) = rtt.filter(|_| late) {
            self.timer.grow_patient(rtt);
        }
    }
}
