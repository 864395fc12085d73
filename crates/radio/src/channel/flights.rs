//! Blocks under way, and what their senders will learn of them.

use std::collections::VecDeque;

use base::Direction;

/// A block under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    /// The slot in which it was sent.
    pub(crate) slot: u64,
    pub(crate) ue: u32,
    /// Its process of hybrid ARQ.
    pub(crate) process: u32,
    /// True if it arrives in error.
    pub(crate) errs: bool,
}

/// Blocks under way in a cell, by direction.
#[derive(Default, Debug)]
pub(crate) struct Flights {
    /// Blocks that will arrive, each with the slot.
    arriving: [VecDeque<(u64, Flight)>; 2],
    /// Blocks of which the sender will learn, each with the slot.
    returning: [VecDeque<(u64, Flight)>; 2],
    /// The part of the channel that they all took, in units of their senders.
    used: [u64; 2],
}

impl Flights {
    /// A block is sent, which takes `width` of the channel and arrives at `arrives` unless it errs;
    /// its sender learns of it at `returns`. Neither is before that of a block that was sent before
    /// in its direction.
    pub(crate) fn send(
        &mut self,
        direction: Direction,
        flight: Flight,
        width: u64,
        [arrives, returns]: [u64; 2],
    ) {
        self.used[direction as usize] += width;
        if !flight.errs {
            self.arriving[direction as usize].push_back((arrives, flight));
        }
        self.returning[direction as usize].push_back((returns, flight));
    }

    /// The next block that has arrived by `slot`, those of the downlink first.
    pub(crate) fn next_arrived(&mut self, slot: u64) -> Option<(Direction, Flight)> {
        next_due(&mut self.arriving, slot)
    }

    /// The next block of which its sender has learnt by `slot`, those of the downlink first.
    pub(crate) fn next_returned(&mut self, slot: u64) -> Option<(Direction, Flight)> {
        next_due(&mut self.returning, slot)
    }

    /// The part of the channel that was used in `direction`, in units of the senders.
    pub(crate) const fn used(&self, direction: Direction) -> u64 {
        self.used[direction as usize]
    }

    /// When something of it is due.
    pub(crate) fn next(&self) -> Option<u64> {
        let all = self.arriving.iter().chain(&self.returning);
        all.filter_map(|flights| Some(flights.front()?.0)).min()
    }
}

fn next_due(flights: &mut [VecDeque<(u64, Flight)>; 2], slot: u64) -> Option<(Direction, Flight)> {
    Direction::BOTH.into_iter().zip(flights).find_map(|(direction, flights)| {
        let is_due = flights.front()?.0 <= slot;
        is_due.then(|| flights.pop_front()).flatten().map(|(_, flight)| (direction, flight))
    })
}
