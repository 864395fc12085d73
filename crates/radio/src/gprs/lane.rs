//! One direction of a bearer.

use std::collections::VecDeque;

use base::{Direction, Duration, Time};
use observe::{BlockFact, BlockKind, Observe};

use super::adaptation::Adapter;
use super::air::{Air, BlockErrors};
use super::arq::{Bsn, Period, Report, Window};
use super::coding::{BLOCK_PERIOD, CodingScheme};
use super::config::GprsConfig;
use super::core::CoreNetwork;
use super::keys::Gprs;
use super::packets::{Packets, pop_if};
use super::tbf::{Event, Release, Tbf};
use crate::{Counters, Output, Sdu};

/// One direction: what waits, what has been sent, and what is on its way behind the radio.
#[derive(Debug)]
pub(crate) struct GprsLane<T> {
    pub(crate) direction: Direction,
    pub(crate) slots: u32,
    /// The sequence number space: twice the window (§9.1.1).
    numbers: u64,
    poll_blocks: u32,
    /// In block periods.
    round_trip: Period,
    core: CoreNetwork,
    pub(crate) packets: Packets<T>,
    pub(crate) tbf: Tbf,
    release: Release,
    pub(crate) adapter: Adapter,
    window: Window,
    /// The block periods in which the receiver answers polls.
    answers: VecDeque<Period>,
    /// Reports on their way, and when they take effect at their receiver.
    reports: VecDeque<(Period, Report)>,
    last_poll: Period,
    since_poll: u32,
    errors: BlockErrors,
    /// Delivered, and when that becomes visible.
    behind: VecDeque<(Time, T)>,
    counters: Counters,
}

/// The circumstances of a block period in one direction.
pub(crate) struct GprsMoment<'a, O> {
    pub(crate) now: Time,
    pub(crate) period: Period,
    pub(crate) machine: u32,
    /// The error rates, or `None` while nothing gets through.
    pub(crate) air: Option<&'a Air>,
    pub(crate) observe: &'a mut O,
}

impl<T: Sdu> GprsLane<T> {
    pub(crate) fn new(direction: Direction, config: &GprsConfig, seed: u64, name: &str) -> Self {
        let GprsConfig { slots, queues, gprs, .. } = config;
        let Gprs { tbf, core, round_trip, poll_blocks, .. } = gprs;
        let median = direction.of(core.downlink, core.uplink);
        let lifetime = gprs.lifetime.filter(|_| direction == Direction::Downlink);
        let name = format!("{name}/{}", direction.name());
        Self {
            direction,
            slots: slots[direction as usize],
            numbers: u64::from(2 * config.window()),
            poll_blocks: *poll_blocks,
            round_trip: round_trip.ceil_to(BLOCK_PERIOD).whole(BLOCK_PERIOD),
            core: CoreNetwork::new(median, core, seed, &format!("{name}/core")),
            packets: Packets::new(&queues[direction as usize], lifetime, seed, &name),
            tbf: Tbf::Absent,
            release: Release::of(tbf, direction),
            adapter: Adapter::new(gprs.scheme(), gprs.limits()),
            window: Window::new(config.window()),
            answers: VecDeque::new(),
            reports: VecDeque::new(),
            last_poll: 0,
            since_poll: 0,
            errors: BlockErrors::new(seed, &name),
            behind: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// Takes in a packet at `now`, or gives it back.
    pub(crate) fn push(&mut self, now: Time, sdu: T) -> Result<(), T> {
        self.counters.sdus += 1;
        match self.direction {
            Direction::Downlink => {
                let arrives = self.core.pass(now);
                self.packets.push_ahead(arrives, sdu);
                Ok(())
            }
            Direction::Uplink => self.packets.enqueue(now, sdu).map_err(|dropped| {
                self.counters.count_drop(dropped.reason);
                dropped.packet
            }),
        }
    }

    /// Time has passed, and reports have come.
    pub(crate) fn advance(&mut self, now: Time, period: Period) {
        self.packets.arrive(now);
        if matches!(self.tbf, Tbf::SettingUp { ready } if ready <= now) {
            self.begin();
        }
        self.tbf = self.tbf.after(Event::Elapsed(now), self.release);
        while let Some((_, report)) = pop_if(&mut self.reports, |(due, _)| *due <= period) {
            let counts = self.window.judge(report);
            self.adapter.judge(counts);
        }
        if self.tbf.is_sending() && self.window.is_settled() && !self.packets.has_more() {
            self.tbf = self.tbf.after(Event::Drained(now), self.release);
            self.begin();
        }
    }

    /// The state with which a new TBF starts, or a kept one goes on.
    fn begin(&mut self) {
        self.window.clear();
        self.answers.clear();
        self.reports.clear();
        self.since_poll = 0;
        self.packets.admit_all();
    }

    /// True if something waits for a TBF.
    pub(crate) fn waits_for_tbf(&self) -> bool {
        let could_ask = match self.tbf {
            Tbf::Absent | Tbf::Requesting | Tbf::Kept { .. } | Tbf::Listening { .. } => true,
            Tbf::SettingUp { .. } | Tbf::Open | Tbf::Closing => false,
        };
        could_ask && self.packets.has_waiting()
    }

    /// The time until which the mobile listens to the channel of the TBF, as things are at `now`.
    pub(super) fn listens_until(&self, now: Time) -> Option<Time> {
        self.tbf.listens_until(now, self.release)
    }

    /// The TBF changes.
    pub(crate) fn on(&mut self, event: Event) {
        self.tbf = self.tbf.after(event, self.release);
    }

    /// Sends what there is in the slots from number `used` on.
    pub(crate) fn send(&mut self, moment: &mut GprsMoment<'_, impl Observe>, used: u32) {
        if !self.tbf.is_sending() {
            return;
        }
        for slot in used..self.slots {
            if !self.send_block(moment, slot) {
                break;
            }
        }
        self.close_if_due();
    }

    /// Sends a message of the link control in `slot`. True if it arrives.
    pub(crate) fn send_control(
        &mut self,
        moment: &mut GprsMoment<'_, impl Observe>,
        slot: u32,
    ) -> bool {
        let error = self.errs(moment, CodingScheme::Cs1, slot, 0);
        self.counters.count_block(CodingScheme::Cs1.bytes(), error);
        self.counters.status_pdus += 1;
        let kind = BlockKind::Control;
        self.tell(moment, 0, kind, false, error);
        !error
    }

    /// The report that answers the poll that is due in `period`, if one is.
    pub(crate) fn answer(&mut self, period: Period) -> Option<Report> {
        pop_if(&mut self.answers, |due| *due <= period).map(|_| self.window.report(period))
    }

    /// The sender will process `report`, which was sent in `period`.
    pub(crate) fn hear(&mut self, period: Period, report: Report) {
        let due = (period + self.round_trip - ANSWER).max(period + 2);
        self.reports.push_back((due, report));
    }

    /// The next block period after `period` in which there is something to do.
    pub(crate) fn next(&self, period: Period) -> Option<Period> {
        // Nothing is due sooner than what is to be sent.
        if self.tbf.is_sending() && (self.can_send() || self.window.is_settled()) {
            return Some(period + 1);
        }
        let next = |at: Period| at.max(period + 1);
        let answer = self.answers.front().copied();
        let report = self.reports.front().map(|(due, _)| *due);
        let arrival = self.packets.next_arrival().map(period_from);
        let own = match self.tbf {
            Tbf::SettingUp { ready } => Some(period_from(ready)),
            Tbf::Open | Tbf::Closing => Some(self.last_poll + self.round_trip),
            Tbf::Absent | Tbf::Kept { .. } | Tbf::Listening { .. } => {
                self.packets.has_waiting().then_some(period + 1)
            }
            Tbf::Requesting => None,
        };
        [answer, report, arrival, own].into_iter().flatten().map(next).min()
    }

    /// What has been counted.
    pub(crate) fn counters(&self) -> Counters {
        Counters { queue_max: self.packets.queue_max(), ..self.counters }
    }

    /// The sum over packets of the time that each has waited by `now`, from hand-in to the end of
    /// its first transmission.
    pub(crate) fn waited(&self, now: Time) -> Duration {
        self.packets.waited(now)
    }

    /// When the first delivered packet becomes visible.
    pub(crate) fn visible(&self) -> Option<Time> {
        let gone = self.packets.gone.front().map(|_| Time::ZERO);
        gone.or_else(|| self.behind.front().map(|(due, _)| *due))
    }

    /// The next packet that has come out by `now`.
    pub(crate) fn poll_output(&mut self, now: Time) -> Option<Output<T>> {
        let output = match self.packets.gone.pop_front() {
            Some(output) => output,
            None => Output::Delivered(pop_if(&mut self.behind, |(due, _)| *due <= now)?.1),
        };
        self.counters.count(&output);
        Some(output)
    }

    /// The packets between entry and exit.
    pub(crate) fn held(&self) -> impl Iterator<Item = &T> {
        self.behind.iter().map(|(_, sdu)| sdu).chain(self.packets.held())
    }

    /// The TBF has ended; what has been sent in part starts again with the next.
    pub(crate) fn restart(&mut self, now: Time) {
        self.on(Event::Lost);
        self.begin();
        self.packets.restart(now);
    }

    /// The TBF has ended, and with it what has been sent in part is lost.
    pub(crate) fn lose_begun(&mut self, now: Time) {
        self.on(Event::Lost);
        self.begin();
        self.packets.lose_begun(now);
    }

    /// Builds and sends one radio block. False if there is nothing to send.
    fn send_block(&mut self, moment: &mut GprsMoment<'_, impl Observe>, slot: u32) -> bool {
        let Some((bsn, scheme, kind)) = self.next_block(moment, true) else {
            return false;
        };
        let mut error = self.send_part(moment, slot, 0, (bsn, scheme, kind));
        let mut is_repeat = kind == BlockKind::Retransmission;
        for part in 1..scheme.blocks() {
            let Some(next) = self.next_block(moment, false) else { break };
            self.send_part(moment, slot, part, next);
            error |= self.errs(moment, scheme, slot, part);
            is_repeat |= next.2 == BlockKind::Retransmission;
        }
        self.counters.count_block(scheme.bytes(), error);
        self.counters.retransmitted_blocks += u64::from(is_repeat);
        true
    }

    /// One data block of a radio block. True if it is in error.
    fn send_part(
        &mut self,
        moment: &mut GprsMoment<'_, impl Observe>,
        slot: u32,
        part: u32,
        (bsn, scheme, kind): (u64, CodingScheme, BlockKind),
    ) -> bool {
        self.since_poll += 1;
        let poll = self.since_poll >= self.poll_blocks || !self.can_send();
        let error = self.errs(moment, scheme, slot, part);
        if poll {
            self.since_poll = 0;
            self.last_poll = moment.period;
            let answer = moment.period + ANSWER;
            if !error && self.answers.back() != Some(&answer) {
                self.answers.push_back(answer);
            }
        }
        if !error {
            let complete = self.window.receive(bsn, moment.period);
            self.deliver(moment.now + BLOCK_PERIOD, complete);
        }
        self.tell(moment, bsn, kind, poll, error);
        error
    }

    /// The next data block: what a report asked for, else a new one, else, if allowed and no report
    /// has come for a round trip, the oldest again.
    fn next_block<O: Observe>(
        &mut self,
        moment: &mut GprsMoment<'_, O>,
        may_insist: bool,
    ) -> Option<(u64, CodingScheme, BlockKind)> {
        let period = moment.period;
        if let Some((bsn, scheme)) = self.window.send_again(period) {
            return Some((bsn, scheme, BlockKind::Retransmission));
        }
        if !self.window.is_stalled() && self.packets.has_more() {
            let (scheme, before) = (self.adapter.scheme(), self.packets.begun());
            if let Some(ends) = self.packets.fill(moment.now, scheme.block_bytes()) {
                if O::DEQUEUES {
                    for sdu in self.packets.begun_since(before) {
                        moment.observe.dequeued(moment.now, moment.machine, sdu.uid());
                    }
                }
                let bsn = self.window.send_new(period, scheme, ends);
                return Some((bsn, scheme, BlockKind::Data));
            }
        }
        if may_insist && period >= self.last_poll + self.round_trip {
            let (bsn, scheme) = self.window.send_oldest(period)?;
            return Some((bsn, scheme, BlockKind::Retransmission));
        }
        None
    }

    /// The oldest `packets` are at the far end of the radio.
    fn deliver(&mut self, now: Time, packets: u32) {
        for _ in 0..packets {
            let sdu = self.packets.complete();
            let due = match self.direction {
                Direction::Downlink => now,
                Direction::Uplink => self.core.pass(now),
            };
            self.behind.push_back((due, sdu));
        }
    }

    /// A TBF that is not kept admits nothing new from its countdown on, or downlink from its final
    /// block on.
    fn close_if_due(&mut self) {
        let is_last = match (self.release.keep, self.direction) {
            (Duration::ZERO, Direction::Downlink) => !self.packets.has_more(),
            (Duration::ZERO, Direction::Uplink) => self.blocks_left() <= BS_CV_MAX,
            (_, Direction::Downlink | Direction::Uplink) => false,
        };
        if self.tbf == Tbf::Open && is_last {
            self.on(Event::LastBlocks);
            self.packets.admit_no_more();
        }
    }

    /// How many blocks what waits will take.
    fn blocks_left(&self) -> u64 {
        let bytes = self.packets.bytes();
        bytes.div_ceil(u64::from(self.adapter.scheme().block_bytes()))
    }

    /// True if there is something to send now.
    fn can_send(&self) -> bool {
        self.window.has_repeats() || !self.window.is_stalled() && self.packets.has_more()
    }

    fn errs(
        &mut self,
        moment: &GprsMoment<'_, impl Observe>,
        scheme: CodingScheme,
        slot: u32,
        part: u32,
    ) -> bool {
        let Some(air) = moment.air else { return true };
        self.errors.hits(air.rate(scheme), moment.period, slot, part)
    }

    fn tell(
        &self,
        moment: &mut GprsMoment<'_, impl Observe>,
        bsn: Bsn,
        kind: BlockKind,
        poll: bool,
        error: bool,
    ) {
        let (machine, direction) = (moment.machine, self.direction);
        let sn = (bsn % self.numbers) as u16;
        let fact = BlockFact { machine, direction, sn, kind, poll, error };
        moment.observe.block(moment.now, fact);
    }
}

/// From a poll to its answer, in block periods: 13 TDMA frames (RRBP, TS 44.060 §10.4.5).
pub(crate) const ANSWER: Period = 3;

/// `BS_CV_MAX`: an uplink TBF counts its last blocks down from here (TS 44.060 §9.3.1).
const BS_CV_MAX: u64 = 15;

/// The first block period that begins at or after `time`.
pub(crate) const fn period_from(time: Time) -> Period {
    time.as_nanos().div_ceil(BLOCK_PERIOD.as_nanos())
}
