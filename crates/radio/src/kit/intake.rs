//! Where SDUs wait ahead of link control.

use base::{Duration, Time};
use link::queue::{Backlog, Config, Queue, Queued, Transmission};

use crate::{Counters, Output, Sdu};

/// A queue, and what is counted of it.
#[derive(Debug)]
pub(crate) struct Intake<T> {
    queue: Queue<T>,
    counters: link::Counters,
    /// How many SDUs waited at most.
    most: u32,
}

impl<T: Sdu> Intake<T> {
    /// One whose random stream is called `name`.
    pub(crate) fn new(config: &Config, seed: u64, name: &str) -> Self {
        Self { queue: Queue::new(config, seed, name), counters: link::Counters::default(), most: 0 }
    }

    /// How many SDUs wait.
    pub(crate) fn len(&self) -> u32 {
        self.queue.len() as u32
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// How many bytes wait.
    pub(crate) const fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    /// The most SDUs that waited.
    pub(crate) const fn most(&self) -> u32 {
        self.most
    }

    /// Takes in an SDU, or gives it back. `before` it so many waited, of which some may be in a
    /// block since: a slot that begins at `now` goes without it.
    pub(crate) fn push(
        &mut self,
        now: Time,
        sdu: T,
        before: u32,
        counters: &mut Counters,
    ) -> Result<(), T> {
        counters.sdus += 1;
        let transmission = Transmission { sending: Backlog::default(), idle_bytes: 0 };
        let pushed = self.queue.push(now, sdu, transmission, &mut self.counters);
        if pushed.is_ok() {
            self.most = self.most.max(before + 1);
        }
        pushed.map_err(|dropped| {
            counters.count_drop(dropped.reason);
            dropped.packet
        })
    }

    /// The next SDU, and since when it waits.
    pub(crate) fn pop(&mut self, now: Time) -> Option<Queued<T>> {
        let turn = self.queue.pop(now, &mut self.counters)?;
        self.counters.queue_integral += now.saturating_since(turn.since);
        Some(turn)
    }

    /// The sum over SDUs of the time that each has waited here by `now`.
    pub(crate) fn waited(&self, now: Time) -> Duration {
        self.counters.queue_integral + self.queue.waited(now)
    }

    /// The next SDU that was dropped after it had been taken in. To be called after each `push` and
    /// `pop` until it says `None`.
    pub(crate) fn poll_dropped(&mut self) -> Option<Output<T>> {
        self.queue.poll_gone().map(Output::Dropped)
    }

    /// The SDUs that wait.
    pub(crate) fn held(&self) -> impl Iterator<Item = &T> {
        self.queue.held()
    }
}
