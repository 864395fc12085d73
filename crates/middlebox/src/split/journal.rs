//! Which connections' exposures may have changed.

use std::collections::VecDeque;

use super::Journal;

/// Connections whose exposure is to be told, by their numbers.
#[derive(Debug)]
pub(super) struct Changes {
    journal: Journal,
    queue: VecDeque<u32>,
    places: Vec<Place>,
}

/// What is known of a number.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    queued: bool,
    /// Whether it was last told as exposed.
    exposed: bool,
}

impl Changes {
    /// None yet.
    pub(super) const fn new(journal: Journal) -> Self {
        Self { journal, queue: VecDeque::new(), places: Vec::new() }
    }

    /// Something happened to connection `slot`.
    pub(super) fn note(&mut self, slot: u32) {
        match self.journal {
            Journal::Unkept => {}
            Journal::Kept => {
                let index = slot as usize;
                if self.places.len() <= index {
                    self.places.resize(index + 1, Place::default());
                }
                if !std::mem::replace(&mut self.places[index].queued, true) {
                    self.queue.push_back(slot);
                }
            }
        }
    }

    /// The next connection to be looked at.
    pub(super) fn next(&mut self) -> Option<u32> {
        let slot = self.queue.pop_front()?;
        self.places[slot as usize].queued = false;
        Some(slot)
    }

    /// Connection `slot` is exposed now, or is not: whether that is worth telling.
    pub(super) fn is_news(&mut self, slot: u32, exposed: bool) -> bool {
        std::mem::replace(&mut self.places[slot as usize].exposed, exposed) || exposed
    }
}
