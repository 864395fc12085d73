//! The receiving half.

use base::{Duration, Time};

use super::ranges::RangeSet;
use super::{Mode, Range, Rlc36Config, Status};

/// What has arrived of one direction's stream.
///
/// A gap is first left to HARQ. If it is still there when the timer runs out, it counts as lost: in
/// acknowledged mode it is reported, otherwise passed over.
#[derive(Debug)]
pub(crate) struct Receiver {
    mode: Mode,
    reordering: Duration,
    prohibit: Duration,
    /// What has arrived beyond the floor.
    got: RangeSet,
    /// What was passed over below the floor, and not yet looked at.
    lost: RangeSet,
    /// Everything below has arrived or was passed over (`VR(R)`, `VR(UR)`).
    floor: u64,
    /// AM: what is missing below has been waited for (`VR(MS)`).
    waited: u64,
    /// The end of what has arrived (`VR(H)`, `VR(UH)`).
    highest: u64,
    /// When the timer runs out, and what had arrived when it began (`VR(X)`, `VR(UX)`).
    timer: Option<(Time, u64)>,
    /// AM: a poll that is answered when everything before it has been waited for.
    poll: Option<u64>,
    /// AM: a report is to be sent.
    is_wanted: bool,
    /// AM: no report before.
    allowed: Time,
}

impl Receiver {
    /// One that has got everything before `start`.
    pub(crate) fn new(config: &Rlc36Config, start: u64) -> Self {
        Self {
            mode: config.mode,
            reordering: config.reordering,
            prohibit: config.status_prohibit,
            got: RangeSet::default(),
            lost: RangeSet::default(),
            floor: start,
            waited: start,
            highest: start,
            timer: None,
            poll: None,
            is_wanted: false,
            allowed: Time::ZERO,
        }
    }

    /// Begins anew after everything before `start`; what is missing there is passed over.
    pub(crate) fn establish(&mut self, start: u64) {
        self.pass_over(start);
        self.got.clear();
        (self.floor, self.waited, self.highest) = (start, start, start);
        (self.timer, self.poll, self.is_wanted) = (None, None, false);
    }

    /// Everything below has arrived or was passed over.
    pub(crate) const fn floor(&self) -> u64 {
        self.floor
    }

    /// Whether all of `range` has arrived.
    pub(crate) fn has(&self, range: Range) -> bool {
        if range.to <= self.floor { !self.lost.touches(range) } else { self.got.covers(range) }
    }

    /// What has arrived without a gap around byte `at`, or was passed over.
    pub(crate) fn around(&self, at: u64) -> Range {
        if at < self.floor {
            return Range::new(0, self.floor);
        }
        self.got.around(at).unwrap_or(Range::new(at, at))
    }

    /// What was passed over before `to` is not asked for again.
    pub(crate) fn forget(&mut self, to: u64) {
        if !self.lost.is_empty() {
            self.lost.remove(Range::new(0, to));
        }
    }

    /// Whether all of `range`, which lies below the floor, has arrived. To be asked in order, once.
    pub(crate) fn has_all(&mut self, range: Range) -> bool {
        if self.lost.is_empty() {
            return true;
        }
        let is_lost = self.lost.touches(range);
        self.forget(range.to);
        !is_lost
    }

    /// Takes in part of a PDU.
    pub(crate) fn receive(&mut self, now: Time, range: Range) {
        if range.to <= self.floor {
            return;
        }
        self.highest = self.highest.max(range.to);
        if self.got.is_empty() && range.from <= self.floor {
            self.floor = range.to;
        } else {
            self.got.insert(Range::new(range.from.max(self.floor), range.to));
            self.advance(self.floor);
        }
        self.waited = self.got.first_missing(self.waited.max(self.floor));
        if self.timer.is_some_and(|(_, before)| before <= self.floor) {
            self.timer = None;
        }
        self.watch(now, self.floor);
        self.answer();
    }

    /// HARQ has given up `range`: what an unacknowledged-mode receiver would learn from the next
    /// PDU.
    pub(crate) fn lose(&mut self, now: Time, range: Range) {
        if self.mode != Mode::Am && range.to > self.floor {
            self.highest = self.highest.max(range.to);
            self.watch(now, self.floor);
        }
    }

    /// A PDU that ends at `at` asked for a report.
    pub(crate) fn receive_poll(&mut self, at: u64) {
        self.poll = self.poll.max(Some(at));
        self.answer();
    }

    /// Does what is due at `now`.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        let Some((_, before)) = self.timer.filter(|(due, _)| *due <= now) else { return };
        self.timer = None;
        if self.mode != Mode::Am {
            self.pass_over(before);
        }
        self.waited = self.got.first_missing(before.max(self.floor));
        self.is_wanted |= self.mode == Mode::Am;
        self.watch(now, self.waited);
        self.answer();
    }

    /// When the timer runs out.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.timer.map(|(due, _)| due)
    }

    /// From when a report is to be sent, if one is.
    pub(crate) fn report_from(&self) -> Option<Time> {
        self.is_wanted.then_some(self.allowed)
    }

    /// How many bytes the report takes that is due at `now`, if one is. A block with room for less
    /// could name no gap, and nothing would ever be repaired.
    pub(crate) fn report_bytes(&self, now: Time) -> u64 {
        if !self.is_wanted || now < self.allowed {
            return 0;
        }
        Status::bytes_of(self.got.gaps(Range::new(self.floor, self.waited)).count())
    }

    /// The report that is due, in at most `room` bytes.
    pub(crate) fn report(&mut self, now: Time, room: u64) -> Option<Status> {
        if !self.is_wanted || now < self.allowed {
            return None;
        }
        let missing = self.got.gaps(Range::new(self.floor, self.waited));
        let status = Status::new(self.waited, missing, room)?;
        self.is_wanted = false;
        self.allowed = now + self.prohibit;
        Some(status)
    }

    /// What is missing before `to` is passed over.
    fn pass_over(&mut self, to: u64) {
        let to = to.max(self.floor);
        for gap in self.got.gaps(Range::new(self.floor, to)) {
            self.lost.insert(gap);
        }
        self.advance(to);
    }

    /// Everything before `to` has arrived or is passed over.
    fn advance(&mut self, to: u64) {
        self.floor = self.got.first_missing(self.floor.max(to));
        self.got.remove(Range::new(0, self.floor));
    }

    /// The timer runs while something is missing at or after `from` (TS 36.322 §5.1.3.2.4).
    fn watch(&mut self, now: Time, from: u64) {
        if self.timer.is_none() && self.highest > from {
            self.timer = Some((now + self.reordering, self.highest));
        }
    }

    /// A poll is answered once everything before it has been waited for (TS 36.322 §5.2.3).
    fn answer(&mut self) {
        if self.poll.is_some_and(|at| at <= self.waited) {
            self.poll = None;
            self.is_wanted = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn receiver(mode: Mode) -> Receiver {
        Receiver::new(&Rlc36Config { mode, ..Rlc36Config::default() }, 0)
    }

    fn gaps(status: &Status) -> Vec<Range> {
        status.gaps().collect()
    }

    #[test]
    fn am_reports_a_gap_only_after_harq_had_its_time() {
        let mut receiver = receiver(Mode::Am);
        receiver.receive(at(0), Range::new(0, 100));
        assert_eq!((receiver.floor(), receiver.poll_timeout()), (100, None));
        receiver.receive(at(1), Range::new(200, 300));
        receiver.receive_poll(300);
        assert_eq!((receiver.floor(), receiver.poll_timeout()), (100, Some(at(51))));
        assert_eq!(receiver.report(at(50), 100), None, "the poll waits for the gap");
        receiver.handle_timeout(at(51));
        let report = receiver.report(at(51), 100).expect("a report is due");
        assert_eq!((report.ack, gaps(&report)), (300, vec![Range::new(100, 200)]));
        receiver.receive(at(60), Range::new(100, 150));
        receiver.receive_poll(300);
        assert_eq!(receiver.report(at(100), 100), None, "prohibited");
        let report = receiver.report(at(101), 100).expect("a report is due");
        assert_eq!((report.ack, gaps(&report)), (300, vec![Range::new(150, 200)]));
        receiver.receive(at(110), Range::new(150, 200));
        assert_eq!(receiver.floor(), 300);
    }

    #[test]
    fn a_gap_that_closes_in_time_is_not_reported() {
        let mut receiver = receiver(Mode::Am);
        receiver.receive(at(1), Range::new(100, 200));
        receiver.receive_poll(200);
        receiver.receive(at(9), Range::new(0, 100));
        assert_eq!((receiver.floor(), receiver.poll_timeout()), (200, None));
        let report = receiver.report(at(9), 100).expect("the poll is answered");
        assert_eq!((report.ack, report.gaps().count()), (200, 0));
    }

    #[test]
    fn the_timer_begins_again_for_a_later_gap() {
        let mut receiver = receiver(Mode::Am);
        receiver.receive(at(1), Range::new(100, 200));
        receiver.receive(at(20), Range::new(300, 400));
        receiver.handle_timeout(at(51));
        assert_eq!(receiver.poll_timeout(), Some(at(101)));
        let report = receiver.report(at(51), 100).expect("a report is due");
        assert_eq!((report.ack, gaps(&report)), (200, vec![Range::new(0, 100)]));
    }

    #[test]
    fn um_passes_over_a_gap() {
        let mut receiver = receiver(Mode::Um);
        receiver.receive(at(1), Range::new(100, 200));
        receiver.receive(at(20), Range::new(300, 400));
        receiver.handle_timeout(at(51));
        assert_eq!((receiver.floor(), receiver.poll_timeout()), (200, Some(at(101))));
        receiver.receive(at(60), Range::new(0, 100));
        assert_eq!(receiver.floor(), 200);
        receiver.receive(at(61), Range::new(200, 300));
        assert_eq!((receiver.floor(), receiver.poll_timeout()), (400, None));
        assert_eq!(receiver.report_from(), None);
        let whole = |from, to, receiver: &mut Receiver| receiver.has_all(Range::new(from, to));
        assert!(!whole(0, 50, &mut receiver) && !whole(50, 150, &mut receiver));
        assert!(whole(150, 350, &mut receiver));
    }
}
