//! The medium around one access point.

use std::collections::VecDeque;

use base::{Direction, Duration, Stream, Time};
use link::{Dropped, queue};
use mobility::motion::Position;
use observe::DropReason;

use super::airtime::{ACK_BYTES, CTS_BYTES, DIFS, OVERHEAD_BYTES, RTS_BYTES, SIFS, frame_time};
use super::counters::Counters;
use super::errors::FreeSpace;
use super::keys::{Loss, WlanKeys};
use super::machine::{End, Mobile, Output};
use super::sender::{Frame, Head, Sender};
use super::turns::Turns;
use crate::Sdu;

/// The medium around one access point, and what waits for it. Sender 0 is the access point, then
/// come the stations.
///
/// An exchange is a data frame, SIFS, its acknowledgement and DIFS; one that fails takes as long
/// (EIFS, §9.3.2.3.7). A request and a clear to send may precede it, each with SIFS: then requests
/// collide, not data. A frame that finds the medium free is sent at once.
#[derive(Debug)]
pub(super) struct Medium<T> {
    senders: Vec<Sender<T>>,
    turns: Turns,
    /// Whose frames are on the air, since when, and until when the longest one is.
    on_air: Vec<u32>,
    began: Time,
    until: Time,
    /// When the medium becomes usable, if nothing is on the air.
    idle_from: Time,
    errors: Stream,
    holds: Vec<Hold<T>>,
    /// What was held and is sent ahead of the queue of the access point.
    released: VecDeque<Head<T>>,
    /// How long it was in use in all exchanges that have ended.
    busy: Duration,
}

/// What waits for a station that is not there yet.
#[derive(Debug)]
struct Hold<T> {
    station: u32,
    frames: VecDeque<Head<T>>,
}

/// What a medium knows of the rest of the network.
pub(super) struct Surroundings<'a, T> {
    pub(super) config: &'a WlanKeys,
    pub(super) space: &'a FreeSpace,
    pub(super) access_point: u32,
    pub(super) position: Position,
    pub(super) mobiles: &'a [Mobile],
    pub(super) counters: &'a mut [Counters; 2],
    pub(super) outputs: &'a mut VecDeque<Output<T>>,
}

impl<T: Sdu> Medium<T> {
    /// A medium with the random stream called `name`.
    pub(super) fn new(
        config: &WlanKeys,
        [forth, back]: [queue::Config; 2],
        stations: usize,
        (seed, name): (u64, &str),
    ) -> Self {
        let sender = |number| match number {
            0 => Sender::new(Direction::Downlink, &forth, seed, name),
            station => {
                let name = format!("{name} station {}", station - 1);
                Sender::new(Direction::Uplink, &back, seed, &name)
            }
        };
        Self {
            senders: (0..=stations).map(sender).collect(),
            turns: Turns::new(config, stations + 1, seed, name),
            on_air: Vec::new(),
            began: Time::ZERO,
            until: Time::ZERO,
            idle_from: Time::ZERO,
            errors: Stream::named(seed, &format!("{name} errors")),
            holds: Vec::new(),
            released: VecDeque::new(),
            busy: Duration::ZERO,
        }
    }

    /// Takes in `frame` of `sender`, or gives it back. What is due must have been done.
    pub(super) fn handle_input(
        &mut self,
        now: Time,
        sender: u32,
        frame: Frame<T>,
        around: &mut Surroundings<'_, T>,
    ) -> Result<(), Dropped<T>> {
        let idle_since = self.idle_since(now);
        let from = &mut self.senders[sender as usize];
        let idle_bytes = match idle_since {
            Some(since) if from.uses_idle_time() => {
                base::Rate::from_bps(around.config.rate.bps()).bytes_in(now - since)
            }
            Some(_) | None => 0,
        };
        let counters = &mut around.counters[from.direction as usize];
        let pushed = from.push(now, frame, idle_bytes, counters);
        self.take_gone(sender, around);
        pushed?;
        self.turns.join(now, sender, idle_since);
        self.handle_timeout(now, around);
        Ok(())
    }

    /// Does what is due at `now`. Must not be called later.
    pub(super) fn handle_timeout(&mut self, now: Time, around: &mut Surroundings<'_, T>) {
        while self.poll_timeout().is_some_and(|due| due <= now) {
            if self.on_air.is_empty() {
                self.begin(now, around);
            } else {
                self.end(around);
            }
        }
    }

    /// The next SDU whose frame is on the air for the first time.
    pub(super) fn poll_dequeued(&mut self) -> Option<&T> {
        let is_new = |head: &Head<T>| !head.is_told;
        let heads = self.on_air.iter().map(|sender| *sender as usize);
        let new = heads.into_iter().find(|at| self.senders[*at].head.as_ref().is_some_and(is_new));
        let head = self.senders[new?].head.as_mut()?;
        head.is_told = true;
        Some(&head.frame.sdu)
    }

    /// When something is due next.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        if self.on_air.is_empty() { self.turns.start(self.idle_from) } else { Some(self.until) }
    }

    /// From now on holds what comes for `station` while that is not there.
    pub(super) fn hold(&mut self, station: u32) {
        if !self.awaits(station) {
            self.holds.push(Hold { station, frames: VecDeque::new() });
        }
    }

    /// True if it holds what comes for `station`.
    pub(super) fn awaits(&self, station: u32) -> bool {
        self.holds.iter().any(|hold| hold.station == station)
    }

    /// Sends what was held for `station`, ahead of everything else.
    pub(super) fn release(&mut self, now: Time, station: u32, around: &mut Surroundings<'_, T>) {
        let Some(at) = self.holds.iter().position(|hold| hold.station == station) else { return };
        for head in self.holds.remove(at).frames {
            self.released.push_back(head);
            self.turns.join(now, 0, self.idle_since(now));
        }
        self.handle_timeout(now, around);
    }

    /// The SDUs of `direction` between entry and exit.
    pub(super) fn held(&self, direction: Direction) -> impl Iterator<Item = &T> {
        let aside = self.aside(direction).map(|head| &head.frame.sdu);
        self.senders_of(direction).flat_map(Sender::held).chain(aside)
    }

    /// The sum over the SDUs of `direction` that it holds of the time that each has waited by
    /// `now`.
    pub(super) fn waited(&self, direction: Direction, now: Time) -> Duration {
        let aside: Duration =
            self.aside(direction).map(|head| now.saturating_since(head.since)).sum();
        self.senders_of(direction).map(|sender| sender.waited(now)).sum::<Duration>() + aside
    }

    fn senders_of(&self, direction: Direction) -> impl Iterator<Item = &Sender<T>> {
        self.senders.iter().filter(move |sender| sender.direction == direction)
    }

    /// What is held for a station that is not there yet, and what has been released to be sent.
    fn aside(&self, direction: Direction) -> impl Iterator<Item = &Head<T>> {
        let aside = self.holds.iter().flat_map(|hold| &hold.frames).chain(&self.released);
        aside.filter(move |_| direction == Direction::Downlink)
    }

    /// How long it was in use until `now`: by frames, SIFS and acknowledgements.
    pub(super) fn busy(&self, now: Time) -> Duration {
        if self.on_air.is_empty() {
            let is_to_be = self.idle_from.saturating_since(now + DIFS);
            self.busy.saturating_sub(is_to_be)
        } else {
            self.busy + now.saturating_since(self.began)
        }
    }

    /// Since when the medium can be used, if it can.
    fn idle_since(&self, now: Time) -> Option<Time> {
        (self.on_air.is_empty() && self.idle_from <= now).then_some(self.idle_from)
    }

    /// Begins the next exchange.
    fn begin(&mut self, now: Time, around: &mut Surroundings<'_, T>) {
        let mut on_air = std::mem::take(&mut self.on_air);
        self.turns.take(&mut on_air);
        // The first frames of those that collide, and all of one that is alone.
        let (mut longest, mut alone) = (Duration::ZERO, Duration::ZERO);
        on_air.retain(|&sender| {
            self.load(now, sender, around);
            let from = &self.senders[sender as usize];
            let Some(head) = &from.head else {
                self.turns.leave(sender);
                return false;
            };
            let bytes = head.frame.sdu.bytes() + OVERHEAD_BYTES;
            let [first, whole] = exchange(around.config, bytes);
            (longest, alone) = (longest.max(first), whole);
            around.counters[from.direction as usize].frames += 1;
            true
        });
        let lasts = if on_air.len() == 1 { alone } else { longest };
        (self.began, self.until) = (now, now + lasts);
        if on_air.is_empty() {
            // The turn is over even so: the slots until then have passed.
            self.idle_from = now;
        }
        self.on_air = on_air;
    }

    /// Ends the exchange on the air.
    fn end(&mut self, around: &mut Surroundings<'_, T>) {
        let (rate, preamble) = (around.config.response_rate(), around.config.preamble);
        let acknowledgement = SIFS + frame_time(ACK_BYTES, rate, preamble);
        let now = self.until;
        self.busy += (now - self.began) + acknowledgement;
        self.idle_from = now + acknowledgement + DIFS;
        let mut on_air = std::mem::take(&mut self.on_air);
        let is_collision = on_air.len() > 1;
        for sender in on_air.drain(..) {
            let Some(head) = self.senders[sender as usize].head.take() else { continue };
            if !self.is_there(sender, head.frame.station, around) {
                self.put_aside(now, sender, head, around);
                self.done(sender);
                continue;
            }
            let direction = self.senders[sender as usize].direction;
            let counters = &mut around.counters[direction as usize];
            if is_collision {
                counters.collisions += 1;
                self.fail(now, sender, head, around);
            } else if self.errs(now, &head, around) {
                around.counters[direction as usize].frame_errors += 1;
                self.fail(now, sender, head, around);
            } else {
                deliver(now, direction, head, around);
                self.done(sender);
            }
        }
        self.on_air = on_air;
    }

    /// Makes a frame the head of `sender` whose station is there.
    fn load(&mut self, now: Time, sender: u32, around: &mut Surroundings<'_, T>) {
        while let Some(head) = self.next(now, sender, around) {
            if self.is_there(sender, head.frame.station, around) {
                self.senders[sender as usize].head = Some(head);
                return;
            }
            self.put_aside(now, sender, head, around);
        }
    }

    /// Takes the next frame out of `sender`.
    fn next(
        &mut self,
        now: Time,
        sender: u32,
        around: &mut Surroundings<'_, T>,
    ) -> Option<Head<T>> {
        let from = &mut self.senders[sender as usize];
        if let Some(head) = from.head.take() {
            return Some(head);
        }
        if from.direction == Direction::Downlink
            && let Some(head) = self.released.pop_front()
        {
            return Some(head);
        }
        let head = from.pop(now, &mut around.counters[from.direction as usize]);
        self.take_gone(sender, around);
        head
    }

    /// True if a frame of `sender` can go to or from `station`; what is for a station with older
    /// frames held is held as well.
    fn is_there(&self, sender: u32, station: u32, around: &Surroundings<'_, T>) -> bool {
        let waits = |hold: &Hold<T>| hold.station == station && !hold.frames.is_empty();
        around.mobiles[station as usize].is_at(around.access_point)
            && !(sender == 0 && self.holds.iter().any(waits))
    }

    /// A frame whose station is not there is held if the station is awaited, else dropped.
    fn put_aside(
        &mut self,
        now: Time,
        sender: u32,
        head: Head<T>,
        around: &mut Surroundings<'_, T>,
    ) {
        let from = &self.senders[sender as usize];
        let hold = self.holds.iter_mut().find(|hold| hold.station == head.frame.station);
        let reason = match hold.filter(|_| from.direction == Direction::Downlink) {
            Some(hold) if hold.frames.len() < around.config.hold_limit as usize => {
                hold.frames.push_back(Head { retries: 0, ..head });
                return;
            }
            Some(_) => DropReason::Queue,
            None => DropReason::Unreachable,
        };
        drop_frame(now, from.direction, head, reason, around);
    }

    /// The transmission of `sender` failed.
    fn fail(
        &mut self,
        now: Time,
        sender: u32,
        mut head: Head<T>,
        around: &mut Surroundings<'_, T>,
    ) {
        head.retries += 1;
        if head.retries < around.config.retry_limit {
            self.turns.again(sender, head.retries);
            self.senders[sender as usize].head = Some(head);
            return;
        }
        drop_frame(now, self.senders[sender as usize].direction, head, DropReason::Loss, around);
        self.done(sender);
    }

    fn done(&mut self, sender: u32) {
        let has_more =
            self.senders[sender as usize].has_more() || sender == 0 && !self.released.is_empty();
        self.turns.done(sender);
        if !has_more {
            self.turns.leave(sender);
        }
    }

    /// Draws whether a frame that ends at `now` is in error.
    fn errs(&mut self, now: Time, head: &Head<T>, around: &Surroundings<'_, T>) -> bool {
        let station = around.mobiles[head.frame.station as usize].position(now);
        if !around.space.reaches(around.position, station) {
            return true;
        }
        match around.config.loss {
            Loss::None => false,
            Loss::FromPlace => {
                let bytes = head.frame.sdu.bytes() + OVERHEAD_BYTES;
                let rate = around.config.rate;
                let share = around.space.frame_error_rate(around.position, station, rate, bytes);
                self.errors.next_f64() < share
            }
        }
    }

    /// Outputs what the queue of `sender` has dropped.
    fn take_gone(&mut self, sender: u32, around: &mut Surroundings<'_, T>) {
        while let Some(dropped) = self.senders[sender as usize].poll_gone() {
            around.outputs.push_back(Output::Dropped(dropped));
        }
    }
}

/// The time of the first frame of an exchange on the air, and that of the exchange until the end of
/// its data frame of `bytes`.
fn exchange(config: &WlanKeys, bytes: u32) -> [Duration; 2] {
    let data = frame_time(bytes, config.rate, config.preamble);
    if config.rts_threshold.is_none_or(|threshold| bytes <= threshold) {
        return [data; 2];
    }
    let [request, clear] = [RTS_BYTES, CTS_BYTES]
        .map(|bytes| frame_time(bytes, config.response_rate(), config.preamble));
    [request, request + SIFS + clear + SIFS + data]
}

fn deliver<T: Sdu>(
    now: Time,
    direction: Direction,
    head: Head<T>,
    around: &mut Surroundings<'_, T>,
) {
    let Frame { station, sdu } = head.frame;
    let access_point = around.access_point;
    let at = direction.of(End::Station(station), End::AccessPoint(access_point));
    around.counters[direction as usize].deliver(sdu.bytes(), now - head.since);
    around.outputs.push_back(Output::Delivered { at, access_point, station, sdu });
}

fn drop_frame<T: Sdu>(
    now: Time,
    direction: Direction,
    head: Head<T>,
    reason: DropReason,
    around: &mut Surroundings<'_, T>,
) {
    let counters = &mut around.counters[direction as usize];
    counters.drops.count(reason);
    counters.waiting_time += now - head.since;
    around.outputs.push_back(Output::Dropped(Dropped { packet: head.frame.sdu, reason }));
}
