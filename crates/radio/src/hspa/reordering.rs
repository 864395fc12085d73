//! Blocks in the order of their numbers (TSN), and when a gap is passed over (TS 25.321 §11.6.2).

use std::collections::VecDeque;

use super::pdus::Item;

/// How many blocks may be on their way beside the one expected next: half of the numbers of 6 bits
/// (TS 25.321 §9.2.2).
pub(super) const WINDOW: u64 = 32;

/// The reordering queue of a receiver. It counts blocks without wrapping.
#[derive(Debug)]
pub(super) struct Reordering {
    /// The block expected next.
    next: u64,
    /// What has come of it and those behind it: nothing, but for later blocks.
    waiting: VecDeque<Option<Vec<Item>>>,
    /// T1: when it runs out, and for which block it was started.
    timer: Option<(u64, u64)>,
    /// For how long a gap is waited for.
    patience: u64,
}

impl Reordering {
    pub(super) const fn new(patience: u64) -> Self {
        Self { next: 0, waiting: VecDeque::new(), timer: None, patience }
    }

    /// When a gap is passed over.
    pub(super) fn poll_timeout(&self) -> Option<u64> {
        self.timer.map(|(at, _)| at)
    }

    /// Block number `tsn` arrives with `items`; what is in order goes to the end of `out`. Late
    /// blocks, whose gap was passed over, are lost.
    pub(super) fn take(&mut self, slot: u64, tsn: u64, items: &mut Vec<Item>, out: &mut Vec<Item>) {
        if tsn < self.next {
            items.clear();
            return;
        }
        if tsn == self.next && self.waiting.is_empty() {
            self.next += 1;
            out.append(items);
            return;
        }
        if tsn >= self.next + WINDOW {
            self.pass(tsn - WINDOW + 1, out);
        }
        let place = (tsn - self.next) as usize;
        if self.waiting.len() <= place {
            self.waiting.resize_with(place + 1, || None);
        }
        self.waiting[place] = Some(std::mem::take(items));
        self.release(out);
        self.watch(slot);
    }

    /// Passes over what T1 has been started for.
    pub(super) fn handle_timeout(&mut self, slot: u64, out: &mut Vec<Item>) {
        if let Some((_, tsn)) = self.timer.filter(|(at, _)| *at <= slot) {
            self.timer = None;
            self.pass(tsn, out);
            self.release(out);
            self.watch(slot);
        }
    }

    /// Expects block number `next`; what came before is gone.
    pub(super) fn restart(&mut self, next: u64) {
        *self = Self { next, ..Self::new(self.patience) };
    }

    /// Gives up all blocks below `tsn` that have not come.
    fn pass(&mut self, tsn: u64, out: &mut Vec<Item>) {
        while self.next < tsn {
            if let Some(Some(mut items)) = self.waiting.pop_front() {
                out.append(&mut items);
            }
            self.next += 1;
        }
    }

    /// Releases what is in order.
    fn release(&mut self, out: &mut Vec<Item>) {
        while let Some(Some(items)) = self.waiting.front_mut() {
            out.append(items);
            self.waiting.pop_front();
            self.next += 1;
        }
    }

    /// Starts T1 if blocks wait behind a gap, for the last of them, and stops it if the one for
    /// which it was started is out.
    fn watch(&mut self, slot: u64) {
        self.timer = self.timer.filter(|(_, tsn)| *tsn >= self.next);
        if self.timer.is_none() && !self.waiting.is_empty() {
            let last = self.next + self.waiting.len() as u64 - 1;
            self.timer = Some((slot + self.patience, last));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::umts::rlc::{DataKind, Run, Sn};

    /// What comes out as blocks `came` arrive one a slot, with the slot in which it does.
    fn outcome(patience: u64, came: &[u64]) -> String {
        let mut queue = Reordering::new(patience);
        let mut lines = Vec::new();
        for slot in 0..came.len() as u64 + 20 {
            let mut out = Vec::new();
            queue.handle_timeout(slot, &mut out);
            if let Some(tsn) = came.get(slot as usize) {
                let run = Run { sn: Sn::new(*tsn), pdus: 1, kind: DataKind::New, poll: false };
                queue.take(slot, *tsn, &mut vec![Item::Data(run)], &mut out);
            }
            for item in out {
                let Item::Data(run) = item else { panic!("all are data") };
                lines.push(format!("{slot}:{}", run.sn.wire()));
            }
        }
        assert!(queue.waiting.is_empty() && queue.timer.is_none());
        lines.join(" ")
    }

    #[test]
    fn blocks_come_out_in_order() {
        assert_eq!(outcome(9, &[0, 1, 2]), "0:0 1:1 2:2");
        assert_eq!(outcome(9, &[0, 2, 3, 1]), "0:0 3:1 3:2 3:3");
    }

    #[test]
    fn a_gap_is_passed_over_after_t1() {
        // T1 runs for block 2 from slot 1; what came later waits on if a gap is before it.
        assert_eq!(outcome(3, &[0, 2, 3, 5]), "0:0 4:2 4:3 7:5");
        assert_eq!(outcome(3, &[0, 2, 3, 5, 1, 4]), "0:0 4:2 4:3 5:4 5:5", "1 is too late");
    }

    #[test]
    fn a_block_beyond_the_window_moves_it() {
        assert_eq!(outcome(9, &[1, 32]), "1:1 10:32");
    }
}
