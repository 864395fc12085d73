//! Segments towards a mobile that a box keeps until they are acknowledged, in order of sequence.

use std::collections::VecDeque;
use std::ops::Range;

use base::Time;
use tcp::Payload;

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
    /// It was sent, and a timeout took it for lost.
    pub(crate) given_up: bool,
    /// Its sender has sent it again, or it came out of order.
    pub(crate) by_sender: bool,
}

impl<P> Cached<P> {
    /// Its bytes.
    pub(crate) const fn length(&self) -> u64 {
        self.range.end - self.range.start
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

/// What became of a segment that was to be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Insertion {
    /// It is kept behind all others.
    Last,
    /// It is kept, and others come after it.
    Between,
    /// All of it was there.
    Known,
    /// A part of it was there: it is not kept.
    Overlaps,
    /// There is no room.
    Full,
}

/// Segments that do not overlap, in order.
#[derive(Debug)]
pub(crate) struct SegmentCache<P> {
    segments: VecDeque<Cached<P>>,
    limit: usize,
    bytes: u64,
}

impl<P: Payload> SegmentCache<P> {
    /// Room for `limit` segments.
    pub(crate) const fn new(limit: u32) -> Self {
        Self { segments: VecDeque::new(), limit: limit as usize, bytes: 0 }
    }

    /// How many segments are kept.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Bytes that are kept.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
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
        if self.segments.len() >= self.limit {
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

    /// Takes the oldest segment out if all of it lies below `acked`.
    pub(crate) fn take_acked(&mut self, acked: u64) -> Option<Cached<P>> {
        self.segments.front().filter(|segment| segment.range.end <= acked)?;
        let segment = self.segments.pop_front()?;
        self.bytes -= segment.length();
        if self.segments.is_empty() {
            // Of thousands of connections few are busy: the others keep no room.
            self.segments = VecDeque::new();
        }
        Some(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Leg};
    use proptest::prelude::*;
    use tcp::{Length, Segment};

    fn packet(range: &Range<u64>) -> Packet<Length> {
        let [source, destination] = [Leg::Wired, Leg::Radio].map(|leg| Address { leg, host: 1 });
        let segment = Segment { payload: Length(range.end - range.start), ..Segment::default() };
        Packet { source, destination, dscp: 0, segment }
    }

    #[test]
    fn where_a_segment_goes() {
        #[track_caller]
        fn check(held: &[Range<u64>], limit: u32, new: Range<u64>, expected: Insertion) {
            let mut cache = SegmentCache::new(limit);
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
        check(&[], 1, 7..9, Insertion::Last);
    }

    proptest! {
        /// In order, without overlap, within the limit, and its bytes are counted right.
        #[test]
        fn order_holds(
            operations in prop::collection::vec((0_u64..60, 1_u64..12, any::<bool>()), 1..200)
        ) {
            let mut cache = SegmentCache::new(7);
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
                prop_assert_eq!(bytes, cache.bytes());
                prop_assert!(cache.len() <= 7);
            }
        }
    }
}
