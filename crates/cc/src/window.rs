//! The congestion window as a real number of segments.

use crate::{Ack, Limits};

/// A congestion window and its slow-start threshold, both in segments.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    maximum: f64,
    initial: f64,
    /// Both as they were before the last loss, until that is taken back.
    before: Option<(f64, f64)>,
    /// True if nothing was acknowledged since the last loss: the next is of the same segment.
    repairing: bool,
    mss: f64,
    mss_bytes: u64,
}

impl Window {
    pub(crate) fn new(limits: &Limits) -> Self {
        let maximum = f64::from(limits.maximum_window);
        let initial = f64::from(limits.initial_window).min(maximum);
        Self {
            cwnd: initial,
            ssthresh: f64::from(limits.initial_ssthresh),
            maximum,
            initial,
            before: None,
            repairing: false,
            mss: f64::from(limits.mss),
            mss_bytes: u64::from(limits.mss),
        }
    }

    pub(crate) fn slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// True if the window may grow with this acknowledgement: it acknowledges data, and no loss is
    /// being repaired (RFC 5681 §3.2). Every acknowledgement is shown to it.
    pub(crate) const fn opens_with(&mut self, ack: &Ack) -> bool {
        if ack.acked > 0 {
            self.repairing = false;
        }
        ack.acked > 0 && !ack.recovering
    }

    /// The part of a segment that `bytes` are, at most one: acknowledging a segment in many small
    /// steps earns no more than acknowledging it at once (RFC 5681 §3.1).
    pub(crate) fn share(&self, bytes: u64) -> f64 {
        if bytes >= self.mss_bytes { 1.0 } else { bytes as f64 / self.mss }
    }

    /// `bytes` in segments.
    pub(crate) fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / self.mss
    }

    /// Opens the window by `segments`, at most to its maximum.
    pub(crate) fn grow(&mut self, segments: f64) {
        self.cwnd = (self.cwnd + segments).min(self.maximum.max(self.cwnd));
    }

    /// Opens the window by the segment that `acked` bytes are in slow start, by that segment's
    /// part of the window in congestion avoidance (RFC 5681 equations 2 and 3).
    pub(crate) fn grow_additively(&mut self, acked: u64) {
        let share = self.share(acked);
        self.grow(if self.slow_start() { share } else { share / self.cwnd });
    }

    /// Opens the window by the segments that `acked` bytes are in slow start, `most` at most, by
    /// their part of the window in congestion avoidance (RFC 3465 §2.1).
    pub(crate) fn grow_by_bytes(&mut self, acked: u64, most: f64) {
        let segments = self.segments(acked);
        self.grow(if self.slow_start() { segments.min(most) } else { segments / self.cwnd });
    }

    /// Closes the window to what the connection started with (RFC 5681 §4.1).
    pub(crate) fn restart(&mut self) {
        self.cwnd = self.cwnd.min(self.initial);
    }

    /// Remembers both before a loss changes them: true if it did. When the same segment is lost
    /// again, what was before its first loss stays.
    pub(crate) const fn remember(&mut self) -> bool {
        let first = !self.repairing || self.before.is_none();
        if first {
            self.before = Some((self.cwnd, self.ssthresh));
        }
        self.repairing = true;
        first
    }

    /// Takes the last loss back (RFC 4015 §3.2 steps 8 and 9): no smaller than before it. True if
    /// there was one to take back.
    pub(crate) const fn undo(&mut self) -> bool {
        let Some((cwnd, ssthresh)) = self.before.take() else { return false };
        self.cwnd = self.cwnd.max(cwnd);
        self.ssthresh = self.ssthresh.max(ssthresh);
        self.repairing = false;
        true
    }

    /// Half of the window, both in whole segments, at least two. (ns-2 halves the window that it
    /// may use; RFC 5681 equation 4 halves the flight, which is the same for a sender that has
    /// enough to send.)
    pub(crate) fn half(&self) -> f64 {
        f64::from(self.whole() / 2).max(2.0)
    }

    /// The window in whole segments.
    pub(crate) fn whole(&self) -> u32 {
        self.cwnd.min(self.maximum) as u32
    }

    pub(crate) fn cwnd_bytes(&self) -> u64 {
        (self.cwnd * self.mss) as u64
    }

    pub(crate) fn ssthresh_bytes(&self) -> u64 {
        (self.ssthresh * self.mss) as u64
    }
}

/// How a controller whose field `window` is a [`Window`] restarts, undoes a loss and tells both.
macro_rules! controlled_window {
    () => {
        fn on_restart(&mut self, _now: base::Time) {
            self.window.restart();
        }

        fn on_undo(&mut self, _now: base::Time) {
            self.window.undo();
        }

        fn window(&self) -> u64 {
            self.window.cwnd_bytes()
        }

        fn ssthresh(&self) -> u64 {
            self.window.ssthresh_bytes()
        }
    };
}
pub(crate) use controlled_window;
