//! A UE of the network: its bearer, its connection, its position.

use base::{Direction, Duration, Time};
use mobility::motion::Motion;
use observe::RrcState;

use super::Rach;
use super::movement::Links;
use crate::kit::roster::CellMobile;
use crate::umts::channels::Code;
use crate::umts::power::{PowerState, RrcMeter};
use crate::umts::rrc::{Channels, Entity};
use crate::umts::{Bearer, BlockErrorRate, Blocks, ChannelState, Coverage};
use crate::{Counters, Output, Sdu};

/// A UE, with the network's part of its bearer and connection.
#[derive(Debug)]
pub(super) struct Ue<T> {
    pub(super) bearer: Bearer<T>,
    pub(super) rrc: Entity,
    pub(super) meter: RrcMeter,
    pub(super) motion: Motion,
    /// Block error rates, if they do not depend on the position.
    pub(super) tbler: [BlockErrorRate; 2],
    /// The gain from each cell to its position.
    pub(super) gains: Vec<f64>,
    /// The cells that it is in: none, one, or several in soft handover. The first is the one that
    /// it camps on.
    pub(super) cells: Vec<u32>,
    /// Its codes: of each cell, in order of allocation.
    pub(super) codes: Vec<(u32, Code)>,
    /// What carries the bearer.
    pub(super) channels: Channels,
    /// The cell whose shared channels it is on.
    pub(super) joined: Option<u32>,
    /// On shared channels: since when each direction has something to send.
    pub(super) wishes: [Option<Time>; 2],
    /// On the RACH: when its preamble has been heard.
    pub(super) access: Option<Time>,
    /// Blocks sent in each direction, as far as RRC knows.
    pub(super) sent: [u64; 2],
    /// Whether its position is measured regularly.
    pub(super) watched: bool,
    /// A hard handover: nothing is sent until then.
    pub(super) gap: Option<Time>,
    /// On dedicated channels: its radio links.
    pub(super) links: Option<Links>,
    /// The best pilot of its radio links, in dB.
    pub(super) pilot_db: f64,
    /// Whether it hears any cell where it is.
    pub(super) coverage: Coverage,
}

impl<T: Sdu> Ue<T> {
    /// Closes both directions.
    pub(super) fn close(&mut self, now: Time) {
        for direction in Direction::BOTH {
            self.grant(now, direction, 0, BlockErrorRate::LOST);
        }
    }

    /// Sets the channel to `blocks` per TTI.
    pub(super) fn grant(
        &mut self,
        now: Time,
        direction: Direction,
        blocks: u32,
        tbler: BlockErrorRate,
    ) {
        let state = ChannelState { blocks: Blocks::every_tti(blocks), tbler };
        if self.bearer.channel(direction) != state {
            self.bearer.set_channel(now, direction, state);
        }
    }

    /// How many blocks of `payload` bytes wait for a TTI that starts at `start`.
    pub(super) fn waiting(&self, direction: Direction, start: Time, payload: u32) -> u32 {
        if self.wishes[direction as usize].is_none_or(|wish| wish > start) {
            return 0;
        }
        let bytes = self.bearer.buffer_occupancy(direction);
        u32::try_from(bytes.div_ceil(u64::from(payload))).unwrap_or(u32::MAX).max(1)
    }

    /// When it has the RACH for what it will have to send from `demand` on.
    pub(super) fn after_access(
        &mut self,
        now: Time,
        demand: Option<Time>,
        rach: &Rach,
    ) -> Option<Time> {
        match demand {
            Some(due) if due <= now => Some(*self.access.get_or_insert(now + rach.access_delay)),
            later => {
                self.access = None;
                later.map(|due| due + rach.access_delay)
            }
        }
    }

    /// Which of the states that differ in power it is in.
    pub(super) fn power_state(&self) -> PowerState {
        PowerState::of(self.rrc.state(), self.rrc.procedure())
    }

    /// True if it has a connection or wants one.
    pub(super) fn is_awake(&self) -> bool {
        self.rrc.state() != RrcState::Idle
            || Direction::BOTH
                .into_iter()
                .any(|direction| self.bearer.buffer_occupancy(direction) > 0)
    }
}

impl<T: Sdu> CellMobile<T> for Ue<T> {
    fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
        self.bearer.poll_output()
    }

    fn held<'a>(&'a self, direction: Direction) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        self.bearer.held(direction)
    }

    fn counters(&self, direction: Direction) -> Counters {
        self.bearer.counters(direction)
    }

    fn waited(&self, direction: Direction, now: Time) -> Duration {
        self.bearer.waited(direction, now)
    }
}
