//! The carrier as one machine.

use base::{Direction, Duration, Philox, Rate, Time};
use observe::Observe;

use super::access::RandomAccess;
use super::carrier::Carrier;
use super::config::{NbIotConfig, REST, SUBFRAME, time_of};
use super::mobile::{Attempt, NbIotMobile, Purpose};
use super::stage::Stage;
use crate::kit::moment::Moment;
use crate::kit::roster::{CellMobile, Roster};
use crate::kit::slots::{SlotMobile, Slotted, slotted};
use crate::{EnergyUse, Sdu};

/// A carrier and its mobiles, each with a bearer.
///
/// Time passes from one end of something to the next: of a message, of a wait, of a timer. All
/// begin with a subframe. A mobile without traffic has nothing due but its own timers.
#[derive(Debug)]
pub struct NbIotCell<T> {
    pub(super) config: NbIotConfig,
    pub(super) mobiles: Roster<NbIotMobile<T>>,
    pub(super) carrier: Carrier,
    /// Random access of each level of coverage.
    access: [RandomAccess; 3],
    /// Those for which something is due now.
    due: Vec<u32>,
}

impl<T: Sdu> NbIotCell<T> {
    /// An idle carrier, which reports facts as machine number `machine`.
    pub fn new(machine: u32, config: &NbIotConfig, seed: u64) -> Self {
        let mobiles = (0..config.ues.len()).map(|ue| NbIotMobile::new(config, ue, seed)).collect();
        let access = [0, 1, 2].map(|level: usize| {
            let chance = Philox::named(seed, &format!("nprach/{level}"));
            RandomAccess::new(config.access, config.levels[level].occasions, chance)
        });
        let mut cell = Self {
            config: config.clone(),
            carrier: Carrier::new(),
            mobiles: Roster::new(machine, mobiles, 0),
            access,
            due: Vec::new(),
        };
        (0..cell.mobiles.len() as u32).for_each(|ue| cell.mobiles.touch(ue));
        cell.settle(0, &mut ());
        cell
    }

    slotted!(T, NbIotConfig);

    /// What the radio of each mobile has used by `now`, in order.
    pub fn energy(&self, now: Time) -> impl Iterator<Item = EnergyUse> {
        self.mobiles.iter().map(move |mobile| mobile.meter.used(&self.config.power, now))
    }

    /// The share of the carrier that was used in `direction` in the first `span` of the run.
    pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
        let slots = span.whole(SUBFRAME) as f64;
        (slots > 0.0).then(|| self.carrier.used(direction as usize) / slots)
    }

    fn advance(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        for lane in &mut self.mobiles[ue as usize].lanes {
            lane.dtch.handle_timeout(moment.now);
        }
        while self.mobiles[ue as usize].until <= moment.slot {
            self.finish(moment, ue);
        }
        self.decide(moment.slot, ue);
        let mobile = &self.mobiles[ue as usize];
        if mobile.stage == Stage::Listening && self.turn_of(ue, moment.slot) == Some(moment.slot) {
            self.tell(moment, ue);
        }
    }

    /// What a mobile did is over.
    fn finish(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32) {
        let slot = moment.slot;
        let stage = self.mobiles[ue as usize].stage;
        if let Stage::Block(_) = stage {
            self.land(moment, ue);
        }
        if stage == Stage::Preamble && !self.is_heard(moment, ue) {
            let until = slot + self.config.access.contention;
            return self.mobiles[ue as usize].enter(Stage::Contention, until);
        }
        if stage == Stage::Contention {
            return self.back_off(slot, ue);
        }
        let level = self.config.level(slot, ue);
        let mobile = &mut self.mobiles[ue as usize];
        let next = stage.next();
        let until = match next {
            Stage::Synchronizing => slot + level.synchronization.max(1),
            Stage::Awaiting => (slot / level.occasions + 1) * level.occasions,
            Stage::Preamble => slot + level.preamble,
            Stage::Lead(_) => mobile.on_air[0],
            Stage::Block(_) => mobile.on_air[1],
            Stage::Turn => mobile.acknowledged[0],
            Stage::Ack => mobile.acknowledged[1],
            Stage::Rest => slot + REST,
            Stage::Idle
            | Stage::Paged
            | Stage::Contention
            | Stage::Backoff
            | Stage::Failed
            | Stage::Listening
            | Stage::Control(_) => u64::MAX,
        };
        mobile.enter(next, until);
        if next == Stage::Synchronizing {
            mobile.access = Some(Attempt::new(Purpose::Setup));
        } else if next == Stage::Listening {
            mobile.ready_from = if stage == Stage::Preamble { slot + level.answer } else { slot };
        } else if next == Stage::Preamble {
            self.send_preamble(slot, ue);
        }
    }

    /// A mobile draws a tone for its preamble; another may draw the same.
    fn send_preamble(&mut self, slot: u64, ue: u32) {
        let mobile = &mut self.mobiles[ue as usize];
        mobile.preambles += 1;
        mobile.has_collided = false;
        if let Some(attempt) = &mut mobile.access {
            attempt.preambles += 1;
        }
        let tone =
            mobile.chance.at([mobile.preambles, 0, 0, 0])[0] % self.config.access.subcarriers;
        for other in self.access[self.config.coverage(slot, ue)].send(slot, ue, tone) {
            self.mobiles[other as usize].has_collided = true;
        }
    }

    /// Whether the preamble that ends now is heard, alone on its tone.
    fn is_heard(&self, moment: &Moment<'_, impl Observe>, ue: u32) -> bool {
        let mobile = &self.mobiles[ue as usize];
        !mobile.has_collided && !mobile.lanes[1].is_out(moment.now)
    }

    /// Random access begins anew after a while, or has failed (TS 36.321 §5.1.4).
    fn back_off(&mut self, slot: u64, ue: u32) {
        let most = self.access[self.config.coverage(slot, ue)].backoff();
        let mobile = &mut self.mobiles[ue as usize];
        mobile.must_retry = false;
        let Some(attempt) = &mut mobile.access else { return };
        attempt.step = 0;
        if attempt.preambles >= self.config.access.attempts {
            return self.give_up(slot, ue);
        }
        let drawn = mobile.chance.at([mobile.preambles, 2, 0, 0])[0];
        mobile.enter(Stage::Backoff, slot + 1 + ((u64::from(drawn) * most) >> 32));
    }

    /// Random access has failed: a connection is lost (TS 36.331 §5.3.11), and the mobile connects
    /// anew later.
    fn give_up(&mut self, slot: u64, ue: u32) {
        let mobile = &mut self.mobiles[ue as usize];
        if mobile.is_connected {
            mobile.lanes.iter_mut().for_each(|lane| lane.establish(time_of(slot)));
        }
        (mobile.is_connected, mobile.known, mobile.access) = (false, 0, None);
        mobile.enter(Stage::Failed, slot + self.config.connection.retry);
    }

    /// What a mobile turns to by itself, after all that happened up to `slot`.
    fn decide(&mut self, slot: u64, ue: u32) {
        let now = time_of(slot);
        let exchanges = self.config.connection.exchanges;
        let mobile = &mut self.mobiles[ue as usize];
        match mobile.stage {
            Stage::Idle | Stage::Paged if mobile.lanes[1].dtch.waiting() > 0 => {
                self.connect(slot, ue);
            }
            Stage::Idle => self.wake(slot, ue),
            Stage::Listening
                if mobile.lanes.iter().any(|lane| lane.dtch.transmitter.has_failed()) =>
            {
                mobile.lanes.iter_mut().for_each(|lane| lane.establish(now));
                (mobile.block, mobile.must_retry) = (None, false);
                self.connect(slot, ue);
            }
            Stage::Listening if mobile.must_retry => self.back_off(slot, ue),
            Stage::Listening if mobile.job(now, exchanges).is_some() => {}
            Stage::Listening if mobile.lanes[1].dtch.waiting() > 0 => {
                mobile.access = Some(Attempt::new(Purpose::Request));
                let occasions = self.config.level(slot, ue).occasions;
                mobile.enter(Stage::Awaiting, (slot / occasions + 1) * occasions);
            }
            Stage::Listening
                if mobile.is_quiet() && slot >= mobile.last + self.config.connection.inactivity =>
            {
                mobile.is_connected = false;
                mobile.last = slot;
                mobile.enter(Stage::Idle, u64::MAX);
            }
            _ => {}
        }
    }

    /// A mobile without a connection: it is paged, or says that it is there.
    fn wake(&mut self, slot: u64, ue: u32) {
        let paging = self.config.paging;
        let mobile = &mut self.mobiles[ue as usize];
        if paging.update_from(mobile.last).is_some_and(|update| update <= slot) {
            return self.connect(slot, ue);
        }
        if mobile.lanes[0].dtch.waiting() > 0
            && let Some(occasion) = paging.heard_from(ue, mobile.last, slot + 1)
        {
            let level = self.config.level(slot, ue);
            let page = level.control.repetitions + super::config::LEAD_DOWN + level.repetitions[0];
            mobile.enter(Stage::Paged, occasion + page);
        }
    }

    /// A mobile begins to connect.
    fn connect(&mut self, slot: u64, ue: u32) {
        let until = slot + self.config.level(slot, ue).synchronization.max(1);
        let mobile = &mut self.mobiles[ue as usize];
        (mobile.is_connected, mobile.known) = (false, 0);
        mobile.access = Some(Attempt::new(Purpose::Setup));
        mobile.enter(Stage::Synchronizing, until);
    }

    /// Tells the meter of `ue` which state it is in.
    fn meter<O: Observe>(&mut self, slot: u64, ue: u32, observe: &mut O) {
        let (now, machine, paging) = (time_of(slot), self.mobiles.machine, self.config.paging);
        let mobile = &mut self.mobiles[ue as usize];
        let sleeps = paging.asleep_from(mobile.last).is_some_and(|asleep| asleep <= slot);
        if mobile.meter.enter(now, mobile.stage.power(sleeps)) && O::ON {
            observe.power(now, mobile.meter.fact(&self.config.power, now, machine, ue));
        }
    }

    /// The subframe after `slot` in which something is due for `ue`, which does what it does.
    fn due_of(&self, slot: u64, ue: u32) -> Option<u64> {
        let mobile = &self.mobiles[ue as usize];
        let timers = mobile.lanes.iter().filter_map(|lane| lane.dtch.poll_timeout());
        let timers = timers.map(|time| self.slot_from(time, slot));
        let own = match mobile.stage {
            Stage::Idle => {
                let NbIotConfig { paging, .. } = &self.config;
                let ends = [paging.asleep_from(mobile.last), paging.update_from(mobile.last)];
                ends.into_iter().flatten().filter(|end| *end > slot).min()
            }
            Stage::Listening => self.turn_of(ue, slot + 1).or_else(|| {
                let release = mobile.last + self.config.connection.inactivity;
                mobile.is_quiet().then_some(release.max(slot + 1))
            }),
            Stage::Paged
            | Stage::Synchronizing
            | Stage::Awaiting
            | Stage::Preamble
            | Stage::Contention
            | Stage::Backoff
            | Stage::Failed
            | Stage::Control(_)
            | Stage::Lead(_)
            | Stage::Block(_)
            | Stage::Turn
            | Stage::Ack
            | Stage::Rest => Some(mobile.until),
        };
        timers.chain(own).min()
    }
}

impl<T: Sdu> Slotted<T> for NbIotCell<T> {
    type Mobile = NbIotMobile<T>;

    fn mobiles(&mut self) -> &mut Roster<NbIotMobile<T>> {
        &mut self.mobiles
    }

    fn slot(&self) -> Duration {
        SUBFRAME
    }

    fn rate_of(&mut self, ue: u32) -> Option<Rate> {
        let mobile = &mut self.mobiles[ue as usize];
        let slot = mobile.served.0;
        let snr = mobile.lanes[0].snr(time_of(slot));
        Some(self.config.level(slot, ue).rate(Direction::Downlink, snr))
    }

    /// Mobiles for which something is due go on, the one that was served longest ago first.
    fn run(&mut self, moment: &mut Moment<'_, impl Observe>) {
        let mut due = std::mem::take(&mut self.due);
        while let Some((_, ue)) = self.mobiles.agenda.next(moment.now) {
            due.push(ue);
        }
        due.sort_by_key(|ue| (self.mobiles[*ue as usize].served.0, *ue));
        for ue in &due {
            self.advance(moment, *ue);
        }
        // The last that is touched is settled first.
        due.drain(..).rev().for_each(|ue| self.mobiles.touch(ue));
        self.due = due;
        self.settle(moment.slot, moment.observe);
    }

    fn due(&mut self, slot: u64, ue: u32, observe: &mut impl Observe) -> Option<u64> {
        self.decide(slot, ue);
        self.meter(slot, ue, observe);
        self.due_of(slot, ue)
    }
}
