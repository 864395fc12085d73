//! Reordering in PDCP (TS 38.323 §5.2.2): link control delivers SDUs as they are complete, and
//! PDCP puts them in order.

use base::{Duration, Time};

/// What of one direction's stream has come to the receiving end of PDCP out of order. An SDU is
/// named by where it ends in the stream.
#[derive(Debug)]
pub(crate) struct Reordering {
    /// How long a gap is waited for (t-Reordering); `None` is until it is filled.
    wait: Option<Duration>,
    /// The end of the last SDU that has come (`RX_NEXT`).
    next: u64,
    /// When the timer runs out, and the end of the last SDU that had come when it began
    /// (`RX_REORD`).
    timer: Option<(Time, u64)>,
}

impl Reordering {
    pub(crate) const fn new(wait: Option<Duration>) -> Self {
        Self { wait, next: 0, timer: None }
    }

    /// An SDU that ends at `end` has come, or was sent and will not come.
    pub(crate) fn note(&mut self, end: u64) {
        self.next = self.next.max(end);
    }

    /// If the timer runs out at `now`: SDUs that begin before are not waited for any longer.
    pub(crate) fn expire(&mut self, now: Time) -> Option<u64> {
        let (_, before) = self.timer.take_if(|(due, _)| *due <= now)?;
        Some(before)
    }

    /// Everything before `start` (`RX_DELIV`) has been delivered or given up: the timer runs while
    /// something has come behind a gap.
    pub(crate) fn settle(&mut self, now: Time, start: u64) {
        if self.timer.is_some_and(|(_, before)| before <= start) {
            self.timer = None;
        }
        if let Some(wait) = self.wait
            && self.timer.is_none()
            && start < self.next
        {
            self.timer = Some((now + wait, self.next));
        }
    }

    /// Link control begins anew at `start`: the timer waits for what comes then.
    pub(crate) const fn establish(&mut self, start: u64) {
        (self.next, self.timer) = (start, None);
    }

    /// When the timer runs out.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.timer.map(|(due, _)| due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn the_timer_runs_while_something_waits_behind_a_gap() {
        let mut reordering = Reordering::new(Some(Duration::from_millis(50)));
        reordering.note(100);
        reordering.settle(at(0), 100);
        assert_eq!(reordering.poll_timeout(), None, "in order");
        reordering.note(300);
        reordering.settle(at(10), 100);
        assert_eq!(reordering.poll_timeout(), Some(at(60)));
        reordering.note(400);
        reordering.settle(at(20), 100);
        assert_eq!((reordering.expire(at(59)), reordering.expire(at(60))), (None, Some(300)));
        reordering.settle(at(60), 300);
        assert_eq!(reordering.poll_timeout(), Some(at(110)), "again, for the gap behind it");
        reordering.settle(at(70), 400);
        assert_eq!(reordering.poll_timeout(), None);
    }

    #[test]
    fn it_may_wait_for_ever() {
        let mut reordering = Reordering::new(None);
        reordering.note(300);
        reordering.settle(at(10), 100);
        assert_eq!(reordering.poll_timeout(), None);
    }
}
