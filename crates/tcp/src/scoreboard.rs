//! What is outstanding: every segment sent and not yet acknowledged, and what is known of each
//! (RFC 6675 §3).

use std::collections::VecDeque;

use base::Time;

/// What is known of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SegmentStatus {
    /// It is in the network.
    InFlight,
    /// It arrived: a selective acknowledgement covers it.
    Selected,
    /// It left the network without arriving, and was not retransmitted since.
    Lost,
}

/// A segment on its way, data or a FIN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Stream offset of its first number.
    pub(crate) offset: u64,
    /// Numbers it occupies: its payload bytes, and one for a FIN.
    pub(crate) length: u32,
    /// How often it was sent.
    pub(crate) transmissions: u16,
    pub(crate) status: SegmentStatus,
    /// When it was sent first.
    pub(crate) first_at: Time,
    /// When it was sent last.
    pub(crate) last_at: Time,
}

impl Sent {
    pub(crate) const fn end(&self) -> u64 {
        self.offset + self.length as u64
    }
}

/// The outstanding segments in the order of the stream, without gaps.
#[derive(Debug, Default)]
pub(crate) struct Scoreboard {
    segments: VecDeque<Sent>,
    /// Stretches that selective acknowledgements cover, from and to, in order and apart.
    selected: VecDeque<[u64; 2]>,
    /// Numbers in them.
    selected_bytes: u64,
    /// Numbers in the network.
    pipe: u64,
    /// Below this, each segment has been judged lost or not, once.
    judged: u64,
    /// No segment below this is lost.
    lost_from: u64,
    /// How many are lost.
    lost: u32,
    /// Segments found lost and not yet reported, if the caller collects them.
    #[expect(clippy::box_collection, reason = "one word in an idle endpoint, not three")]
    pending_losses: Option<Box<Vec<Sent>>>,
}

impl Scoreboard {
    pub(crate) fn oldest(&self) -> Option<&Sent> {
        self.segments.front()
    }

    pub(crate) fn last(&self) -> Option<&Sent> {
        self.segments.back()
    }

    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// All segments, in the order of the stream.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Sent> {
        self.segments.iter()
    }

    /// The segments in the network, in the order of the stream.
    pub(crate) fn flying(&self) -> impl Iterator<Item = &Sent> {
        self.segments.iter().filter(|segment| segment.status == SegmentStatus::InFlight)
    }

    /// The segment that ends at `end`.
    pub(crate) fn ending_at(&self, end: u64) -> Option<&Sent> {
        self.segments.get(self.index_of_end(end)).filter(|segment| segment.end() == end)
    }

    /// True if the oldest was sent again and may still arrive: fewer than `threshold` segments that
    /// were sent after it have.
    pub(crate) fn is_oldest_repeated(&self, threshold: usize) -> bool {
        self.oldest().is_some_and(|oldest| {
            let later = |segment: &&Sent| {
                segment.status == SegmentStatus::Selected && segment.last_at > oldest.last_at
            };
            let flies = oldest.status == SegmentStatus::InFlight && oldest.transmissions > 1;
            flies && self.segments.iter().filter(later).take(threshold).count() < threshold
        })
    }

    /// How many segments are lost and were not sent again.
    pub(crate) const fn lost_segments(&self) -> u32 {
        self.lost
    }

    /// Numbers in the network: RFC 6675's pipe.
    pub(crate) const fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Whether to keep each segment found lost for [`Scoreboard::take_losses`].
    pub(crate) fn watch_losses(&mut self, watch: bool) {
        self.pending_losses = watch.then(Box::default);
    }

    /// The segments found lost since the last call.
    pub(crate) fn take_losses(&mut self) -> impl Iterator<Item = Sent> {
        self.pending_losses.iter_mut().flat_map(|losses| losses.drain(..))
    }

    /// Numbers that arrived out of order.
    pub(crate) const fn selected_bytes(&self) -> u64 {
        self.selected_bytes
    }

    /// The end of the forward-most selected segment (Mathis and Mahdavi's snd.fack).
    pub(crate) fn forward_most(&self) -> Option<u64> {
        self.selected.back().map(|&[_, to]| to)
    }

    #[inline]
    pub(crate) fn push(&mut self, segment: Sent) {
        debug_assert!(self.segments.back().is_none_or(|last| last.end() == segment.offset));
        self.pipe += u64::from(segment.length);
        self.segments.push_back(segment);
    }

    /// The segment that starts at `offset`.
    pub(crate) fn at(&self, offset: u64) -> &Sent {
        let segment = &self.segments[self.index(offset)];
        debug_assert_eq!(segment.offset, offset, "outstanding segments have no gaps");
        segment
    }

    /// The segment at `offset` was retransmitted, now with `length` numbers.
    pub(crate) fn sent_again(&mut self, now: Time, offset: u64, length: u32) -> Sent {
        let index = self.index(offset);
        let segment = &mut self.segments[index];
        match segment.status {
            SegmentStatus::InFlight => self.pipe += u64::from(length - segment.length),
            SegmentStatus::Lost => {
                self.pipe += u64::from(length);
                self.lost -= 1;
                segment.status = SegmentStatus::InFlight;
            }
            SegmentStatus::Selected => {}
        }
        segment.length = length;
        segment.transmissions = segment.transmissions.saturating_add(1);
        segment.last_at = now;
        *segment
    }

    /// Takes the oldest out if everything in it lies below `una`; else cuts off what does.
    #[inline]
    pub(crate) fn pop_below(&mut self, una: u64) -> Option<Sent> {
        let oldest = self.segments.front_mut()?;
        let gone = una.min(oldest.end()).saturating_sub(oldest.offset);
        if oldest.status == SegmentStatus::InFlight {
            self.pipe -= gone;
        }
        if oldest.end() <= una {
            self.lost -= u32::from(oldest.status == SegmentStatus::Lost);
            return self.segments.pop_front();
        }
        oldest.length -= gone as u32;
        oldest.offset += gone;
        None
    }

    /// Forgets what was selected below `una`.
    #[inline]
    pub(crate) fn unselect_below(&mut self, una: u64) {
        while let Some([from, to]) = self.selected.front_mut()
            && *from < una
        {
            let gone = una.min(*to);
            self.selected_bytes -= gone - *from;
            *from = gone;
            if gone == *to {
                self.selected.pop_front();
            }
        }
    }

    /// Everything in `from..to` arrived; calls back with each segment that was not known to have. A
    /// segment counts when all of it arrived.
    pub(crate) fn select(&mut self, from: u64, to: u64, mut arrived: impl FnMut(&Sent)) {
        let mut at = from;
        while let Some([left, right]) = self.unselected(at, to) {
            let run = self.add_selected(left, right);
            self.select_segments(left, right, run, &mut arrived);
            at = right;
        }
    }

    /// The first part of `from..to` that is not selected.
    fn unselected(&self, from: u64, to: u64) -> Option<[u64; 2]> {
        let mut index = self.selected.partition_point(|run| run[1] < from);
        let mut start = from;
        if let Some(&[_, end]) = self.selected.get(index).filter(|run| run[0] <= from) {
            start = end;
            index += 1;
        }
        let end = self.selected.get(index).map_or(to, |run| run[0].min(to));
        (start < end).then_some([start, end])
    }

    /// Adds `from..to`, of which nothing was selected: the whole run that it is part of now.
    fn add_selected(&mut self, mut from: u64, mut to: u64) -> [u64; 2] {
        self.selected_bytes += to - from;
        let index = self.selected.partition_point(|run| run[1] < from);
        while let Some(&[left, right]) = self.selected.get(index).filter(|run| run[0] <= to) {
            (from, to) = (from.min(left), to.max(right));
            self.selected.remove(index);
        }
        self.selected.insert(index, [from, to]);
        [from, to]
    }

    /// The segments that overlap `from..to` and lie within `run` arrived.
    fn select_segments(
        &mut self,
        from: u64,
        to: u64,
        run: [u64; 2],
        arrived: &mut impl FnMut(&Sent),
    ) {
        let first = self.index_of_end(from + 1);
        for segment in self.segments.range_mut(first..) {
            if segment.offset >= to {
                break;
            }
            if segment.offset < run[0] || segment.end() > run[1] {
                continue;
            }
            match segment.status {
                SegmentStatus::InFlight => self.pipe -= u64::from(segment.length),
                SegmentStatus::Lost => self.lost -= 1,
                SegmentStatus::Selected => continue,
            }
            segment.status = SegmentStatus::Selected;
            arrived(segment);
        }
    }

    /// RFC 6675 §4, `IsLost`: the end of what is lost: more than `bytes` above it were selected, or
    /// `runs` stretches.
    pub(crate) fn lost_edge(&self, bytes: u64, runs: usize) -> u64 {
        let mut above = 0;
        for (index, &[from, to]) in self.selected.iter().rev().enumerate() {
            above += to - from;
            if above > bytes || index + 1 == runs {
                return from;
            }
        }
        0
    }

    /// Every segment that ends at or below `edge`, and was not judged before, is lost if it is
    /// still in the network.
    pub(crate) fn lose_below(&mut self, edge: u64) {
        let mut index = self.index(self.judged);
        while let Some(segment) = self.segments.get(index)
            && segment.end() <= edge
        {
            self.lose(index);
            index += 1;
        }
        self.judged = self.judged.max(edge);
    }

    /// Everything in the network is lost.
    pub(crate) fn lose_all(&mut self) {
        (0..self.segments.len()).for_each(|index| self.lose(index));
        self.judged = self.segments.back().map_or(self.judged, Sent::end);
    }

    /// Forgets every selective acknowledgement; everything is lost, and judged anew when it has
    /// been sent again.
    pub(crate) fn start_over(&mut self) {
        self.forget_selections();
        self.lose_all();
        self.judged = 0;
    }

    /// The segment that starts at `offset` is lost.
    pub(crate) fn lose_at(&mut self, offset: u64) {
        self.lose(self.index(offset));
    }

    /// The segment that ends at `end` is lost.
    pub(crate) fn lose_ending_at(&mut self, end: u64) {
        self.lose(self.index_of_end(end));
    }

    /// Cuts segments into pieces of at most `most` bytes of data, which end at `end`; a FIN goes
    /// with the last. What is cut and has not arrived is lost, since nothing of it can arrive, but
    /// that is no loss to report. True if anything is.
    pub(crate) fn cut(&mut self, most: u32, end: u64) -> bool {
        let mut found = false;
        for segment in std::mem::take(&mut self.segments) {
            if segment.end().min(end) > segment.offset + u64::from(most) {
                found |= segment.status != SegmentStatus::Selected;
                self.push_pieces(&segment, most, end);
            } else {
                self.segments.push_back(segment);
            }
        }
        self.lost_from = 0;
        found
    }

    fn push_pieces(&mut self, segment: &Sent, most: u32, end: u64) {
        let status = match segment.status {
            SegmentStatus::InFlight => {
                self.pipe -= u64::from(segment.length);
                SegmentStatus::Lost
            }
            SegmentStatus::Lost => {
                self.lost -= 1;
                SegmentStatus::Lost
            }
            SegmentStatus::Selected => SegmentStatus::Selected,
        };
        let mut offset = segment.offset;
        while offset < segment.end() {
            let next = offset + u64::from(most);
            let to = if next < segment.end().min(end) { next } else { segment.end() };
            self.segments.push_back(Sent {
                offset,
                length: (to - offset) as u32,
                status,
                ..*segment
            });
            self.lost += u32::from(status == SegmentStatus::Lost);
            offset = to;
        }
    }

    /// What was considered lost is in the network after all, and may be judged anew.
    pub(crate) fn find_lost(&mut self) {
        let lost = |segment: &&mut Sent| segment.status == SegmentStatus::Lost;
        for segment in self.segments.iter_mut().filter(lost) {
            segment.status = SegmentStatus::InFlight;
            self.pipe += u64::from(segment.length);
        }
        self.lost = 0;
        self.judged = 0;
    }

    fn lose(&mut self, index: usize) {
        let segment = &mut self.segments[index];
        if segment.status == SegmentStatus::InFlight {
            segment.status = SegmentStatus::Lost;
            self.pipe -= u64::from(segment.length);
            self.lost_from =
                if self.lost == 0 { segment.offset } else { self.lost_from.min(segment.offset) };
            self.lost += 1;
            if let Some(losses) = &mut self.pending_losses {
                losses.push(*segment);
            }
        }
    }

    /// The lowest lost segment.
    pub(crate) fn next_lost(&mut self) -> Option<&Sent> {
        if self.lost == 0 {
            return None;
        }
        let from = self.index(self.lost_from);
        let lost =
            self.segments.range(from..).find(|segment| segment.status == SegmentStatus::Lost)?;
        self.lost_from = lost.offset;
        Some(lost)
    }

    /// The lowest lost segment that starts at `offset` or above.
    pub(crate) fn lost_from(&self, offset: u64) -> Option<&Sent> {
        let first = self.index(offset);
        self.segments.range(first..).find(|segment| segment.status == SegmentStatus::Lost)
    }

    /// True if the oldest was selected, and yet the peer acknowledges nothing beyond what comes
    /// before it: it reneged (RFC 2018 §8).
    pub(crate) fn is_reneged_on(&self) -> bool {
        self.segments.front().is_some_and(|oldest| oldest.status == SegmentStatus::Selected)
    }

    /// Forgets every selective acknowledgement: everything may have to be sent again (RFC 2018
    /// §8).
    pub(crate) fn forget_selections(&mut self) {
        self.selected.clear();
        self.selected_bytes = 0;
        self.judged = 0;
        self.lost = 0;
        self.pipe = 0;
        for segment in &mut self.segments {
            segment.status = SegmentStatus::InFlight;
            self.pipe += u64::from(segment.length);
        }
    }

    /// The index of the first segment that ends at `end` or later.
    fn index_of_end(&self, end: u64) -> usize {
        match self.segments.front() {
            Some(oldest) if oldest.end() < end => {
                self.segments.partition_point(|segment| segment.end() < end)
            }
            Some(_) | None => 0,
        }
    }

    /// The index of the first segment that starts at `offset` or later.
    fn index(&self, offset: u64) -> usize {
        match self.segments.front() {
            Some(oldest) if oldest.offset < offset => {
                self.segments.partition_point(|segment| segment.offset < offset)
            }
            Some(_) | None => 0,
        }
    }
}

#[cfg(test)]
impl Scoreboard {
    /// Outstanding segments of these lengths, all sent at time zero.
    pub(crate) fn of_lengths(lengths: &[u32]) -> Self {
        let mut board = Self::default();
        for &length in lengths {
            let offset = board.last().map_or(0, Sent::end);
            let (first_at, last_at) = (Time::ZERO, Time::ZERO);
            let (transmissions, status) = (1, SegmentStatus::InFlight);
            board.push(Sent { offset, length, transmissions, status, first_at, last_at });
        }
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against one flag a byte: what is selected, and which segments are, however blocks cut
        /// them up.
        #[test]
        fn selects_what_a_bitmap_selects(
            lengths in prop::collection::vec(1_u32..20, 1..30),
            blocks in prop::collection::vec((0_u64..300, 1_u64..60), 1..20),
            una in 0_u64..300,
        ) {
            let mut board = Scoreboard::of_lengths(&lengths);
            let end = board.last().map_or(0, Sent::end);
            let mut bitmap = vec![false; end as usize];
            let mut arrived = 0;
            for (from, length) in blocks {
                let (from, to) = (from.min(end), (from + length).min(end));
                bitmap[from as usize..to as usize].fill(true);
                board.select(from, to, |segment| arrived += u64::from(segment.length));
            }
            let whole = |segment: &Sent| {
                let [from, to] = [segment.offset, segment.end()].map(|at| at as usize);
                bitmap[from..to].iter().all(|it| *it)
            };
            for segment in &board.segments {
                prop_assert_eq!(segment.status == SegmentStatus::Selected, whole(segment));
            }
            prop_assert_eq!(board.pipe() + arrived, end);
            let una = una.min(end);
            board.unselect_below(una);
            let held = (una..end).filter(|&at| bitmap[at as usize]).count() as u64;
            prop_assert_eq!(board.selected_bytes(), held);
            let runs = board.selected.iter().map(|[from, to]| to - from).sum::<u64>();
            prop_assert_eq!(runs, held);
        }
    }
}
