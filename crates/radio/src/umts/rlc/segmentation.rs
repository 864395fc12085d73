//! The SDUs of one direction: cut into PDUs at one end, put together at the other.
//!
//! Nothing is copied. A PDU is a sequence number; this table says which SDU begins and ends in
//! which PDU, so a block on the air is a reference into it, and an SDU is whole as soon as every
//! PDU from its first to its last has arrived.

use std::collections::VecDeque;

use base::{Duration, Time};

use super::Sn;
use super::block::WindowMove;

/// An SDU begins in a PDU that another has ended in if at least so many bytes are left.
const MIN_START: u32 = 3;

/// How SDUs are cut into PDUs, and in which order they come out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segmentation {
    /// Bytes that a PDU carries after its header.
    pub(crate) payload: u32,
    /// Bytes of a length indicator.
    pub(crate) length_indicator: u32,
    /// Whether one PDU may carry parts of several SDUs: an SDU may begin in the space that the one
    /// before left, if at least 3 bytes fit.
    pub(crate) concatenation: bool,
    /// How many SDUs may end in one PDU.
    pub(crate) max_ends: u32,
    /// Whether SDUs are delivered in sequence.
    pub(crate) in_order: bool,
}

/// The SDUs of one direction from hand-in to acknowledgement, numbered from 0.
#[derive(Debug)]
pub(crate) struct Sdus {
    way: Segmentation,
    /// The number of the first entry.
    base: u64,
    entries: VecDeque<Entry>,
    /// How many of them come before the cursor, the SDU that the next data byte belongs to.
    sent: usize,
    /// How many bytes of the SDU at the cursor are not yet in a PDU.
    remaining: u32,
    /// Whether some of its bytes are in a PDU.
    has_begun: bool,
    /// The bytes of all SDUs after it.
    behind: u64,
    /// The SDU before the cursor filled its PDU so that no length indicator fitted; the next PDU
    /// indicates its end (TS 25.322 §9.2.2.8, the special values for this).
    end_untold: bool,
    /// In sequence: every SDU below has been delivered or discarded.
    delivered: u64,
    outcomes: VecDeque<Outcome>,
    /// The sum over SDUs that wait no more of the time that each waited.
    past_waits: Duration,
}

/// The outcome of an SDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The peer has it whole.
    Delivered(u64),
    /// It will never be delivered.
    Discarded(u64),
}

/// One SDU.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bytes: u32,
    handed_in: Time,
    /// From when it has waited for the end of its transmission.
    waits_since: Time,
    /// The PDU with its first byte, once there is one.
    start: Sn,
    /// How many of its bytes are in that PDU.
    start_bytes: u32,
    /// The PDU that indicates its end, once there is one.
    end: Option<Sn>,
    state: SduState,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SduState {
    Open,
    Delivered,
    Discarded,
}

impl Entry {
    /// Decides it, SDU `number`, if it is open.
    fn settle(&mut self, number: u64, state: SduState, outcomes: &mut VecDeque<Outcome>) {
        if self.state != SduState::Open {
            return;
        }
        self.state = state;
        outcomes.push_back(match state {
            SduState::Delivered => Outcome::Delivered(number),
            SduState::Discarded => Outcome::Discarded(number),
            SduState::Open => unreachable!("an open state is no decision"),
        });
    }
}

/// What a call of [`Sdus::segment`] made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cut {
    /// How many PDUs.
    pub(crate) pdus: u32,
    /// How many SDUs end in them.
    pub(crate) sdu_ends: u32,
}

impl Sdus {
    pub(crate) const fn new(way: Segmentation) -> Self {
        Self {
            way,
            base: 0,
            entries: VecDeque::new(),
            sent: 0,
            remaining: 0,
            has_begun: false,
            behind: 0,
            end_untold: false,
            delivered: 0,
            outcomes: VecDeque::new(),
            past_waits: Duration::ZERO,
        }
    }

    /// Takes in an SDU of `bytes` bytes.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, bytes: u32) {
        debug_assert!(bytes > 0, "an SDU has at least one byte");
        if self.sent == self.entries.len() {
            self.remaining = bytes;
        } else {
            self.behind += u64::from(bytes);
        }
        self.entries.push_back(Entry {
            bytes,
            handed_in: now,
            waits_since: now,
            start: Sn::ZERO,
            start_bytes: 0,
            end: None,
            state: SduState::Open,
        });
    }

    /// How many SDUs wait for the end of their first transmission.
    pub(crate) fn waiting(&self) -> u32 {
        (self.entries.len() - self.sent) as u32
    }

    /// The sum over SDUs of the time that each has waited by `now`.
    pub(crate) fn waited(&self, now: Time) -> Duration {
        let waiting = self.entries.iter().skip(self.sent);
        self.past_waits + waiting.map(|entry| now.saturating_since(entry.waits_since)).sum()
    }

    /// The number of the first of them.
    pub(crate) const fn first_waiting(&self) -> u64 {
        self.base + self.sent as u64
    }

    /// How many bytes are not yet in a PDU.
    pub(crate) const fn unsent_bytes(&self) -> u64 {
        self.remaining as u64 + self.behind
    }

    /// True if there is anything for a new PDU.
    pub(crate) fn has_data(&self) -> bool {
        self.end_untold || self.sent < self.entries.len()
    }

    /// True if the next data byte belongs to an SDU of which some have been sent.
    pub(crate) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The number of the first SDU of which nothing has been sent.
    pub(crate) fn begun(&self) -> u64 {
        self.first_waiting() + u64::from(self.has_begun)
    }

    /// How many PDUs the rest of the next SDU takes on its own.
    pub(crate) const fn next_pdus(&self) -> u32 {
        self.remaining.div_ceil(self.way.payload)
    }

    /// Discards the next SDU, of which nothing has been sent.
    pub(crate) fn drop_next(&mut self, now: Time) {
        debug_assert!(!self.has_begun, "it can still be sent");
        self.settle(self.first_waiting(), SduState::Discarded);
        self.step(now);
        self.acknowledge(Sn::ZERO);
    }

    /// True if SDUs are delivered in sequence.
    pub(crate) const fn is_in_order(&self) -> bool {
        self.way.in_order
    }

    /// True if nothing waits for transmission or acknowledgement.
    pub(crate) fn is_settled(&self) -> bool {
        self.entries.is_empty() && !self.end_untold
    }

    /// True if [`Self::poll_outcome`] would say something.
    #[inline]
    pub(crate) fn has_outcome(&self) -> bool {
        !self.outcomes.is_empty()
    }

    /// The next outcome.
    #[inline]
    pub(crate) fn poll_outcome(&mut self) -> Option<Outcome> {
        self.outcomes.pop_front()
    }

    /// Fills new PDUs from `sn` on: at most `pdus`, none after that in which SDU end number
    /// `sdu_ends` lies.
    pub(crate) fn segment(&mut self, now: Time, sn: Sn, pdus: u32, sdu_ends: u32) -> Cut {
        let mut cut = Cut { pdus: 0, sdu_ends: 0 };
        while cut.pdus < pdus && cut.sdu_ends < sdu_ends && self.has_data() {
            if !self.end_untold {
                cut.pdus += self.fill_whole(sn + u64::from(cut.pdus), pdus - cut.pdus);
                if cut.pdus == pdus {
                    break;
                }
            }
            cut.sdu_ends += self.fill(now, sn + u64::from(cut.pdus));
            cut.pdus += 1;
        }
        cut
    }

    /// The number of the oldest SDU that is still needed.
    pub(crate) const fn first(&self) -> u64 {
        self.base
    }

    /// When the SDUs from number `from` on were handed in.
    pub(crate) fn handed_in(&self, from: u64) -> impl Iterator<Item = Time> {
        self.entries.iter().skip(from.saturating_sub(self.base) as usize).map(|e| e.handed_in)
    }

    /// The SDU after the last that has a byte in PDU `sn`.
    pub(crate) fn after_pdu(&self, sn: Sn) -> u64 {
        let count = (self.begun() - self.base) as usize;
        let old = self.entries.iter().take(count).take_while(|entry| entry.start <= sn).count();
        self.base + old as u64
    }

    /// Gives up every SDU below `sdu`. If any of them has been sent in part, the window move that
    /// passes over them is returned; `next` is the number of the next new PDU.
    pub(crate) fn abandon(&mut self, now: Time, sdu: u64, next: Sn) -> Option<WindowMove> {
        let is_move_needed = sdu.min(self.begun()) > self.base;
        let cursor = self.first_waiting();
        if sdu < cursor || (sdu == cursor && !self.end_untold) {
            return is_move_needed.then(|| self.move_within_sent(sdu));
        }
        if self.end_untold {
            self.cut_short(cursor - 1, next);
            self.end_untold = false;
        }
        for number in cursor..sdu {
            self.cut_short(number, next);
            self.step(now);
        }
        self.acknowledge(Sn::ZERO);
        is_move_needed.then_some(WindowMove { sn: next, ends: 0, sdu })
    }

    /// The receiver passes over every SDU below `sdu` that is not whole.
    pub(crate) fn discard_below(&mut self, sdu: u64) {
        for number in self.base..sdu {
            self.settle(number, SduState::Discarded);
        }
    }

    /// The receiver has every PDU below `sn`.
    pub(crate) fn deliver_in_order(&mut self, sn: Sn) {
        if !self.way.in_order {
            return;
        }
        self.delivered = self.delivered.max(self.base);
        while let Some(entry) = self.entries.get_mut((self.delivered - self.base) as usize) {
            if entry.state == SduState::Open && entry.end.is_none_or(|end| end >= sn) {
                return;
            }
            entry.settle(self.delivered, SduState::Delivered, &mut self.outcomes);
            self.delivered += 1;
        }
    }

    /// The receiver got PDU `sn` and has now every PDU of a range for which `whole` says so. SDUs
    /// with a byte in it may have become whole.
    pub(crate) fn deliver_any_order(&mut self, sn: Sn, whole: impl Fn(Sn, Sn) -> bool) {
        let told = self.sent - usize::from(self.end_untold);
        let first = self.entries.partition_point(|entry| entry.end.is_some_and(|end| end < sn));
        for index in first..told {
            let Entry { start, end: Some(end), state, .. } = self.entries[index] else { continue };
            if start > sn {
                return;
            }
            if state == SduState::Open && whole(start, end) {
                self.settle(self.base + index as u64, SduState::Delivered);
            }
        }
    }

    /// PDU `sn` will never arrive, nor the SDUs with a part in it.
    pub(crate) fn lose(&mut self, sn: Sn) {
        for number in self.base..self.after_pdu(sn) {
            if self.entry(number).end.is_none_or(|end| end >= sn) {
                self.settle(number, SduState::Discarded);
            }
        }
    }

    /// True if an SDU waits for PDU `sn`.
    pub(crate) fn wants(&self, sn: Sn) -> bool {
        self.open_in(sn).any(|end| end.is_none_or(|end| end >= sn))
    }

    /// True if an SDU that has a part in PDU `sn` goes on after it.
    pub(crate) fn is_open_after(&self, sn: Sn) -> bool {
        self.open_in(sn).any(|end| end.is_none_or(|end| end > sn))
    }

    /// The sender knows that every PDU below `sn` has arrived: their SDUs are no longer needed.
    pub(crate) fn acknowledge(&mut self, sn: Sn) {
        while self.sent > usize::from(self.end_untold)
            && self.entries.front().is_some_and(|entry| match entry.state {
                SduState::Open => false,
                SduState::Delivered => entry.end.is_some_and(|end| end < sn),
                SduState::Discarded => true,
            })
        {
            self.pop();
        }
    }

    /// The sender knows that the receiver has passed over the SDUs below `sdu`.
    pub(crate) fn passed_over(&mut self, sdu: u64) {
        while self.base < sdu
            && self.entries.front().is_some_and(|entry| entry.state != SduState::Open)
        {
            self.pop();
        }
    }

    /// Gives up every SDU of which a byte has been sent; the next PDU starts with the next SDU.
    pub(crate) fn reset(&mut self, now: Time) {
        if self.has_begun {
            self.step(now);
        }
        self.end_untold = false;
        while self.sent > 0 {
            self.settle(self.base, SduState::Discarded);
            self.pop();
        }
    }

    /// Everything not yet delivered will be retransmitted from its first byte, by a link without
    /// knowledge of what was sent before.
    pub(crate) fn restart(&mut self, now: Time) {
        while self.sent > 0 && self.entry(self.base).state != SduState::Open {
            self.pop();
        }
        for (index, entry) in self.entries.iter_mut().take(self.sent + 1).enumerate() {
            if index < self.sent {
                entry.waits_since = now;
            }
            if index > 0 {
                self.behind += u64::from(entry.bytes);
            }
            entry.start_bytes = 0;
            entry.end = None;
        }
        self.end_untold = false;
        self.sent = 0;
        self.remaining = self.entries.front().map_or(0, |entry| entry.bytes);
        self.has_begun = false;
    }

    /// The ends of the undecided SDUs that begin in PDU `sn` or before.
    fn open_in(&self, sn: Sn) -> impl Iterator<Item = Option<Sn>> {
        let count = (self.after_pdu(sn) - self.base) as usize;
        let entries = self.entries.iter().take(count);
        entries.filter(|entry| entry.state == SduState::Open).map(|entry| entry.end)
    }

    fn entry(&self, number: u64) -> &Entry {
        &self.entries[(number - self.base) as usize]
    }

    /// Decides an open SDU.
    fn settle(&mut self, number: u64, state: SduState) {
        let entry = &mut self.entries[(number - self.base) as usize];
        entry.settle(number, state, &mut self.outcomes);
    }

    /// An SDU whose end will never be indicated cannot be delivered.
    fn cut_short(&mut self, number: u64, next: Sn) {
        let entry = &mut self.entries[(number - self.base) as usize];
        entry.end = Some(if next > Sn::ZERO { next - 1 } else { next });
        self.settle(number, SduState::Discarded);
    }

    fn pop(&mut self) {
        self.entries.pop_front();
        self.base += 1;
        self.sent -= 1;
    }

    /// Puts `bytes` of the SDU at the cursor into PDUs from `sn` on, `in_first` of them into the
    /// first.
    fn take(&mut self, sn: Sn, bytes: u32, in_first: u32) {
        if !self.has_begun {
            self.has_begun = true;
            let entry = &mut self.entries[self.sent];
            entry.start = sn;
            entry.start_bytes = in_first;
        }
        self.remaining -= bytes;
    }

    /// Moves the cursor to the next SDU, and gives the one before.
    fn step(&mut self, now: Time) -> &mut Entry {
        self.sent += 1;
        self.remaining = self.entries.get(self.sent).map_or(0, |next| next.bytes);
        self.behind -= u64::from(self.remaining);
        self.has_begun = false;
        let entry = &mut self.entries[self.sent - 1];
        self.past_waits += now.saturating_since(entry.waits_since);
        entry
    }

    /// Fills PDUs from `sn` on, `most` at most, that the SDU at the cursor fills without ending in
    /// them, and says how many.
    fn fill_whole(&mut self, sn: Sn, most: u32) -> u32 {
        let whole = ((self.remaining - 1) / self.way.payload).min(most);
        if whole > 0 {
            self.take(sn, whole * self.way.payload, self.way.payload);
        }
        whole
    }

    /// Fills the one PDU `sn`, in which at least one SDU ends or which no SDU fills, and says how
    /// many end.
    fn fill(&mut self, now: Time, sn: Sn) -> u32 {
        let Segmentation { payload, length_indicator, .. } = self.way;
        let (mut space, mut ends) = (payload, 0);
        if self.end_untold {
            self.end_untold = false;
            self.entries[self.sent - 1].end = Some(sn);
            space -= length_indicator;
            ends += 1;
        }
        while self.sent < self.entries.len() {
            let bytes = self.remaining.min(space);
            self.take(sn, bytes, bytes);
            if self.remaining > 0 {
                break;
            }
            let ended = self.step(now);
            if space - bytes < length_indicator {
                self.end_untold = true;
                break;
            }
            ended.end = Some(sn);
            space -= bytes + length_indicator;
            ends += 1;
            if !self.may_join(space, ends) {
                break;
            }
        }
        ends
    }

    /// True if an SDU may begin in the `space` left behind `ends` others.
    fn may_join(&self, space: u32, ends: u32) -> bool {
        self.way.concatenation && space >= MIN_START && ends < self.way.max_ends
    }

    /// The window move over SDUs below `sdu` whose ends have all been indicated.
    fn move_within_sent(&self, sdu: u64) -> WindowMove {
        let end = self.entry(sdu - 1).end.expect("an SDU before the cursor has an end");
        let next = self.entries.get((sdu - self.base) as usize);
        if next.is_none_or(|next| next.start_bytes == 0 || next.start != end) {
            return WindowMove { sn: end + 1, ends: 0, sdu };
        }
        let ends = (self.base..sdu).filter(|number| self.entry(*number).end == Some(end)).count();
        WindowMove { sn: end, ends: ends as u8, sdu }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::super::RlcConfig;
    use super::super::am::pdu::LengthIndicator;
    use super::super::am::tests::config;
    use super::super::testing::sdus;
    use super::*;

    impl Sdus {
        /// PDU `sn` as on the air with 7-bit indicators: the parts of SDUs as `number[from..to]`,
        /// its length indicators, and what is left as `pad`.
        fn layout(&self, sn: Sn) -> String {
            let (mut text, mut indicators, mut data) = (String::new(), Vec::new(), 0);
            for (number, entry) in (self.base..).zip(&self.entries) {
                let is_inside = entry.start_bytes > 0
                    && entry.start <= sn
                    && entry.end.is_none_or(|end| sn <= end);
                if !is_inside {
                    continue;
                }
                let before = match sn - entry.start {
                    0 => 0,
                    pdus => entry.start_bytes + self.way.payload * (pdus as u32 - 1),
                };
                let most = if before == 0 { entry.start_bytes } else { self.way.payload };
                let bytes = entry.bytes.saturating_sub(before).min(most);
                data += bytes;
                if bytes > 0 {
                    write!(text, "{number}[{before}..{}] ", before + bytes).expect("a string");
                }
                if entry.end == Some(sn) {
                    indicators.push(match bytes {
                        0 => LengthIndicator::PreviousFilled,
                        _ => LengthIndicator::End(data as u16),
                    });
                }
            }
            let mut space = self.way.payload - data - indicators.len() as u32;
            if space > 0 {
                indicators.push(LengthIndicator::Padding);
                space -= 1;
                write!(text, "pad {space} ").expect("a string");
            }
            text + &format!("{indicators:?}")
        }
    }

    /// Cuts SDUs of `sizes` into PDUs of 40 bytes from number `first` on.
    fn check(concatenation: bool, sizes: &[u32], first: u64, expect: &str) {
        let config = RlcConfig { concatenation, ..config() };
        let mut sdus = sdus(&config, sizes.iter().copied());
        let cut = sdus.segment(Time::ZERO, Sn::new(first), 1000, u32::MAX);
        let layouts: Vec<_> =
            (0..cut.pdus).map(|pdu| sdus.layout(Sn::new(first + u64::from(pdu)))).collect();
        assert_eq!(layouts.join(" / "), expect, "{sizes:?}");
        assert!(!sdus.has_data() && sdus.waiting() == 0);
        assert_eq!(cut.sdu_ends as usize, sizes.len());
    }

    #[test]
    fn an_acknowledgement_takes_two_pdus() {
        check(true, &[41], 0, "0[0..40] [] / 0[40..41] pad 37 [End(1), Padding]");
    }

    #[test]
    fn a_packet_of_lo2005_takes_fourteen_pdus() {
        let full = (0..13).map(|i| format!("0[{}..{}] [] / ", i * 40, i * 40 + 40));
        let expect = full.collect::<String>() + "0[520..553] pad 5 [End(33), Padding]";
        check(true, &[553], 0, &expect);
    }

    #[test]
    fn an_sdu_joins_the_pdu_where_another_ended() {
        let expect =
            "0[0..40] [] / 0[40..73] 1[0..6] [End(33)] / 1[6..41] pad 3 [End(35), Padding]";
        check(true, &[73, 41], 4095, expect);
        let ends = "[End(3), End(7), End(12), End(34), Padding]";
        let expect = format!("0[0..3] 1[0..4] 2[0..5] 3[0..22] pad 1 {ends}");
        check(true, &[3, 4, 5, 22], 0, &expect);
    }

    #[test]
    fn at_least_three_bytes_must_be_left_to_join() {
        let expect = "0[0..36] 1[0..3] [End(36)] / 1[3..9] pad 32 [End(6), Padding]";
        check(true, &[36, 9], 0, expect);
        let expect = "0[0..37] pad 1 [End(37), Padding] / 1[0..9] pad 29 [End(9), Padding]";
        check(true, &[37, 9], 0, expect);
        check(true, &[39, 9], 0, "0[0..39] [End(39)] / 1[0..9] pad 29 [End(9), Padding]");
    }

    #[test]
    fn an_exact_fill_is_told_in_the_next_pdu() {
        let next = "1[0..9] pad 28 [PreviousFilled, End(9), Padding]";
        check(true, &[80, 9], 0, &format!("0[0..40] [] / 0[40..80] [] / {next}"));
        let alone = "pad 38 [PreviousFilled, Padding]";
        check(true, &[40], 0, &format!("0[0..40] [] / {alone}"));
        let expect = format!("0[0..40] [] / 1[0..39] [PreviousFilled] / 1[39..79] [] / {alone}");
        check(false, &[40, 79], 0, &expect);
    }

    #[test]
    fn segmentation_only_begins_each_sdu_in_its_own_pdu() {
        let second = "1[0..40] [] / 1[40..41] pad 37 [End(1), Padding]";
        check(false, &[10, 41], 0, &format!("0[0..10] pad 28 [End(10), Padding] / {second}"));
    }

    /// With 15-bit indicators the end of an SDU that leaves one byte is indicated in the next PDU,
    /// too.
    #[test]
    fn wide_indicators_take_two_bytes() {
        let ends = |bytes| {
            let mut sdus = sdus(&RlcConfig { pdu_payload: 200, ..config() }, [bytes]);
            sdus.segment(Time::ZERO, Sn::ZERO, 9, u32::MAX).pdus
        };
        assert_eq!([197, 198, 199, 200, 201].map(ends), [1, 1, 2, 2, 2]);
    }

    #[test]
    fn cutting_stops_at_limits() {
        let mut sdus = sdus(&config(), [100; 3]);
        let mut segment = |sn, pdus, ends| sdus.segment(Time::ZERO, Sn::new(sn), pdus, ends);
        assert_eq!(segment(0, 2, 9), Cut { pdus: 2, sdu_ends: 0 });
        assert_eq!(segment(2, 9, 1), Cut { pdus: 1, sdu_ends: 1 });
        assert_eq!(segment(3, 9, 2), Cut { pdus: 5, sdu_ends: 2 });
        assert_eq!(segment(8, 9, 9), Cut { pdus: 0, sdu_ends: 0 });
    }

    #[test]
    fn an_sdu_that_comes_later_does_not_join_a_pdu_that_is_gone() {
        let mut sdus = sdus(&config(), [10]);
        sdus.segment(Time::ZERO, Sn::ZERO, 1, 9);
        sdus.push(Time::ZERO, 10);
        sdus.segment(Time::ZERO, Sn::new(1), 1, 9);
        assert_eq!(sdus.layout(Sn::new(1)), "1[0..10] pad 28 [End(10), Padding]");
    }

    /// The window move over the first `count` of three SDUs of 73 B, `pdus` of which were sent.
    #[test]
    fn window_moves_point_behind_the_last_discarded_sdu() {
        let check = |pdus, count, expect: Option<(u64, u8)>| {
            let mut sdus = sdus(&config(), [73; 3]);
            sdus.segment(Time::ZERO, Sn::ZERO, pdus, 9);
            let to = sdus.abandon(Time::ZERO, count, Sn::new(pdus.into()));
            assert_eq!(to.map(|to| (to.sn - Sn::ZERO, to.ends)), expect, "{pdus} {count}");
            assert!(to.is_none_or(|to| to.sdu == count));
        };
        // 0: [0..40], 1: [40..73] and six bytes of the next, 2: [6..46], 3: [46..73] and twelve.
        check(0, 1, None);
        check(1, 1, Some((1, 0)));
        check(2, 1, Some((1, 1)));
        check(4, 2, Some((3, 1)));
        check(3, 2, Some((3, 0)));
        check(1, 3, Some((1, 0)));
    }
}
