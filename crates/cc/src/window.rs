//! The congestion window as a real number of segments.

use settings::{Flag, Word, section, words};

use crate::{Ack, Limits, Loss, LossKind};

words! {
    /// Unit in which windows grow. A receiver that acknowledges every other segment halves the pace
    /// of a sender that counts acknowledgements.
    pub enum Growth {
        /// Acknowledgements: one segment for each in slow start, 1/cwnd in congestion avoidance
        /// (RFC 5681 equations 2 and 3).
        Acknowledgements = "acknowledgements",
        /// The bytes that they acknowledge, in slow start two segments for each at most (RFC 3465;
        /// RFC 5681 §3.1 recommends it for congestion avoidance).
        Bytes = "bytes",
        /// Bytes without that limit, as in Linux: an acknowledgement of eight segments opens slow
        /// start by eight.
        AllBytes = "all-bytes",
    }
}

section! {
    /// Rules that all congestion controls with a window share, in `[tcp]`.
    #[derive(Copy, Eq)]
    pub struct WindowRules {
        /// Unit in which the window grows: acknowledgements, or the bytes that they acknowledge, in
        /// slow start at most two segments for each or all. Bytes that were selectively
        /// acknowledged before do not count again. HyStart++ counts bytes by its own rule (RFC 9406
        /// §4.2). Default: ns-2.
        pub growth: Growth as Word<Growth> = Growth::Acknowledgements;
        /// Growth only while the window is used (RFC 7661): it held the sender back at some time
        /// in the last window of data, or, in slow start, more than half of it was in flight, as
        /// in Linux. cubic has that rule always (RFC 9438 §5.8). Default: off, as in ns-2.
        pub cwnd_validation: bool as Flag = false;
        /// Alternative back-off with ECN (RFC 8511 §3): a mark leaves 0.8 of reno's window, 0.85 of
        /// cubic's. Default: off, as in ns-2.
        pub abe: bool as Flag = false;
    }
}

/// A congestion window and its slow-start threshold, both in segments.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    pub(crate) rules: WindowRules,
    maximum: f64,
    initial: f64,
    /// Both as they were before the last loss, until that is taken back.
    before: Option<(f64, f64)>,
    /// True if nothing was acknowledged since the last loss: the next is of the same segment.
    repairing: bool,
    mss: f64,
}

impl Window {
    pub(crate) fn new(limits: &Limits) -> Self {
        let maximum = f64::from(limits.maximum_window);
        let initial = f64::from(limits.initial_window).min(maximum);
        Self {
            cwnd: initial,
            ssthresh: f64::from(limits.initial_ssthresh),
            rules: limits.rules,
            maximum,
            initial,
            before: None,
            repairing: false,
            mss: f64::from(limits.mss),
        }
    }

    pub(crate) fn slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// True if the window may grow with this acknowledgement: it acknowledges data, no loss is
    /// being repaired (RFC 5681 §3.2), and the window is used where that is asked for (RFC 7661).
    /// Every acknowledgement is shown to it.
    pub(crate) fn opens_with(&mut self, ack: &Ack) -> bool {
        if ack.acked > 0 {
            self.repairing = false;
        }
        ack.acked > 0 && !ack.recovering && (!self.rules.cwnd_validation || self.is_used(ack))
    }

    /// True if the window held the sender back at some time in the last window of data. In slow
    /// start it is enough that more than half of it was in flight, so that it grows to twice what
    /// is acknowledged, as in Linux.
    pub(crate) fn is_used(&self, ack: &Ack) -> bool {
        ack.window_limited || (self.slow_start() && self.cwnd_bytes() < 2 * ack.most_in_flight)
    }

    /// `bytes` in segments.
    pub(crate) fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / self.mss
    }

    /// Segments that are acknowledged and were not selected before: an acknowledgement that ends a
    /// recovery covers a whole window, of which it delivers a segment.
    pub(crate) fn newly_acked(&self, ack: &Ack) -> f64 {
        self.segments(ack.acked.min(ack.delivered))
    }

    /// Segments that an acknowledgement is worth, in the unit in which the window grows.
    ///
    /// Acknowledging a segment in many small steps earns no more than acknowledging it at once
    /// (RFC 5681 §3.1).
    pub(crate) fn earned(&self, ack: &Ack) -> f64 {
        match self.rules.growth {
            Growth::Acknowledgements => self.segments(ack.acked).min(1.0),
            // RFC 3465 §2.3.
            Growth::Bytes if self.slow_start() => self.newly_acked(ack).min(2.0),
            Growth::Bytes | Growth::AllBytes => self.newly_acked(ack),
        }
    }

    /// Opens the window by `segments`, at most to its maximum.
    pub(crate) fn grow(&mut self, segments: f64) {
        self.cwnd = (self.cwnd + segments).min(self.maximum.max(self.cwnd));
    }

    /// Opens the window by the segments that an acknowledgement is worth in slow start, by their
    /// part of the window in congestion avoidance (RFC 5681 equations 2 and 3; RFC 3465 §2.1).
    pub(crate) fn grow_additively(&mut self, ack: &Ack) {
        let earned = self.earned(ack);
        self.grow(if self.slow_start() { earned } else { earned / self.cwnd });
    }

    /// Closes the window by this share of it, to no less than two segments, and ends slow start.
    pub(crate) fn give_up(&mut self, share: f64) {
        self.ssthresh = (self.cwnd * (1.0 - share)).max(2.0);
        self.cwnd = self.ssthresh.min(self.cwnd);
    }

    /// True if what counts as a loss is a mark to which RFC 8511 applies.
    pub(crate) fn backs_off_less(&self, kind: LossKind) -> bool {
        self.rules.abe && kind == LossKind::Ecn
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

    /// True if a loss leaves the window as a mark of the same congestion left it (RFC 3168 §6.1.2):
    /// then no undo takes that back, either.
    pub(crate) const fn keeps_after_mark(&mut self, loss: &Loss) -> bool {
        if loss.after_mark {
            self.before = None;
        }
        loss.after_mark
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

    /// Moves both to so many bytes (RFC 9959).
    pub(crate) fn resume(&mut self, cwnd: u64, ssthresh: u64) {
        self.cwnd = self.segments(cwnd).min(self.maximum);
        self.ssthresh = self.segments(ssthresh);
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

/// Methods by which a controller whose field `window` is a [`Window`] restarts, resumes, undoes a
/// loss and tells both.
macro_rules! controlled_window {
    () => {
        fn on_restart(&mut self, _now: base::Time) {
            self.window.restart();
        }

        fn on_undo(&mut self, _now: base::Time) {
            self.window.undo();
        }

        fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
            self.window.resume(cwnd, ssthresh);
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
