//! Selective repeat (TS 44.060 §9.1, §9.3).
//!
//! Both ends share one structure: each block has the times when it was last sent and when it
//! arrived. A report needs no bitmap: its content follows from those times.

use std::collections::VecDeque;

use super::coding::CodingScheme;

/// The number of a block since the TBF began; the block sequence number (BSN) is this modulo the
/// sequence number space, unambiguous with a window of half that space (§9.1.1).
pub(crate) type Bsn = u64;

/// The number of a block period since time 0.
pub(crate) type Period = u64;

/// The blocks between the first that is not acknowledged and the next to be sent.
#[derive(Debug)]
pub(crate) struct Window {
    size: u32,
    /// V(A).
    first: Bsn,
    /// From V(A) to V(S).
    blocks: VecDeque<Block>,
    /// To be retransmitted, in the order in which reports asked for it.
    repeats: VecDeque<Bsn>,
    /// V(Q): everything below has arrived.
    in_sequence: Bsn,
    /// V(R): above everything that has arrived.
    highest: Bsn,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    scheme: CodingScheme,
    /// LLC frames that end in it.
    ends: u32,
    /// When it was sent last.
    sent: Period,
    /// When it arrived.
    arrived: Option<Period>,
    state: AckState,
}

/// V(B), what the sender knows of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AckState {
    PendingAck,
    Nacked,
    Acked,
}

/// A Packet Ack/Nack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Report {
    /// It reports what had arrived before this period.
    pub(crate) built: Period,
    /// V(R) at that time.
    pub(crate) highest: Bsn,
}

/// How many blocks a report acknowledged or asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct AckCounts {
    pub(crate) acked: u32,
    pub(crate) nacked: u32,
}

impl Window {
    /// An empty window of at most `size` blocks.
    pub(crate) const fn new(size: u32) -> Self {
        Self {
            size,
            first: 0,
            blocks: VecDeque::new(),
            repeats: VecDeque::new(),
            in_sequence: 0,
            highest: 0,
        }
    }

    /// A new TBF: numbers begin at 0.
    pub(crate) fn clear(&mut self) {
        self.first = 0;
        self.blocks.clear();
        self.repeats.clear();
        self.in_sequence = 0;
        self.highest = 0;
    }

    /// True if every block sent is acknowledged.
    pub(crate) fn is_settled(&self) -> bool {
        self.blocks.is_empty()
    }

    /// True if no new block may be sent: V(S) = V(A) + WS (§9.1.3).
    pub(crate) fn is_stalled(&self) -> bool {
        self.blocks.len() as u64 >= u64::from(self.size)
    }

    /// True if a report asked for blocks that have not been retransmitted yet.
    pub(crate) fn has_repeats(&self) -> bool {
        !self.repeats.is_empty()
    }

    /// Numbers a new block of `scheme` that is sent in period `now`, in which `ends` LLC frames
    /// end.
    pub(crate) fn send_new(&mut self, now: Period, scheme: CodingScheme, ends: u32) -> Bsn {
        debug_assert!(!self.is_stalled(), "a new block fits in the window");
        let state = AckState::PendingAck;
        self.blocks.push_back(Block { scheme, ends, sent: now, arrived: None, state });
        self.first + self.blocks.len() as u64 - 1
    }

    /// The next block that a report asked for, retransmitted in `now`.
    pub(crate) fn send_again(&mut self, now: Period) -> Option<(Bsn, CodingScheme)> {
        let bsn = self.repeats.pop_front()?;
        self.repeat(bsn, now)
    }

    /// The oldest block that no report has acknowledged, retransmitted in `now` with a poll: for
    /// when nothing else can be sent and no report comes (§9.1.3).
    pub(crate) fn send_oldest(&mut self, now: Period) -> Option<(Bsn, CodingScheme)> {
        self.repeat(self.first, now)
    }

    fn repeat(&mut self, bsn: Bsn, now: Period) -> Option<(Bsn, CodingScheme)> {
        let block = self.blocks.get_mut((bsn - self.first) as usize)?;
        block.sent = now;
        block.state = AckState::PendingAck;
        Some((bsn, block.scheme))
    }

    /// Block `bsn` arrives in `now`. Returns how many LLC frames became complete and in sequence.
    pub(crate) fn receive(&mut self, bsn: Bsn, now: Period) -> u32 {
        let index = (bsn - self.first) as usize;
        self.blocks[index].arrived.get_or_insert(now);
        self.highest = self.highest.max(bsn + 1);
        let mut complete = 0;
        while let Some(block) = self.blocks.get((self.in_sequence - self.first) as usize)
            && block.arrived.is_some()
        {
            complete += block.ends;
            self.in_sequence += 1;
        }
        complete
    }

    /// The report that the receiver sends in `now`.
    pub(crate) const fn report(&self, now: Period) -> Report {
        Report { built: now, highest: self.highest }
    }

    /// The sender has heard a report.
    pub(crate) fn judge(&mut self, report: Report) -> AckCounts {
        let mut counts = AckCounts::default();
        let first = self.first;
        let told = report.highest.saturating_sub(first) as usize;
        for (bsn, block) in (first..).zip(self.blocks.iter_mut().take(told)) {
            if block.state == AckState::Acked {
                continue;
            }
            if block.arrived.is_some_and(|arrived| arrived < report.built) {
                block.state = AckState::Acked;
                counts.acked += 1;
            } else if block.state == AckState::PendingAck && block.sent < report.built {
                block.state = AckState::Nacked;
                self.repeats.push_back(bsn);
                counts.nacked += 1;
            }
        }
        while self.blocks.front().is_some_and(|block| block.state == AckState::Acked) {
            self.blocks.pop_front();
            self.first += 1;
        }
        if counts.acked > 0 {
            let (first, blocks) = (self.first, &self.blocks);
            let is_open = |bsn: &Bsn| {
                let index = bsn.checked_sub(first).map(|index| index as usize);
                index
                    .and_then(|index| blocks.get(index))
                    .is_some_and(|b| b.state == AckState::Nacked)
            };
            self.repeats.retain(is_open);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCHEME: CodingScheme = CodingScheme::Cs2;

    #[test]
    fn a_report_tells_what_had_arrived_when_it_was_built() {
        let mut window = Window::new(64);
        for now in 0..5 {
            assert_eq!(window.send_new(now, SCHEME, 1), now);
        }
        assert_eq!(window.receive(0, 0), 1);
        assert_eq!(window.receive(2, 2), 0, "1 is missing");
        let report = window.report(3);
        assert_eq!(window.receive(3, 3), 0);
        assert_eq!(window.judge(report), AckCounts { acked: 2, nacked: 1 });
        assert_eq!(window.send_again(6), Some((1, SCHEME)));
        assert_eq!(window.send_again(6), None);
        assert_eq!(window.judge(report), AckCounts::default(), "1 is on its way again");
        assert_eq!(window.receive(1, 6), 3, "1, 2 and 3");
        assert_eq!(window.receive(4, 6), 1);
        assert_eq!(window.judge(window.report(7)), AckCounts { acked: 3, nacked: 0 });
        assert!(window.is_settled());
    }

    #[test]
    fn blocks_above_the_highest_that_arrived_are_not_told() {
        let mut window = Window::new(64);
        for now in 0..4 {
            window.send_new(now, SCHEME, 0);
        }
        window.receive(1, 1);
        assert_eq!(window.judge(window.report(9)), AckCounts { acked: 1, nacked: 1 });
        assert_eq!(window.send_again(9), Some((0, SCHEME)));
        assert_eq!(window.send_again(9), None, "2 and 3 may be on their way for all that it tells");
        assert_eq!(window.send_oldest(20), Some((0, SCHEME)));
    }

    #[test]
    fn a_window_stalls_when_it_is_full_and_opens_with_its_first_block() {
        let mut window = Window::new(4);
        for now in 0..4 {
            assert!(!window.is_stalled());
            window.send_new(now, SCHEME, 0);
        }
        assert!(window.is_stalled());
        window.receive(3, 3);
        window.judge(window.report(4));
        assert!(window.is_stalled(), "0 is not acknowledged");
        window.receive(0, 4);
        window.judge(window.report(5));
        assert!(!window.is_stalled());
    }

    proptest! {
        /// Whatever is lost, every frame comes out once and in order, and the window is never
        /// larger than its size; so its sequence numbers, modulo twice the size, are unambiguous.
        #[test]
        fn every_frame_comes_out_once(
            losses in prop::collection::vec(any::<bool>(), 400),
            size in 1_u32..64,
            delay in 1_u64..12,
        ) {
            let mut window = Window::new(size);
            let (mut sent, mut complete) = (0_u32, 0_u32);
            let mut reports = VecDeque::new();
            let mut now = 0;
            let mut lost = losses.into_iter();
            while complete < 100 || !window.is_settled() {
                while reports.front().is_some_and(|(due, _)| *due <= now) {
                    let (_, report) = reports.pop_front().expect("looked at");
                    window.judge(report);
                }
                let block = window.send_again(now).map(|(bsn, _)| bsn).or_else(|| {
                    if sent < 100 && !window.is_stalled() {
                        sent += 1;
                        return Some(window.send_new(now, SCHEME, 1));
                    }
                    window.send_oldest(now).map(|(bsn, _)| bsn)
                });
                if let Some(bsn) = block && !lost.next().unwrap_or(false) {
                    complete += window.receive(bsn, now);
                }
                prop_assert!(window.blocks.len() <= size as usize && complete <= sent);
                reports.push_back((now + delay, window.report(now + 1)));
                now += 1;
                prop_assert!(now < 100_000, "it ends");
            }
            prop_assert_eq!(complete, 100);
        }
    }
}
