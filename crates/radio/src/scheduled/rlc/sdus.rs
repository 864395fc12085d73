//! The SDUs of one direction.

use std::collections::VecDeque;

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
        assert_eq!((sdus.pop(), sdus.start(), sdus.first_end()), (Some('a'), 10, Some(30)));
        assert_eq!([10, 11].map(|at| sdus.end_of_begun(at)), [10, 30]);
        assert_eq!(sdus.iter().copied().collect::<Vec<_>>(), ['b', 'c']);
    }
}
