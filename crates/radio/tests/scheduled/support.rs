//! A cell, and what comes out of it.

use base::{Direction, Duration, Time};
use link::{Load, queue};
use observe::{BlockFact, Observe};
use radio::lte::LteKeys;
use radio::scheduled::{Config, Network};
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
pub(crate) fn config(keys: &LteKeys) -> Config {
    keys.config(&context())
}

/// A scenario without limits.
pub(crate) fn context() -> RadioContext<'static> {
    RadioContext {
        queues: [queue::Config::UNLIMITED; 2],
        per_flow: false,
        duration: Duration::from_secs(1000),
        seed: 1,
        asked: None,
        asked_of: Box::new(|_, _| Vec::new()),
    }
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

/// The blocks that were sent, each with its slot.
#[derive(Debug, Default)]
pub(crate) struct Blocks(pub(crate) Vec<(Time, BlockFact)>);

impl Observe for Blocks {
    fn block(&mut self, now: Time, fact: BlockFact) {
        self.0.push((now, fact));
    }
}

/// A cell with a log of what came out.
pub(crate) struct Run {
    pub(crate) network: Network<Packet>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) blocks: Blocks,
    numbers: u32,
}

impl Run {
    pub(crate) fn new(config: &Config, seed: u64) -> Self {
        let network = Network::new(0, config, seed);
        Self { network, exits: Vec::new(), blocks: Blocks::default(), numbers: 0 }
    }

    /// Hands in a packet and says its number.
    pub(crate) fn send(&mut self, now: Time, ue: u32, direction: Direction, bytes: u32) -> u32 {
        self.until(now);
        let packet = Packet { number: self.numbers, bytes };
        self.numbers += 1;
        if self.network.handle_input(now, ue, direction, packet, &mut self.blocks).is_err() {
            self.exits.push(Exit { time: now, ue, direction, packet, fate: Fate::Dropped });
        }
        self.drain(now);
        packet.number
    }

    /// Runs until `end`.
    pub(crate) fn until(&mut self, end: Time) {
        while let Some(due) = self.network.poll_timeout().filter(|due| *due <= end) {
            self.network.handle_timeout(due, &mut self.blocks);
            self.drain(due);
            let next = self.network.poll_timeout();
            assert!(next.is_none_or(|next| next > due), "due again at {due:?}");
        }
    }

    fn drain(&mut self, time: Time) {
        while let Some((ue, direction, output)) = self.network.poll_output() {
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

    /// How many bytes were delivered in `direction` to or from `ue`.
    pub(crate) fn bytes(&self, ue: u32, direction: Direction) -> u64 {
        let of_it =
            |exit: &&Exit| (exit.ue, exit.direction, exit.fate) == (ue, direction, Fate::Delivered);
        self.exits.iter().filter(of_it).map(|exit| u64::from(exit.packet.bytes)).sum()
    }
}
