//! A carrier, and what comes out of it.

use std::collections::BTreeMap;

use base::{Direction, Energy, Power, Time};
use link::queue;
use observe::{BlockFact, Context, Observe, PowerFact};
use radio::Output;
use radio::nbiot::{NbIotCell, NbIotConfig, NbIotKeys};

pub(crate) use crate::support::Packet;
pub(crate) use crate::support::cell::{at, context_with, ms};

pub(crate) const DOWN: Direction = Direction::Downlink;
pub(crate) const UP: Direction = Direction::Uplink;

/// In milliseconds after the start.
pub(crate) fn millis(time: Time) -> u64 {
    time.as_nanos() / 1_000_000
}

/// The carrier of these keys, with queues without limits.
pub(crate) fn config(keys: &NbIotKeys) -> NbIotConfig {
    config_with(keys, queue::Config::UNLIMITED)
}

pub(crate) fn config_with(keys: &NbIotKeys, queue: queue::Config) -> NbIotConfig {
    keys.config(&context_with(queue))
}

/// A radio that is never the bottleneck.
pub(crate) fn near() -> NbIotKeys {
    NbIotKeys { coupling_loss: 100.0, ..NbIotKeys::default() }
}

/// A packet that came out: `is_whole` if it was delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Exit {
    pub(crate) time: Time,
    pub(crate) ue: u32,
    pub(crate) direction: Direction,
    pub(crate) packet: Packet,
    pub(crate) is_whole: bool,
}

/// The blocks that were sent, each with its end, and what mobiles did.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) blocks: Vec<(Time, BlockFact)>,
    pub(crate) states: Vec<(Time, PowerFact)>,
}

impl Observe for Facts {
    fn block(&mut self, now: Time, fact: BlockFact) {
        self.blocks.push((now, fact));
    }

    fn power(&mut self, now: Time, fact: PowerFact) {
        self.states.push((now, fact));
    }
}

/// A carrier with a log of what came out.
pub(crate) struct Run {
    pub(crate) cell: NbIotCell<Packet>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) facts: Facts,
    numbers: u32,
}

impl Run {
    pub(crate) fn new(config: &NbIotConfig, seed: u64) -> Self {
        let cell = NbIotCell::new(0, config, seed);
        Self { cell, exits: Vec::new(), facts: Facts::default(), numbers: 0 }
    }

    /// Hands in a packet and says its number.
    pub(crate) fn send(&mut self, now: Time, ue: u32, direction: Direction, bytes: u32) -> u32 {
        self.until(now);
        let packet = Packet { number: self.numbers, bytes };
        self.numbers += 1;
        if self
            .cell
            .handle_input(&mut Context { now, observe: &mut self.facts }, ue, direction, packet)
            .is_err()
        {
            self.exits.push(Exit { time: now, ue, direction, packet, is_whole: false });
        }
        self.drain(now);
        packet.number
    }

    /// Runs until `end`.
    pub(crate) fn until(&mut self, end: Time) {
        while let Some(due) = self.cell.poll_timeout().filter(|due| *due <= end) {
            self.cell.handle_timeout(&mut Context { now: due, observe: &mut self.facts });
            self.drain(due);
            let next = self.cell.poll_timeout();
            assert!(next.is_none_or(|next| next > due), "due again at {due:?}");
        }
    }

    fn drain(&mut self, time: Time) {
        while let Some((ue, direction, output)) = self.cell.poll_output() {
            let (packet, is_whole) = match output {
                Output::Delivered(packet) => (packet, true),
                Output::Discarded(packet) => (packet, false),
                Output::Dropped(dropped) => (dropped.packet, false),
            };
            self.exits.push(Exit { time, ue, direction, packet, is_whole });
        }
    }

    /// When packet `number` was delivered.
    pub(crate) fn delivered(&self, number: u32) -> Option<Time> {
        let exit = self.exits.iter().find(|exit| exit.packet.number == number)?;
        exit.is_whole.then_some(exit.time)
    }

    /// How many bytes were delivered in `direction`.
    pub(crate) fn bytes(&self, direction: Direction) -> u64 {
        let of_it = |exit: &&Exit| exit.direction == direction && exit.is_whole;
        self.exits.iter().filter(of_it).map(|exit| u64::from(exit.packet.bytes)).sum()
    }

    /// What `ue` did: from when to when, and what that is called.
    pub(crate) fn spans(&self, ue: u32, end: Time) -> Vec<(Time, Time, &'static str)> {
        let mut spans = vec![(Time::ZERO, "idle")];
        let own = self.facts.states.iter().filter(|(_, fact)| fact.mobile == ue);
        spans.extend(own.map(|(time, fact)| (*time, fact.state)));
        let ends = spans.iter().skip(1).map(|(time, _)| *time).chain([end]);
        spans.iter().zip(ends).map(|((from, state), to)| (*from, to, *state)).collect()
    }

    /// What the radio of `ue` has used by `end`, from what it did.
    pub(crate) fn energy(&self, ue: u32, end: Time, powers: &BTreeMap<&str, Power>) -> Energy {
        let spans = self.spans(ue, end).into_iter();
        spans.map(|(from, to, state)| powers[state] * to.saturating_since(from)).sum()
    }
}
