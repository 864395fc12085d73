//! Data that arrived out of order (RFC 9293 §3.10.7.4).

use std::collections::VecDeque;

use crate::stretches::{Stretch, Stretches};
use crate::{Payload, are_tiny_segments};

/// Runs of the stream beyond the next byte expected: sorted, apart from each other or at most
/// touching, so that a new one is found from the end, where it mostly belongs.
///
/// Most streams have no gap for most of the time: then it needs no memory beyond this.
#[derive(Debug)]
pub(crate) struct Reassembly<P>(Option<Box<Early<P>>>);

#[derive(Debug)]
struct Early<P> {
    runs: VecDeque<Run<P>>,
    /// The same bytes without the seams of their payloads.
    stretches: Stretches,
    bytes: u64,
}

#[derive(Debug)]
struct Run<P> {
    offset: u64,
    payload: P,
}

impl<P: Payload> Run<P> {
    fn end(&self) -> u64 {
        self.offset + self.payload.length()
    }
}

impl<P: Payload> Reassembly<P> {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Takes `payload` in at `offset`: of bytes that are here already, the first ones to come stay.
    /// Says how many were new; none if there are too many runs for their lengths: then they count
    /// as lost, and their sender retransmits them.
    pub(crate) fn insert(&mut self, offset: u64, payload: &P) -> u64 {
        let end = offset + payload.length();
        if offset == end {
            return 0;
        }
        let early = self.0.get_or_insert_with(|| {
            Box::new(Early { runs: VecDeque::new(), stretches: Stretches::default(), bytes: 0 })
        });
        if are_tiny_segments(early.runs.len() + 1, early.bytes + end - offset) {
            return 0;
        }
        early.stretches.insert(offset, end);
        let mut index = match early.runs.back() {
            Some(last) if offset < last.end() => {
                early.runs.partition_point(|run| run.end() <= offset)
            }
            _ => early.runs.len(),
        };
        let (mut at, mut fresh) = (offset, 0);
        while at < end {
            let next = early.runs.get(index).map(|run| (run.offset, run.end()));
            if let Some((start, stop)) = next
                && start <= at
            {
                at = stop;
                index += 1;
                continue;
            }
            let gap_end = next.map_or(end, |(start, _)| start.min(end));
            index = early.place(index, at, payload.keep(at - offset, gap_end - offset));
            fresh += gap_end - at;
            at = gap_end;
        }
        early.bytes += fresh;
        fresh
    }

    /// Takes out the run that starts at or below `offset`, without what lies below it.
    pub(crate) fn take_at(&mut self, offset: u64) -> Option<P> {
        while let Some(early) = &mut self.0
            && let Some(run) = early.take_at(offset)
        {
            if early.runs.is_empty() {
                self.0 = None;
            }
            if run.end() > offset {
                return Some(run.payload.keep(offset - run.offset, run.payload.length()));
            }
        }
        None
    }

    /// How many bytes of `from..to` are here.
    pub(crate) fn held(&self, from: u64, to: u64) -> u64 {
        let Some(Early { runs, .. }) = self.0.as_deref() else { return 0 };
        let first = runs.partition_point(|run| run.end() <= from);
        let met = runs.range(first..).take_while(|run| run.offset < to);
        met.map(|run| run.end().min(to) - run.offset.max(from)).sum()
    }

    /// The first bytes in a row of `from..to` that are here.
    pub(crate) fn first_held(&self, from: u64, to: u64) -> Option<[u64; 2]> {
        let met = self.0.as_ref()?.stretches.beyond(from)?;
        (met.from < to).then(|| [met.from.max(from), met.to.min(to)])
    }

    /// All that is here, the stretch to which the newest segment belongs at the front.
    pub(crate) fn newest(&self) -> impl Iterator<Item = Stretch> {
        self.0.iter().flat_map(|early| early.stretches.newest())
    }
}

impl<P: Payload> Early<P> {
    /// Takes out the first run if it starts at or below `offset`.
    fn take_at(&mut self, offset: u64) -> Option<Run<P>> {
        self.runs.front().filter(|run| run.offset <= offset)?;
        let run = self.runs.pop_front()?;
        self.stretches.drop_below(run.end());
        self.bytes -= run.payload.length();
        Some(run)
    }

    /// Puts a run before number `index`, or into the one before it; says which number follows.
    fn place(&mut self, index: usize, offset: u64, payload: P) -> usize {
        let mut payload = Some(payload);
        if index > 0 && self.runs[index - 1].end() == offset {
            let before = &mut self.runs[index - 1];
            payload = payload.and_then(|payload| before.payload.extend(payload));
        }
        match payload {
            Some(payload) => {
                self.runs.insert(index, Run { offset, payload });
                index + 1
            }
            None => index,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Length;
    use bytes::Bytes;
    use proptest::prelude::*;

    /// Byte `index` of the stream, and of a forgery that comes too late.
    fn text(from: u64, to: u64) -> Bytes {
        (from..to).map(|index| index as u8).collect()
    }

    proptest! {
        /// Against one flag a byte: what is new, what is held, and what comes out.
        #[test]
        fn keeps_what_a_bitmap_keeps(
            inserts in prop::collection::vec((0_u64..200, 1_u64..40), 1..60),
            takes in prop::collection::vec(0_u64..240, 1..20),
        ) {
            let (mut bytes, mut lengths) = (Reassembly::new(), Reassembly::new());
            let mut bitmap = [false; 256];
            for (offset, length) in inserts {
                let range = offset as usize..(offset + length) as usize;
                let fresh = bitmap[range.clone()].iter().filter(|held| !**held).count() as u64;
                prop_assert_eq!(bytes.insert(offset, &text(offset, offset + length)), fresh);
                prop_assert_eq!(lengths.insert(offset, &Length(length)), fresh);
                bitmap[range].fill(true);
                let held = bitmap.iter().filter(|held| **held).count() as u64;
                prop_assert_eq!(bytes.held(0, 256), held);
                prop_assert_eq!(lengths.held(30, 90), bytes.held(30, 90));
                prop_assert!(bytes.is_sorted_and_apart() && lengths.is_sorted_and_apart());
                let expect = stretches(&bitmap);
                prop_assert_eq!(bytes.edges().collect::<Vec<_>>(), expect.clone());
                prop_assert_eq!(lengths.edges().collect::<Vec<_>>(), expect.clone());
                let newest = bytes.newest().next();
                let holds = |range: std::ops::Range<u64>| range.contains(&offset);
                prop_assert!(newest.is_some_and(|stretch| holds(stretch.from..stretch.to)));
                let first = expect.iter().find(|[_, to]| *to > 30).filter(|[from, _]| *from < 90);
                let first = first.map(|[from, to]| [(*from).max(30), (*to).min(90)]);
                prop_assert_eq!(bytes.first_held(30, 90), first);
            }
            for at in takes {
                let held = bitmap[at as usize..].iter().take_while(|held| **held).count() as u64;
                let mut taken = 0;
                while let Some(piece) = bytes.take_at(at + taken) {
                    prop_assert_eq!(&piece, &text(at + taken, at + taken + piece.length()));
                    taken += piece.length();
                }
                prop_assert_eq!(taken, held);
                bitmap[..(at + taken) as usize].fill(false);
                prop_assert_eq!(bytes.edges().collect::<Vec<_>>(), stretches(&bitmap));
            }
        }
    }

    /// The runs of set flags.
    fn stretches(bitmap: &[bool]) -> Vec<[u64; 2]> {
        let mut found: Vec<[u64; 2]> = Vec::new();
        for at in (0_u64..).zip(bitmap).filter(|(_, held)| **held).map(|(at, _)| at) {
            match found.last_mut() {
                Some([_, to]) if *to == at => *to = at + 1,
                _ => found.push([at, at + 1]),
            }
        }
        found
    }

    impl<P: Payload> Reassembly<P> {
        fn edges(&self) -> impl Iterator<Item = [u64; 2]> {
            let mut edges: Vec<_> = self.newest().map(|met| [met.from, met.to]).collect();
            edges.sort_unstable();
            edges.into_iter()
        }

        fn is_sorted_and_apart(&self) -> bool {
            self.0.as_deref().is_none_or(|Early { runs, .. }| {
                let mut pairs = runs.iter().zip(runs.iter().skip(1));
                pairs.all(|(one, next)| one.end() <= next.offset)
            })
        }
    }

    #[test]
    fn lengths_that_touch_become_one_run() {
        let mut reassembly = Reassembly::new();
        for offset in [10, 20, 30, 40] {
            reassembly.insert(offset, &Length(10));
        }
        assert_eq!(reassembly.0.as_ref().map(|early| early.runs.len()), Some(1));
        assert_eq!(reassembly.take_at(10), Some(Length(40)));
        assert!(reassembly.is_empty());
    }

    const CRUMBS: u64 = 64;

    /// Bytes that come one by one with a gap after each, and between them all others, which arrive
    /// in order or the other way round.
    #[test]
    fn tiny_segments_take_no_more_memory_than_a_few_times_their_length() {
        let check = |offsets: &mut dyn Iterator<Item = u64>| {
            let mut reassembly = Reassembly::new();
            let sum: u64 = offsets.map(|at| reassembly.insert(at, &text(at, at + 1))).sum();
            let early = reassembly.0.expect("something is held");
            assert_eq!(early.bytes, sum);
            assert!(sum >= CRUMBS, "{sum}");
            let places = early.runs.capacity() * size_of::<Run<Bytes>>();
            let stretches = early.stretches.memory();
            let payloads: usize = early.runs.into_iter().map(|run| memory(run.payload)).sum();
            let most = 4 * sum as usize + CRUMBS as usize * 256;
            let whole = places + stretches + payloads;
            assert!(whole <= most, "{whole} B for {sum}");
            sum
        };
        assert_eq!(check(&mut (0..10_000).map(|number| 1 + 2 * number)), CRUMBS);
        assert_eq!(check(&mut (1..10_000)), 9_999);
        check(&mut (1..10_000).rev());
    }

    /// What the allocator gives for a payload: its capacity, and what counts who holds it.
    fn memory(payload: Bytes) -> usize {
        payload.try_into_mut().expect("nobody else holds it").capacity().max(32) + 32
    }

    /// One byte of a large segment does not hold all of it.
    #[test]
    fn of_what_was_there_nothing_is_held_twice() {
        let mut reassembly = Reassembly::new();
        reassembly.insert(1, &text(1, 1_460));
        assert_eq!(reassembly.insert(1, &text(1, 1_461)), 1);
        let early = reassembly.0.expect("something is held");
        let payloads: usize = early.runs.into_iter().map(|run| memory(run.payload)).sum();
        assert!(payloads < 2 * 1_460 + 64, "{payloads} B");
    }

    #[test]
    fn large_runs_have_room_among_tiny_segments() {
        let mut reassembly = Reassembly::new();
        for number in 0..CRUMBS {
            assert_eq!(reassembly.insert(1 + 2 * number, &text(0, 1)), 1);
        }
        assert_eq!(reassembly.insert(999, &text(0, 1)), 0);
        assert_eq!(reassembly.held(0, 2_000), CRUMBS);
        assert_eq!(reassembly.first_held(999, 1_000), None);
        assert_eq!(reassembly.insert(1_000, &text(0, 200)), 200);
        assert_eq!(reassembly.insert(2_000, &Bytes::from_static(&[0; 200])), 200);
    }

    #[test]
    fn of_two_versions_the_first_stays() {
        let mut reassembly = Reassembly::new();
        reassembly.insert(5, &Bytes::from_static(b"first"));
        reassembly.insert(3, &Bytes::from_static(b"LATERLATER"));
        let out: Vec<_> = std::iter::successors(Some((3, Bytes::new())), |(at, _)| {
            reassembly.take_at(*at).map(|piece| (at + piece.length(), piece))
        })
        .flat_map(|(_, piece)| piece)
        .collect();
        assert_eq!(out, b"LAfirstTER");
    }
}
