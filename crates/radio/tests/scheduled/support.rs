//! A cell, and what comes out of it.

use base::{Direction, Time};
use observe::{BlockFact, Context, Observe, PowerFact};
use radio::lte::LteKeys;
use radio::scheduled::{ScheduledCell, ScheduledConfig};

pub(crate) use crate::support::Packet;
pub(crate) use crate::support::cell::{Blocks, Exit, Fate, at, context, delivered, ms};

/// The cell of these keys.
pub(crate) fn config(keys: &LteKeys) -> ScheduledConfig {
    keys.config(&context())
}

/// The blocks that were sent, and the states that mobiles entered.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) blocks: Blocks,
    pub(crate) states: Vec<(Time, PowerFact)>,
}

impl Observe for Facts {
    fn block(&mut self, now: Time, fact: BlockFact) {
        self.blocks.block(now, fact);
    }

    fn power(&mut self, now: Time, fact: PowerFact) {
        self.states.push((now, fact));
    }
}

/// A cell with a log of what came out.
pub(crate) struct Run {
    pub(crate) network: ScheduledCell<Packet>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) facts: Facts,
    /// How often something was due.
    pub(crate) timeouts: u32,
    /// When each packet was handed in.
    pub(crate) sent_at: Vec<Time>,
}

impl Run {
    pub(crate) fn new(config: &ScheduledConfig, seed: u64) -> Self {
        let network = ScheduledCell::new(0, config, seed);
        Self {
            network,
            exits: Vec::new(),
            facts: Facts::default(),
            timeouts: 0,
            sent_at: Vec::new(),
        }
    }

    /// Hands in a packet and says its number.
    pub(crate) fn send(&mut self, now: Time, ue: u32, direction: Direction, bytes: u32) -> u32 {
        self.until(now);
        let packet = Packet { number: self.sent_at.len() as u32, bytes };
        self.sent_at.push(now);
        if self
            .network
            .handle_input(&mut Context { now, observe: &mut self.facts }, ue, direction, packet)
            .is_err()
        {
            self.exits.push(Exit { time: now, ue, direction, packet, fate: Fate::Dropped });
        }
        self.drain(now);
        packet.number
    }

    /// Runs until `end`.
    pub(crate) fn until(&mut self, end: Time) {
        while let Some(due) = self.network.poll_timeout().filter(|due| *due <= end) {
            self.timeouts += 1;
            self.network.handle_timeout(&mut Context { now: due, observe: &mut self.facts });
            self.drain(due);
            let next = self.network.poll_timeout();
            assert!(next.is_none_or(|next| next > due), "due again at {due:?}");
        }
    }

    fn drain(&mut self, time: Time) {
        while let Some(output) = self.network.poll_output() {
            self.exits.push(Exit::of(time, output));
        }
    }

    /// What `ue`, which is idle at the start, did: from when to when, and what that is called.
    pub(crate) fn spans(&self, ue: u32, end: Time) -> Vec<(Time, Time, &'static str)> {
        let mut spans = vec![(Time::ZERO, "idle")];
        let own = self.facts.states.iter().filter(|(_, fact)| fact.mobile == ue);
        spans.extend(own.map(|(time, fact)| (*time, fact.state)));
        let ends = spans.iter().skip(1).map(|(time, _)| *time).chain([end]);
        spans.iter().zip(ends).map(|((from, state), to)| (*from, to, *state)).collect()
    }

    /// When packet `number` was delivered.
    pub(crate) fn delivered(&self, number: u32) -> Option<Time> {
        delivered(&self.exits, number)
    }

    /// How many bytes were delivered in `direction` to or from `ue`.
    pub(crate) fn bytes(&self, ue: u32, direction: Direction) -> u64 {
        let of_it =
            |exit: &&Exit| (exit.ue, exit.direction, exit.fate) == (ue, direction, Fate::Delivered);
        self.exits.iter().filter(of_it).map(|exit| u64::from(exit.packet.bytes)).sum()
    }
}
