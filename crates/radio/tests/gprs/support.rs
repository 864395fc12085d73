//! A bearer with the values of a 3+1 phone, and what comes out of it.

use base::{Direction, Probability, Time};
use link::queue;
use observe::{Context, Observe};
use radio::Output;
use radio::gprs::{Errors, Gap, GapKind, Gprs, GprsBearer, GprsConfig};

pub(crate) use crate::support::Packet;
pub(crate) use crate::support::cell::{at, ms};

pub(crate) fn chance(value: f64) -> Probability {
    Probability::new(value).expect("in range")
}

/// The defaults of the scenario room for `downlink` + 1 slots.
pub(crate) fn config(downlink: u32) -> GprsConfig {
    let queue = queue::Config {
        limit: queue::droptail::Limit { packets: None, bytes: Some(120_000) },
        ..queue::Config::UNLIMITED
    };
    GprsConfig {
        slots: [downlink, 1],
        queues: [queue; 2],
        errors: Errors::Constant(chance(0.03)),
        gaps: Vec::new(),
        gprs: Gprs { window: Some(64), ..Gprs::default() },
    }
}

pub(crate) fn gap(from: u64, to: u64, kind: GapKind) -> Gap {
    Gap { from: at(from), to: at(to), kind }
}

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Delivered,
    Discarded,
    Dropped,
}

/// A packet that came out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    pub(crate) time: Time,
    pub(crate) direction: Direction,
    pub(crate) number: u32,
    pub(crate) fate: Fate,
}

/// A bearer with a log of what came out.
pub(crate) struct Run {
    pub(crate) bearer: GprsBearer<Packet>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) events: u64,
    numbers: u32,
}

impl Run {
    pub(crate) fn new(config: &GprsConfig, seed: u64) -> Self {
        let bearer = GprsBearer::new(0, config, seed, "Um");
        Self { bearer, exits: Vec::new(), events: 0, numbers: 0 }
    }

    /// Hands in a packet and says its number.
    pub(crate) fn send(&mut self, now: Time, direction: Direction, bytes: u32) -> u32 {
        self.until(now, &mut ());
        let number = self.numbers;
        self.numbers += 1;
        let taken = self.bearer.handle_input(
            &mut Context { now, observe: &mut () },
            direction,
            Packet { number, bytes },
        );
        if taken.is_err() {
            self.exits.push(Exit { time: now, direction, number, fate: Fate::Dropped });
        }
        self.drain(now);
        number
    }

    /// Lets time pass.
    pub(crate) fn until(&mut self, end: Time, observe: &mut impl Observe) {
        while let Some(now) = self.bearer.poll_timeout().filter(|now| *now <= end) {
            self.bearer.handle_timeout(&mut Context { now, observe: &mut *observe });
            self.events += 1;
            self.drain(now);
        }
    }

    /// Lets time pass until `count` packets have come out, and says when.
    pub(crate) fn until_exits(&mut self, count: usize) -> Time {
        while self.exits.len() < count {
            let now = self.bearer.poll_timeout().expect("something is under way");
            self.bearer.handle_timeout(&mut Context { now, observe: &mut () });
            self.drain(now);
        }
        self.exits[count - 1].time
    }

    fn drain(&mut self, time: Time) {
        while let Some((direction, output)) = self.bearer.poll_output() {
            let (packet, fate) = match output {
                Output::Delivered(packet) => (packet, Fate::Delivered),
                Output::Discarded(packet) => (packet, Fate::Discarded),
                Output::Dropped(dropped) => (dropped.packet, Fate::Dropped),
            };
            self.exits.push(Exit { time, direction, number: packet.number, fate });
        }
    }

    /// When packet `number` was delivered.
    pub(crate) fn delivered(&self, number: u32) -> Time {
        let is_it = |exit: &&Exit| exit.number == number && exit.fate == Fate::Delivered;
        self.exits.iter().find(is_it).expect("it was delivered").time
    }
}
