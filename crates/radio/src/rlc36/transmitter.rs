//! The transmitting half.

use std::collections::VecDeque;

use base::{Duration, Time};

use super::ranges::RangeSet;
use super::{Mode, Numbered, Range, Rlc36Config, Sdus, Status};

/// How many stretches one block carries at most: what waits to be sent again may be scattered.
const STRETCHES: usize = 4;

/// What link control puts into a transport block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Contents {
    ranges: [Range; STRETCHES],
    count: u8,
    /// How many of the stretches were sent before.
    again: u8,
    /// The end of what had been sent when this block asked for a report.
    pub(crate) poll: Option<u64>,
    /// A report on the other direction.
    pub(crate) status: Option<Status>,
    /// The number of its first PDU.
    pub(crate) sn: u64,
}

impl Contents {
    pub(crate) const fn empty() -> Self {
        let ranges = [Range::new(0, 0); STRETCHES];
        Self { ranges, count: 0, again: 0, poll: None, status: None, sn: 0 }
    }

    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range> {
        self.ranges[..self.count as usize].iter().copied()
    }

    /// Whether it carries data that was sent before.
    pub(crate) const fn is_again(&self) -> bool {
        self.again > 0
    }

    /// Whether it carries data.
    pub(crate) const fn has_data(&self) -> bool {
        self.count > 0
    }

    /// The contents, as facts tell them.
    pub(crate) const fn label(&self) -> Label {
        Label {
            sn: self.sn,
            has_data: self.has_data(),
            is_again: self.is_again(),
            is_poll: self.poll.is_some(),
            is_report: self.status.is_some(),
        }
    }

    /// The bytes of a block that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let ranges = self.ranges().map(Range::bytes);
        ranges.sum::<u64>() + self.status.as_ref().map_or(0, Status::bytes)
    }

    const fn is_full(&self) -> bool {
        self.count as usize == STRETCHES
    }

    fn push(&mut self, range: Range) {
        self.ranges[self.count as usize] = range;
        self.count += 1;
    }
}

/// The contents of a block, as facts tell them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Label {
    /// The number of its first PDU.
    pub(crate) sn: u64,
    /// True if there are data.
    pub(crate) has_data: bool,
    /// True if some were sent before.
    pub(crate) is_again: bool,
    /// True if a report is asked for.
    pub(crate) is_poll: bool,
    /// True if there is a report on the other direction.
    pub(crate) is_report: bool,
}

impl Label {
    /// The contents of both this and `other`.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            sn: if self.has_data { self.sn } else { other.sn },
            has_data: self.has_data || other.has_data,
            is_again: self.is_again || other.is_again,
            is_poll: self.is_poll || other.is_poll,
            is_report: self.is_report || other.is_report,
        }
    }

    /// True if there is nothing.
    pub(crate) const fn is_empty(&self) -> bool {
        !self.has_data && !self.is_report
    }
}

/// A PDU without acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Pdu {
    end: u64,
    /// How often it was sent again.
    count: u32,
    /// How many sequence numbers it takes.
    numbers: u32,
}

/// What has been sent of one direction's stream.
#[derive(Debug)]
pub(crate) struct Transmitter {
    mode: Mode,
    poll_pdus: Option<u32>,
    poll_bytes: Option<u64>,
    poll_retransmit: Duration,
    max_retransmissions: u32,
    window: u32,
    numbered: Numbered,
    /// The next new byte (`VT(S)`).
    next: u64,
    /// Everything below has been acknowledged (`VT(A)`).
    acknowledged: u64,
    /// AM: what waits to be sent again.
    again: RangeSet,
    /// AM: what has been sent from there on.
    pdus: VecDeque<Pdu>,
    /// How many sequence numbers they take.
    numbers: u32,
    /// Where the last SDU begins of which something was sent.
    last_sdu: u64,
    /// The number of the next PDU.
    sn: u64,
    pdus_since_poll: u32,
    bytes_since_poll: u64,
    /// The next block asks for a report.
    poll_wanted: bool,
    /// When it asks again, and the end of what had been sent when it asked.
    poll_timer: Option<(Time, u64)>,
    /// A PDU has been sent again as often as is allowed.
    has_failed: bool,
}

impl Transmitter {
    /// One that has sent everything before `start`.
    pub(crate) fn new(config: &Rlc36Config, start: u64) -> Self {
        Self {
            mode: config.mode,
            poll_pdus: config.poll_pdus,
            poll_bytes: config.poll_bytes.map(u64::from),
            poll_retransmit: config.poll_retransmit,
            max_retransmissions: config.max_retransmissions,
            window: config.window,
            numbered: config.numbered,
            next: start,
            acknowledged: start,
            again: RangeSet::default(),
            pdus: VecDeque::new(),
            numbers: 0,
            last_sdu: start,
            sn: 0,
            pdus_since_poll: 0,
            bytes_since_poll: 0,
            poll_wanted: false,
            poll_timer: None,
            has_failed: false,
        }
    }

    /// Begins anew at byte `start`.
    pub(crate) fn establish(&mut self, start: u64) {
        (self.next, self.acknowledged, self.sn) = (start, start, 0);
        self.again.clear();
        self.pdus.clear();
        (self.numbers, self.last_sdu) = (0, start);
        (self.pdus_since_poll, self.bytes_since_poll) = (0, 0);
        (self.poll_wanted, self.poll_timer, self.has_failed) = (false, None, false);
    }

    /// The next new byte.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// How many bytes wait, of a stream that ends at `end`.
    pub(crate) fn waiting(&self, end: u64) -> u64 {
        let new = if self.has_room() { end - self.next } else { 0 };
        self.again.bytes() + new
    }

    /// Whether a PDU has been sent again as often as is allowed: the radio link has failed.
    pub(crate) const fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Whether everything that was sent has been acknowledged, where that is done.
    pub(crate) fn is_settled(&self) -> bool {
        self.pdus.is_empty()
    }

    /// Puts what waits into `contents`, of which `room` bytes are left. Returns how many it takes.
    pub(crate) fn fill<T>(
        &mut self,
        now: Time,
        sdus: &Sdus<T>,
        mut room: u64,
        contents: &mut Contents,
    ) -> u64 {
        let before = room;
        contents.sn = self.sn;
        while room > 0
            && !contents.is_full()
            && let Some(first) = self.again.first()
        {
            let range = Range::new(first.from, first.to.min(first.from + room));
            self.again.remove(range);
            room -= range.bytes();
            contents.push(range);
            contents.again += 1;
        }
        if room > 0 && !contents.is_full() && self.has_room() {
            let end = self.end_of_new(sdus, room);
            if end > self.next {
                let range = Range::new(self.next, end);
                room -= range.bytes();
                contents.push(range);
                self.sent(range, sdus);
            }
        }
        if self.mode == Mode::Am && contents.has_data() {
            self.ask(now, sdus.end(), contents);
        }
        before - room
    }

    /// Takes in a report.
    pub(crate) fn handle_status(&mut self, status: &Status) {
        if status.ack > self.next || status.ack < self.acknowledged {
            return;
        }
        let first = status.gaps().next().map_or(status.ack, |gap| gap.from);
        self.again.remove(Range::new(0, first));
        for gap in status.gaps() {
            self.miss(Range::new(gap.from.max(self.acknowledged), gap.to));
        }
        // Between the gaps everything has arrived.
        let mut from = first;
        for gap in status.gaps().chain([Range::new(status.ack, status.ack)]) {
            self.again.remove(Range::new(from, gap.from.max(from)));
            from = gap.to;
        }
        self.acknowledged = self.acknowledged.max(first);
        while let Some(pdu) = self.pdus.front().filter(|pdu| pdu.end <= self.acknowledged) {
            self.numbers -= pdu.numbers;
            self.pdus.pop_front();
        }
        if self.poll_timer.is_some_and(|(_, at)| at <= status.ack) {
            self.poll_timer = None;
        }
    }

    /// Does what is due at `now`.
    pub(crate) fn handle_timeout<T>(&mut self, now: Time, sdus: &Sdus<T>) {
        if self.poll_timer.is_none_or(|(due, _)| due > now) {
            return;
        }
        self.poll_timer = None;
        self.poll_wanted = true;
        // With nothing else to send, the last PDU is sent again to ask (TS 36.322 §5.2.2.3).
        if self.waiting(sdus.end()) == 0
            && let Some(last) = self.pdus.back().copied()
        {
            let before = self
                .pdus
                .len()
                .checked_sub(2)
                .map_or(self.acknowledged, |place| self.pdus[place].end);
            // Of a block with many SDUs one is enough.
            let before = match self.numbered {
                Numbered::Pdus => before,
                Numbered::Sdus => before.max(self.last_sdu),
            };
            self.miss(Range::new(before.max(self.acknowledged), last.end));
        }
    }

    /// When it asks again for a report.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.poll_timer.map(|(due, _)| due)
    }

    /// Whether a new PDU may be sent.
    pub(crate) fn has_room(&self) -> bool {
        self.numbers < self.window
    }

    /// Where a new PDU ends that has `room` bytes.
    fn end_of_new<T>(&self, sdus: &Sdus<T>, room: u64) -> u64 {
        let end = sdus.end().min(self.next + room);
        match self.mode {
            Mode::Am | Mode::Um => end,
            Mode::Tm => {
                let whole = sdus.end_of(self.next);
                if self.next < sdus.end() && whole <= end { whole } else { self.next }
            }
        }
    }

    fn sent<T>(&mut self, range: Range, sdus: &Sdus<T>) {
        self.next = range.to;
        self.sn += 1;
        if self.mode == Mode::Am {
            let numbers = match self.numbered {
                Numbered::Pdus => 1,
                Numbered::Sdus => sdus.begun_in(range),
            };
            self.last_sdu = sdus.start_of(range.to - 1);
            self.numbers += numbers;
            self.pdus.push_back(Pdu { end: range.to, count: 0, numbers });
            self.pdus_since_poll += numbers.max(1);
            self.bytes_since_poll += range.bytes();
        }
    }

    /// Whether what is sent now asks for a report (TS 36.322 §5.2.2).
    fn ask(&mut self, now: Time, end: u64, contents: &mut Contents) {
        let is_last = self.waiting(end) == 0;
        let enough = self.poll_pdus.is_some_and(|most| self.pdus_since_poll >= most)
            || self.poll_bytes.is_some_and(|most| self.bytes_since_poll >= most);
        if self.poll_wanted || is_last || enough {
            (self.pdus_since_poll, self.bytes_since_poll) = (0, 0);
            self.poll_wanted = false;
            self.poll_timer = Some((now + self.poll_retransmit, self.next));
            contents.poll = Some(self.next);
        }
    }

    /// `range` is to be sent again. It counts for every PDU of which nothing waited yet.
    fn miss(&mut self, range: Range) {
        let mut place = self.pdus.partition_point(|pdu| pdu.end <= range.from);
        let mut from = range.from;
        while from < range.to
            && let Some(pdu) = self.pdus.get_mut(place)
        {
            let part = Range::new(from, pdu.end.min(range.to));
            if !self.again.touches(part) {
                pdu.count += 1;
                self.has_failed |= pdu.count > self.max_retransmissions;
            }
            self.again.insert(part);
            from = part.to;
            place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    struct Harness {
        transmitter: Transmitter,
        sdus: Sdus<u32>,
    }

    impl Harness {
        fn new(config: &Rlc36Config, sdus: u32) -> Self {
            let mut all = Sdus::new();
            (0..sdus).for_each(|sdu| all.push(sdu, 100));
            Self { transmitter: Transmitter::new(config, 0), sdus: all }
        }

        /// Fills a block, and writes down what it carries.
        fn send(&mut self, millis: u64, room: u64) -> String {
            let mut contents = Contents::empty();
            self.transmitter.fill(at(millis), &self.sdus, room, &mut contents);
            let ranges: Vec<_> =
                contents.ranges().map(|range| format!("{}-{}", range.from, range.to)).collect();
            let poll = if contents.poll.is_some() { "?" } else { "" };
            format!("{}{poll}", ranges.join(" "))
        }

        fn report(&mut self, ack: u64, gaps: &[[u64; 2]]) {
            let gaps = gaps.iter().map(|[from, to]| Range::new(*from, *to));
            let status = Status::new(ack, gaps, 1000).expect("it fits");
            self.transmitter.handle_status(&status);
        }
    }

    #[test]
    fn the_last_block_polls_and_what_is_missing_goes_first() {
        let mut end = Harness::new(&Rlc36Config::default(), 10);
        assert_eq!(
            [end.send(0, 400), end.send(1, 400), end.send(2, 400)],
            ["0-400", "400-800", "800-1000?"]
        );
        assert_eq!(end.send(3, 400), "");
        end.report(1000, &[[0, 400], [800, 1000]]);
        assert_eq!(end.transmitter.waiting(1000), 600);
        assert_eq!(end.send(4, 300), "0-300");
        assert_eq!(end.send(5, 300), "300-400 800-1000?");
        end.report(1000, &[]);
        assert_eq!((end.send(6, 300), end.transmitter.poll_timeout()), (String::new(), None));
    }

    #[test]
    fn polls_come_after_so_many_pdus_or_bytes() {
        let every = Rlc36Config { poll_pdus: Some(2), ..Rlc36Config::default() };
        let mut end = Harness::new(&every, 10);
        assert_eq!(
            [0, 1, 2, 3].map(|ms| end.send(ms, 100)),
            ["0-100", "100-200?", "200-300", "300-400?"]
        );
        let bytes = Rlc36Config { poll_bytes: Some(250), ..Rlc36Config::default() };
        let mut end = Harness::new(&bytes, 10);
        assert_eq!(
            [0, 1, 2, 3].map(|ms| end.send(ms, 100)),
            ["0-100", "100-200", "200-300?", "300-400"]
        );
    }

    #[test]
    fn an_unanswered_poll_sends_the_last_pdu_again() {
        let mut end = Harness::new(&Rlc36Config::default(), 2);
        assert_eq!([end.send(0, 100), end.send(1, 100)], ["0-100", "100-200?"]);
        assert_eq!(end.transmitter.poll_timeout(), Some(at(121)));
        end.transmitter.handle_timeout(at(120), &end.sdus);
        assert_eq!(end.send(120, 100), "");
        end.transmitter.handle_timeout(at(121), &end.sdus);
        assert_eq!(end.send(121, 100), "100-200?");
    }

    #[test]
    fn the_window_closes_and_opens() {
        let mut end = Harness::new(&Rlc36Config { window: 2, ..Rlc36Config::default() }, 10);
        assert_eq!([0, 1, 2].map(|ms| end.send(ms, 100)), ["0-100", "100-200?", ""]);
        end.report(100, &[]);
        assert_eq!([3, 4].map(|ms| end.send(ms, 100)), ["200-300?", ""]);
    }

    /// TS 38.322 §5.2.3.1, §5.3.3: windows and polls count SDUs, and the last one asks again.
    #[test]
    fn sdus_may_be_what_is_numbered() {
        let config = Rlc36Config { window: 5, numbered: Numbered::Sdus, ..Rlc36Config::default() };
        let mut end = Harness::new(&config, 20);
        assert_eq!([0, 1, 2].map(|ms| end.send(ms, 250)), ["0-250", "250-500?", ""]);
        end.report(200, &[]);
        assert_eq!(end.send(3, 250), "", "no PDU was acknowledged as a whole");
        end.report(300, &[]);
        assert_eq!([4, 5].map(|ms| end.send(ms, 250)), ["500-750?", ""]);
        let polls =
            Rlc36Config { poll_pdus: Some(5), numbered: Numbered::Sdus, ..Rlc36Config::default() };
        let mut end = Harness::new(&polls, 20);
        assert_eq!([0, 1, 2].map(|ms| end.send(ms, 300)), ["0-300", "300-600?", "600-900"]);
        let plain = Rlc36Config { numbered: Numbered::Sdus, ..Rlc36Config::default() };
        let mut end = Harness::new(&plain, 4);
        assert_eq!(end.send(0, 1000), "0-400?");
        end.transmitter.handle_timeout(at(120), &end.sdus);
        assert_eq!(end.send(120, 1000), "300-400?");
    }

    #[test]
    fn the_limit_of_retransmissions_fails_the_link() {
        let mut end =
            Harness::new(&Rlc36Config { max_retransmissions: 2, ..Rlc36Config::default() }, 1);
        end.send(0, 100);
        for _ in 0..2 {
            end.report(100, &[[0, 100]]);
            end.report(100, &[[0, 100]]);
            assert!(!end.transmitter.has_failed(), "what waits already does not count again");
            assert_eq!(end.send(1, 100), "0-100?");
        }
        end.report(100, &[[0, 100]]);
        assert!(end.transmitter.has_failed());
    }

    #[test]
    fn transparent_pdus_are_whole_sdus() {
        let mut end = Harness::new(&Rlc36Config { mode: Mode::Tm, ..Rlc36Config::default() }, 3);
        assert_eq!([0, 1, 2].map(|ms| end.send(ms, 250)), ["0-100", "100-200", "200-300"]);
        let mut end = Harness::new(&Rlc36Config { mode: Mode::Tm, ..Rlc36Config::default() }, 3);
        assert_eq!(end.send(0, 99), "");
    }
}
