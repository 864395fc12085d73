//! When connections are looked at.

use std::collections::VecDeque;

use base::{Duration, Time};

/// Deadlines of connections by their numbers. All waits are equally long, so deadlines expire in
/// the order in which they were set: a queue suffices, without a heap entry for each. A number may
/// have been reused meanwhile; that connection is then looked at early.
#[derive(Debug)]
pub(super) struct Rounds {
    /// How long a round takes: a connection may be forgotten that much too late.
    period: Duration,
    /// Each number in use, once, and some that are in use no more.
    queue: VecDeque<(Time, u32)>,
    /// Which numbers are in use.
    queued: Vec<bool>,
    /// Connections with an acknowledgement that waits.
    delayed: VecDeque<(Time, u32)>,
}

/// How many rounds the shortest patience has.
const ROUNDS: u64 = 8;

impl Rounds {
    /// To find connections without a packet for `patience` or longer.
    pub(super) const fn new(patience: Duration) -> Self {
        let period = Duration::from_nanos(patience.as_nanos() / ROUNDS + 1);
        Self { period, queue: VecDeque::new(), queued: Vec::new(), delayed: VecDeque::new() }
    }

    /// Connection `slot` is looked at in the next round, or before.
    pub(super) fn add(&mut self, now: Time, slot: u32) {
        let index = slot as usize;
        if self.queued.len() <= index {
            self.queued.resize(index + 1, false);
        }
        if !std::mem::replace(&mut self.queued[index], true) {
            self.queue.push_back((now + self.period, slot));
        }
    }

    /// An acknowledgement of connection `slot` waits until `due`, as long as all do.
    pub(super) fn delay(&mut self, due: Time, slot: u32) {
        self.delayed.push_back((due, slot));
    }

    /// The next connection to be looked at; it is in no round then.
    pub(super) fn next(&mut self, now: Time) -> Option<u32> {
        let slot = take(&mut self.queue, now)?;
        self.queued[slot as usize] = false;
        Some(slot)
    }

    /// The next connection of which an acknowledgement may be due.
    pub(super) fn next_delayed(&mut self, now: Time) -> Option<u32> {
        take(&mut self.delayed, now)
    }

    /// The next deadline.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        let fronts = [self.queue.front(), self.delayed.front()];
        fronts.into_iter().flatten().map(|&(due, _)| due).min()
    }
}

fn take(queue: &mut VecDeque<(Time, u32)>, now: Time) -> Option<u32> {
    let &(due, slot) = queue.front().filter(|&&(due, _)| due <= now)?;
    queue.pop_front();
    debug_assert!(queue.front().is_none_or(|&(next, _)| due <= next), "in their order");
    Some(slot)
}
