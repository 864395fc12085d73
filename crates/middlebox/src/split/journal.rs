//! Which connections' exposures may have changed.

use std::collections::VecDeque;

use super::Journal;

/// Connections whose exposure is to be reported, by their numbers.
#[derive(Debug)]
pub(super) struct ExposureChanges {
    journal: Journal,
    queue: VecDeque<u32>,
    noted: Vec<Noted>,
}

/// What is known of a number.
#[derive(Clone, Copy, Debug, Default)]
struct Noted {
    queued: bool,
    /// Whether it was last reported as exposed.
    exposed: bool,
}

impl ExposureChanges {
    /// None yet.
    pub(super) const fn new(journal: Journal) -> Self {
        Self { journal, queue: VecDeque::new(), noted: Vec::new() }
    }

    /// Something happened to connection `slot`.
    pub(super) fn note(&mut self, slot: u32) {
        match self.journal {
            Journal::Unkept => {}
            Journal::Kept => {
                let index = slot as usize;
                if self.noted.len() <= index {
                    self.noted.resize(index + 1, Noted::default());
                }
                if !std::mem::replace(&mut self.noted[index].queued, true) {
                    self.queue.push_back(slot);
                }
            }
        }
    }

    /// The next connection to be looked at.
    pub(super) fn next(&mut self) -> Option<u32> {
        let slot = self.queue.pop_front()?;
        self.noted[slot as usize].queued = false;
        Some(slot)
    }

    /// Connection `slot` is exposed now, or is not: whether that has to be reported.
    pub(super) fn is_changed(&mut self, slot: u32, exposed: bool) -> bool {
        std::mem::replace(&mut self.noted[slot as usize].exposed, exposed) || exposed
    }
}
