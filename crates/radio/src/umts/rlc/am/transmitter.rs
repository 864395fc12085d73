//! The transmitting half of an acknowledged-mode entity.

use std::mem;

use base::{Duration, Time};

use super::OnLimit;
use super::discard::{Discard, Unanswered};
use super::poll::{Polls, Sending};
use super::retransmissions::{Retransmissions, Retransmitted};
use super::status::StatusReport;
use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::bits::{Bits, chunks};
use crate::umts::rlc::block::{Control, WindowMoved};
use crate::umts::rlc::segmentation::Sdus;
use crate::umts::rlc::{RlcConfig, Sn};

/// What has been sent in one direction and not yet been acknowledged.
#[derive(Debug)]
pub(crate) struct Transmitter {
    window: u64,
    /// The delay of a block.
    delay: Duration,
    max_retransmissions: Option<u32>,
    on_limit: OnLimit,
    polls: Polls,
    discard: Discard,
    /// The first PDU not known to have arrived (`VT(A)`).
    unacknowledged: Sn,
    /// The next new PDU (`VT(S)`).
    next: Sn,
    /// Everything below was named in some report, as arrived or as missing.
    reported: Sn,
    /// What waits to be sent again.
    missing: Bits,
    missing_count: u32,
    retransmissions: Retransmissions,
    /// A PDU reached its limit of retransmissions.
    exhausted: Option<Sn>,
}

/// Whether a PDU or a window move has reached its limit of retransmissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WindowHealth {
    /// No, or its SDUs were discarded.
    Fine,
    /// Yes: a reset is needed.
    ResetNeeded,
}

impl Transmitter {
    pub(crate) fn new(config: &RlcConfig, delay: Duration) -> Self {
        Self {
            window: u64::from(config.window),
            delay,
            max_retransmissions: config.max_retransmissions,
            on_limit: config.on_limit,
            polls: Polls::new(&config.poll, config.window),
            discard: Discard::new(config),
            unacknowledged: Sn::ZERO,
            next: Sn::ZERO,
            reported: Sn::ZERO,
            missing: Bits::new(),
            missing_count: 0,
            retransmissions: Retransmissions::default(),
            exhausted: None,
        }
    }

    /// Puts retransmissions, a repeated poll and new data into the TTI, in this order.
    pub(crate) fn fill(&mut self, sdus: &mut Sdus, blocks: &mut TransportBlocks) {
        let now = blocks.start;
        self.polls.examine_timer(now);
        self.retransmit(now, blocks);
        if self.missing_count == 0 && self.polls.wants_repeat(now, || self.has_new(sdus)) {
            self.repeat_poll(now, blocks);
        }
        self.send_new(now, sdus, blocks);
    }

    /// Puts a due window move into the TTI.
    pub(crate) fn fill_control(
        &mut self,
        sdus: &mut Sdus,
        blocks: &mut TransportBlocks,
    ) -> WindowHealth {
        let now = blocks.start;
        if let Some(sdu) = self.discard.first_fresh(now, sdus) {
            self.abandon(now, sdu, sdus);
        }
        if blocks.room() == 0 {
            return WindowHealth::Fine;
        }
        match self.discard.command(now) {
            Ok(Some(to)) => {
                blocks.push_control(Control::MoveWindow(to));
                WindowHealth::Fine
            }
            Ok(None) => WindowHealth::Fine,
            Err(Unanswered) => WindowHealth::ResetNeeded,
        }
    }

    /// Takes in a status report.
    pub(crate) fn handle_status(&mut self, report: &StatusReport, sdus: &mut Sdus) {
        if report.ack > self.unacknowledged {
            self.forget(self.unacknowledged, report.ack);
            self.unacknowledged = report.ack;
            sdus.acknowledge(report.ack);
        }
        self.reported = self.reported.max(report.end).max(report.ack);
        for (sn, mask) in chunks(report.first.max(self.floor()), report.end) {
            let received = report.received.chunk(sn) & mask;
            let waiting = self.missing.chunk(sn) & received;
            self.missing.clear(sn, waiting);
            self.missing_count -= waiting.count_ones();
            let mut absent = !received & !self.missing.chunk(sn) & mask;
            while absent != 0 {
                self.handle_missing(sn + u64::from(absent.trailing_zeros()), report.built);
                absent &= absent - 1;
            }
        }
        self.polls.acknowledged(self.unacknowledged);
    }

    /// The peer has moved its window.
    pub(crate) fn handle_moved(&mut self, moved: WindowMoved, sdus: &mut Sdus) {
        if let Some(to) = self.discard.answered(moved) {
            self.forget(self.unacknowledged, moved.sn);
            self.unacknowledged = self.unacknowledged.max(moved.sn);
            self.reported = self.reported.max(moved.sn);
            sdus.passed_over(to.sdu);
            sdus.acknowledge(self.unacknowledged);
            self.polls.acknowledged(self.unacknowledged);
        }
    }

    /// Does what the configuration says if a PDU has reached its limit of retransmissions.
    #[inline]
    pub(crate) fn apply_limit(&mut self, now: Time, sdus: &mut Sdus) -> WindowHealth {
        let Some(sn) = self.exhausted.take() else { return WindowHealth::Fine };
        match self.on_limit {
            OnLimit::Reset => WindowHealth::ResetNeeded,
            OnLimit::Discard => {
                self.abandon(now, sdus.after_pdu(sn), sdus);
                WindowHealth::Fine
            }
        }
    }

    /// Forgets all, after a reset.
    pub(crate) fn reset(&mut self, now: Time, config: &RlcConfig, sdus: &mut Sdus) {
        sdus.reset(now);
        let retransmissions = mem::take(&mut self.retransmissions);
        *self = Self { retransmissions, ..Self::new(config, self.delay) };
    }

    /// How many PDUs wait to be sent again.
    pub(crate) const fn to_send_again(&self) -> u32 {
        self.missing_count
    }

    /// When there will be something to send.
    pub(crate) fn poll_timeout(&self, now: Time, sdus: &Sdus) -> Option<Time> {
        if self.missing_count > 0 || self.has_new(sdus) {
            return Some(now);
        }
        Time::earlier(self.polls.poll_timeout(now), self.discard.poll_timeout(now, sdus))
    }

    /// The first PDU that is still of use to the peer.
    fn floor(&self) -> Sn {
        self.unacknowledged.max(self.discard.moving_to())
    }

    fn window_used(&self) -> u64 {
        self.next - self.unacknowledged
    }

    fn has_new(&self, sdus: &Sdus) -> bool {
        self.window_used() < self.window && sdus.has_data()
    }

    /// PDU `sn` was missing when the peer built a report at `built`. If it has been sent again
    /// since, or was still on its way, the report says nothing about that: only a report from
    /// after its arrival counts.
    fn handle_missing(&mut self, sn: Sn, built: Time) {
        let Retransmitted { last, count } = self.retransmissions.of(sn);
        if last + self.delay >= built {
            return;
        }
        if self.max_retransmissions.is_some_and(|max| count >= max) {
            self.exhausted = self.exhausted.max(Some(sn));
            return;
        }
        self.missing.set(sn, 1);
        self.missing_count += 1;
    }

    fn retransmit(&mut self, now: Time, blocks: &mut TransportBlocks) {
        let mut from = self.floor();
        while self.missing_count > 0 && blocks.room() > 0 {
            let sn = self.missing.first_set(from, self.next).expect("counted as missing");
            self.missing.clear(sn, 1);
            self.missing_count -= 1;
            self.retransmissions.note(now, sn);
            let is_last =
                self.missing_count == 0 && self.polls.triggers.last_in_retransmission_buffer;
            let sending =
                Sending { pdus: 1, sdu_ends: 0, is_last, window_used: None, next: self.next };
            blocks.push_again(sn, self.polls.decide(now, sending));
            from = sn + 1;
        }
    }

    /// Retransmits a PDU for its poll bit: the last one, unless a report has named it already; then
    /// the oldest, which is known to be missing.
    fn repeat_poll(&mut self, now: Time, blocks: &mut TransportBlocks) {
        if self.floor() == self.next {
            self.polls.give_up();
            return;
        }
        if blocks.room() == 0 {
            return;
        }
        let sn = if self.reported < self.next { self.next - 1 } else { self.floor() };
        let count = self.retransmissions.of(sn).count;
        if self.max_retransmissions.is_some_and(|max| count >= max) {
            self.exhausted = self.exhausted.max(Some(sn));
            return;
        }
        self.retransmissions.note(now, sn);
        self.polls.repeated(now, self.next);
        blocks.push_again(sn, true);
    }

    fn send_new(&mut self, now: Time, sdus: &mut Sdus, blocks: &mut TransportBlocks) {
        while blocks.room() > 0 && self.has_new(sdus) {
            let used = self.window_used();
            let room = u64::from(blocks.room().min(64)).min(self.window - used) as u32;
            let most = room.min(self.polls.stride(now, used));
            let cut = sdus.segment(now, self.next, most, self.polls.sdu_stride());
            let first = self.next;
            self.next = first + u64::from(cut.pdus);
            if self.max_retransmissions.is_some() {
                self.retransmissions.begin(first, self.next);
            }
            let sending = Sending {
                pdus: cut.pdus,
                sdu_ends: cut.sdu_ends,
                is_last: self.polls.triggers.last_in_buffer && !sdus.has_data(),
                window_used: Some(self.window_used()),
                next: self.next,
            };
            blocks.push_new(first, cut.pdus, self.polls.decide(now, sending));
        }
    }

    /// Gives up every SDU below `sdu`.
    fn abandon(&mut self, now: Time, sdu: u64, sdus: &mut Sdus) {
        let to = sdus.abandon(now, sdu, self.next);
        let floor = self.floor();
        self.discard.begin(now, sdu, to);
        if self.floor() > floor {
            self.forget(floor, self.floor());
        }
    }

    /// Nothing of `from..to` needs to be sent again.
    fn forget(&mut self, from: Sn, to: Sn) {
        if self.missing_count > 0 {
            self.missing_count -= self.missing.count(from, to);
            self.missing.clear_range(from, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, config, sdus, share, show, tti};
    use super::super::{Poll, Repetition};
    use super::*;
    use crate::umts::rlc::bits::low_bits;

    struct Harness {
        transmitter: Transmitter,
        sdus: Sdus,
    }

    impl Harness {
        /// `packets` SDUs of 553 B, 14 PDUs each or 13 and a share.
        fn new(config: &RlcConfig, packets: usize) -> Self {
            let transmitter = Transmitter::new(config, Duration::from_millis(10));
            Self { transmitter, sdus: sdus(config, std::iter::repeat_n(553, packets)) }
        }

        fn send(&mut self, millis: u64) -> String {
            let mut blocks = tti(millis, 12);
            let health = self.transmitter.fill_control(&mut self.sdus, &mut blocks);
            assert_eq!(health, WindowHealth::Fine);
            self.transmitter.fill(&mut self.sdus, &mut blocks);
            let control = blocks.control.iter().map(|control| format!("{control:?} "));
            control.collect::<String>() + &show(&blocks)
        }

        /// A report built at `built` with a gap at each of `missing` and all else up to `end`.
        fn report(&mut self, built: u64, missing: &[u64], end: u64) {
            let first = missing.first().copied().unwrap_or(end);
            let (first, mut received) = (Sn::new(first), Bits::new());
            for (sn, mask) in chunks(first, Sn::new(end)) {
                received.set(sn, mask & low_bits(64));
            }
            for sn in missing {
                received.clear(Sn::new(*sn), 1);
            }
            let report =
                StatusReport { built: at(built), ack: first, first, end: Sn::new(end), received };
            self.transmitter.handle_status(&report, &mut self.sdus);
        }
    }

    fn with(poll: Poll) -> RlcConfig {
        RlcConfig { poll, ..config() }
    }

    #[test]
    fn new_data_fills_whole_ttis() {
        let mut end = Harness::new(&config(), 2);
        assert_eq!([10, 20, 30, 40].map(|t| end.send(t)), ["0-11", "12-23", "24-27", ""]);
    }

    #[test]
    fn retransmissions_go_first_and_lowest_first() {
        let mut end = Harness::new(&config(), 9);
        end.send(10);
        end.send(20);
        end.report(60, &[3, 5, 6, 17], 24);
        assert_eq!(end.send(80), "r3 r5-6 r17 24-31");
    }

    /// A report built before a retransmission can have arrived says nothing about it; one built
    /// after does, and then the PDU is sent once more.
    #[test]
    fn a_retransmission_is_repeated_only_on_newer_news() {
        let mut end = Harness::new(&config(), 1);
        end.send(10);
        end.send(20);
        end.report(40, &[3], 14);
        assert_eq!(end.send(60), "r3");
        end.report(60, &[3], 14);
        assert_eq!(end.send(70), "", "built while it was on its way");
        end.report(70, &[3], 14);
        assert_eq!(end.send(80), "", "built on the tick of its arrival, before it");
        end.report(80, &[3], 14);
        assert_eq!(end.send(90), "r3", "lost again");
        end.report(140, &[], 14);
        assert_eq!(end.transmitter.poll_timeout(at(140), &end.sdus), None);
        assert!(end.transmitter.window_used() == 0);
    }

    #[test]
    fn a_part_of_a_report_acknowledges_nothing_below_it() {
        let mut end = Harness::new(&config(), 9);
        end.send(10);
        end.send(20);
        let mut received = Bits::new();
        received.set(Sn::new(12), low_bits(12) & !0b100);
        let part = StatusReport {
            built: at(60),
            ack: Sn::new(2),
            first: Sn::new(12),
            end: Sn::new(24),
            received,
        };
        end.transmitter.handle_status(&part, &mut end.sdus);
        assert_eq!(end.transmitter.unacknowledged, Sn::new(2));
        assert_eq!(end.send(80), "r14 24-34");
    }

    #[test]
    fn polls() {
        let off = config().poll;
        let check = |poll: Poll, window, expect: [&str; 3]| {
            let mut end = Harness::new(&RlcConfig { window, ..with(poll) }, 2);
            assert_eq!([10, 20, 30].map(|t| end.send(t)), expect);
        };
        let last = Poll { last_in_buffer: true, ..off.clone() };
        check(last, 4095, ["0-11", "12-23", "24-27?"]);
        let pdus = Poll { every_pdus: Some(10), ..off.clone() };
        check(pdus, 4095, ["0-9? 10-11", "12-19? 20-23", "24-27"]);
        let sdus = Poll { every_sdus: Some(1), ..off.clone() };
        check(sdus, 4095, ["0-11", "12-13? 14-23", "24-27?"]);
        let window = Poll { window_utilization: Some(share(0.5)), ..off.clone() };
        check(window.clone(), 20, ["0-9? 10-11", "12-19?", ""]);
        let closing = Poll { window_utilization: Some(share(1.0)), ..off.clone() };
        check(closing, 20, ["0-11", "12-19?", ""]);
        let prohibit = Some(Duration::from_millis(20));
        check(Poll { prohibit, ..window }, 20, ["0-9? 10-11", "12-19", "r19?"]);
    }

    #[test]
    fn the_last_retransmission_polls() {
        let mut end =
            Harness::new(&with(Poll { last_in_retransmission_buffer: true, ..config().poll }), 2);
        end.send(10);
        end.report(40, &[3, 5], 12);
        assert_eq!(end.send(60), "r3 r5? 12-21");
    }

    /// The poll timer sends the last PDU again; once a report has named that one, the oldest.
    #[test]
    fn the_poll_timer_repeats_until_everything_is_acknowledged() {
        let timer = Some(Duration::from_millis(80));
        let poll = Poll { last_in_buffer: true, timer, ..config().poll };
        let mut end = Harness::new(&with(poll), 1);
        assert_eq!([10, 20].map(|t| end.send(t)), ["0-11", "12-13?"]);
        assert_eq!(end.transmitter.poll_timeout(at(20), &end.sdus), Some(at(100)));
        assert_eq!([90, 100, 110].map(|t| end.send(t)), ["", "r13?", ""]);
        end.report(120, &[7], 14);
        assert_eq!([130, 140].map(|t| end.send(t)), ["r7", ""]);
        assert_eq!([180, 190].map(|t| end.send(t)), ["r7?", ""]);
        end.report(200, &[], 14);
        assert_eq!(end.transmitter.poll_timeout(at(210), &end.sdus), None);
        assert_eq!(end.send(300), "");
    }

    #[test]
    fn numbers_wrap() {
        let mut end = Harness::new(&config(), 400);
        let mut sent = 0;
        for tti in 1..=341 {
            end.send(tti * 10);
            sent += 12;
            end.report(tti * 10 + 20, &[], sent);
        }
        assert_eq!(sent, 4092);
        assert_eq!(end.send(5000), "4092-7");
        end.report(5020, &[4095, 4097], 4104);
        assert_eq!(end.send(5040), "r4095 r1 8-17");
        assert_eq!(end.transmitter.window_used(), 19);
    }

    #[test]
    fn the_limit_of_retransmissions_resets_or_discards() {
        let limited = |on_limit| RlcConfig { max_retransmissions: Some(1), on_limit, ..config() };
        let exhaust = |config: &RlcConfig| {
            let mut end = Harness::new(config, 2);
            end.send(10);
            end.send(20);
            end.report(40, &[3], 24);
            assert_eq!(end.send(60), "r3 24-27");
            end.report(100, &[3], 28);
            let health = end.transmitter.apply_limit(at(100), &mut end.sdus);
            (end, health)
        };
        assert_eq!(exhaust(&limited(OnLimit::Reset)).1, WindowHealth::ResetNeeded);
        let (mut end, health) = exhaust(&limited(OnLimit::Discard));
        assert_eq!(health, WindowHealth::Fine);
        let command = "MoveWindow(WindowMove { sn: Sn(13), ends: 1, sdu: 1 }) ";
        assert_eq!([110, 120, 310].map(|t| end.send(t)), [command, "", command]);
        let moved = WindowMoved { sn: Sn::new(13), ends: 0 };
        end.transmitter.handle_moved(moved, &mut end.sdus);
        assert_eq!(end.send(510), command, "an answer to something else");
        end.transmitter.handle_moved(WindowMoved { ends: 1, ..moved }, &mut end.sdus);
        assert_eq!(end.send(710), "");
        assert_eq!(end.transmitter.unacknowledged, Sn::new(13));
    }

    #[test]
    fn an_sdu_that_is_too_old_is_discarded() {
        let config = RlcConfig {
            discard_timer: Some(Duration::from_millis(100)),
            move_window: Repetition { timer: Duration::from_millis(50), max: Some(2) },
            ..config()
        };
        let mut end = Harness::new(&config, 1);
        end.send(10);
        end.sdus.push(at(50), 553);
        assert_eq!(end.transmitter.poll_timeout(at(20), &end.sdus), Some(at(20)));
        end.send(20);
        end.send(30);
        assert_eq!(end.send(90), "");
        assert_eq!(end.send(100), "MoveWindow(WindowMove { sn: Sn(13), ends: 1, sdu: 1 }) ");
        assert_eq!(
            end.send(150),
            "MoveWindow(WindowMove { sn: Sn(28), ends: 0, sdu: 2 }) ",
            "the next one takes its place",
        );
        assert!(end.send(200).starts_with("MoveWindow"));
        let mut blocks = tti(250, 12);
        let health = end.transmitter.fill_control(&mut end.sdus, &mut blocks);
        assert_eq!(health, WindowHealth::ResetNeeded, "twice is all");
    }
}
