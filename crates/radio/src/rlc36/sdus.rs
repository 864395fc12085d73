//! The SDUs of one direction.

use std::collections::VecDeque;

use super::Range;

/// The SDUs that the link control has and has not yet delivered or given up, in order: one stream
/// of bytes.
#[derive(Debug)]
pub(crate) struct Sdus<T> {
    entries: VecDeque<Entry<T>>,
    /// Where the first of them begins.
    start: u64,
    /// Where the last of them ends.
    end: u64,
}

#[derive(Debug)]
struct Entry<T> {
    end: u64,
    sdu: T,
}

impl<T> Sdus<T> {
    pub(crate) const fn new() -> Self {
        Self { entries: VecDeque::new(), start: 0, end: 0 }
    }

    /// Adds an SDU that takes `bytes` of the stream.
    pub(crate) fn push(&mut self, sdu: T, bytes: u64) {
        self.end += bytes;
        self.entries.push_back(Entry { end: self.end, sdu });
    }

    /// Where the stream ends so far.
    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// Where its oldest SDU begins.
    pub(crate) const fn start(&self) -> u64 {
        self.start
    }

    /// Where the oldest SDU ends.
    pub(crate) fn first_end(&self) -> Option<u64> {
        self.entries.front().map(|entry| entry.end)
    }

    /// Where the SDU ends that has byte `at`.
    pub(crate) fn end_of(&self, at: u64) -> u64 {
        let place = self.entries.partition_point(|entry| entry.end <= at);
        self.entries.get(place).map_or(self.end, |entry| entry.end)
    }

    /// How many SDUs begin in `range`.
    pub(crate) fn begun_in(&self, range: Range) -> u32 {
        let ends_before = |at| self.entries.partition_point(|entry| entry.end < at);
        let first = (range.from..range.to).contains(&self.start);
        // But for the first, an SDU begins where another ends.
        (ends_before(range.to) - ends_before(range.from)) as u32 + u32::from(first)
    }

    /// Where the SDU begins that has byte `at`.
    pub(crate) fn start_of(&self, at: u64) -> u64 {
        let place = self.entries.partition_point(|entry| entry.end <= at);
        place.checked_sub(1).map_or(self.start, |before| self.entries[before].end)
    }

    /// The end of the last SDU that lies in `range` as a whole.
    pub(crate) fn last_in(&self, range: Range) -> Option<u64> {
        let last = self.entries.partition_point(|entry| entry.end <= range.to).checked_sub(1)?;
        let end = self.entries[last].end;
        (self.start_of(end - 1) >= range.from).then_some(end)
    }

    /// Takes out the oldest SDU.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let entry = self.entries.pop_front()?;
        self.start = entry.end;
        Some(entry.sdu)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|entry| &entry.sdu)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// `at`, or where the SDU ends that `at` lies in.
    pub(crate) fn end_of_begun(&self, at: u64) -> u64 {
        let place = self.entries.partition_point(|entry| entry.end <= at);
        let start = place.checked_sub(1).map_or(self.start, |last| self.entries[last].end);
        if start < at { self.entries.get(place).map_or(at, |entry| entry.end) } else { at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_belong_to_sdus() {
        let mut sdus = Sdus::new();
        for (name, bytes) in [('a', 10), ('b', 20), ('c', 30)] {
            sdus.push(name, bytes);
        }
        assert_eq!([0, 9, 10, 29, 59].map(|at| sdus.end_of(at)), [10, 10, 30, 30, 60]);
        assert_eq!([0, 9, 10, 11, 60].map(|at| sdus.end_of_begun(at)), [0, 10, 10, 30, 60]);
        let begun = [(0, 60), (0, 10), (1, 10), (10, 11), (11, 31), (30, 60), (31, 60)];
        let begun = begun.map(|(from, to)| sdus.begun_in(Range::new(from, to)));
        assert_eq!(begun, [3, 1, 0, 1, 1, 1, 0]);
        assert_eq!([0, 9, 10, 29, 59].map(|at| sdus.start_of(at)), [0, 0, 10, 10, 30]);
        let last = [(0, 9), (0, 10), (0, 59), (10, 30), (11, 59), (11, 60)];
        let last = last.map(|(from, to)| sdus.last_in(Range::new(from, to)));
        assert_eq!(last, [None, Some(10), Some(30), Some(30), None, Some(60)]);
        assert_eq!((sdus.pop(), sdus.start(), sdus.first_end()), (Some('a'), 10, Some(30)));
        assert_eq!([10, 11].map(|at| sdus.end_of_begun(at)), [10, 30]);
        assert_eq!(sdus.iter().copied().collect::<Vec<_>>(), ['b', 'c']);
    }
}
