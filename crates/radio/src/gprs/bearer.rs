//! A GPRS bearer as one machine.

use base::{Direction, Duration, Probability, Rate, Stream, Time};
use observe::{Context, Observe};

use super::air::Air;
use super::arq::Period;
use super::coding::{BLOCK_PERIOD, CodingScheme};
use super::config::{Gap, GapKind, GprsConfig};
use super::keys::TbfTimes;
use super::lane::{GprsLane, GprsMoment, period_from};
use super::paging::Paging;
use super::tbf::{Event, Tbf};
use crate::{Counters, EnergyUse, Output, RateReport, Sdu};

/// The GPRS bearer of one mobile, from the gateway to the mobile.
///
/// Time passes in block periods of 20 ms, which begin at time 0; in each every time slot carries
/// one radio block. What arrives in a period waits for the next. There is nothing to do while
/// there is nothing to send, to report or to deliver.
#[derive(Debug)]
pub struct GprsBearer<T> {
    machine: u32,
    times: TbfTimes,
    control_every: Option<u32>,
    keep: Duration,
    downlink: GprsLane<T>,
    uplink: GprsLane<T>,
    air: Air,
    chance: Stream,
    paging: Paging,
    /// Gaps that are not over, and how far the first has come.
    gaps: std::vec::IntoIter<Gap>,
    gap: Option<Gap>,
    phase: Phase,
    /// Downlink messages to the mobile that wait for a block (PACCH).
    messages: u32,
    /// Downlink blocks since the last message for others.
    since_control: u32,
    /// When an uplink TBF was last granted in answer to a Packet Downlink Ack/Nack.
    granted: Option<Time>,
    /// The last block period that is done.
    period: Option<Period>,
    /// When the next one begins in which there is something to do.
    tick: Option<Time>,
    /// Now.
    now: Time,
    /// What the last report follows from; it changes far less often than it is looked at.
    conditions: Option<Conditions>,
    reported: RateReport,
    report: Option<RateReport>,
}

/// The coding scheme of the downlink, and how often its blocks err.
type Conditions = (CodingScheme, Probability);

/// How far the first gap has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// It has not begun.
    Ahead,
    /// Nothing gets through, and TBFs wait for its end.
    Waiting,
    /// The TBFs are lost.
    Lost,
}

impl<T: Sdu> GprsBearer<T> {
    /// A bearer that reports facts as machine number `machine`. Its random streams come from `seed`
    /// and names that begin with `name`.
    pub fn new(machine: u32, config: &GprsConfig, seed: u64, name: &str) -> Self {
        let lane = |direction| GprsLane::new(direction, config, seed, name);
        let mut gaps = config.gaps.clone().into_iter();
        let gap = gaps.next();
        let mut bearer = Self {
            machine,
            times: config.gprs.tbf.clone(),
            control_every: config.gprs.control_every,
            keep: config.gprs.keep,
            downlink: lane(Direction::Downlink),
            uplink: lane(Direction::Uplink),
            air: Air::new(&config.errors, seed, name),
            chance: Stream::named(seed, &format!("{name}/TBF")),
            paging: Paging::new(&config.gprs, seed, name),
            gaps,
            gap,
            phase: Phase::Ahead,
            messages: 0,
            since_control: 0,
            granted: None,
            period: None,
            tick: None,
            now: Time::ZERO,
            conditions: None,
            reported: RateReport { rate: None },
            report: None,
        };
        bearer.look();
        bearer.schedule();
        bearer
    }

    /// Takes in `sdu` at the end where `direction` begins, or gives it back if the queue there is
    /// full. Downlink the queue lies behind the core network, and what finds it full comes out
    /// as [`Output::Dropped`].
    ///
    /// # Errors
    /// The SDU that was dropped.
    pub fn handle_input(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        direction: Direction,
        sdu: T,
    ) -> Result<(), T> {
        self.handle_timeout(cx);
        let taken = self.lane_mut(direction).push(cx.now, sdu);
        self.schedule();
        taken
    }

    /// Does what is due by now, block period by block period.
    pub fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some(tick) = self.tick.filter(|tick| *tick <= cx.now) {
            self.run(tick, cx.observe);
            self.schedule();
        }
        self.now = self.now.max(cx.now);
    }

    /// From `now` on blocks err as `config` says, and nothing gets through in its gaps, and in no
    /// others: one that lasts ends with that which began with it, or at once.
    pub fn reconfigure(&mut self, now: Time, config: &GprsConfig) {
        self.air.reconfigure(now, &config.errors);
        let is_over = |gap: &&Gap| self.period.is_some_and(|period| gap.to <= start(period));
        let mut gaps: Vec<_> = config.gaps.iter().skip_while(is_over).copied().collect();
        if let Some(lasting) = self.ongoing() {
            let same = config.gaps.iter().find(|gap| gap.from == lasting.from).copied();
            let same = same.unwrap_or(Gap { to: now, ..lasting });
            gaps.retain(|gap| gap.from > lasting.from);
            gaps.insert(0, same);
            let end = same.to.max(now);
            if end != lasting.to {
                self.set_up_after(end);
            }
        }
        self.gaps = gaps.into_iter();
        self.gap = self.gaps.next();
        self.look();
        self.schedule();
    }

    /// The next SDU that has come out. To be called after each `handle_…` until it says `None`.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
        let now = self.now;
        let lanes = [&mut self.downlink, &mut self.uplink];
        lanes.into_iter().find_map(|lane| Some((lane.direction, lane.poll_output(now)?)))
    }

    /// When something is due next. It changes with each `handle_…` and `poll_…`.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let visible = [&self.downlink, &self.uplink].map(GprsLane::visible);
        [self.tick, visible[0], visible[1]].into_iter().flatten().min().map(|at| at.max(self.now))
    }

    /// What the downlink can carry, if that has changed since it was asked last: its coverage, its
    /// coding scheme or how often blocks err. Checked while there is traffic, and when coverage
    /// comes or goes.
    #[must_use]
    pub const fn poll_report(&mut self) -> Option<RateReport> {
        self.report.take()
    }

    /// The SDUs of `direction` between entry and exit.
    pub fn held(&self, direction: Direction) -> impl Iterator<Item = &T> {
        self.lane(direction).held()
    }

    /// What has been counted of `direction`. Outcomes of SDUs count when they are polled.
    pub fn counters(&self, direction: Direction) -> Counters {
        self.lane(direction).counters()
    }

    /// The sum over SDUs of `direction` of the time that each has waited by `now`, from hand-in to
    /// the end of its first transmission; over `now` it is the mean length of the queue.
    pub fn waited(&self, direction: Direction, now: Time) -> Duration {
        self.lane(direction).waited(now)
    }

    /// What the mobile's radio has used by `now`: nothing is known of it.
    pub const fn energy(&self, _now: Time) -> Option<EnergyUse> {
        None
    }

    /// The share of the radio blocks of `direction` for which the first `span` has room that was
    /// sent.
    pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
        // The period that begins as the span ends is sent, too.
        let periods = span.whole(BLOCK_PERIOD) + 1;
        let blocks = periods * u64::from(self.lane(direction).slots);
        self.counters(direction).share_of(blocks)
    }

    /// One block period.
    fn run(&mut self, now: Time, observe: &mut impl Observe) {
        let period = period_from(now);
        self.now = now;
        self.air.advance(now);
        self.pass_gaps(now);
        self.downlink.advance(now, period);
        self.uplink.advance(now, period);
        self.ask_downlink(now);
        self.ask_uplink(now);
        // Both directions send at the same time: neither knows of the other's blocks in this
        // period.
        let answers = [self.uplink.answer(period), self.downlink.answer(period)];
        let air = (self.phase == Phase::Ahead).then_some(&self.air);
        let moment = &mut GprsMoment { now, period, machine: self.machine, air, observe };
        let mut used = 0;
        if let Some(report) = answers[0] {
            if self.downlink.send_control(moment, used) {
                self.uplink.hear(period, report);
            }
            used += 1;
        }
        while self.messages > 0 && used < self.downlink.slots {
            self.downlink.send_control(moment, used);
            self.messages -= 1;
            used += 1;
        }
        if self.downlink.tbf.is_sending() && used < self.downlink.slots {
            self.since_control += self.downlink.slots;
            if self.control_every.is_some_and(|blocks| self.since_control >= blocks) {
                self.since_control -= self.control_every.unwrap_or(0);
                self.downlink.send_control(moment, used);
                used += 1;
            }
        }
        self.downlink.send(moment, used);
        let mut used = 0;
        let mut asked = false;
        if let Some(report) = answers[1] {
            if self.uplink.send_control(moment, used) {
                self.downlink.hear(period, report);
                asked = true;
            }
            used += 1;
        }
        self.uplink.send(moment, used);
        if asked {
            self.grant(now);
        }
        for lane in [&self.downlink, &self.uplink] {
            if let Some(time) = lane.listens_until(now) {
                self.paging.keep_awake(time);
            }
        }
        self.period = Some(period);
        self.look();
    }

    /// Handles gaps that begin, last or end.
    fn pass_gaps(&mut self, now: Time) {
        while let Some(gap) = self.gap {
            if self.phase == Phase::Ahead && gap.from <= now {
                self.enter(gap, now);
            }
            let kept_until = gap.from + self.keep;
            if self.phase == Phase::Waiting && kept_until <= now && kept_until < gap.to {
                self.lose(now);
                self.phase = Phase::Lost;
            }
            if self.phase == Phase::Ahead || gap.to > now {
                return;
            }
            if gap.kind == GapKind::Reset {
                self.lose(now);
                self.uplink.packets.lose_waiting(now);
            }
            self.phase = Phase::Ahead;
            self.gap = self.gaps.next();
        }
    }

    fn enter(&mut self, gap: Gap, now: Time) {
        self.phase = Phase::Waiting;
        if let GapKind::Reselection(forwarded) = gap.kind {
            self.phase = Phase::Lost;
            self.downlink.packets.arrive(now);
            if forwarded.hit(self.chance.next_u32()) {
                self.downlink.restart(now);
            } else {
                self.downlink.lose_begun(now);
                self.downlink.packets.lose_waiting(now);
            }
            self.uplink.restart(now);
        }
        self.set_up_after(gap.to);
    }

    /// The TBFs that are being set up are ready only some time after `end`.
    fn set_up_after(&mut self, end: Time) {
        if matches!(self.downlink.tbf, Tbf::SettingUp { .. }) {
            let ready = self.paging.heard(end) + self.draw(self.times.common);
            self.downlink.tbf = Tbf::SettingUp { ready };
        }
        if matches!(self.uplink.tbf, Tbf::SettingUp { .. }) {
            let ready = end + self.draw(self.times.access);
            self.uplink.tbf = Tbf::SettingUp { ready };
        }
    }

    /// Both ends give their TBFs up, and the base station discards what waits there.
    fn lose(&mut self, now: Time) {
        self.downlink.packets.arrive(now);
        self.downlink.lose_begun(now);
        self.downlink.packets.lose_waiting(now);
        self.uplink.lose_begun(now);
    }

    /// Where something waits downlink, asks for a TBF.
    fn ask_downlink(&mut self, now: Time) {
        if !self.downlink.waits_for_tbf() {
            return;
        }
        let TbfTimes { associated, common, .. } = self.times;
        let listens = matches!(self.downlink.tbf, Tbf::Listening { .. });
        let hears = listens || self.uplink.tbf.has_channel();
        let is_kept = matches!(self.downlink.tbf, Tbf::Kept { .. });
        let ready = match self.ongoing() {
            Some(gap) => self.paging.heard(gap.to) + self.draw(common),
            None if hears && !is_kept => {
                self.messages += 1;
                now + self.draw(associated)
            }
            None => self.paging.heard(now) + self.draw(common),
        };
        self.downlink.on(Event::Wanted(ready));
    }

    /// Where something waits uplink, asks for a TBF.
    fn ask_uplink(&mut self, now: Time) {
        if !self.uplink.waits_for_tbf() {
            return;
        }
        let TbfTimes { associated, access, coupling, .. } = self.times;
        let receives = self.downlink.tbf;
        let event = match (self.ongoing(), coupling) {
            (Some(gap), _) => Event::Wanted(gap.to + self.draw(access)),
            (None, Some(_)) if receives.is_sending() => Event::Piggybacked,
            (None, Some(_)) if receives.has_channel() => {
                self.messages += 1;
                let poll = self.draw([Duration::ZERO, KEPT_POLL]);
                Event::Wanted(now + poll + self.draw(associated))
            }
            (None, _) => Event::Wanted(now + self.draw(access)),
        };
        self.uplink.on(event);
    }

    /// A Packet Downlink Ack/Nack has arrived: what it asks for is granted.
    fn grant(&mut self, now: Time) {
        let Some(pause) = self.times.coupling else { return };
        let is_soon = self.granted.is_some_and(|granted| now < granted + pause);
        if self.uplink.tbf != Tbf::Requesting || is_soon {
            return;
        }
        self.granted = Some(now);
        self.messages += 1;
        let ready = now + BLOCK_PERIOD + self.draw(self.times.associated);
        self.uplink.on(Event::Wanted(ready));
    }

    /// The gap that lasts.
    fn ongoing(&self) -> Option<Gap> {
        self.gap.filter(|_| self.is_in_gap())
    }

    /// True while nothing gets through.
    fn is_in_gap(&self) -> bool {
        self.phase != Phase::Ahead
    }

    /// When there is something to do next.
    fn schedule(&mut self) {
        let current = self.now.as_nanos() / BLOCK_PERIOD.as_nanos();
        let period = self.period.map_or(current, |done| done.max(current));
        let messages = (self.messages > 0).then_some(period + 1);
        let gap = self.gap.map(|gap| match self.phase {
            Phase::Ahead => gap.from,
            Phase::Waiting => gap.to.min(gap.from + self.keep),
            Phase::Lost => gap.to,
        });
        let gap = gap.map(|at| period_from(at).max(period + 1));
        let lanes = [self.downlink.next(period), self.uplink.next(period)];
        let next = [lanes[0], lanes[1], messages, gap].into_iter().flatten().min();
        self.tick = next.map(start);
    }

    /// Whether what the downlink can carry has changed.
    fn look(&mut self) {
        let scheme = self.downlink.adapter.scheme();
        let conditions = (!self.is_in_gap()).then(|| (scheme, self.air.rate(scheme)));
        if conditions == self.conditions {
            return;
        }
        self.conditions = conditions;
        let report = RateReport { rate: conditions.map(|conditions| self.rate(conditions)) };
        if report != self.reported {
            self.reported = report;
            self.report = Some(report);
        }
    }

    /// What the downlink carries under these conditions.
    fn rate(&self, (scheme, errors): Conditions) -> Rate {
        let bytes = f64::from(scheme.bytes() * self.downlink.slots) * (1.0 - errors.value());
        let bps = bytes * 8.0 / BLOCK_PERIOD.as_secs_f64();
        Rate::from_bps((bps.round() as u64).max(1))
    }

    /// A uniform draw between limits.
    fn draw(&mut self, [low, high]: [Duration; 2]) -> Duration {
        let span = high.saturating_sub(low).as_nanos() as f64;
        low + Duration::from_nanos((span * self.chance.next_f64()) as u64)
    }

    fn lane(&self, direction: Direction) -> &GprsLane<T> {
        direction.of(&self.downlink, &self.uplink)
    }

    fn lane_mut(&mut self, direction: Direction) -> &mut GprsLane<T> {
        direction.of(&mut self.downlink, &mut self.uplink)
    }
}

/// How often a mobile is polled while its downlink TBF is kept with nothing to send: how often a
/// dummy block is sent to it (T200 of a network; our choice).
const KEPT_POLL: Duration = Duration::from_millis(200);

/// When block period number `period` begins.
const fn start(period: Period) -> Time {
    Time::from_nanos(period * BLOCK_PERIOD.as_nanos())
}
