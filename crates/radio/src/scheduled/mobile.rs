//! A mobile and its bearer.

use std::cmp::Ordering;
use std::ops::Range;

use base::{Direction, Stream, Time};
use observe::Observe;

use super::bearer::{Bearer, BearerConfig};
use super::config::ScheduledConfig;
use super::drx::Cycles;
use super::lane::{Assignment, ScheduledLane, SentTold};
use super::power::{PowerState, StateMeter};
use super::rrc::{Event, Phase, Rest, Times};
use crate::Sdu;
use crate::channel::harq::Block;
use crate::channel::{Frame, Quality, UeConfig};
use crate::kit::moment::Moment;
use crate::rlc36::{Dtch, Label, OverDtch};

/// Both directions, and what the base station and the mobile know of each other.
#[derive(Debug)]
pub(crate) struct ScheduledMobile<T> {
    pub(super) lanes: [ScheduledLane<T>; 2],
    pub(super) phase: Phase,
    /// The slot of its last new block, or the one in which its connection began or ended.
    pub(super) last: u64,
    /// Where its turns of receiving and sending begin.
    place: u64,
    /// Nothing is sent before this slot: it goes from one cell to another.
    pub(super) open_from: u64,
    /// The number of handovers that have begun, ...
    pub(super) handovers: u64,
    /// ... which come so many slots later than those of the cell.
    pub(super) later: u64,
    /// When the base station hears its request to send.
    pub(super) request: Option<u64>,
    /// The first slot in which it may make one.
    pub(super) request_phase: u64,
    /// How many bytes the base station knows to wait for the uplink and has not granted.
    pub(super) known: u64,
    /// The priority of what is first of these, as far as it said.
    pub(super) known_priority: u8,
    /// How many bytes it said last that it has to send.
    pub(super) told: u64,
    /// The slot of the last report that the base station has read.
    pub(super) read: u64,
    pub(super) grants: Grants,
    /// The slot before which it was served last, downlink and uplink.
    pub(super) served: [u64; 2],
    /// The scheme of its last block downlink.
    pub(super) scheme: Option<u8>,
    pub(super) meter: StateMeter,
}

/// The slots to come in which a mobile sends, and how many bytes in each.
#[derive(Clone, Debug)]
pub(super) struct Grants {
    /// A slot and its bytes, by the slot's remainder.
    bytes: [(u64, u32); Self::AHEAD as usize],
    slots: u64,
}

impl Grants {
    /// No slot lies so far ahead.
    pub(super) const AHEAD: u64 = u64::BITS as u64;

    pub(super) const NONE: Self = Self { bytes: [(0, 0); Self::AHEAD as usize], slots: 0 };

    /// It sends `bytes` that it has not sent before in `slot`, or repeats a block.
    pub(super) const fn add(&mut self, slot: u64, bytes: u32) {
        self.bytes[(slot % Self::AHEAD) as usize] = (slot, bytes);
        self.slots |= 1 << (slot % Self::AHEAD);
    }

    /// `slot` has come.
    pub(super) const fn pass(&mut self, slot: u64) {
        self.slots &= !(1 << (slot % Self::AHEAD));
    }

    pub(super) const fn has(&self, slot: u64) -> bool {
        self.slots >> (slot % Self::AHEAD) & 1 == 1
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.slots == 0
    }

    /// In how many slots it sends what it has not sent before.
    pub(super) fn fresh(&self) -> u32 {
        let (mut slots, mut fresh) = (self.slots, 0);
        while slots > 0 {
            fresh += u32::from(self.bytes[slots.trailing_zeros() as usize].1 > 0);
            slots &= slots - 1;
        }
        fresh
    }

    /// How many bytes it was granted for slots after `slot` and up to `until`, which is no further
    /// from it than slots are remembered.
    pub(super) fn since(&self, slot: u64, until: u64) -> u64 {
        let granted =
            (slot + 1..=until).map(|slot| (slot, self.bytes[(slot % Self::AHEAD) as usize]));
        granted.filter(|(slot, (of, _))| slot == of).map(|(_, (_, bytes))| u64::from(bytes)).sum()
    }
}

/// The first occasion for a request, drawn: were it in slot 0, what begins with a run would meet it
/// always alike.
fn request_phase(config: &ScheduledConfig, ue: &UeConfig, seed: u64) -> u64 {
    let drawn = Stream::named(seed, &format!("{}/requests", ue.name)).next_u32();
    u64::from(drawn) % config.access.request_every
}

impl<T: Sdu> ScheduledMobile<T> {
    /// Mobile number `place` of a cell.
    pub(super) fn new(config: &ScheduledConfig, ue: &UeConfig, place: u64, seed: u64) -> Self {
        let (phase, state) = match config.rrc {
            Some(_) => (Phase::Resting(Rest::Idle), PowerState::Idle),
            None => (Phase::Connected, PowerState::Active),
        };
        Self {
            lanes: Direction::BOTH.map(|direction| ScheduledLane::new(direction, config, ue, seed)),
            phase,
            place,
            last: 0,
            open_from: 0,
            handovers: 0,
            later: config.handover.as_ref().map_or(0, |it| it.delay(seed, &ue.name)),
            request: None,
            request_phase: request_phase(config, ue, seed),
            known: 0,
            known_priority: BearerConfig::DEFAULT_PRIORITY,
            told: 0,
            read: 0,
            grants: Grants::NONE,
            served: [0; 2],
            scheme: None,
            meter: StateMeter::new(Time::ZERO, state),
        }
    }

    pub(super) fn lane(&mut self, direction: Direction) -> &mut ScheduledLane<T> {
        &mut self.lanes[direction as usize]
    }

    /// The direction itself, then its opposite.
    pub(super) fn pair(&mut self, direction: Direction) -> [&mut ScheduledLane<T>; 2] {
        let [down, up] = &mut self.lanes;
        match direction {
            Direction::Downlink => [down, up],
            Direction::Uplink => [up, down],
        }
    }

    /// Time at which link control has to do something next: a timer runs out, or a report may be
    /// sent that has to wait at `now`.
    pub(super) fn next_timer(&self, now: Time) -> Option<Time> {
        let mut next = None;
        for dtch in self.lanes.iter().flat_map(|lane| &lane.bearers).map(|bearer| &bearer.dtch) {
            let report = dtch.receiver.report_from().filter(|at| *at > now);
            next = Time::earlier(Time::earlier(next, report), dtch.poll_timeout());
        }
        next
    }

    /// The channels of its bearers in both directions.
    pub(super) fn all_dtchs(&self) -> impl Iterator<Item = &Dtch<T>> {
        Direction::BOTH.into_iter().flat_map(|way| self.dtchs(way))
    }

    /// The bytes that each bearer has to send in `direction`, a report included.
    fn wants(&self, now: Time, direction: Direction) -> impl Iterator<Item = (&Bearer<T>, u64)> {
        let [lane, other] =
            [direction as usize, 1 - direction as usize].map(|way| &self.lanes[way].bearers);
        lane.iter().zip(other).map(move |(bearer, back)| {
            (bearer, bearer.dtch.waiting() + back.dtch.receiver.report_bytes(now))
        })
    }

    /// How many bytes it has to send in `direction`, a report included.
    pub(super) fn wanted(&self, now: Time, direction: Direction) -> u64 {
        self.wants(now, direction).map(|(_, bytes)| bytes).sum()
    }

    /// The priority in `slot` of what is first of it, and how many bytes have that.
    pub(super) fn wanted_first(&self, now: Time, direction: Direction, slot: u64) -> (u8, u64) {
        let mut first = (u8::MAX, 0);
        for (bearer, bytes) in self.wants(now, direction).filter(|(_, bytes)| *bytes > 0) {
            let priority = bearer.priority(slot);
            match priority.cmp(&first.0) {
                Ordering::Less => first = (priority, bytes),
                Ordering::Equal => first.1 += bytes,
                Ordering::Greater => {}
            }
        }
        first
    }

    /// The block of an assignment that `process` is to have: of each bearer what waits, those ahead
    /// that are due (TS 36.321 §5.4.3.1), and reports on the other direction before data.
    pub(super) fn build(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        direction: Direction,
        process: u32,
        assigned: Assignment,
    ) -> SentTold {
        let [lane, other] = self.pair(direction);
        let (header, mut room) = (lane.header(), lane.room(assigned));
        let mut label = Label::default();
        let due = lane.due(moment.slot);
        for is_due in [1, 0] {
            for (place, (bearer, back)) in
                lane.bearers.iter_mut().zip(&mut other.bearers).enumerate()
            {
                if due >> place & 1 != is_due {
                    continue;
                }
                let status = back.dtch.receiver.report(moment.now, room);
                let contents = bearer.dtch.fill(moment, room, status);
                bearer.parts[process as usize] = contents;
                label = label.and(contents.label());
                let bytes = contents.bytes();
                if bytes > 0 {
                    bearer.take(moment.slot, bytes);
                    room = room.saturating_sub(bytes + header);
                }
            }
        }
        let label = lane.told(label, moment.slot);
        let Assignment { scheme, width, bytes, part } = assigned;
        let (built, slot) = (moment.slot, moment.slot);
        Block { label, scheme, width, bytes, part, transmissions: 1, built, slot }
    }

    /// Whether nothing is under way, and nothing is left to be acknowledged.
    pub(super) fn is_quiet(&self) -> bool {
        let is_quiet = |lane: &ScheduledLane<T>| lane.is_quiet() && lane.is_settled();
        self.lanes.iter().all(is_quiet) && self.request.is_none() && self.known == 0
    }

    /// The first slot from `slot` on in which it can receive or send, if `half_duplex` says when.
    pub(super) fn turn(&self, half_duplex: Option<&Frame>, direction: Direction, slot: u64) -> u64 {
        half_duplex.map_or(slot, |frame| frame.next(direction, slot + self.place) - self.place)
    }

    /// Whether it can be granted `slot` in slot `now`.
    pub(super) fn can_send(&self, half_duplex: Option<&Frame>, now: u64, slot: u64) -> bool {
        !self.grants.has(slot)
            && self.open_from <= now
            && self.turn(half_duplex, Direction::Uplink, slot) == slot
    }

    /// The first slot from `slot` on in which it listens to the base station, if it is connected.
    pub(super) fn listens_from(
        &self,
        drx: Option<&Cycles>,
        half_duplex: Option<&Frame>,
        slot: u64,
    ) -> Option<u64> {
        if self.phase != Phase::Connected {
            return None;
        }
        let mut slot = slot.max(self.open_from);
        // Where it sleeps, it wakes for at least as long as both directions take turns.
        loop {
            let turn = self.turn(half_duplex, Direction::Downlink, slot);
            slot = self.awake_from(drx, turn);
            if slot == turn {
                return Some(slot);
            }
        }
    }

    /// Slots in which it listens, whatever it waits for.
    pub(super) fn listens_in(
        &self,
        drx: Option<&Cycles>,
        half_duplex: Option<&Frame>,
    ) -> Range<u64> {
        if self.phase != Phase::Connected || half_duplex.is_some() {
            return 0..0;
        }
        self.open_from..drx.map_or(u64::MAX, |drx| drx.asleep_from(self.last))
    }

    /// The first slot from `slot` on in which it is awake.
    fn awake_from(&self, drx: Option<&Cycles>, slot: u64) -> u64 {
        let Some(drx) = drx else { return slot };
        // It waits for a grant, or for a block that failed (TS 36.321 §5.7: Active Time).
        let is_waiting = self.request.is_some()
            || self.known > 0
            || !self.grants.is_empty()
            || self.lanes.iter().any(|lane| lane.harq.failed().is_some());
        if is_waiting { slot } else { drx.listens_from(slot, self.last) }
    }

    /// Something happens to it in `slot`. Returns whether that concerns a mobile in its phase.
    pub(super) fn handle_event(&mut self, slot: u64, event: Event) -> bool {
        let Some(next) = self.phase.after(event) else { return false };
        if next != self.phase && !matches!(next, Phase::Connecting(..)) {
            self.last = slot;
        }
        self.phase = next;
        true
    }

    /// Which of the states that differ in power it is in at `slot`, and until when it stays there
    /// if nothing happens.
    pub(super) fn power_state(
        &self,
        slot: u64,
        drx: Option<&Cycles>,
        rrc: Option<&Times>,
    ) -> (PowerState, u64) {
        match self.phase {
            Phase::Resting(rest) => self.resting_state(slot, rest, rrc),
            Phase::Connecting(rest, until) => {
                let begins = until - rrc.map_or(0, |times| times.of(rest).promotion);
                if slot < begins {
                    let (state, ends) = self.resting_state(slot, rest, rrc);
                    (state, ends.min(begins))
                } else {
                    (PowerState::Promotion, until)
                }
            }
            Phase::Connected => match drx.map(|drx| drx.asleep_from(self.last)) {
                Some(asleep) if slot >= asleep => (PowerState::Tail, u64::MAX),
                Some(asleep) => (PowerState::Active, asleep),
                None => (PowerState::Active, u64::MAX),
            },
        }
    }

    /// The same of a mobile without a connection in use.
    fn resting_state(&self, slot: u64, rest: Rest, rrc: Option<&Times>) -> (PowerState, u64) {
        let state = match rest {
            Rest::Idle => PowerState::Idle,
            Rest::Inactive => PowerState::Inactive,
        };
        match rrc.and_then(|times| times.of(rest).paging.asleep_from(self.last)) {
            Some(asleep) if slot >= asleep => (PowerState::Psm, u64::MAX),
            Some(asleep) => (state, asleep),
            None => (state, u64::MAX),
        }
    }

    /// The radio link is gone: what was granted or requested, and what was on the air.
    pub(super) fn detach(&mut self) {
        self.request = None;
        (self.known, self.told) = (0, 0);
        self.grants = Grants::NONE;
    }
}

impl<T: Sdu> OverDtch for ScheduledMobile<T> {
    type Sdu = T;

    fn dtchs<'a>(&'a self, direction: Direction) -> impl Iterator<Item = &'a Dtch<T>>
    where
        T: 'a,
    {
        self.lanes[direction as usize].bearers.iter().map(|bearer| &bearer.dtch)
    }

    fn dtchs_mut<'a>(&'a mut self, direction: Direction) -> impl Iterator<Item = &'a mut Dtch<T>>
    where
        T: 'a,
    {
        self.lane(direction).bearers.iter_mut().map(|bearer| &mut bearer.dtch)
    }

    fn dtch_for(&mut self, direction: Direction, sdu: &T) -> &mut Dtch<T> {
        &mut self.lane(direction).bearer_for(sdu.dscp()).dtch
    }

    fn quality_mut(&mut self, direction: Direction) -> &mut Quality {
        &mut self.lanes[direction as usize].quality
    }
}
