//! The cell as one machine.

use std::collections::VecDeque;

use base::{Direction, Duration, Rate, Time};
use observe::Observe;

use super::config::{Carrier, ScheduledConfig};
use super::drx::Cycles;
use super::lane::{Assignment, SentTold};
use super::mobile::{Grants, ScheduledMobile};
use super::rrc::Phase;
use super::shares::Shares;
use super::standing::Standing;
use crate::channel::flights::{Flight, Flights};
use crate::channel::harq::Feedback;
use crate::channel::scheduler::Scheduler;
use crate::kit::moment::Moment;
use crate::kit::roster::{CellMobile, Roster};
use crate::kit::slots::{HarqCell, SlotMobile, Slotted, slotted};
use crate::rlc36::Dtch;
use crate::{EnergyUse, Sdu};

/// A cell and its mobiles, each with a bearer.
///
/// Time passes in slots. At the beginning of a slot blocks arrive first, then timers run out, then
/// it is decided who sends. What comes from outside while a slot begins misses it. There are no
/// slots while there is nothing to send, to receive or to wait for: a mobile without traffic costs
/// nothing.
#[derive(Debug)]
pub struct ScheduledCell<T> {
    pub(super) config: ScheduledConfig,
    pub(super) drx: Option<Cycles>,
    pub(super) mobiles: Roster<ScheduledMobile<T>>,
    pub(super) scheduler: Scheduler,
    /// The standing of each mobile, as the scheduler saw it last.
    pub(super) standings: Box<[Standing]>,
    flights: Flights,
    /// Shares of the downlink that mobiles could have.
    shares: Shares,
    /// What mobiles may send, by slot.
    pub(super) granted: VecDeque<Granted>,
    /// How many resource blocks of the uplink are taken in slots to come.
    pub(super) taken: [u16; Grants::AHEAD as usize],
    /// Now.
    now: Time,
}

/// What a mobile may send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Granted {
    pub(super) slot: u64,
    pub(super) ue: u32,
    pub(super) assigned: Assignment,
    /// The process whose block it is for that failed, and when that was sent last; `None` is a new
    /// one.
    pub(super) repeat: Option<(u32, u64)>,
}

impl<T: Sdu> ScheduledCell<T> {
    /// A cell that reports facts as machine number `machine`. Its random streams come from `seed`
    /// and the names of its mobiles.
    pub fn new(machine: u32, config: &ScheduledConfig, seed: u64) -> Self {
        let mobiles = config.ues.iter().zip(0..);
        let mobiles =
            mobiles.map(|(ue, place)| ScheduledMobile::new(config, ue, place, seed)).collect();
        let mut network = Self {
            drx: config.drx.map(|drx| drx.in_slots(config.slot)),
            mobiles: Roster::new(machine, mobiles, 0),
            scheduler: Scheduler::new(config.scheduler),
            standings: vec![Standing::default(); config.ues.len()].into(),
            flights: Flights::default(),
            shares: Shares::new(config.ues.len(), config.slot),
            granted: VecDeque::new(),
            taken: [0; Grants::AHEAD as usize],
            now: Time::ZERO,
            config: config.clone(),
        };
        // Only those that will say by themselves that they are there have anything due.
        if config.rrc.is_some_and(|times| times.idle.paging.psm.is_some()) {
            (0..network.mobiles.len() as u32).for_each(|ue| network.mobiles.touch(ue));
            network.settle(0, &mut ());
        }
        network
    }

    slotted!(T, ScheduledConfig);

    /// What the radio of each mobile has used by `now`, in order.
    pub fn energy(&self, now: Time) -> impl Iterator<Item = EnergyUse> {
        self.mobiles.iter().map(move |mobile| mobile.meter.used(&self.config.power, now))
    }

    /// The share of the resource blocks of `direction` that was used in the first `span` of the
    /// run.
    pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
        // The slot that begins as the span ends is sent, too.
        let slots = span.whole(self.config.slot) + 1;
        let slots = self.config.frame.of_first(direction, slots) as f64;
        let width = f64::from(self.carrier(direction).sizes.width());
        (slots > 0.0).then(|| self.flights.used(direction) as f64 / (slots * width))
    }

    /// The number of resource blocks of `direction` that its mobiles have in `slot`.
    pub(super) fn width(&self, direction: Direction, slot: u64) -> u16 {
        self.config.background.left(self.carrier(direction).sizes.width(), slot)
    }

    pub(super) fn carrier(&self, direction: Direction) -> &Carrier {
        &self.config.carriers[direction as usize]
    }

    /// Sends the block of `process`: what becomes of it is decided now and known later.
    pub(super) fn transmit(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        (ue, direction): (u32, Direction),
        process: u32,
        block: &SentTold,
    ) {
        let (slot, harq) = (moment.slot, self.config.harq);
        let mobile = &mut self.mobiles[ue as usize];
        mobile.served[direction as usize] = slot + 1;
        let carrier = &self.config.carriers[direction as usize];
        let errs = mobile.lane(direction).draw(moment, ue, carrier, block);
        let arrives = slot + 1 + u64::from(harq.decoding);
        let returns = match (harq.feedback, direction) {
            (Feedback::Fixed { round_trip }, _) => slot + u64::from(round_trip),
            (Feedback::Granted { after, then }, Direction::Downlink) => {
                let answer = self.config.frame.next(Direction::Uplink, slot + u64::from(after));
                self.sends_from(answer, ue) + u64::from(then)
            }
            (Feedback::Granted { .. }, Direction::Uplink) => arrives,
        };
        let flight = Flight { slot, ue, process, errs };
        self.flights.send(direction, flight, block.width.into(), [arrives, returns]);
        self.mobiles[ue as usize].meter.carried(direction, u64::from(block.bytes));
        if let (Direction::Uplink, Feedback::Fixed { .. }) = (direction, harq.feedback)
            && errs
            && u32::from(block.transmissions) <= harq.repeats
        {
            // The base station knows of it before it grants this slot to others.
            let again = returns;
            self.taken[(again % Grants::AHEAD) as usize] += block.width;
            self.mobiles[ue as usize].grants.add(again, 0);
        }
        let mobile = &mut self.mobiles[ue as usize];
        if block.transmissions == 1 {
            mobile.last = slot;
            if direction == Direction::Downlink
                && mobile.scheme.replace(block.scheme) != Some(block.scheme)
            {
                self.mobiles.report(ue);
            }
        }
        if direction == Direction::Downlink {
            self.count(slot, ue, block.width);
        }
        self.mobiles.touch(ue);
    }

    /// `ue` uses `width` resource blocks of the downlink in `slot`. Once in a while that tells what
    /// each mobile could have.
    fn count(&mut self, slot: u64, ue: u32, width: u16) {
        if let Some(since) = self.shares.over(slot) {
            let way = Direction::Downlink;
            let [from, to] = [since, slot].map(|slot| self.config.frame.of_first(way, slot));
            let there = (to - from, self.carrier(way).sizes.width());
            self.shares.end(slot, there, |ue| self.mobiles.report(ue));
        }
        self.shares.carried(ue, width);
    }

    /// The first slot from `slot` on in which `ue` can send.
    fn sends_from(&self, slot: u64, ue: u32) -> u64 {
        self.mobiles[ue as usize].turn(self.config.half_duplex.as_ref(), Direction::Uplink, slot)
    }

    /// Tells the meter of `ue` which state it is in. Returns until when, if nothing happens.
    fn meter<O: Observe>(&mut self, slot: u64, ue: u32, observe: &mut O) -> u64 {
        let (now, machine) = (Time::ZERO + self.config.slot * slot, self.mobiles.machine);
        let mobile = &mut self.mobiles[ue as usize];
        let (state, ends) = mobile.power_state(slot, self.drx.as_ref(), self.config.rrc.as_ref());
        if mobile.meter.enter(now, state) && O::ON {
            observe.power(now, mobile.meter.fact(&self.config.power, now, machine, ue));
        }
        ends
    }
}

impl<T: Sdu> Slotted<T> for ScheduledCell<T> {
    type Mobile = ScheduledMobile<T>;

    fn mobiles(&mut self) -> &mut Roster<ScheduledMobile<T>> {
        &mut self.mobiles
    }

    fn slot(&self) -> Duration {
        self.config.slot
    }

    fn rate_of(&mut self, ue: u32) -> Option<Rate> {
        let snr = self.mobiles[ue as usize].lanes[0].quality.counted_on(self.now);
        let all = self.config.rate(self.config.frame_of_mobile(), Direction::Downlink, snr);
        let bps = all.as_bps() as f64 * self.shares.of(ue);
        Some(Rate::from_bps((bps as u64).max(1)))
    }

    /// A mobile without a connection begins to connect.
    fn entered(&mut self, slot: u64, ue: u32, direction: Direction, observe: &mut impl Observe) {
        self.catch_up(slot, ue, observe);
        self.connect(slot, ue, direction);
    }

    fn run(&mut self, moment: &mut Moment<'_, impl Observe>) {
        self.now = moment.now;
        self.run_harq(moment);
    }

    fn next_slot(&self, slot: u64) -> Option<u64> {
        let is_active = Direction::BOTH.iter().any(|way| !self.mobiles.active(*way).is_empty());
        let granted = self.granted.front().map(|granted| granted.slot);
        let next = [self.flights.next(), granted, is_active.then_some(slot + 1)];
        next.into_iter().flatten().min()
    }

    fn due(&mut self, slot: u64, ue: u32, observe: &mut impl Observe) -> Option<u64> {
        if self.mobiles[ue as usize].all_dtchs().any(Dtch::has_failed) {
            self.fail(slot, ue);
        }
        let state_ends = self.meter(slot, ue, observe);
        let now = Time::ZERO + self.config.slot * slot;
        self.request_if_needed(slot, ue);
        let mobile = &self.mobiles[ue as usize];
        let timer = mobile.next_timer(now);
        let mut due = timer.map_or(u64::MAX, |at| self.slot_from(at, slot));
        due = due.min(mobile.request.unwrap_or(u64::MAX));
        due = due.min(state_ends);
        let phase_ends = self
            .config
            .rrc
            .as_ref()
            .map_or(u64::MAX, |times| mobile.phase.ends(times, mobile.last));
        if phase_ends > slot {
            due = due.min(phase_ends);
        }
        if let Some(handovers) = &self.config.handover
            && !matches!(mobile.phase, Phase::Resting(_))
            && !mobile.is_quiet()
        {
            due = due.min(handovers.next(mobile.later, mobile.handovers));
        }
        match self.listens_from(now, slot + 1, ue) {
            Some(listens) if listens == slot + 1 => self.mobiles.activate(ue, Direction::Downlink),
            Some(listens) => due = due.min(listens),
            None => {}
        }
        (due < u64::MAX).then_some(due)
    }
}

impl<T: Sdu> HarqCell<T> for ScheduledCell<T> {
    fn flights(&mut self) -> &mut Flights {
        &mut self.flights
    }

    fn arrive(&mut self, moment: &mut Moment<'_, impl Observe>, way: Direction, flight: Flight) {
        let Flight { slot, ue, process, .. } = flight;
        let [lane, other] = self.mobiles[ue as usize].pair(way);
        let Some(block) = lane.harq.sent(process, slot).copied() else { return };
        for (bearer, back) in lane.bearers.iter_mut().zip(&mut other.bearers) {
            let contents = &bearer.parts[process as usize];
            bearer.dtch.receive(moment.now, contents);
            if let Some(status) = &contents.status {
                back.dtch.transmitter.handle_status(status);
            }
        }
        if way == Direction::Uplink {
            self.take_report(moment.slot, ue, &block);
        }
    }

    fn learn(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        way: Direction,
        flight: Flight,
    ) -> bool {
        let Flight { slot, ue, process, errs } = flight;
        let lane = self.mobiles[ue as usize].lane(way);
        let Some(block) = lane.harq.sent(process, slot) else { return true };
        let may_repeat = u32::from(block.transmissions) <= self.config.harq.repeats;
        if !errs {
            lane.harq.free(process);
            // Uplink it may have to ask for more; one at rest is not handed over.
            return way == Direction::Uplink || self.config.handover.is_some();
        }
        if !may_repeat {
            lane.harq.free(process);
            lane.lose(moment.now, process);
            return true;
        }
        lane.harq.fail(process);
        match (way, self.config.harq.feedback) {
            (Direction::Uplink, Feedback::Fixed { .. }) => {
                self.repeat_uplink(moment, ue, process);
            }
            (Direction::Downlink, _) | (_, Feedback::Granted { .. }) => {
                self.mobiles.activate(ue, way);
            }
        }
        true
    }

    fn run_timers(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        let (slot, now) = (moment.slot, moment.now);
        self.catch_up(slot, ue, moment.observe);
        let mobile = &mut self.mobiles[ue as usize];
        for lane in &mut mobile.lanes {
            lane.bearers.iter_mut().for_each(|bearer| bearer.dtch.handle_timeout(now));
        }
        self.pass(slot, ue);
        let mobile = &mut self.mobiles[ue as usize];
        if mobile.request.is_some_and(|heard| heard <= slot) {
            mobile.request = None;
            mobile.known = mobile.known.max(self.config.access.first_grant);
            self.mobiles.activate(ue, Direction::Uplink);
        }
        if self.listens_from(now, slot, ue) == Some(slot) {
            self.mobiles.activate(ue, Direction::Downlink);
        }
    }

    fn schedule(&mut self, moment: &mut Moment<'_, impl Observe>) {
        self.schedule_downlink(moment);
        self.send_uplink(moment);
        self.grant_uplink(moment);
        self.taken[(moment.slot % Grants::AHEAD) as usize] = 0;
    }
}
