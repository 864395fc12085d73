//! A mobile and its bearer.

use std::iter;

use base::{Direction, Philox, Time};

use super::config::NbIotConfig;
use super::lane::{Block, NbIotLane};
use super::power::{PowerState, StateMeter};
use super::stage::Stage;
use crate::Sdu;
use crate::channel::Quality;
use crate::rlc36::{Dtch, OverDtch};

/// Both directions, and what the mobile does.
#[derive(Debug)]
pub(crate) struct NbIotMobile<T> {
    pub(super) lanes: [NbIotLane<T>; 2],
    pub(super) stage: Stage,
    /// When the stage ends, if it does so by itself.
    pub(super) until: u64,
    pub(super) is_connected: bool,
    /// What it wants to be heard for.
    pub(super) access: Option<Attempt>,
    /// Its access has failed and begins anew when it is free to.
    pub(super) must_retry: bool,
    /// The block that it is told of, or that is to be sent again.
    pub(super) block: Option<Block>,
    /// From when to when that is on the air, and then its acknowledgement.
    pub(super) on_air: [u64; 2],
    pub(super) acknowledged: [u64; 2],
    /// It is not told of anything before.
    pub(super) ready_from: u64,
    /// When it was told of something last, and in which direction.
    pub(super) served: (u64, Direction),
    /// How many bytes the base station knows to wait for the uplink.
    pub(super) known: u64,
    /// When the last block ended, or the last connection.
    pub(super) last: u64,
    /// Whether another sent the same preamble at the same time.
    pub(super) has_collided: bool,
    pub(super) chance: Philox,
    /// How many preambles it has sent.
    pub(super) preambles: u32,
    /// What it could get when that was reported last, in bytes and subframes.
    pub(super) reported: (u32, u64),
    pub(super) meter: StateMeter,
}

/// What a mobile wants to be heard for, and how far it has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Attempt {
    pub(super) purpose: Purpose,
    /// How many messages have been exchanged.
    pub(super) step: u32,
    /// How many preambles have been sent.
    pub(super) preambles: u32,
}

/// What a mobile wants to be heard for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// A connection.
    Setup,
    /// To send, within one: before release 15 there is no other way to ask (TS 36.321 §5.4.4).
    Request,
}

impl Attempt {
    pub(super) const fn new(purpose: Purpose) -> Self {
        Self { purpose, step: 0, preambles: 0 }
    }

    /// The next message and its bytes: the answer to the preamble (TS 36.321 §6.1.5), the request
    /// (TS 36.331 §6.7.2), then what sets a connection up. `None` if all have been exchanged.
    pub(super) const fn message(self, exchanges: u32) -> Option<(Direction, u64)> {
        /// Our choice: what such messages have without extensions.
        const SETUP: u64 = 30;
        match (self.purpose, self.step) {
            (_, 0) => Some((Direction::Downlink, 7)),
            (_, 1) => Some((Direction::Uplink, 11)),
            (Purpose::Setup, step) if step < 2 + 2 * exchanges => {
                let direction = if step % 2 == 0 { Direction::Downlink } else { Direction::Uplink };
                Some((direction, SETUP))
            }
            (Purpose::Setup | Purpose::Request, _) => None,
        }
    }
}

/// What the base station tells a mobile of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Job {
    /// The block that failed.
    Repeat(Direction),
    /// A message of so many bytes.
    Signal(Direction, u64),
    /// A new block.
    New(Direction),
}

impl<T: Sdu> NbIotMobile<T> {
    pub(super) fn new(config: &NbIotConfig, ue: usize, seed: u64) -> Self {
        let name = &config.ues[ue].name;
        Self {
            lanes: Direction::BOTH.map(|direction| NbIotLane::new(direction, config, ue, seed)),
            stage: Stage::Idle,
            until: u64::MAX,
            is_connected: false,
            access: None,
            must_retry: false,
            block: None,
            on_air: [0; 2],
            acknowledged: [0; 2],
            ready_from: 0,
            served: (0, Direction::Uplink),
            known: 0,
            last: 0,
            has_collided: false,
            chance: Philox::named(seed, &format!("{name}/access")),
            preambles: 0,
            reported: (0, 0),
            meter: StateMeter::new(Time::ZERO, PowerState::Idle),
        }
    }

    /// It does so until then.
    pub(super) const fn enter(&mut self, stage: Stage, until: u64) {
        (self.stage, self.until) = (stage, until);
    }

    /// The direction itself, then its opposite.
    pub(super) fn pair(&mut self, direction: Direction) -> [&mut NbIotLane<T>; 2] {
        let [down, up] = &mut self.lanes;
        match direction {
            Direction::Downlink => [down, up],
            Direction::Uplink => [up, down],
        }
    }

    /// Whether a report on what came in the other direction is to be sent in `direction`.
    pub(super) fn owes_report(&self, now: Time, direction: Direction) -> bool {
        let from = self.lanes[1 - direction as usize].dtch.receiver.report_from();
        from.is_some_and(|from| from <= now)
    }

    /// What the base station has to tell it: what failed first, then both directions by turns.
    pub(super) fn job(&self, now: Time, exchanges: u32) -> Option<Job> {
        if let Some(block) = &self.block {
            return Some(Job::Repeat(block.direction));
        }
        if let Some(attempt) = self.access {
            let message = attempt.message(exchanges);
            return message.map(|(direction, bytes)| Job::Signal(direction, bytes));
        }
        if !self.is_connected {
            return None;
        }
        // That a report is due uplink the base station knows, which has asked for it.
        let down = self.lanes[0].dtch.waiting() > 0 || self.owes_report(now, Direction::Downlink);
        let up = self.known > 0 || self.owes_report(now, Direction::Uplink);
        match (down, up, self.served.1) {
            (true, false, _) | (true, true, Direction::Uplink) => {
                Some(Job::New(Direction::Downlink))
            }
            (false, true, _) | (true, true, Direction::Downlink) => {
                Some(Job::New(Direction::Uplink))
            }
            (false, false, _) => None,
        }
    }

    /// Whether nothing is under way, and nothing is left to be acknowledged.
    pub(super) fn is_quiet(&self) -> bool {
        self.lanes.iter().all(NbIotLane::is_quiet)
            && self.block.is_none()
            && self.access.is_none()
            && self.known == 0
    }
}

impl<T: Sdu> OverDtch for NbIotMobile<T> {
    type Sdu = T;

    fn dtchs<'a>(&'a self, direction: Direction) -> impl Iterator<Item = &'a Dtch<T>>
    where
        T: 'a,
    {
        iter::once(&self.lanes[direction as usize].dtch)
    }

    fn dtchs_mut<'a>(&'a mut self, direction: Direction) -> impl Iterator<Item = &'a mut Dtch<T>>
    where
        T: 'a,
    {
        iter::once(&mut self.lanes[direction as usize].dtch)
    }

    fn dtch_for(&mut self, direction: Direction, _sdu: &T) -> &mut Dtch<T> {
        &mut self.lanes[direction as usize].dtch
    }

    fn quality_mut(&mut self, direction: Direction) -> &mut Quality {
        &mut self.lanes[direction as usize].quality
    }
}
