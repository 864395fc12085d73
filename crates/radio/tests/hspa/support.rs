//! A cell, and what comes out of it.

use base::{Direction, Time};
use observe::Context;
use radio::hspa::{HsCell, HsConfig, HsKeys};

pub(crate) use crate::support::Packet;
pub(crate) use crate::support::cell::{Blocks, Exit, Fate, at, context, delivered, ms};

/// The cell of these keys.
pub(crate) fn config(keys: &HsKeys) -> HsConfig {
    keys.config(&context())
}

/// A cell with a log of what came out.
pub(crate) struct Run {
    pub(crate) cell: HsCell<Packet>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) blocks: Blocks,
    numbers: u32,
    /// The most that a `NodeB` may have of a mobile.
    most: u64,
}

impl Run {
    pub(crate) fn new(config: &HsConfig, seed: u64) -> Self {
        let cell = HsCell::new(0, config, seed);
        // What it wants while the best block is allowed, or the least that it always does.
        let most = (u64::from(config.formats.most()) * config.iub.target).max(8);
        Self { cell, exits: Vec::new(), blocks: Blocks::default(), numbers: 0, most }
    }

    /// Hands in a packet and says its number.
    pub(crate) fn send(&mut self, now: Time, ue: u32, direction: Direction, bytes: u32) -> u32 {
        self.until(now);
        let packet = Packet { number: self.numbers, bytes };
        self.numbers += 1;
        if self
            .cell
            .handle_input(&mut Context { now, observe: &mut self.blocks }, ue, direction, packet)
            .is_err()
        {
            self.exits.push(Exit { time: now, ue, direction, packet, fate: Fate::Dropped });
        }
        self.drain(now);
        packet.number
    }

    /// Runs until `end`, and checks that the flow control keeps its promise.
    pub(crate) fn until(&mut self, end: Time) {
        while let Some(due) = self.cell.poll_timeout().filter(|due| *due <= end) {
            self.cell.handle_timeout(&mut Context { now: due, observe: &mut self.blocks });
            self.drain(due);
            let next = self.cell.poll_timeout();
            assert!(next.is_none_or(|next| next > due), "due again at {due:?}");
            let usage = self.cell.node_b_use(0);
            assert!(usage.queued <= self.most, "{usage:?} of {}", self.most);
            assert!(usage.received <= usage.granted, "{usage:?}");
        }
    }

    fn drain(&mut self, time: Time) {
        while let Some(output) = self.cell.poll_output() {
            self.exits.push(Exit::of(time, output));
        }
    }

    /// When packet `number` was delivered.
    pub(crate) fn delivered(&self, number: u32) -> Option<Time> {
        delivered(&self.exits, number)
    }
}
