//! The cell as one machine.

use std::mem;

use base::{Direction, Duration, Rate, Time};
use observe::Observe;

use super::channel::{HsBlock, HsChannel};
use super::config::HsConfig;
use super::formats::{TTI, needed};
use super::mobile::HsMobile;
use super::node_b::NodeBUse;
use super::pdus::{self, Item};
use crate::channel::flights::{Flight, Flights};
use crate::channel::scheduler::Scheduler;
use crate::kit::moment::Moment;
use crate::kit::roster::{CellMobile, Roster};
use crate::kit::slots::{HarqCell, SlotMobile, Slotted, slotted};
use crate::umts::mac::TransportBlocks;
use crate::umts::power::PowerState;
use crate::umts::rlc::Health;
use crate::{EnergyUse, Sdu};

/// A cell and its mobiles, each with a bearer.
///
/// Time passes in TTIs of HS-DSCH. At the beginning of one blocks arrive first, then what comes
/// over Iub, then link control sends and the `NodeB` grants, then it is decided who gets the TTI.
/// What comes from outside as a TTI begins misses it. There are no TTIs while there is nothing to
/// send, to receive or to wait for: a mobile without traffic costs nothing.
#[derive(Debug)]
pub struct HsCell<T> {
    pub(super) config: HsConfig,
    pub(super) mobiles: Roster<HsMobile<T>>,
    pub(super) scheduler: Scheduler,
    flights: Flights,
    /// What link control fills and gets.
    pub(super) blocks: TransportBlocks,
    items: Vec<Item>,
}

impl<T: Sdu> HsCell<T> {
    /// A cell that reports facts as machine number `machine`. Its random streams come from `seed`
    /// and the names of its mobiles.
    pub fn new(machine: u32, config: &HsConfig, seed: u64) -> Self {
        let mobiles = config.ues.iter().map(|ue| HsMobile::new(config, ue, seed)).collect();
        Self {
            mobiles: Roster::new(machine, mobiles, 0),
            scheduler: Scheduler::new(config.scheduler),
            flights: Flights::default(),
            blocks: TransportBlocks::new(),
            items: Vec::new(),
            config: config.clone(),
        }
    }

    slotted!(T, HsConfig);

    /// What the `NodeB` has granted and got for `ue`.
    pub fn node_b_use(&self, ue: u32) -> NodeBUse {
        self.mobiles[ue as usize].flow.usage()
    }

    /// What the radio of each mobile has used by `now` if it was on these channels since the start,
    /// in order.
    pub fn energy(&self, now: Time) -> impl Iterator<Item = EnergyUse> {
        let (state, time) = (PowerState::CellDch.name(), now.saturating_since(Time::ZERO));
        self.mobiles.iter().map(move |mobile| {
            let bytes = Direction::BOTH.map(|direction| mobile.counters(direction).bytes_sent);
            EnergyUse::of_one(state, &self.config.power, time, bytes)
        })
    }

    /// The share of the TTIs of `direction` in the first `span` of the run in which something was
    /// sent; uplink of all mobiles.
    pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
        let tti = TTI * self.config.timings[direction as usize].tti;
        let senders = direction.of(1, self.mobiles.len() as u64);
        // The TTI that begins as the span ends is sent, too.
        let ttis = (span.whole(tti) + 1) * senders;
        (ttis > 0).then(|| self.flights.used(direction) as f64 / ttis as f64)
    }

    /// What is in order goes to link control: that of the mobile at once, that of the RNC over Iub.
    fn pass_on(&mut self, now: Time, slot: u64, ue: u32, direction: Direction) {
        let mobile = &mut self.mobiles[ue as usize];
        match direction {
            Direction::Uplink if self.config.iub.delay > 0 => {
                mobile.forward(slot + self.config.iub.delay, &mut self.items);
            }
            Direction::Uplink | Direction::Downlink => {
                mobile.deliver(now, direction, &mut self.items, &mut self.blocks);
            }
        }
    }

    /// Sends the block of `process`: what becomes of it is decided now and known later.
    pub(super) fn transmit(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        (ue, direction): (u32, Direction),
        process: u32,
        block: &HsBlock,
    ) {
        let (slot, place) = (moment.slot, direction as usize);
        let timing = self.config.timings[place];
        let needed = direction.of(needed(block.scheme.max(1)), 0.0);
        let channel = &mut self.mobiles[ue as usize].channels[place];
        let errs = channel.draw(moment, ue, block, needed);
        let times = [timing.tti + timing.decoding, timing.round_trip].map(|after| slot + after);
        self.flights.send(direction, Flight { slot, ue, process, errs }, 1, times);
        self.mobiles.touch(ue);
    }

    /// At its occasions the `NodeB` grants what its queue lacks.
    fn grant(&mut self, slot: u64, now: Time, ue: u32) {
        let iub = self.config.iub;
        if !self.mobiles[ue as usize].flow.is_open || !slot.is_multiple_of(iub.period) {
            return;
        }
        let sharers = self.mobiles.active(Direction::Downlink).len() as u64;
        let mobile = &mut self.mobiles[ue as usize];
        let target = mobile.target(now, &self.config, sharers);
        mobile.flow.grant(slot + iub.delay, target);
    }

    /// Link control of the RNC sends what it was granted.
    fn send_to_node_b(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        let (now, down) = (moment.now, Direction::Downlink);
        let mobile = &mut self.mobiles[ue as usize];
        let most = u32::try_from(mobile.flow.credits).unwrap_or(u32::MAX);
        if most == 0 || mobile.wants_from(now, down).is_none_or(|from| from > now) {
            return;
        }
        if mobile.fill(now, down, most, &mut self.blocks) == Health::UnrecoverableError {
            mobile.establish(now, down);
            return;
        }
        let at = moment.slot + self.config.iub.delay;
        pdus::unpack(&mut self.blocks, |item| mobile.flow.send(at, item));
        mobile.flow.take_arrived(moment.slot);
        mobile.tell_dequeued(now, down, moment.machine, moment.observe);
    }

    /// The format of `ue` is reported if it is another.
    pub(super) fn note_format(&mut self, ue: u32, format: Option<u8>) {
        let mobile = &mut self.mobiles[ue as usize];
        if mem::replace(&mut mobile.format, format) != format {
            self.mobiles.report(ue);
        }
    }
}

impl<T: Sdu> Slotted<T> for HsCell<T> {
    type Mobile = HsMobile<T>;

    fn mobiles(&mut self) -> &mut Roster<HsMobile<T>> {
        &mut self.mobiles
    }

    fn slot(&self) -> Duration {
        TTI
    }

    fn rate_of(&mut self, ue: u32) -> Option<Rate> {
        self.mobiles[ue as usize].format.map(|format| {
            let bytes = self.config.formats.pdus(format) * self.config.rlc.pdu_payload;
            Rate::from_bps(u64::from(bytes) * 8_000_000_000 / TTI.as_nanos())
        })
    }

    fn run(&mut self, moment: &mut Moment<'_, impl Observe>) {
        self.run_harq(moment);
    }

    fn next_slot(&self, slot: u64) -> Option<u64> {
        let next_tti = |direction: Direction| {
            let tti = self.config.timings[direction as usize].tti;
            let is_active = !self.mobiles.active(direction).is_empty();
            is_active.then(|| (slot + 1).next_multiple_of(tti))
        };
        Direction::BOTH.into_iter().filter_map(next_tti).chain(self.flights.next()).min()
    }

    fn due(&mut self, slot: u64, ue: u32, _: &mut impl Observe) -> Option<u64> {
        let now = Time::ZERO + TTI * slot;
        let mobile = &mut self.mobiles[ue as usize];
        let up = mobile.wants_from(now, Direction::Uplink);
        let down = mobile.wants_from(now, Direction::Downlink).filter(|_| mobile.flow.credits > 0);
        let mobile = &self.mobiles[ue as usize];
        let is_down = mobile.flow.queue.pdus() > 0 || mobile.channels[0].harq.failed().is_some();
        let is_up = up.is_some_and(|at| at <= now) || mobile.channels[1].harq.failed().is_some();
        let occasion = (slot + 1).next_multiple_of(self.config.iub.period);
        let dues = [
            down.map(|at| self.slot_from(at, slot)),
            up.filter(|at| *at > now).map(|at| self.slot_from(at, slot)),
            mobile.flow.is_open.then_some(occasion),
            mobile.flow.poll_timeout(),
            mobile.forwarded_from(),
        ];
        let gaps = mobile.channels.iter().filter_map(|it: &HsChannel| it.reordering.poll_timeout());
        let due = dues.into_iter().flatten().chain(gaps).min().map(|due| due.max(slot + 1));
        for (is_active, direction) in [is_down, is_up].into_iter().zip(Direction::BOTH) {
            if is_active {
                self.mobiles.activate(ue, direction);
            }
        }
        due
    }
}

impl<T: Sdu> HarqCell<T> for HsCell<T> {
    fn flights(&mut self) -> &mut Flights {
        &mut self.flights
    }

    fn arrive(&mut self, moment: &mut Moment<'_, impl Observe>, way: Direction, flight: Flight) {
        let channel = &mut self.mobiles[flight.ue as usize].channels[way as usize];
        channel.arrive(moment.slot, (flight.process, flight.slot), &mut self.items);
        self.pass_on(moment.now, moment.slot, flight.ue, way);
    }

    fn learn(&mut self, _: &mut Moment<'_, impl Observe>, way: Direction, flight: Flight) -> bool {
        let channel = &mut self.mobiles[flight.ue as usize].channels[way as usize];
        if channel.learn((flight.process, flight.slot), flight.errs) {
            self.mobiles.activate(flight.ue, way);
        }
        true
    }

    fn run_timers(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        let (slot, now) = (moment.slot, moment.now);
        for direction in Direction::BOTH {
            let channel = &mut self.mobiles[ue as usize].channels[direction as usize];
            channel.reordering.handle_timeout(slot, &mut self.items);
            self.pass_on(now, slot, ue, direction);
        }
        let mobile = &mut self.mobiles[ue as usize];
        mobile.take_forwarded(slot, &mut self.items);
        mobile.deliver(now, Direction::Uplink, &mut self.items, &mut self.blocks);
        mobile.flow.take_arrived(slot);
        mobile.flow.take_grants(slot);
        self.grant(slot, now, ue);
        self.send_to_node_b(moment, ue);
        if self.mobiles[ue as usize].flow.queue.pdus() > 0 {
            self.mobiles.activate(ue, Direction::Downlink);
        }
    }

    fn schedule(&mut self, moment: &mut Moment<'_, impl Observe>) {
        self.schedule_downlink(moment);
        self.send_uplink(moment);
    }
}
