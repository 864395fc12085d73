//! Packets in the order in which they came.

use std::collections::VecDeque;

use base::Time;

use super::{Departure, Queued};
use crate::Load;

/// A FIFO: all of a queue, or a part of it, as what waits of one flow.
#[derive(Debug)]
pub(super) struct Lane<T> {
    packets: VecDeque<Queued<T>>,
    bytes: u64,
}

impl<T: Load> Lane<T> {
    pub(super) const fn new() -> Self {
        Self { packets: VecDeque::new(), bytes: 0 }
    }

    pub(super) fn push(&mut self, queued: Queued<T>) {
        self.bytes += u64::from(queued.packet.bytes());
        self.packets.push_back(queued);
    }

    /// Takes out the oldest packet.
    pub(super) fn pop(&mut self) -> Option<Queued<T>> {
        let queued = self.packets.pop_front()?;
        self.bytes -= u64::from(queued.packet.bytes());
        Some(queued)
    }

    /// Start of the transmission of `queued`, which has just been taken out, if the transmitter
    /// is free from `free` on; and what a judge sees of it.
    pub(super) fn departure(&self, queued: &Queued<T>, free: Time) -> (Time, Departure) {
        let start = free.max(queued.since);
        (start, Departure { sojourn: start - queued.since, bytes_behind: self.bytes })
    }

    /// The oldest packet.
    pub(super) fn head(&self) -> Option<&Queued<T>> {
        self.packets.front()
    }

    /// Since when it waits.
    pub(super) fn since(&self) -> Option<Time> {
        self.head().map(|queued| queued.since)
    }

    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Queued<T>> {
        self.packets.iter()
    }
}
