//! Segments towards a mobile that a box caches until they are acknowledged, in sequence order.

use std::collections::VecDeque;
use std::ops::Range;

use base::{Flags, Time};
use tcp::{Payload, Segment};

use crate::Packet;

/// A segment that is kept.
#[derive(Debug)]
pub(crate) struct Cached<P> {
    /// Its bytes.
    pub(crate) range: Range<u64>,
    /// As it came.
    pub(crate) packet: Packet<P>,
    /// When it was last sent to the mobile; `None` while it waits.
    pub(crate) sent: Option<Time>,
    /// How often the box has sent it again.
    pub(crate) tries: u32,
    /// It was sent, and found lost by a timeout.
    pub(crate) given_up: bool,
    /// Its sender has sent it again, or it came out of order.
    pub(crate) by_sender: bool,
}

impl<P: Payload> Cached<P> {
    /// Its bytes.
    pub(crate) const fn length(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Bytes of its TCP header and payload.
    fn total(&self) -> u64 {
        let Segment { header, payload, .. } = &self.packet.segment;
        u64::from(header.bytes()) + payload.length()
    }

    /// The same in packets of at most `bytes`; FIN and PSH stay with the last.
    fn pieces(&self, bytes: u64) -> impl Iterator<Item = Self> {
        let Segment { header, payload, .. } = &self.packet.segment;
        let most = bytes.saturating_sub(u64::from(header.bytes())).max(1);
        let length = payload.length();
        (0..length).step_by(most as usize).map(move |from| {
            let to = (from + most).min(length);
            let mut packet = self.packet.clone();
            packet.segment.payload = payload.slice(from, to);
            packet.segment.header.seq = header.seq + from as u32;
            let mut end = self.range.end;
            if to < length {
                let ends = Flags::PSH | Flags::FIN;
                packet.segment.header.flags = header.flags.without(ends);
                end = self.range.start + to;
            }
            let range = self.range.start + from..end;
            let by_sender = self.by_sender;
            Self { range, packet, sent: None, tries: 0, given_up: false, by_sender }
        })
    }

    /// True if it is on its way to the mobile.
    pub(crate) const fn is_in_flight(&self) -> bool {
        self.sent.is_some() && !self.given_up
    }

    /// True if it has the next byte that is to be acknowledged.
    pub(crate) const fn has_next(&self, acked: u64) -> bool {
        self.range.start <= acked && acked < self.range.end
    }
}

/// The outcome of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Insertion {
    /// It is kept behind all others.
    Last,
    /// It is kept, and others come after it.
    Between,
    /// All of it was there already.
    Known,
    /// A part of it was there already: it is not kept.
    Overlaps,
    /// There is no room.
    Full,
}

/// Segments that do not overlap, in order.
#[derive(Debug)]
pub(crate) struct SegmentCache<P> {
    segments: VecDeque<Cached<P>>,
    limit: usize,
    /// The most bytes that it can keep.
    pub(crate) room: u64,
    /// Bytes that are kept.
    pub(crate) bytes: u64,
}

impl<P: Payload> SegmentCache<P> {
    /// Room for `limit` segments of `mss` bytes, and a FIN.
    pub(crate) const fn new(limit: u32, mss: u32) -> Self {
        let room = limit as u64 * mss as u64 + 1;
        Self { segments: VecDeque::new(), limit: limit as usize, room, bytes: 0 }
    }

    /// How many segments are kept.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// The oldest segment.
    pub(crate) fn oldest(&mut self) -> Option<&mut Cached<P>> {
        self.segments.front_mut()
    }

    /// The segments that reach beyond `offset`, in order.
    pub(crate) fn beyond(&mut self, offset: u64) -> impl Iterator<Item = &mut Cached<P>> {
        let at = self.segments.partition_point(|segment| segment.range.end <= offset);
        self.segments.range_mut(at..)
    }

    /// The segments that have bytes of `range`, in order.
    pub(crate) fn overlapping(
        &mut self,
        range: &Range<u64>,
    ) -> impl Iterator<Item = &mut Cached<P>> {
        let end = range.end;
        self.beyond(range.start).take_while(move |segment| segment.range.start < end)
    }

    /// Keeps a copy of `packet`, which brings `range`.
    pub(crate) fn insert(&mut self, range: &Range<u64>, packet: &Packet<P>) -> Insertion {
        let at = self.segments.partition_point(|segment| segment.range.end <= range.start);
        let mut covered = range.start;
        for segment in self.overlapping(range) {
            if segment.range.start <= covered {
                covered = segment.range.end;
            }
        }
        if covered >= range.end {
            return Insertion::Known;
        }
        if self.overlapping(range).next().is_some() {
            return Insertion::Overlaps;
        }
        let length = range.end - range.start;
        if self.segments.len() >= self.limit || self.bytes + length > self.room {
            return Insertion::Full;
        }
        let is_last = at == self.segments.len();
        let segment = Cached {
            range: range.clone(),
            packet: packet.clone(),
            sent: None,
            tries: 0,
            given_up: false,
            by_sender: !is_last,
        };
        self.bytes += segment.length();
        self.segments.insert(at, segment);
        if is_last { Insertion::Last } else { Insertion::Between }
    }

    /// Takes out segments of more than `bytes`, TCP header included.
    pub(crate) fn drop_larger(&mut self, bytes: u64) {
        self.segments.retain(|segment| {
            let fits = segment.total() <= bytes;
            self.bytes -= if fits { 0 } else { segment.length() };
            fits
        });
    }

    /// Puts pieces of at most `bytes` in the place of larger segments, as if they had just come,
    /// and tells of each that was cut.
    pub(crate) fn cut_larger(&mut self, bytes: u64, mut cut: impl FnMut(&Cached<P>)) {
        for segment in std::mem::take(&mut self.segments) {
            if segment.total() <= bytes {
                self.segments.push_back(segment);
            } else {
                cut(&segment);
                self.segments.extend(segment.pieces(bytes));
            }
        }
    }

    /// Takes the oldest segment out if all of it lies below `acked`.
    pub(crate) fn take_acked(&mut self, acked: u64) -> Option<Cached<P>> {
        self.segments.front().filter(|segment| segment.range.end <= acked)?;
        let segment = self.segments.pop_front()?;
        self.bytes -= segment.length();
        if self.segments.is_empty() {
            // Few of thousands of connections are busy: the others keep no memory.
            self.segments = VecDeque::new();
        }
        Some(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, IpFields, Leg};
    use proptest::prelude::*;
    use tcp::Length;

    fn packet(range: &Range<u64>) -> Packet<Length> {
        let [source, destination] = [Leg::Wired, Leg::Radio].map(|leg| Address { leg, host: 1 });
        let segment = Segment { payload: Length(range.end - range.start), ..Segment::default() };
        Packet { source, destination, ip: IpFields::default(), segment }
    }

    /// A header takes 20 bytes.
    #[test]
    fn what_is_larger_goes_or_is_cut() {
        let cache = || {
            let mut cache = SegmentCache::new(9, 100);
            let mut last = packet(&(30..55));
            last.segment.header.flags = Flags::FIN | Flags::PSH | Flags::ACK;
            cache.insert(&(0..10), &packet(&(0..10)));
            cache.insert(&(10..30), &packet(&(10..30)));
            cache.insert(&(30..56), &last);
            cache
        };
        let ranges = |cache: &mut SegmentCache<Length>| {
            cache.beyond(0).map(|it| (it.range.start, it.range.end)).collect::<Vec<_>>()
        };
        let mut dropped = cache();
        dropped.drop_larger(30);
        assert_eq!((ranges(&mut dropped), dropped.bytes), (vec![(0, 10)], 10));
        let (mut pieces, mut cut) = (cache(), Vec::new());
        pieces.cut_larger(30, |segment| cut.push(segment.length()));
        let expected = vec![(0, 10), (10, 20), (20, 30), (30, 40), (40, 50), (50, 56)];
        assert_eq!((ranges(&mut pieces), pieces.bytes, cut), (expected, 56, vec![20, 26]));
        let ends = |flag| {
            pieces.segments.iter().filter(|segment| segment.packet.segment.has(flag)).count()
        };
        assert_eq!([Flags::FIN, Flags::PSH, Flags::ACK].map(ends), [1, 1, 3]);
    }

    #[test]
    fn where_a_segment_goes() {
        #[track_caller]
        fn check(held: &[Range<u64>], limit: u32, new: Range<u64>, expected: Insertion) {
            let mut cache = SegmentCache::new(limit, 20);
            for range in held {
                cache.insert(range, &packet(range));
            }
            assert_eq!(cache.insert(&new, &packet(&new)), expected);
        }
        let held = [0..10, 20..30, 30..40];
        check(&held, 9, 40..50, Insertion::Last);
        check(&held, 9, 10..20, Insertion::Between);
        check(&held, 9, 20..30, Insertion::Known);
        check(&held, 9, 22..38, Insertion::Known);
        check(&held, 9, 5..12, Insertion::Overlaps);
        check(&held, 9, 12..22, Insertion::Overlaps);
        check(&held, 9, 35..45, Insertion::Overlaps);
        check(&held, 3, 40..50, Insertion::Full);
        check(&held, 3, 20..30, Insertion::Known);
        // Of three segments of 20 bytes and a FIN, 30 bytes are there.
        check(&held, 4, 40..91, Insertion::Last);
        check(&held, 4, 40..92, Insertion::Full);
        check(&[], 1, 7..9, Insertion::Last);
    }

    proptest! {
        /// In order, without overlap, within the limit, and its bytes are counted right.
        #[test]
        fn order_holds(
            operations in prop::collection::vec((0_u64..60, 1_u64..12, any::<bool>()), 1..200)
        ) {
            let mut cache = SegmentCache::new(7, 9);
            for (from, length, is_ack) in operations {
                let range = from..from + length;
                if is_ack {
                    while let Some(gone) = cache.take_acked(from) {
                        prop_assert!(gone.range.end <= from);
                    }
                    prop_assert!(cache.oldest().is_none_or(|oldest| oldest.range.end > from));
                } else {
                    cache.insert(&range, &packet(&range));
                }
                let mut end = 0;
                let mut bytes = 0;
                for segment in cache.beyond(0) {
                    prop_assert!(segment.range.start >= end);
                    end = segment.range.end;
                    bytes += segment.length();
                }
                prop_assert_eq!(bytes, cache.bytes);
                prop_assert!(cache.len() <= 7 && bytes <= 64);
            }
        }
    }
}
