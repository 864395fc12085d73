//! When the sender asks for a status report.

use base::Time;

use super::Poll;
use crate::umts::rlc::Sn;
use crate::umts::rlc::timers::is_due;

/// The poll triggers and timers of a transmitter.
#[derive(Debug)]
pub(super) struct Polls {
    pub(super) triggers: Poll,
    /// With so many PDUs of the window in use, `Poll_Window` is reached, the second time where the
    /// window closes: after that PDU, no other would ask for a report.
    window_thresholds: [u64; 2],
    /// PDUs until `Poll_PDU` is reached.
    pdus_left: u32,
    /// SDUs until `Poll_SDU` is reached.
    sdus_left: u32,
    /// A poll was triggered while polls were prohibited: the next PDU carries it.
    held_back: bool,
    /// The poll timer ran out: a PDU is sent again to carry a poll.
    repeat: bool,
    timer: Option<Time>,
    prohibited_until: Option<Time>,
    /// The next new PDU when the last poll was sent: the poll asks for everything below.
    asked: Sn,
}

/// A PDU that is about to be sent, as far as polls depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    /// How many PDUs, this one the last.
    pub(super) pdus: u32,
    /// How many SDUs end in them for the first time.
    pub(super) sdu_ends: u32,
    /// Whether its buffer, for transmission or retransmission, asks for a poll with it.
    pub(super) is_last: bool,
    /// PDUs of the window that are in use with it, if it is new.
    pub(super) window_used: Option<u64>,
    /// The next new PDU after it.
    pub(super) next: Sn,
}

impl Polls {
    pub(super) fn new(triggers: &Poll, window: u16) -> Self {
        let thresholds = |share: base::Probability| {
            let threshold = (share.value() * f64::from(window)).ceil() as u64;
            [threshold.clamp(1, window.into()), window.into()]
        };
        Self {
            window_thresholds: triggers.window_utilization.map_or([u64::MAX; 2], thresholds),
            pdus_left: triggers.every_pdus.unwrap_or(u32::MAX),
            sdus_left: triggers.every_sdus.unwrap_or(u32::MAX),
            held_back: false,
            repeat: false,
            timer: None,
            prohibited_until: None,
            asked: Sn::ZERO,
            triggers: triggers.clone(),
        }
    }

    /// How many new PDUs may be sent before one must be checked for a poll, with `window_used` PDUs
    /// of the window in use.
    pub(super) fn stride(&self, now: Time, window_used: u64) -> u32 {
        if self.held_back && !self.is_prohibited(now) {
            return 1;
        }
        let [threshold, closing] = self.window_thresholds;
        let next = if window_used < threshold { threshold } else { closing };
        (next - window_used).min(self.pdus_left.into()) as u32
    }

    /// How many SDU ends may be sent before a PDU must be checked for a poll.
    pub(super) const fn sdu_stride(&self) -> u32 {
        self.sdus_left
    }

    /// Counts what is being sent and decides whether the last PDU of it carries the poll bit.
    pub(super) fn decide(&mut self, now: Time, sending: Sending) -> bool {
        let is_pdu_due = count(&mut self.pdus_left, sending.pdus, self.triggers.every_pdus);
        let ends_nth = count(&mut self.sdus_left, sending.sdu_ends, self.triggers.every_sdus);
        let is_at_window =
            sending.window_used.is_some_and(|used| self.window_thresholds.contains(&used));
        if !(sending.is_last || is_pdu_due || ends_nth || is_at_window || self.held_back) {
            return false;
        }
        self.held_back = self.is_prohibited(now);
        if !self.held_back {
            self.start(now, sending.next);
        }
        !self.held_back
    }

    /// True if a PDU is to be sent again only to carry a poll. A poll that was held back takes a
    /// new PDU if there is one.
    pub(super) fn wants_repeat(&self, now: Time, has_new: impl FnOnce() -> bool) -> bool {
        (self.repeat || (self.held_back && !has_new())) && !self.is_prohibited(now)
    }

    /// A PDU is sent again to carry a poll; `next` is the next new one.
    pub(super) fn repeated(&mut self, now: Time, next: Sn) {
        count(&mut self.pdus_left, 1, self.triggers.every_pdus);
        self.start(now, next);
    }

    /// There is nothing to send again.
    pub(super) fn give_up(&mut self) {
        self.repeat = false;
        self.held_back = false;
        self.timer = None;
    }

    /// Everything below `acknowledged` has arrived.
    pub(super) fn acknowledged(&mut self, acknowledged: Sn) {
        if acknowledged >= self.asked {
            self.timer = None;
            self.repeat = false;
        }
    }

    pub(super) fn examine_timer(&mut self, now: Time) {
        if is_due(self.timer, now) {
            self.timer = None;
            self.repeat = true;
        }
    }

    pub(super) fn poll_timeout(&self, now: Time) -> Option<Time> {
        let wanted = (self.repeat || self.held_back)
            .then(|| self.prohibited_until.map_or(now, |until| until.max(now)));
        Time::earlier(self.timer, wanted)
    }

    /// A poll is sent: kept apart from what asks whether one is, which most PDUs stop at.
    #[inline(never)]
    fn start(&mut self, now: Time, next: Sn) {
        self.asked = next;
        self.held_back = false;
        self.repeat = false;
        self.timer = self.triggers.timer.map(|time| now + time);
        self.prohibited_until = self.triggers.prohibit.map(|time| now + time);
    }

    fn is_prohibited(&self, now: Time) -> bool {
        self.prohibited_until.is_some() && !is_due(self.prohibited_until, now)
    }
}

/// Counts `left` down by `sent`; at zero it restarts from `every` and returns true.
fn count(left: &mut u32, sent: u32, every: Option<u32>) -> bool {
    let Some(every) = every else { return false };
    *left = left.saturating_sub(sent);
    let is_reached = *left == 0;
    if is_reached {
        *left = every;
    }
    is_reached
}
