//! The SDUs that link control has, by number.

use std::collections::VecDeque;

use base::Time;
use observe::Observe;

use crate::Sdu;

/// The SDUs themselves, by number.
#[derive(Debug)]
pub(crate) struct Contents<T> {
    base: u64,
    sdus: VecDeque<Option<T>>,
    /// Those below this number have been reported to observers as dequeued.
    told: u64,
}

impl<T> Contents<T> {
    pub(crate) const fn new() -> Self {
        Self { base: 0, sdus: VecDeque::new(), told: 0 }
    }

    /// Link control got `sdu`, the next one.
    pub(crate) fn push(&mut self, sdu: T) {
        self.sdus.push_back(Some(sdu));
    }

    /// Those between entry and exit, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.sdus.iter().flatten()
    }

    /// The number of the next one.
    pub(crate) fn end(&self) -> u64 {
        self.base + self.sdus.len() as u64
    }

    /// SDU `number`, unless it is out.
    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.sdus.get(number.checked_sub(self.base)? as usize)?.as_ref()
    }

    /// Takes out SDU `number`.
    #[inline]
    pub(crate) fn take(&mut self, number: u64) -> T {
        let slot = &mut self.sdus[(number - self.base) as usize];
        let sdu = slot.take().expect("an SDU has one outcome");
        while matches!(self.sdus.front(), Some(None)) {
            self.sdus.pop_front();
            self.base += 1;
        }
        sdu
    }
}

impl<T: Sdu> Contents<T> {
    /// The SDUs below number `begun` have been sent in part at least, the last of them from `now`
    /// on.
    pub(crate) fn tell_dequeued(
        &mut self,
        now: Time,
        machine: u32,
        begun: u64,
        observe: &mut impl Observe,
    ) {
        for sdu in (self.told..begun).filter_map(|number| self.get(number)) {
            observe.dequeued(now, machine, sdu.uid());
        }
        self.told = self.told.max(begun);
    }
}
