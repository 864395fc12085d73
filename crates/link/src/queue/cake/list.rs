//! Lists of the flows of a tin.

use super::tin::Flow;

/// In the place of an index, that there is none.
const NONE: u32 = u32::MAX;

/// Flows of a tin of which each knows its neighbours; the first is the next to be served.
#[derive(Debug)]
pub(super) struct List {
    first: u32,
    last: u32,
}

/// The neighbours of a flow on its list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    before: u32,
    next: u32,
}

impl Links {
    pub(super) const NONE: Self = Self { before: NONE, next: NONE };
}

impl List {
    pub(super) const EMPTY: Self = Self { first: NONE, last: NONE };

    /// The index of the first.
    pub(super) fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// Puts the flow at `place` behind all.
    pub(super) fn push<T>(&mut self, flows: &mut [Flow<T>], place: u32) {
        flows[place as usize].links = Links { before: self.last, next: NONE };
        match flows.get_mut(self.last as usize) {
            Some(last) => last.links.next = place,
            None => self.first = place,
        }
        self.last = place;
    }

    /// Takes off the first, which is at `place`.
    pub(super) fn pop<T>(&mut self, flows: &mut [Flow<T>], place: u32) {
        self.first = flows[place as usize].links.next;
        match flows.get_mut(self.first as usize) {
            Some(flow) => flow.links.before = NONE,
            None => self.last = NONE,
        }
    }

    /// Takes off the flow at `place`.
    pub(super) fn remove<T>(&mut self, flows: &mut [Flow<T>], place: u32) {
        let Links { before, next } = flows[place as usize].links;
        match flows.get_mut(before as usize) {
            Some(flow) => flow.links.next = next,
            None => self.first = next,
        }
        match flows.get_mut(next as usize) {
            Some(flow) => flow.links.before = before,
            None => self.last = before,
        }
    }
}
