//! The network as one machine.

use base::{Direction, Duration, Time};
use observe::{CommonFact, Context, Observe, RrcFact, RrcState};

use super::common::Common;
use super::ue::Ue;
use super::{CellConfig, UeConfig};
use crate::kit::roster::{CellMobile, Roster, of_mobiles};
use crate::umts::channels::CodeTree;
use crate::umts::interference::{ErrorRates, Interference};
use crate::umts::power::{PowerState, RrcMeter};
use crate::umts::rrc::{Action, Channels, Entity, Input};
use crate::umts::{Bearer, BlockErrorRate, Blocks, ChannelState, Coverage};
use crate::{EnergyUse, RateReport, Sdu};

/// A network of cells with its UEs, each of which has a bearer.
///
/// Within it each UE is a machine that wakes when its bearer or its connection is due. Shared
/// channels come after the UEs, since MAC decides from what waits when a TTI begins; the
/// measurement of positions and powers comes last, and runs while a UE moves or interferes. A UE
/// without traffic costs nothing.
#[derive(Debug)]
pub struct UmtsCells<T> {
    pub(super) config: CellConfig,
    pub(super) sectors: Vec<Sector>,
    pub(super) mobiles: Roster<Ue<T>>,
    pub(super) radio: Interference,
    /// The UEs whose position is measured.
    pub(super) watched: Vec<u32>,
}

/// A cell: its codes and its shared channels.
#[derive(Debug)]
pub(super) struct Sector {
    pub(super) codes: CodeTree,
    common: [Common; 2],
}

/// How often positions and powers are measured (TS 25.133 §8.1.2.2: the measurement period of
/// pilots on one carrier).
pub(super) const LOOK: Duration = Duration::from_millis(200);

impl<T: Sdu> UmtsCells<T> {
    /// A network that reports facts as machine number `machine`. Its random streams come from
    /// `seed` and the names of its UEs.
    ///
    /// # Panics
    /// If the shared channels take more codes than a cell has.
    pub fn new(machine: u32, config: &CellConfig, seed: u64) -> Self {
        let radio = Interference::new(config.interference, &config.cells, seed, "cells");
        let ues = config.ues.iter().map(|ue| Self::ue(machine, config, ue, seed)).collect();
        let mut cell = Self {
            config: CellConfig { ues: Vec::new(), ..config.clone() },
            sectors: config.cells.iter().map(|_| Sector::new(config)).collect(),
            mobiles: Roster::new(machine, ues, 2 * config.cells.len() + 1),
            radio,
            watched: Vec::new(),
        };
        for ue in 0..cell.mobiles.len() as u32 {
            cell.select_cell(Time::ZERO, ue);
            cell.apply_rrc_actions(&mut Context { now: Time::ZERO, observe: &mut () }, ue);
            cell.settle(Time::ZERO, ue);
        }
        cell.mobiles.next = cell.mobiles.agenda.peek();
        cell
    }

    fn ue(machine: u32, cell: &CellConfig, config: &UeConfig, seed: u64) -> Ue<T> {
        let mut rrc = Entity::new(cell.rrc.clone(), cell.dedicated, cell.spreading);
        for (direction, rate) in &config.flows {
            rrc.add_flow(*direction, *rate);
        }
        let state = PowerState::of(rrc.state(), rrc.procedure());
        let mut ue = Ue {
            bearer: Bearer::new(machine, &cell.bearer, seed, &config.name),
            rrc,
            meter: RrcMeter::new(Time::ZERO, state),
            motion: config.motion.clone(),
            tbler: config.tbler,
            gains: Vec::new(),
            cells: Vec::new(),
            codes: Vec::new(),
            channels: Channels::None,
            joined: None,
            wishes: [None; 2],
            access: None,
            sent: [0; 2],
            watched: false,
            gap: None,
            links: None,
            coverage: Coverage::There,
            pilot_db: f64::INFINITY,
        };
        ue.close(Time::ZERO);
        ue
    }

    /// Takes in `sdu` of `ue` where `direction` begins, or gives it back if the queue is full.
    ///
    /// # Errors
    /// The SDU that was dropped.
    pub fn handle_input(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        ue: u32,
        direction: Direction,
        sdu: T,
    ) -> Result<(), T> {
        let now = cx.now;
        self.handle_timeout(cx);
        if !self.mobiles[ue as usize].is_awake() {
            self.select_cell(now, ue);
        }
        let mobile = &mut self.mobiles[ue as usize];
        let taken = mobile.bearer.handle_input(cx, direction, sdu);
        let waiting = mobile.bearer.buffer_occupancy(direction);
        self.tell(now, ue, Input::Arrived { direction, waiting });
        self.apply_rrc_actions(cx, ue);
        self.settle(now, ue);
        self.mobiles.next = self.mobiles.agenda.peek();
        taken
    }

    /// Does what is due by now, in order of time.
    pub fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some((now, id)) = self.mobiles.agenda.next(cx.now) {
            let cx = &mut Context { now, observe: &mut *cx.observe };
            let ues = self.mobiles.len() as u32;
            match id.checked_sub(ues) {
                None => self.run_ue(cx, id),
                Some(common) if (common as usize) < 2 * self.sectors.len() => {
                    self.run_common(cx, common / 2, Direction::BOTH[common as usize % 2]);
                }
                Some(_) => self.look(cx),
            }
        }
        self.mobiles.next = self.mobiles.agenda.peek();
    }

    of_mobiles!(T);

    /// It reports nothing: several channels of a mobile may change at once.
    #[must_use]
    pub const fn poll_report(&mut self) -> Option<(u32, RateReport)> {
        None
    }

    /// From `now` on the blocks of its mobiles err as `config` says, shared channels included. What
    /// was due before `now` must have been handled.
    pub fn reconfigure(&mut self, now: Time, config: &CellConfig) {
        for (ue, config) in (0..).zip(&config.ues) {
            self.mobiles[ue as usize].tbler = config.tbler;
            self.open(now, ue);
            self.settle(now, ue);
        }
        self.mobiles.next = self.mobiles.agenda.peek();
    }

    /// Its cells have no common room: codes and powers limit them.
    pub const fn utilization(&self, _direction: Direction, _span: Duration) -> Option<f64> {
        None
    }

    /// What the radio of each UE has used by `now`.
    pub fn energy(&self, now: Time) -> impl Iterator<Item = EnergyUse> {
        self.mobiles.iter().map(move |ue| ue.meter.used(&self.config.power, now))
    }

    /// How many cells there are.
    pub const fn cells(&self) -> u32 {
        self.sectors.len() as u32
    }

    /// The RRC state of each UE.
    pub fn states(&self) -> impl Iterator<Item = RrcState> {
        self.mobiles.iter().map(|ue| ue.rrc.state())
    }

    fn run_ue(&mut self, cx: &mut Context<'_, impl Observe>, ue: u32) {
        let now = cx.now;
        let mobile = &mut self.mobiles[ue as usize];
        mobile.rrc.handle_timeout(now);
        self.apply_rrc_actions(cx, ue);
        if self.mobiles[ue as usize].gap.is_some_and(|end| end <= now) {
            self.mobiles[ue as usize].gap = None;
            self.open(now, ue);
        }
        self.mobiles[ue as usize].bearer.handle_timeout(cx);
        for direction in Direction::BOTH {
            let mobile = &mut self.mobiles[ue as usize];
            let sent = mobile.bearer.counters(direction).blocks_sent;
            let before = std::mem::replace(&mut mobile.sent[direction as usize], sent);
            if before != sent {
                let payload = u64::from(self.config.bearer.rlc.block_bytes());
                mobile.meter.carried(direction, (sent - before) * payload);
                let waiting = mobile.bearer.buffer_occupancy(direction);
                self.tell(now, ue, Input::Sent { direction, waiting });
            }
        }
        self.apply_rrc_actions(cx, ue);
        self.settle(now, ue);
    }

    /// Shares the next TTI of a common channel.
    fn run_common(&mut self, cx: &mut Context<'_, impl Observe>, cell: u32, direction: Direction) {
        let now = cx.now;
        let machine = self.mobiles.machine;
        let (ues, payload) = (&mut self.mobiles, self.config.bearer.rlc.block_bytes());
        let common = &mut self.sectors[cell as usize].common[direction as usize];
        let mut before = std::mem::take(&mut common.granted);
        let start = now + common.tti;
        let used = common.share(start, |ue| ues[ue as usize].waiting(direction, start, payload));
        if used > 0 {
            let capacity = common.capacity();
            cx.observe.common(start, CommonFact { machine, cell, direction, used, capacity });
        }
        common.due = None;
        let granted = std::mem::take(&mut common.granted);
        for (ue, _) in &before {
            if !granted.iter().any(|(other, _)| other == ue) {
                ues[*ue as usize].grant(now, direction, 0, BlockErrorRate::LOST);
            }
        }
        for (ue, blocks) in &granted {
            let tbler = ues[*ue as usize].tbler[direction as usize];
            ues[*ue as usize].grant(now, direction, *blocks, tbler);
        }
        for (ue, _) in before.iter().chain(&granted) {
            self.settle(now, *ue);
        }
        before.clear();
        let common = &mut self.sectors[cell as usize].common[direction as usize];
        // A UE that was granted a TTI is removed only after it.
        if !granted.is_empty() {
            common.due = Some(common.due.map_or(start, |due| due.min(start)));
        }
        common.granted = granted;
        self.wish_again(now, cell, direction);
    }

    /// After a decision: sets when the next is needed.
    fn wish_again(&mut self, now: Time, cell: u32, direction: Direction) {
        let common = &self.sectors[cell as usize].common[direction as usize];
        let wishes = common.members().filter_map(|ue| {
            let wish = self.mobiles[ue as usize].wishes[direction as usize]?;
            Some(common.decision(now, wish))
        });
        let due = wishes.chain(common.due).min();
        self.sectors[cell as usize].common[direction as usize].due = due;
        self.mobiles.agenda.set(self.common_id(cell, direction), due);
    }

    /// After anything that concerns `ue`: sets when it and its shared channels are due.
    pub(super) fn settle(&mut self, now: Time, ue: u32) {
        let mobile = &mut self.mobiles[ue as usize];
        let timers = [mobile.bearer.poll_timeout(), mobile.rrc.poll_timeout(), mobile.gap];
        let joined = mobile.joined;
        self.mobiles.agenda.set(ue, timers.into_iter().flatten().min());
        self.mobiles.call(ue);
        for direction in Direction::BOTH {
            let mobile = &mut self.mobiles[ue as usize];
            let demand = joined.and_then(|_| mobile.bearer.next_demand(now, direction));
            let wish = match direction {
                Direction::Downlink => demand,
                Direction::Uplink => mobile.after_access(now, demand, &self.config.rach),
            };
            mobile.wishes[direction as usize] = wish;
            let (Some(cell), Some(wish)) = (joined, wish) else { continue };
            let id = self.common_id(cell, direction);
            let common = &mut self.sectors[cell as usize].common[direction as usize];
            let decision = common.decision(now, wish);
            if common.due.is_none_or(|due| decision < due) {
                common.due = Some(decision);
                self.mobiles.agenda.set(id, Some(decision));
            }
        }
        self.watch(now, ue);
    }

    /// Measures the position of `ue` regularly if it moves or if its error rates depend on it.
    fn watch(&mut self, now: Time, ue: u32) {
        let mobile = &mut self.mobiles[ue as usize];
        let disturbs = match self.config.interference.error_rates {
            ErrorRates::Given => false,
            ErrorRates::FromPlace => matches!(mobile.channels, Channels::Dedicated(_)),
        };
        if mobile.watched || !(disturbs || !mobile.motion.rests() && mobile.is_awake()) {
            return;
        }
        mobile.watched = true;
        if self.watched.is_empty() {
            let id = self.look_id();
            self.mobiles.agenda.set(id, Some(now.next_multiple(LOOK)));
        }
        self.watched.push(ue);
    }

    /// Measures the positions of moving UEs, and all powers.
    fn look(&mut self, cx: &mut Context<'_, impl Observe>) {
        let now = cx.now;
        let watched = std::mem::take(&mut self.watched);
        for ue in &watched {
            self.move_ue(cx, *ue);
            self.apply_rrc_actions(cx, *ue);
        }
        self.set_powers(now, &watched);
        for ue in watched {
            self.mobiles[ue as usize].watched = false;
            self.settle(now, ue);
        }
        let next = (!self.watched.is_empty()).then(|| now.next_multiple(LOOK));
        self.mobiles.agenda.set(self.look_id(), next);
    }

    pub(super) fn tell(&mut self, now: Time, ue: u32, input: Input) {
        let told = self.mobiles[ue as usize].rrc.handle_input(now, input);
        told.unwrap_or_else(|illegal| panic!("the network asks for nothing illegal: {illegal}"));
    }

    /// Carries out the actions of the RRC connection of `ue`.
    pub(super) fn apply_rrc_actions(&mut self, cx: &mut Context<'_, impl Observe>, ue: u32) {
        let now = cx.now;
        while let Some(action) = self.mobiles[ue as usize].rrc.poll_output() {
            match action {
                Action::Admit(wanted) => {
                    let answer = self.admit(cx, ue, wanted);
                    self.tell(now, ue, answer.map_or(Input::Refused, Input::Admitted));
                }
                Action::Cancel(_) => self.release(cx, ue),
                Action::Use(channels) => self.carry(cx, ue, channels),
                Action::Changed { from, to, event } => {
                    cx.observe
                        .rrc(now, RrcFact { machine: self.mobiles.machine, ue, from, to, event });
                }
            }
        }
        let machine = self.mobiles.machine;
        let mobile = &mut self.mobiles[ue as usize];
        if mobile.meter.enter(now, mobile.power_state()) && cx.is_watched() {
            let fact = mobile.meter.fact(&self.config.power, now, machine, ue);
            cx.observe.power(now, fact);
        }
    }

    /// From now on `channels` carry the bearer of `ue`. Codes that are reserved and not yet in use
    /// stay reserved.
    pub(super) fn carry(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        ue: u32,
        channels: Channels,
    ) {
        let now = cx.now;
        self.leave_common(ue);
        let mobile = &mut self.mobiles[ue as usize];
        let before = std::mem::replace(&mut mobile.channels, channels);
        mobile.links = None;
        mobile.gap = None;
        mobile.close(now);
        if matches!(before, Channels::Dedicated(_)) {
            self.release(cx, ue);
        }
        match channels {
            Channels::None => {}
            Channels::Shared => self.join_common(ue),
            Channels::Dedicated(_) => {
                self.begin_links(now, ue);
                self.open(now, ue);
            }
        }
    }

    /// Opens the dedicated channels of both directions, with the present error rates.
    pub(super) fn open(&mut self, now: Time, ue: u32) {
        let Channels::Dedicated(dedicated) = self.mobiles[ue as usize].channels else { return };
        for direction in Direction::BOTH {
            let bearer = &self.config.bearer;
            let channel = direction.of(&bearer.downlink, &bearer.uplink);
            let sf = direction.of(dedicated.downlink, dedicated.uplink);
            let payload = self.config.bearer.rlc.block_bytes();
            let rate = self.config.spreading.rate_of(direction, sf);
            let rate = rate.expect("admitted channels have factors of their directions");
            let blocks = Blocks::of_rate(rate, channel.tti, payload);
            let blocks = blocks.expect("no factor gives more blocks than can be counted");
            let state = ChannelState { blocks, tbler: self.tbler(ue, direction) };
            let mobile = &mut self.mobiles[ue as usize];
            if mobile.gap.is_none() && mobile.bearer.channel(direction) != state {
                mobile.bearer.set_channel(now, direction, state);
            }
        }
    }

    /// The block error rates of the dedicated channels of `ue` at its position.
    fn tbler(&self, ue: u32, direction: Direction) -> BlockErrorRate {
        let mobile = &self.mobiles[ue as usize];
        if mobile.pilot_db < self.config.mobility.pilot_min {
            return BlockErrorRate::LOST;
        }
        match self.config.interference.error_rates {
            ErrorRates::Given => mobile.tbler[direction as usize],
            ErrorRates::FromPlace => {
                let quality = self.radio.quality(ue, direction);
                quality.map_or(BlockErrorRate::LOST, |quality| quality.bler.into())
            }
        }
    }

    /// Adds `ue` to the shared channels of the cell that it camps on.
    pub(super) fn join_common(&mut self, ue: u32) {
        let mobile = &mut self.mobiles[ue as usize];
        mobile.joined = mobile.cells.first().copied();
        if let Some(cell) = mobile.joined {
            self.sectors[cell as usize].common.iter_mut().for_each(|common| common.join(ue));
        }
    }

    pub(super) fn leave_common(&mut self, ue: u32) {
        if let Some(cell) = self.mobiles[ue as usize].joined.take() {
            self.sectors[cell as usize].common.iter_mut().for_each(|common| common.leave(ue));
        }
    }

    fn common_id(&self, cell: u32, direction: Direction) -> u32 {
        self.mobiles.len() as u32 + 2 * cell + direction as u32
    }

    fn look_id(&self) -> u32 {
        (self.mobiles.len() + 2 * self.sectors.len()) as u32
    }
}

impl Sector {
    fn new(config: &CellConfig) -> Self {
        let payload = config.bearer.rlc.block_bytes();
        let common = |rate, tti| {
            let blocks = Blocks::of_rate(rate, tti, payload);
            Common::new(tti, blocks.unwrap_or(Blocks::every_tti(u32::MAX)))
        };
        let (down, up) = (config.bearer.downlink.tti, config.bearer.uplink.tti);
        Self {
            codes: CodeTree::of_cell(&[config.fach.sf]).expect("codes for the shared channels"),
            common: [common(config.fach.rate, down), common(config.rach.rate, up)],
        }
    }
}
