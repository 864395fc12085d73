//! How a carrier is set up.

use base::{Direction, Duration, Rate, Schedule, Time};
use link::queue;

use super::format::{Format, Formats};
use super::power::POWER_STATES;
use super::search_space::SearchSpace;
use super::tables::Tones;
use crate::PowerModel;
use crate::channel::UeConfig;
use crate::kit::paging::Paging;
use crate::rlc36;

/// A subframe (TS 36.211 §4.1), in which all other times are counted.
pub(super) const SUBFRAME: Duration = Duration::from_millis(1);

/// When subframe number `slot` begins.
pub(super) fn time_of(slot: u64) -> Time {
    Time::ZERO + SUBFRAME * slot
}

/// A carrier and its mobiles.
#[derive(Clone, PartialEq, Debug)]
pub struct NbIotConfig {
    /// How much weaker a signal arrives than it was sent, in decibels, of each mobile: it makes the
    /// level.
    pub(super) coupling_losses: Vec<Schedule<f64>>,
    /// What each level of coverage does.
    pub levels: [Level; 3],
    /// How often a block is sent again before link control has to repair the loss.
    pub(super) repeats: u32,
    /// Link control of a mobile that is in each of them at the start.
    pub(super) rlc: [rlc36::Rlc36Config; 3],
    /// What waits ahead of it for each mobile, downlink and uplink.
    pub(super) queues: [queue::Config; 2],
    /// How a mobile comes to be heard.
    pub(super) access: Access,
    /// How connections begin and end.
    pub(super) connection: Connection,
    /// When a mobile without one hears a page.
    pub(super) paging: Paging,
    /// What the radio of a mobile draws.
    pub power: PowerModel<POWER_STATES>,
    /// The mobiles, with their radios downlink over the carrier and uplink over 15 kHz.
    pub ues: Vec<UeConfig>,
}

/// What a level of coverage does (TS 36.331, `RSRP-ThresholdsNPRACH`).
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// How long a mobile that wakes looks for the carrier and reads what that says of itself.
    pub(super) synchronization: u64,
    /// Where it looks for what it is told.
    pub(super) control: SearchSpace,
    /// How often a block is sent as one, downlink and uplink.
    pub(super) repetitions: [u64; 2],
    /// Over how many tones it sends.
    pub(super) tones: Tones,
    /// How long it takes to send a preamble.
    pub preamble: u64,
    /// How long after the subframe in which it ends the answers to it may begin.
    pub answer: u64,
    /// How often it may.
    pub(super) occasions: u64,
    /// The sizes of blocks, downlink and uplink.
    pub(super) formats: [Formats; 2],
}

/// How a mobile comes to be heard (TS 36.321 §5.1), at each level among tones of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    /// Among how many tones it draws one for its preamble.
    pub(super) subcarriers: u32,
    /// How many mobiles that are not simulated send a preamble in each occasion.
    pub(super) others: u32,
    /// How often it tries before it has failed.
    pub(super) attempts: u32,
    /// How long it takes to learn that another had the same one.
    pub(super) contention: u64,
    /// Then it waits for up to so long; by load if not given.
    pub(super) backoff: Option<u64>,
}

/// How connections begin and end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Connection {
    /// How many messages downlink, each with an answer, follow the random access.
    pub(super) exchanges: u32,
    /// It is released so long after the last block.
    pub(super) inactivity: u64,
    /// A mobile whose random access has failed connects anew after so long.
    pub(super) retry: u64,
}

/// From the end of what a mobile is told to a block downlink: it begins in the fifth subframe (TS
/// 36.213 §16.4.1).
pub(super) const LEAD_DOWN: u64 = 4;

/// The same uplink: after eight subframes (TS 36.213 §16.5.1).
pub(super) const LEAD_UP: u64 = 8;

/// From the end of a block downlink to its acknowledgement: it begins in the thirteenth subframe
/// (TS 36.213 §16.4.2).
pub(super) const TURN: u64 = 12;

/// A mobile that has sent listens again after three subframes (TS 36.213 §16.6).
pub(super) const REST: u64 = 3;

impl Level {
    /// How long an acknowledgement lasts. It is repeated as a block uplink is.
    pub(super) const fn ack(&self) -> u64 {
        self.tones.ack() * self.repetitions[1]
    }

    /// From one block to the next at least, in subframes.
    pub(super) const fn cycle(&self, direction: Direction, format: &Format) -> u64 {
        let control = self.control.repetitions;
        match direction {
            Direction::Downlink => {
                control + LEAD_DOWN + format.subframes + TURN + self.ack() + REST
            }
            Direction::Uplink => control + LEAD_UP + format.subframes + REST,
        }
    }

    /// What a mobile that has the carrier to itself gets at a ratio of `snr`.
    pub(super) fn rate(&self, direction: Direction, snr: f64) -> Rate {
        let format = self.formats[direction as usize].choose(snr, u64::MAX);
        let bits = u64::from(format.bytes) * 8000 / self.cycle(direction, &format);
        Rate::from_bps(bits.max(1))
    }
}

impl NbIotConfig {
    /// The level of coverage at the beginning of a subframe: 0 up to 144 dB, 1 up to 154, else 2
    /// (TR 45.820 §5.1 has these three losses).
    pub(super) fn coverage(&self, slot: u64, ue: u32) -> usize {
        level_of(self.coupling_losses[ue as usize].at(time_of(slot)))
    }

    /// What that level does.
    pub(super) fn level(&self, slot: u64, ue: u32) -> &Level {
        &self.levels[self.coverage(slot, ue)]
    }

    /// The link control of mobile number `ue`.
    pub(super) fn link_control(&self, ue: usize) -> &rlc36::Rlc36Config {
        &self.rlc[level_of(self.coupling_losses[ue].at(Time::ZERO))]
    }

    /// What mobile number `ue` gets over time if it has the carrier to itself.
    pub(super) fn rates(&self, ue: usize) -> [Schedule<Rate>; 2] {
        let loss = &self.coupling_losses[ue];
        Direction::BOTH.map(|direction| {
            let rate = |time| {
                let snr = self.ues[ue].radios[direction as usize].snr.at(time);
                self.levels[level_of(loss.at(time))].rate(direction, snr)
            };
            let steps = loss.changes().map(|time| (time, rate(time)));
            Schedule::new(rate(Time::ZERO), steps.collect())
        })
    }
}

/// The level of coverage that a coupling loss makes.
pub(super) const fn level_of(coupling_loss: f64) -> usize {
    if coupling_loss <= 144.0 {
        0
    } else if coupling_loss <= 154.0 {
        1
    } else {
        2
    }
}
