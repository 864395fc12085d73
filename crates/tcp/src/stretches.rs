//! Which bytes wait behind gaps, and which of them came last (RFC 2018 §4).

use std::collections::VecDeque;

/// Bytes without a gap, and not to be lengthened at either end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stretch {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// The number of the last insert that met it.
    grown: u64,
}

/// Stretches in the order of the stream; an operation visits only those it needs, however many
/// there are.
#[derive(Debug, Default)]
pub(crate) struct Stretches {
    held: VecDeque<Stretch>,
    /// For each, the last insert that met it and an offset that nothing below it holds; in the
    /// order of these inserts.
    recent: VecDeque<(u64, u64)>,
    /// How often [`Stretches::insert`] was called.
    inserts: u64,
}

impl Stretches {
    /// Adds `from..to`, of which some may be here already.
    pub(crate) fn insert(&mut self, mut from: u64, mut to: u64) {
        let index = self.held.partition_point(|stretch| stretch.to < from);
        while let Some(&met) = self.held.get(index).filter(|stretch| stretch.from <= to) {
            (from, to) = (from.min(met.from), to.max(met.to));
            self.held.remove(index);
            self.forget(met);
        }
        self.inserts += 1;
        self.held.insert(index, Stretch { from, to, grown: self.inserts });
        self.recent.push_back((self.inserts, from));
    }

    /// Takes out everything below `offset`.
    pub(crate) fn drop_below(&mut self, offset: u64) {
        while let Some(&first) = self.held.front().filter(|first| first.to <= offset) {
            self.held.pop_front();
            self.forget(first);
        }
        if let Some(first) = self.held.front_mut() {
            first.from = first.from.max(offset);
        }
    }

    /// The first that ends beyond `offset`.
    pub(crate) fn beyond(&self, offset: u64) -> Option<Stretch> {
        let index = self.held.partition_point(|stretch| stretch.to <= offset);
        self.held.get(index).copied()
    }

    /// All of them, the one that grew last at the front.
    pub(crate) fn newest(&self) -> impl Iterator<Item = Stretch> {
        self.recent.iter().rev().filter_map(|&(_, offset)| self.beyond(offset))
    }

    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        self.held.capacity() * size_of::<Stretch>()
            + self.recent.capacity() * size_of::<(u64, u64)>()
    }

    fn forget(&mut self, stretch: Stretch) {
        if let Ok(index) = self.recent.binary_search_by_key(&stretch.grown, |recent| recent.0) {
            self.recent.remove(index);
        }
    }
}
