//! One direction, from the queue to the far end.

use std::collections::VecDeque;

use base::{Direction, Duration, Rate, Time};
use link::Dropped;
use link::queue::{self, Backlog, Queue, Queued, Transmission};
use observe::{BlockFact, BlockKind, DropReason, Observe};

use super::config::{Carrier, Change, SatelliteConfig};
use super::path::Way;
use super::recording::work;
use super::sky::Sky;
use super::turns::Turns;
use crate::{Counters, Output, Sdu};

/// A queue, a sender and what is in the air.
#[derive(Debug)]
pub(crate) struct SatelliteLane<T> {
    pub(crate) direction: Direction,
    queue: Queue<T>,
    queue_counters: link::Counters,
    carrier: Carrier,
    turns: Turns,
    /// The packet that is being sent, and how many bytes of it are left.
    sending: Option<(Queued<T>, u32)>,
    /// When the sender may begin the next turn; past times are now.
    free: Time,
    /// What the last packet left unpaid, in bit·ns/s.
    remainder: u64,
    way: Way,
    sky: Sky,
    change: Change,
    /// What its rate could carry until a time, in bit·ns/s.
    room: (Time, u128),
    /// In order of arrival: why it is lost, if it is, and what it is.
    flying: VecDeque<(Time, Option<DropReason>, T)>,
    gone: VecDeque<Output<T>>,
    counters: Counters,
    /// The sum over SDUs that wait no more of the time that each waited, but for those that `queue`
    /// dropped: it counts them itself.
    past_waits: Duration,
}

/// What a turn needs of its bearer.
pub(crate) struct SatelliteMoment<'a, O> {
    pub(crate) now: Time,
    pub(crate) machine: u32,
    pub(crate) observe: &'a mut O,
}

impl<T: Sdu> SatelliteLane<T> {
    pub(crate) fn new(
        direction: Direction,
        config: &SatelliteConfig,
        seed: u64,
        name: &str,
    ) -> Self {
        let word = direction.of("down", "up");
        let own = format!("{name}/{word}");
        let [down, up] = &config.carriers;
        let carrier = direction.of(down, up).clone();
        let [below, above] = &config.queues;
        let queue: &queue::Config = direction.of(below, above);
        Self {
            direction,
            queue: Queue::new(queue, seed, &own),
            queue_counters: link::Counters::default(),
            turns: Turns::new(carrier.access, seed, &own),
            carrier,
            sending: None,
            free: Time::ZERO,
            remainder: 0,
            way: Way::new(&config.path, seed, name),
            sky: Sky::new(config, seed, &own),
            change: config.change,
            room: (Time::ZERO, 0),
            flying: VecDeque::new(),
            gone: VecDeque::new(),
            counters: Counters::default(),
            past_waits: Duration::ZERO,
        }
    }

    /// From `now` on its rate over time is that of `config`.
    pub(crate) fn reconfigure(&mut self, now: Time, config: &SatelliteConfig) {
        self.room = (now, self.room_until(now));
        let [down, up] = &config.carriers;
        self.carrier.rate = self.direction.of(down, up).rate.clone();
    }

    /// Takes in an SDU, or gives it back.
    pub(crate) fn push(&mut self, now: Time, sdu: T) -> Result<(), T> {
        self.counters.sdus += 1;
        let sending = self.sending.as_ref().map_or_else(Backlog::default, |(turn, _)| Backlog {
            packets: 1,
            bytes: u64::from(turn.packet.bytes()),
        });
        let transmission = Transmission { sending, idle_bytes: 0 };
        let pushed = self.queue.push(now, sdu, transmission, &mut self.queue_counters);
        self.take_gone();
        pushed.map_err(|dropped| {
            self.counters.count_drop(dropped.reason);
            dropped.packet
        })
    }

    fn take_gone(&mut self) {
        while let Some(dropped) = self.queue.poll_gone() {
            self.gone.push_back(Output::Dropped(dropped));
        }
    }

    /// When there is something to do next, if `gap` says until when nothing is sent at a time.
    pub(crate) fn next(&self, now: Time, gap: impl Fn(Time) -> Time) -> Option<Time> {
        let is_wanted =
            self.sending.is_some() || !self.queue.is_empty() || self.turns.is_promised();
        if !is_wanted {
            return None;
        }
        let mut at = self.free.max(now);
        loop {
            let open = gap(self.turns.next(at));
            let (rate, until) = self.carrier.rate.span(open);
            let next = if rate.is_some() { open } else { until? };
            if next == at {
                return Some(at);
            }
            at = next;
        }
    }

    /// Sends a packet, or what fits in a frame that was granted.
    pub(crate) fn run(&mut self, moment: &mut SatelliteMoment<'_, impl Observe>) {
        let now = moment.now;
        let Some(rate) = self.carrier.rate.at(now) else { return };
        let sent = self.sending.as_ref().map_or(0, |(_, left)| u64::from(*left));
        if let Turns::OnDemand(frames) = &mut self.turns {
            let room = frames.open(now, rate, self.queue.bytes() + sent);
            self.free = frames.end(now);
            self.fill(moment, room, rate);
        } else if self.begin(moment) {
            let left = self.sending.as_ref().map_or(0, |(_, left)| *left);
            let takes = self.takes(left, self.turns.rate(rate).as_bps());
            let departs = self.turns.after(now, takes);
            self.tell(moment, left, departs);
            self.free = departs;
        }
    }

    /// Sends `room` bytes at most.
    fn fill(&mut self, moment: &mut SatelliteMoment<'_, impl Observe>, mut room: u64, rate: Rate) {
        let (mut at, mut used) = (moment.now, 0);
        while room > 0 && self.begin(moment) {
            let left = self.sending.as_ref().map_or(0, |(_, left)| *left);
            let bytes = left.min(room.min(u64::from(u32::MAX)) as u32);
            room -= u64::from(bytes);
            used += bytes;
            at += self.takes(bytes, rate.as_bps());
            if bytes == left {
                self.launch(at, None);
            } else if let Some((_, left)) = &mut self.sending {
                *left -= bytes;
            }
        }
        if used > 0 {
            self.count(moment, used, false);
        }
    }

    /// Takes the next packet into the sender, unless it has one. False if there is none.
    fn begin<O: Observe>(&mut self, moment: &mut SatelliteMoment<'_, O>) -> bool {
        if self.sending.is_none() {
            let turn = self.queue.pop(moment.now, &mut self.queue_counters);
            self.take_gone();
            let Some(turn) = turn else { return false };
            if O::DEQUEUES {
                moment.observe.dequeued(moment.now, moment.machine, turn.packet.uid());
            }
            let bytes = turn.packet.bytes();
            self.sending = Some((turn, bytes));
        }
        true
    }

    /// How long `bytes` take, with what the last ones left unpaid.
    fn takes(&mut self, bytes: u32, bps: u64) -> Duration {
        let work = u64::from(bytes) * 8_000_000_000 + self.remainder.min(bps - 1);
        self.remainder = work % bps;
        Duration::from_nanos(work / bps)
    }

    /// The packet that is being sent leaves at `departs` as a block of its own.
    fn tell(&mut self, moment: &mut SatelliteMoment<'_, impl Observe>, bytes: u32, departs: Time) {
        let lost = self.is_lost(departs);
        self.count(moment, bytes, lost);
        self.launch(departs, Some(lost));
    }

    fn count(&mut self, moment: &mut SatelliteMoment<'_, impl Observe>, bytes: u32, error: bool) {
        let sn = (self.counters.blocks_sent % (1 << 16)) as u16;
        self.counters.count_block(bytes, error);
        let (machine, direction, kind) = (moment.machine, self.direction, BlockKind::Data);
        let fact = BlockFact { machine, direction, sn, kind, poll: false, error };
        moment.observe.block(moment.now, fact);
    }

    fn is_lost(&mut self, departs: Time) -> bool {
        self.sky.loses(departs)
    }

    /// The last bit of the packet that is being sent leaves at `departs`.
    fn launch(&mut self, departs: Time, lost: Option<bool>) {
        let Some((turn, _)) = self.sending.take() else { return };
        self.past_waits += departs.saturating_since(turn.since);
        let lost = lost.unwrap_or_else(|| self.is_lost(departs));
        let mut arrives = departs + self.way.delay(departs);
        let changes = self.way.next_change(departs).is_some_and(|change| change < arrives);
        let cut_off = self.change.loses && changes;
        let lost = lost.then_some(DropReason::Loss).or(cut_off.then_some(DropReason::Outage));
        if !self.way.reorders() {
            let before = self.flying.back().map_or(Time::ZERO, |(time, ..)| *time);
            arrives = arrives.max(before);
        }
        let place = self.flying.partition_point(|(other, ..)| *other <= arrives);
        self.flying.insert(place, (arrives, lost, turn.packet));
    }

    /// When the next SDU comes out.
    pub(crate) fn visible(&self) -> Option<Time> {
        let gone = self.gone.front().map(|_| Time::ZERO);
        gone.or_else(|| self.flying.front().map(|(arrives, ..)| *arrives))
    }

    /// The next SDU that has come out by `now`.
    pub(crate) fn poll_output(&mut self, now: Time) -> Option<Output<T>> {
        let output = self.gone.pop_front().or_else(|| {
            let is_there = self.flying.front().is_some_and(|(arrives, ..)| *arrives <= now);
            let (_, lost, sdu) = is_there.then(|| self.flying.pop_front()).flatten()?;
            Some(match lost {
                None => Output::Delivered(sdu),
                Some(reason) => Output::Dropped(Dropped { packet: sdu, reason }),
            })
        })?;
        self.counters.count(&output);
        Some(output)
    }

    /// The SDUs between entry and exit.
    pub(crate) fn held(&self) -> impl Iterator<Item = &T> {
        let gone = self.gone.iter().map(|output| match output {
            Output::Delivered(sdu) | Output::Discarded(sdu) => sdu,
            Output::Dropped(dropped) => &dropped.packet,
        });
        let sending = self.sending.iter().map(|(turn, _)| &turn.packet);
        gone.chain(self.flying.iter().map(|(.., sdu)| sdu)).chain(sending).chain(self.queue.held())
    }

    pub(crate) fn counters(&self) -> Counters {
        Counters { queue_max: self.queue_counters.queue_max, ..self.counters }
    }

    /// The sum over SDUs of the time that each has waited by `now`, from hand-in to the end of its
    /// transmission.
    pub(crate) fn waited(&self, now: Time) -> Duration {
        let sending = self.sending.iter().map(|(turn, _)| now.saturating_since(turn.since));
        let in_queue = self.queue_counters.queue_integral + self.queue.waited(now);
        self.past_waits + sending.sum() + in_queue
    }

    /// Which share of what its rate could carry in the first `span` has been sent.
    pub(crate) fn utilization(&self, span: Duration) -> Option<f64> {
        let room = self.room_until(Time::ZERO + span);
        let used = u128::from(self.counters.bytes_sent) * 8_000_000_000;
        (room > 0).then(|| (used as f64 / room as f64).min(1.0))
    }

    fn room_until(&self, end: Time) -> u128 {
        let (since, room) = self.room;
        room + work(&self.carrier.rate, since, end)
    }

    /// What it carries at `at`, if it sends then.
    pub(crate) fn rate(&self, at: Time) -> Option<Rate> {
        self.carrier.rate.at(at)
    }
}
