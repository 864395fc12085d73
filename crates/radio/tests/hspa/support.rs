//! A cell, and what comes out of it.

use base::{Direction, Duration, Time};
use link::{Load, queue};
use observe::{BlockFact, Observe};
use radio::hspa::{Cell, Config, HsKeys};
use radio::{Output, RadioContext, Sdu};

/// A packet with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packet {
    pub(crate) number: u32,
    pub(crate) bytes: u32,
}

impl Load for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }
}

impl Sdu for Packet {}

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// The cell of these keys.
pub(crate) fn config(keys: &HsKeys) -> Config {
    let context = RadioContext {
        queues: [queue::Config::UNLIMITED; 2],
        per_flow: false,
        duration: Duration::from_secs(1000),
        seed: 1,
        asked: None,
        asked_of: Box::new(|_, _| Vec::new()),
    };
    keys.config(&context)
}

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Delivered,
    Discarded,
    Dropped,
}

/// A packet that came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Exit {
    pub(crate) time: Time,
    pub(crate) ue: u32,
    pub(crate) direction: Direction,
    pub(crate) packet: Packet,
    pub(crate) fate: Fate,
}

/// The blocks that were sent, each with its TTI.
#[derive(Debug, Default)]
pub(crate) struct Blocks(pub(crate) Vec<(Time, BlockFact)>);

impl Observe for Blocks {
    fn block(&mut self, now: Time, fact: BlockFact) {
        self.0.push((now, fact));
    }
}

/// A cell with a log of what came out.
pub(crate) struct Run {
    pub(crate) cell: Cell<Packet>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) blocks: Blocks,
    numbers: u32,
    /// The most that a Node B may have of a mobile.
    most: u64,
}

impl Run {
    pub(crate) fn new(config: &Config, seed: u64) -> Self {
        let cell = Cell::new(0, config, seed);
        // What it wants while the best block is allowed, or the least that it always does.
        let most = (u64::from(config.formats.most()) * config.iub.target).max(8);
        Self { cell, exits: Vec::new(), blocks: Blocks::default(), numbers: 0, most }
    }

    /// Hands in a packet and says its number.
    pub(crate) fn send(&mut self, now: Time, ue: u32, direction: Direction, bytes: u32) -> u32 {
        self.until(now);
        let packet = Packet { number: self.numbers, bytes };
        self.numbers += 1;
        if self.cell.handle_input(now, ue, direction, packet, &mut self.blocks).is_err() {
            self.exits.push(Exit { time: now, ue, direction, packet, fate: Fate::Dropped });
        }
        self.drain(now);
        packet.number
    }

    /// Runs until `end`, and checks that the flow control keeps its promise.
    pub(crate) fn until(&mut self, end: Time) {
        while let Some(due) = self.cell.poll_timeout().filter(|due| *due <= end) {
            self.cell.handle_timeout(due, &mut self.blocks);
            self.drain(due);
            let next = self.cell.poll_timeout();
            assert!(next.is_none_or(|next| next > due), "due again at {due:?}");
            let usage = self.cell.node_b_use(0);
            assert!(usage.queued <= self.most, "{usage:?} of {}", self.most);
            assert!(usage.received <= usage.granted, "{usage:?}");
        }
    }

    fn drain(&mut self, time: Time) {
        while let Some((ue, direction, output)) = self.cell.poll_output() {
            let (packet, fate) = match output {
                Output::Delivered(packet) => (packet, Fate::Delivered),
                Output::Discarded(packet) => (packet, Fate::Discarded),
                Output::Dropped(dropped) => (dropped.packet, Fate::Dropped),
            };
            self.exits.push(Exit { time, ue, direction, packet, fate });
        }
    }

    /// When packet `number` was delivered.
    pub(crate) fn delivered(&self, number: u32) -> Option<Time> {
        let exit = self.exits.iter().find(|exit| exit.packet.number == number)?;
        (exit.fate == Fate::Delivered).then_some(exit.time)
    }
}
