//! What tests of cells share: the scenario around them, and what came out.

use base::{Direction, Duration, Time};
use link::queue;
use observe::{BlockFact, Observe};
use radio::{Counters, Output, RadioContext};

use super::Packet;

/// So many milliseconds.
pub const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// So many milliseconds after the start.
pub const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// A scenario without limits.
pub fn context() -> RadioContext<'static> {
    context_with(queue::Config::UNLIMITED)
}

/// A scenario with these queues.
pub fn context_with(queue: queue::Config) -> RadioContext<'static> {
    RadioContext {
        queues: [queue; 2],
        per_flow: false,
        duration: Duration::from_secs(1000),
        seed: 1,
        asked: None,
        asked_of: Box::new(|_, _| Vec::new()),
    }
}

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    Delivered,
    Discarded,
    Dropped,
}

/// A packet that came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit {
    pub time: Time,
    pub ue: u32,
    pub direction: Direction,
    pub packet: Packet,
    pub fate: Fate,
}

impl Exit {
    /// What the cell says at `time` has come out.
    pub fn of(time: Time, (ue, direction, output): (u32, Direction, Output<Packet>)) -> Self {
        let (packet, fate) = match output {
            Output::Delivered(packet) => (packet, Fate::Delivered),
            Output::Discarded(packet) => (packet, Fate::Discarded),
            Output::Dropped(dropped) => (dropped.packet, Fate::Dropped),
        };
        Self { time, ue, direction, packet, fate }
    }
}

/// When packet `number` was delivered.
pub fn delivered(exits: &[Exit], number: u32) -> Option<Time> {
    let exit = exits.iter().find(|exit| exit.packet.number == number)?;
    (exit.fate == Fate::Delivered).then_some(exit.time)
}

/// Checks the blocks of both directions, of which none is on the air: each arrived, was sent again
/// or was given up. One that erred is forgotten where a link began anew.
pub fn assert_every_block_ends(totals: &[Counters; 2]) {
    let forgets = totals.iter().any(|of| of.resets + of.unrecoverable_errors + of.relocations > 0);
    for of in totals {
        assert_eq!(of.blocks_sent, of.blocks_received + of.blocks_in_error);
        let ended = of.blocks_received + of.harq_repeats + of.harq_given_up;
        assert!(ended == of.blocks_sent || forgets && ended < of.blocks_sent, "{of:?}");
    }
}

/// The blocks that were sent, each with its slot.
#[derive(Debug, Default)]
pub struct Blocks(pub Vec<(Time, BlockFact)>);

impl Observe for Blocks {
    fn block(&mut self, now: Time, fact: BlockFact) {
        self.0.push((now, fact));
    }
}
