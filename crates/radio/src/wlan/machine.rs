//! The access network as one machine.

use std::collections::VecDeque;

use base::{Agenda, Direction, Duration, Time};
use link::{Dropped, queue};
use mobility::handover::{Handover, LinkChange};
use mobility::motion::{Motion, Position};
use observe::DropReason;

use super::counters::Counters;
use super::errors::FreeSpace;
use super::keys::{AccessPoint, WlanKeys};
use super::medium::{Medium, Surroundings};
use super::sender::Frame;
use crate::Sdu;

/// Access points and stations. Both go by their numbers, from 0.
///
/// Within it each station is a machine that wakes when its link changes, or at a beacon if that may
/// bring a change: one at rest with a settled link costs nothing. The media of the access points
/// follow. At the same instant stations come before frames.
#[derive(Debug)]
pub struct Wlan<T> {
    config: WlanKeys,
    space: FreeSpace,
    positions: Vec<Position>,
    mobiles: Vec<Mobile>,
    media: Vec<Medium<T>>,
    agenda: Agenda,
    next: Option<Time>,
    counters: [Counters; 2],
    outputs: VecDeque<Output<T>>,
    /// A buffer for the levels of all access points.
    levels_dbm: Vec<f64>,
}

/// A station: where it is, and which access points it hears.
#[derive(Debug)]
pub(super) struct Mobile {
    motion: Motion,
    handover: Handover,
    /// When it measures next.
    look: Option<Time>,
}

/// What comes out of a WLAN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output<T> {
    /// An SDU at its end.
    Delivered {
        /// Where it has arrived.
        at: End,
        /// By way of this access point.
        access_point: u32,
        /// To or from this station.
        station: u32,
        /// The SDU.
        sdu: T,
    },
    /// An SDU that was taken in and will not be delivered.
    Dropped(Dropped<T>),
    /// The link of a station has changed.
    Link {
        /// The station.
        station: u32,
        /// What has changed.
        event: LinkChange,
    },
}

/// An end of the radio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// An access point.
    AccessPoint(u32),
    /// A station.
    Station(u32),
}

impl Mobile {
    /// True if it has a link to `access_point`.
    pub(super) fn is_at(&self, access_point: u32) -> bool {
        self.handover.state().links().contains(&Some(access_point))
    }

    /// Where it is.
    pub(super) fn position(&self, now: Time) -> Position {
        self.motion.at(now)
    }

    /// The next beacon at which it may hear something new.
    fn next_look(&self, now: Time, interval: Duration) -> Option<Time> {
        let next = now.next_multiple(interval);
        if !self.handover.is_settled() {
            return Some(next);
        }
        let moves = self.motion.next_move(now)?;
        let first =
            if moves.is_multiple_of(interval) { moves } else { moves.next_multiple(interval) };
        Some(first.max(next))
    }
}

impl<T: Sdu> Wlan<T> {
    /// A network in its steady state: a station that hears an access point has a link to the
    /// loudest, as the first outputs report. Its random streams come from `seed` and the names of
    /// its access points.
    ///
    /// Of `queues` the first is at each access point for all of its stations, the second at each
    /// station for each access point.
    pub fn new(
        config: &WlanKeys,
        queues: [queue::Config; 2],
        stations: &[Motion],
        seed: u64,
    ) -> Self {
        let access_points = &config.access_point;
        let medium =
            |point: &AccessPoint| Medium::new(config, queues, stations.len(), (seed, &point.name));
        let mut wlan = Self {
            config: config.clone(),
            space: FreeSpace::new(config),
            positions: access_points.iter().map(AccessPoint::place).collect(),
            mobiles: Vec::with_capacity(stations.len()),
            media: access_points.iter().map(medium).collect(),
            agenda: Agenda::new(stations.len() + access_points.len()),
            next: None,
            counters: [Counters::default(); 2],
            outputs: VecDeque::new(),
            levels_dbm: vec![f64::NEG_INFINITY; access_points.len()],
        };
        for (number, motion) in (0_u32..).zip(stations) {
            wlan.hear(motion.at(Time::ZERO));
            let handover = Handover::new(config.handover(), &wlan.levels_dbm);
            let motion = motion.clone();
            wlan.mobiles.push(Mobile { motion, handover, look: None });
            wlan.settle_station(Time::ZERO, number);
        }
        wlan.next = wlan.agenda.peek();
        wlan
    }

    /// Takes in `sdu` at `access_point` for `station`, or gives it back. Poll afterwards.
    ///
    /// # Errors
    /// The SDU, if it is dropped: the queue is full, or the station is not there and not awaited.
    pub fn handle_downlink(
        &mut self,
        now: Time,
        access_point: u32,
        station: u32,
        sdu: T,
    ) -> Result<(), Dropped<T>> {
        self.handle_timeout(now);
        let is_there = self.is_attached(station, access_point)
            || self.media[access_point as usize].awaits(station);
        let access_point = is_there.then_some(access_point);
        self.handle_input(now, Direction::Downlink, access_point, Frame { station, sdu })
    }

    /// Takes in `sdu` at `station` for `access_point`, `None` for the one that it prefers, or gives
    /// it back. Poll afterwards.
    ///
    /// # Errors
    /// The SDU, if it is dropped: the queue is full, or the station has no such link.
    pub fn handle_uplink(
        &mut self,
        now: Time,
        station: u32,
        access_point: Option<u32>,
        sdu: T,
    ) -> Result<(), Dropped<T>> {
        self.handle_timeout(now);
        let access_point = match access_point {
            Some(access_point) => Some(access_point).filter(|at| self.is_attached(station, *at)),
            None => self.attached(station),
        };
        self.handle_input(now, Direction::Uplink, access_point, Frame { station, sdu })
    }

    /// Does what is due at or before `now`, in order of time. Poll afterwards.
    pub fn handle_timeout(&mut self, now: Time) {
        while let Some((time, id)) = self.agenda.next(now) {
            match id.checked_sub(self.mobiles.len() as u32) {
                None => self.run_station(time, id),
                Some(access_point) => {
                    let (medium, mut around) = self.medium(access_point);
                    medium.handle_timeout(time, &mut around);
                    self.settle_medium(access_point);
                }
            }
        }
        self.next = self.agenda.peek();
    }

    /// The next output. To be called after each `handle_…`, [`Wlan::new`] and [`Wlan::release`]
    /// until it says `None`.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<Output<T>> {
        self.outputs.pop_front()
    }

    /// The next SDU that has left its queue: its frame is on the air for the first time. For
    /// observers; to be called after each `handle_…` and [`Wlan::release`].
    #[must_use]
    pub fn poll_dequeued(&mut self) -> Option<&T> {
        self.media.iter_mut().find_map(Medium::poll_dequeued)
    }

    /// When [`Wlan::handle_timeout`] is due.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    /// From now on `access_point` holds what it has or gets for `station` while that is not there,
    /// instead of dropping it, up to the configured limit.
    pub fn hold(&mut self, access_point: u32, station: u32) {
        self.media[access_point as usize].hold(station);
    }

    /// Sends what `access_point` has held for `station`, ahead of everything else, and holds
    /// nothing more. Does nothing if nothing was held. Poll afterwards.
    pub fn release(&mut self, now: Time, access_point: u32, station: u32) {
        self.handle_timeout(now);
        let (medium, mut around) = self.medium(access_point);
        medium.release(now, station, &mut around);
        self.settle_medium(access_point);
        self.next = self.agenda.peek();
    }

    /// The SDUs of `direction` between entry and exit, each once, when all outputs were polled.
    pub fn held(&self, direction: Direction) -> impl Iterator<Item = &T> {
        self.media.iter().flat_map(move |medium| medium.held(direction))
    }

    /// What has been counted of `direction`.
    pub const fn counters(&self, direction: Direction) -> Counters {
        self.counters[direction as usize]
    }

    /// The sum over SDUs of `direction` of the time that each has waited or was in transmission by
    /// `now`; over `now` it is the mean length of all queues together.
    pub fn waited(&self, direction: Direction, now: Time) -> Duration {
        let held = self.media.iter().map(|medium| medium.waited(direction, now));
        self.counters(direction).waiting_time + held.sum()
    }

    /// How long the medium of `access_point` was in use until `now`: data frames, acknowledgements
    /// and SIFS between them; after a collision as long as the longest frame and as if it had been
    /// acknowledged.
    pub fn busy(&self, access_point: u32, now: Time) -> Duration {
        self.media[access_point as usize].busy(now)
    }

    /// The share of the time from zero to `end` for which media were in use, the mean of all access
    /// points; `None` without time or access points.
    pub fn utilization(&self, end: Time) -> Option<f64> {
        let busy: f64 = self.media.iter().map(|medium| medium.busy(end).as_secs_f64()).sum();
        let time = end.as_secs_f64() * self.media.len() as f64;
        (time > 0.0).then(|| busy / time)
    }

    /// The access point to which `station` has a link; of two the one that it prefers.
    pub fn attached(&self, station: u32) -> Option<u32> {
        self.mobiles[station as usize].handover.state().links()[0]
    }

    /// True if `station` has a link to `access_point`.
    pub fn is_attached(&self, station: u32, access_point: u32) -> bool {
        self.mobiles[station as usize].is_at(access_point)
    }

    /// Takes in `frame` at its end of `access_point`, which is `None` if it cannot be sent.
    fn handle_input(
        &mut self,
        now: Time,
        direction: Direction,
        access_point: Option<u32>,
        frame: Frame<T>,
    ) -> Result<(), Dropped<T>> {
        let counters = &mut self.counters[direction as usize];
        counters.sdus += 1;
        let Some(access_point) = access_point else {
            let reason = DropReason::Unreachable;
            counters.drops.count(reason);
            return Err(Dropped { packet: frame.sdu, reason });
        };
        let sender = direction.of(0, frame.station + 1);
        let (medium, mut around) = self.medium(access_point);
        let taken = medium.handle_input(now, sender, frame, &mut around);
        self.settle_medium(access_point);
        self.next = self.agenda.peek();
        taken
    }

    /// The link of `station` is due.
    fn run_station(&mut self, now: Time, station: u32) {
        let mobile = &mut self.mobiles[station as usize];
        mobile.handover.handle_timeout(now);
        if mobile.look.is_some_and(|look| look <= now) {
            let position = mobile.position(now);
            self.hear(position);
            self.mobiles[station as usize].handover.measure(now, &self.levels_dbm);
        }
        self.settle_station(now, station);
    }

    /// After anything that concerns `station`: reports its changes, and sets when it is due.
    fn settle_station(&mut self, now: Time, station: u32) {
        let mobile = &mut self.mobiles[station as usize];
        while let Some(event) = mobile.handover.poll_output() {
            self.outputs.push_back(Output::Link { station, event });
        }
        mobile.look = mobile.next_look(now, self.config.beacon_interval);
        let due = Time::earlier(mobile.look, mobile.handover.poll_timeout());
        self.agenda.set(station, due);
    }

    /// After anything that concerns `access_point`: sets when its medium is due.
    fn settle_medium(&mut self, access_point: u32) {
        let id = self.mobiles.len() as u32 + access_point;
        self.agenda.set(id, self.media[access_point as usize].poll_timeout());
    }

    /// Finds the level of each access point at `place`.
    fn hear(&mut self, place: Position) {
        for (level, position) in self.levels_dbm.iter_mut().zip(&self.positions) {
            *level = self.space.level_dbm(*position, place);
        }
    }

    fn medium(&mut self, access_point: u32) -> (&mut Medium<T>, Surroundings<'_, T>) {
        let around = Surroundings {
            config: &self.config,
            space: &self.space,
            access_point,
            position: self.positions[access_point as usize],
            mobiles: &self.mobiles,
            counters: &mut self.counters,
            outputs: &mut self.outputs,
        };
        (&mut self.media[access_point as usize], around)
    }
}
