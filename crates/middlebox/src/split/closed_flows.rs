//! Connections that are over, kept for a while to answer ends that have not learned of it.

use std::collections::VecDeque;

use base::{Duration, Time};

/// Their numbers, the oldest first. One may have been reused meanwhile.
#[derive(Debug, Default)]
pub(super) struct ClosedFlows(VecDeque<(Time, u32)>);

impl ClosedFlows {
    /// Connection `slot` is over; none is kept for longer than `patience`.
    pub(super) fn add(&mut self, now: Time, slot: u32, patience: Duration) {
        while self.0.front().is_some_and(|&(since, _)| since + patience < now) {
            self.0.pop_front();
        }
        self.0.push_back((now, slot));
    }

    /// The oldest, if there are more than `most`.
    pub(super) fn pop_beyond(&mut self, most: u32) -> Option<u32> {
        if self.0.len() <= most as usize {
            return None;
        }
        self.0.pop_front().map(|(_, slot)| slot)
    }
}
