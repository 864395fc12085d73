//! Asking a peer that closed its window whether it has opened again (RFC 9293 §3.8.6.1).

use base::Time;

use crate::retransmission_timer::RetransmissionTimer;

/// The persist timer: runs while there is something to send, nothing in flight and no room in
/// the peer's window. Its interval starts at the retransmission timeout and doubles.
#[derive(Debug, Default)]
pub(crate) struct Persist {
    deadline: Option<Time>,
    /// Probes since a segment was last admitted, by which the interval has doubled.
    probes: u32,
    due: bool,
    /// True if a retransmission timeout has passed since something was last acknowledged.
    ran_out: bool,
}

impl Persist {
    pub(crate) const fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// The peer's window prevents sending.
    pub(crate) fn start(&mut self, now: Time, timer: &RetransmissionTimer) {
        if self.deadline.is_none() {
            self.deadline = Some(now + timer.doubled(self.probes));
        }
    }

    /// True while the peer's window prevents sending.
    pub(crate) const fn is_running(&self) -> bool {
        self.deadline.is_some() || self.due
    }

    /// True once a retransmission timeout has passed since it began, or began anew.
    pub(crate) const fn has_run_out(&self) -> bool {
        self.ran_out
    }

    /// Something was acknowledged: if it runs, it begins anew, with the interval that it had. A
    /// peer that takes a byte of each probe has no room for a segment yet.
    pub(crate) fn restart(&mut self, now: Time, timer: &RetransmissionTimer) {
        if self.is_running() {
            self.deadline = None;
            self.due = false;
            self.ran_out = false;
            self.start(now, timer);
        }
    }

    /// Something else could be sent.
    pub(crate) fn stop(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.deadline = None;
            self.probes = self.probes.saturating_add(1);
            self.due = true;
            self.ran_out = true;
        }
    }

    /// True once for each probe to send.
    pub(crate) fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.due)
    }
}
