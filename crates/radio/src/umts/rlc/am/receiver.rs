//! The receiving half of an acknowledged-mode entity.

use base::Time;

use super::Status;
use super::config::pdu_bytes;
use super::status::{StatusReport, report_span};
use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::RlcConfig;
use crate::umts::rlc::bits::{Bits, low_bits};
use crate::umts::rlc::block::{Control, Run, WindowMove, WindowMoved};
use crate::umts::rlc::segmentation::Sdus;
use crate::umts::rlc::timers::is_due;
use crate::umts::rlc::{PeerChannel, Sn};

/// What has arrived in one direction, and when to report it.
#[derive(Debug)]
pub(crate) struct Receiver {
    window: u64,
    triggers: Status,
    /// How many PDUs the bitmaps of one status PDU cover.
    report_span: u64,
    /// How fast the peer can send.
    pub(super) peer: PeerChannel,
    /// Every PDU below has arrived (`VR(R)`).
    next: Sn,
    /// The PDU after the highest that has arrived (`VR(H)`).
    highest: Sn,
    /// What has arrived of `next..highest`.
    arrived: Bits,
    /// A status report has been triggered and not begun.
    wanted: bool,
    /// Where the next part of the report that is being sent begins.
    part: Option<Sn>,
    /// No report begins before.
    prohibited_until: Option<Time>,
    periodic: Option<Time>,
    estimate: Option<Estimate>,
    /// A window move that waits to be acknowledged.
    moved: Option<WindowMoved>,
}

/// The estimated PDU counter: by `deadline` everything below `end` should have arrived.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    deadline: Time,
    end: Sn,
}

impl Receiver {
    pub(crate) fn new(config: &RlcConfig, peer: PeerChannel) -> Self {
        Self {
            window: u64::from(config.window),
            triggers: config.status.clone(),
            report_span: u64::from(report_span(pdu_bytes(config))),
            peer,
            next: Sn::ZERO,
            highest: Sn::ZERO,
            arrived: Bits::new(),
            wanted: false,
            part: None,
            prohibited_until: None,
            periodic: None,
            estimate: None,
            moved: None,
        }
    }

    /// Takes in a run of data PDUs of which those in `errors` were lost.
    pub(crate) fn handle_data(&mut self, run: Run, errors: u64, sdus: &mut Sdus) {
        debug_assert!(self.is_told_by_its_wire_number(run.sn), "{:?} at {:?}", run.sn, self.next);
        let sent = low_bits(run.pdus);
        let intact = !errors & sent;
        if run.poll && intact >> (run.pdus - 1) & 1 == 1 {
            self.wanted = true;
        }
        if intact == 0 || run.sn + u64::from(run.pdus) <= self.next {
            return;
        }
        let (sn, intact) = if run.sn == self.next && self.next == self.highest && intact == sent {
            self.next = self.next + u64::from(run.pdus);
            self.highest = self.next;
            (run.sn, intact)
        } else {
            self.handle_gaps(run.sn, intact)
        };
        self.deliver(sn, intact, sdus);
    }

    /// True if the 12 bits on the air are enough to know `sn`, as they are with windows of up to
    /// half the number space.
    fn is_told_by_its_wire_number(&self, sn: Sn) -> bool {
        let half = Sn::SPAN / 2;
        let lowest = self.next - half.min(self.next - Sn::ZERO);
        self.window > half || lowest.unwrap(sn.wire()) == sn
    }

    /// The general case: some are missing, were missing, or are duplicates. What is left without
    /// those that had arrived in sequence.
    fn handle_gaps(&mut self, sn: Sn, intact: u64) -> (Sn, u64) {
        let stale = if sn < self.next { self.next - sn } else { 0 };
        let (sn, intact) = (sn + stale, intact >> stale);
        if intact == 0 {
            return (sn, intact);
        }
        let end = sn + u64::from(64 - intact.leading_zeros());
        assert!(end <= self.next + self.window, "a sender keeps to its window");
        self.arrived.set(sn, intact);
        if end > self.highest {
            self.wanted |= self.triggers.missing && has_gap(self.highest, sn, intact);
            self.highest = end;
        }
        if sn == self.next {
            self.advance();
        }
        (sn, intact)
    }

    /// Moves on over all that has arrived in sequence.
    fn advance(&mut self) {
        let next = self.arrived.first_clear(self.next, self.highest);
        self.arrived.clear_range(self.next, next);
        self.next = next;
    }

    /// Delivers what became whole by the PDUs `intact` from `sn` on.
    fn deliver(&self, sn: Sn, mut intact: u64, sdus: &mut Sdus) {
        if sdus.is_in_order() {
            sdus.deliver_in_order(self.next);
            return;
        }
        while intact != 0 {
            let place = intact.trailing_zeros();
            intact &= intact - 1;
            sdus.deliver_any_order(sn + u64::from(place), |start, end| self.has_all(start, end));
        }
    }

    /// True if every PDU of `first..=last` has arrived.
    fn has_all(&self, first: Sn, last: Sn) -> bool {
        last < self.next
            || (last < self.highest
                && self.arrived.first_clear(first.max(self.next), last + 1) > last)
    }

    /// The peer gave up every SDU below `to.sdu`.
    pub(crate) fn handle_move(&mut self, to: WindowMove, sdus: &mut Sdus) {
        sdus.discard_below(to.sdu);
        if to.sn > self.next {
            self.arrived.clear_range(self.next, to.sn.min(self.highest));
            self.next = to.sn;
            self.highest = self.highest.max(to.sn);
            self.advance();
        }
        sdus.deliver_in_order(self.next);
        let ends = if self.next == to.sn { to.ends } else { 0 };
        self.moved = Some(WindowMoved { sn: self.next, ends });
    }

    /// Forgets all, after a reset.
    pub(crate) fn reset(&mut self, config: &RlcConfig) {
        *self = Self::new(config, self.peer);
    }

    /// Puts window-move acknowledgements and status reports into the TTI. `sdus` are those of the
    /// peer.
    pub(crate) fn fill(&mut self, sdus: &Sdus, blocks: &mut TransportBlocks) {
        let now = blocks.start;
        if blocks.room() > 0
            && let Some(moved) = self.moved.take()
        {
            blocks.push_control(Control::MoveWindowAck(moved));
        }
        self.examine_timers(now, sdus);
        if self.part.is_none() && self.wanted && blocks.room() > 0 && !self.is_prohibited(now) {
            self.wanted = false;
            self.part = Some(self.next);
        }
        while let Some(part) = self.part
            && blocks.room() > 0
        {
            blocks.push_control(Control::Status(self.report(now, part)));
            self.prohibited_until = self.triggers.prohibit.map(|time| now + time);
            self.start_estimate(now);
        }
    }

    /// The part of a report that begins at `part`.
    fn report(&mut self, now: Time, part: Sn) -> StatusReport {
        let first = part.max(self.next);
        let end = self.highest.min(first + self.report_span);
        self.part = (end < self.highest).then_some(end);
        StatusReport { built: now, ack: self.next, first, end, received: self.arrived.clone() }
    }

    fn is_prohibited(&self, now: Time) -> bool {
        self.prohibited_until.is_some() && !is_due(self.prohibited_until, now)
    }

    fn examine_timers(&mut self, now: Time, sdus: &Sdus) {
        if let Some(period) = self.triggers.periodic {
            if sdus.is_settled() {
                self.periodic = None;
            } else if self.periodic.is_none() {
                self.periodic = Some(now + period);
            } else if is_due(self.periodic, now) {
                self.wanted = true;
                self.periodic = Some(now + period);
            }
        }
        if let Some(Estimate { deadline, end }) = self.estimate {
            if self.next >= end {
                self.estimate = None;
            } else if is_due(Some(deadline), now) {
                self.estimate = None;
                self.wanted = true;
            }
        }
    }

    /// A report that names missing PDUs starts the estimated PDU counter.
    fn start_estimate(&mut self, now: Time) {
        let Some(timer) = self.triggers.estimated_pdu_counter else { return };
        let missing =
            self.highest - self.next - u64::from(self.arrived.count(self.next, self.highest));
        self.estimate = (missing > 0).then(|| Estimate {
            deadline: now
                + timer
                + self.peer.tti * self.peer.blocks.ttis(missing).unwrap_or(missing),
            end: self.highest,
        });
    }

    /// When there will be something to send.
    pub(crate) fn poll_timeout(&self, now: Time, sdus: &Sdus) -> Option<Time> {
        if self.moved.is_some() || self.part.is_some() || (self.wanted && !self.is_prohibited(now))
        {
            return Some(now);
        }
        let held_back = self.prohibited_until.filter(|_| self.wanted);
        let estimate =
            self.estimate.filter(|estimate| self.next < estimate.end).map(|e| e.deadline);
        let periodic = match (self.triggers.periodic, self.periodic) {
            (Some(_), _) if sdus.is_settled() => None,
            (Some(_), None) => Some(now),
            (_, periodic) => periodic,
        };
        Time::earlier(held_back, Time::earlier(estimate, periodic))
    }
}

/// True if a PDU between the highest so far and the highest of `intact`, whose lowest bit belongs
/// to `sn`, is missing.
fn has_gap(highest: Sn, sn: Sn, intact: u64) -> bool {
    let new = if sn > highest { return true } else { intact >> (highest - sn) };
    new & new.wrapping_add(1) != 0
}

#[cfg(test)]
mod tests {
    use base::Duration;

    use super::super::tests::{at, config, run, sdus, tti};
    use super::*;
    use crate::umts::rlc::block::DataKind;

    struct Harness {
        receiver: Receiver,
        sdus: Sdus,
    }

    impl Harness {
        fn new(status: Status) -> Self {
            let config = RlcConfig { status, ..config() };
            let peer = PeerChannel { tti: Duration::from_millis(10), blocks: 12.into() };
            Self { receiver: Receiver::new(&config, peer), sdus: sdus(&config, [100_000]) }
        }

        /// PDUs `sn..sn + pdus` come in, but for those in `errors`.
        fn hear(&mut self, sn: u64, pdus: u32, errors: u64) {
            self.receiver.handle_data(run(sn, pdus), errors, &mut self.sdus);
        }

        /// The reports of the TTI at `millis`: ACK, and the missing of first..end.
        fn reports(&mut self, millis: u64, capacity: u32) -> Vec<String> {
            let mut blocks = tti(millis, capacity);
            self.receiver.fill(&self.sdus, &mut blocks);
            let show = |control: &Control| match control {
                Control::Status(report) => {
                    let (first, end) = (report.first, report.end);
                    let missing: Vec<_> = (0..end - first)
                        .map(|i| first + i)
                        .filter(|sn| !report.received.get(*sn))
                        .map(Sn::wire)
                        .collect();
                    let (ack, first, end) = (report.ack.wire(), first.wire(), end.wire());
                    format!("ack {ack}, {first}..{end} lacks {missing:?}")
                }
                other => format!("{other:?}"),
            };
            blocks.control.iter().map(show).collect()
        }

        fn wakes(&self, millis: u64) -> Option<Time> {
            self.receiver.poll_timeout(at(millis), &self.sdus)
        }
    }

    fn triggers() -> Status {
        Status { missing: true, prohibit: Some(Duration::from_millis(60)), ..config().status }
    }

    #[test]
    fn only_a_new_gap_triggers_a_report() {
        let mut end = Harness::new(Status { prohibit: None, ..triggers() });
        end.hear(0, 12, 0b1000_0001_0000);
        assert_eq!(end.reports(20, 4), ["ack 4, 4..11 lacks [4]"], "a lost tail is no gap yet");
        end.hear(12, 12, 0);
        assert_eq!(end.reports(40, 4), ["ack 4, 4..24 lacks [4, 11]"]);
        end.hear(24, 12, 0);
        assert_eq!(end.reports(60, 4), [""; 0], "an old gap does not");
        end.hear(4, 1, 0);
        end.hear(11, 1, 0);
        assert_eq!(end.reports(80, 4), [""; 0]);
        assert_eq!(end.wakes(80), None);
    }

    #[test]
    fn a_prohibited_report_is_built_when_it_is_sent() {
        let mut end = Harness::new(triggers());
        end.hear(0, 3, 0b010);
        assert_eq!(end.reports(20, 4), ["ack 1, 1..3 lacks [1]"]);
        end.hear(3, 3, 0b010);
        assert_eq!(end.reports(40, 4), [""; 0]);
        assert_eq!(end.wakes(40), Some(at(80)));
        end.hear(1, 1, 0);
        assert_eq!(end.reports(80, 4), ["ack 4, 4..6 lacks [4]"], "on the tick of its expiry");
        assert_eq!(end.wakes(80), None, "nothing is held back");
    }

    #[test]
    fn a_poll_is_answered_even_by_a_duplicate() {
        let mut end = Harness::new(Status { missing: false, prohibit: None, ..triggers() });
        end.hear(0, 12, 0);
        assert_eq!(end.reports(20, 4), [""; 0]);
        let poll = Run { kind: DataKind::Again, poll: true, ..run(11, 1) };
        end.receiver.handle_data(poll, 1, &mut end.sdus);
        assert_eq!(end.reports(40, 4), [""; 0], "a lost poll");
        end.receiver.handle_data(poll, 0, &mut end.sdus);
        assert_eq!(end.reports(60, 4), ["ack 12, 12..12 lacks []"]);
    }

    /// 40 B PDUs hold 248 bits; a part acknowledges nothing below its own first number.
    #[test]
    fn a_long_report_is_split() {
        let mut end = Harness::new(triggers());
        end.hear(0, 1, 0);
        end.hear(1, 2, 0b01);
        (0..9).for_each(|i| end.hear(3 + i * 60, 60, 0b11));
        let reports = end.reports(20, 2);
        assert_eq!(reports.len(), 2);
        assert!(reports[0].starts_with("ack 1, 1..249 lacks [1, 3, 4, 63, 64,"), "{reports:?}");
        assert!(reports[1].starts_with("ack 1, 249..497 lacks [303, 304,"), "{reports:?}");
        assert!(end.wakes(20).is_some(), "there is more to say");
        assert_eq!(end.reports(40, 2), ["ack 1, 497..543 lacks []"]);
        assert_eq!(end.reports(60, 2), [""; 0]);
    }

    #[test]
    fn numbers_wrap() {
        let mut end = Harness::new(Status { prohibit: None, ..triggers() });
        (0..68).for_each(|i| end.hear(i * 60, 60, 0));
        end.hear(4080, 32, 1 << 12 | 1 << 20);
        assert_eq!(end.reports(20, 4), ["ack 4092, 4092..16 lacks [4092, 4]"]);
        end.hear(4092, 1, 0);
        end.hear(4100, 1, 0);
        end.hear(4112, 2, 0b01);
        assert_eq!(end.reports(40, 4), ["ack 16, 16..18 lacks [16]"]);
    }

    /// Two PDUs missing: 100 ms and one TTI later they should be there.
    #[test]
    fn the_estimated_counter_reports_again() {
        let epc = Some(Duration::from_millis(100));
        let mut end = Harness::new(Status { estimated_pdu_counter: epc, ..triggers() });
        end.hear(0, 4, 0b0110);
        assert_eq!(end.reports(20, 4), ["ack 1, 1..4 lacks [1, 2]"]);
        assert_eq!(end.wakes(20), Some(at(130)));
        end.hear(1, 1, 0);
        assert_eq!(end.reports(120, 4), [""; 0]);
        assert_eq!(end.reports(140, 4), ["ack 2, 2..4 lacks [2]"]);
        end.hear(2, 1, 0);
        assert_eq!(end.wakes(160), None, "all is there");
    }

    #[test]
    fn periodic_reports_end_when_no_one_waits() {
        let periodic = Some(Duration::from_millis(40));
        let mut end = Harness::new(Status { periodic, prohibit: None, ..triggers() });
        assert_eq!(end.reports(20, 4), [""; 0]);
        assert_eq!(end.wakes(20), Some(at(60)));
        assert_eq!(end.reports(60, 4), ["ack 0, 0..0 lacks []"]);
        end.sdus = Sdus::new(config().segmentation());
        assert_eq!(end.wakes(60), None);
    }
}
