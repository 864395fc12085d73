//! One direction of a bearer.

use std::mem;

use base::{Direction, Duration, Time};
use link::queue;
use observe::Observe;

use super::backlog::{Backlog, Waiting};
use super::contents::Contents;
use super::flow_queues::FlowQueues;
use super::grid::Grid;
use super::mac::TransportBlocks;
use super::pdcp::Convergence;
use super::phy::BlockErrors;
use super::rlc::{Entity, Health, Outcome, Sdus, Traffic};
use super::{
    BlockErrorRate, Blocks, BufferManager, Channel, ChannelState, DchConfig, Limit, Scope, Service,
};
use crate::{Counters, Output, Sdu};

/// One direction: what waits, what is on the air, and what the channel is like.
#[derive(Debug)]
pub(crate) struct Lane<T> {
    pub(crate) direction: Direction,
    pub(crate) grid: Grid,
    /// Bytes that a block carries.
    pub(crate) payload: u32,
    pub(crate) state: ChannelState,
    /// The first TTI that `state` held for.
    since: u64,
    /// How many blocks all TTIs before that carried at most.
    room_before: u64,
    limit: Limit,
    manager: Option<BufferManager>,
    /// The last state in which something could be sent, for the manager.
    usual: Blocks,
    /// What waits, if the limit is more than a count.
    backlog: Option<Backlog>,
    /// What waits ahead of the link control, where flows are served in turn.
    queues: Option<FlowQueues<T>>,
    errors: BlockErrors,
    pdcp: Convergence<T>,
    pub(crate) sdus: Sdus,
    contents: Contents<T>,
    /// The TTI on the air; empty if there is none.
    air: Box<TransportBlocks>,
    /// The TTI that is being filled; boxed, as it takes the place of that on the air.
    next: Box<TransportBlocks>,
    pub(crate) counters: Counters,
}

impl<T: Sdu> Lane<T> {
    /// The direction of a bearer called `name`, whose channel starts in `state`.
    pub(crate) fn new(
        direction: Direction,
        config: &DchConfig,
        state: ChannelState,
        seed: u64,
        name: &str,
    ) -> Self {
        let Channel { tti, limit, .. } = direction.of(&config.downlink, &config.uplink);
        let (name, dpdchs) =
            (format!("{name}/{}", direction.name()), config.dpdchs[direction as usize]);
        Self {
            direction,
            grid: Grid::new(*tti),
            payload: config.rlc.block_bytes(),
            state,
            since: 0,
            room_before: 0,
            limit: *limit,
            manager: config.buffer,
            usual: state.blocks,
            backlog: (!limit.is_count() || config.buffer.is_some()).then(Backlog::default),
            queues: config
                .buffer
                .filter(|manager| manager.service == Service::InTurn)
                .map(|_| FlowQueues::new()),
            errors: BlockErrors::new(seed, &name, *tti, config.dpcch, dpdchs),
            pdcp: Convergence::new(&config.pdcp),
            sdus: Sdus::new(config.rlc.segmentation()),
            contents: Contents::new(),
            air: Box::new(TransportBlocks::new()),
            next: Box::new(TransportBlocks::new()),
            counters: Counters::default(),
        }
    }

    /// The TTIs that begin at or after `from` have `state`.
    pub(crate) fn set_state(&mut self, from: Time, state: ChannelState) {
        let first = self.grid.number(from).max(self.since);
        self.room_before += self.state.blocks.before(first) - self.state.blocks.before(self.since);
        self.since = first;
        self.state = state;
        if !state.blocks.is_none() {
            self.usual = state.blocks;
        }
    }

    /// How many blocks the first `ttis` TTIs have room for, if `coming` states follow this one.
    pub(crate) fn room_until(
        &self,
        ttis: u64,
        coming: impl Iterator<Item = (Time, ChannelState)>,
    ) -> u64 {
        let (mut room, mut since, mut blocks) = (self.room_before, self.since, self.state.blocks);
        for (from, state) in coming {
            let first = self.grid.number(from).min(ttis).max(since);
            room += blocks.before(first) - blocks.before(since);
            (since, blocks) = (first, state.blocks);
        }
        room + blocks.before(ttis.max(since)) - blocks.before(since)
    }

    /// How far ahead the manager of the buffer looks, if there is one.
    pub(crate) fn anticipation(&self) -> Option<Duration> {
        self.manager.map(|manager| manager.anticipation)
    }

    /// Gives the TTI that ends to its receiver, and puts the one that begins on the air.
    pub(crate) fn receive(&mut self, now: Time, receiver: &mut Entity, own: &mut Sdus) {
        if self.air.used() > 0 {
            self.counters.blocks_received += u64::from(self.air.intact());
            receiver.receive(now, &self.air, &mut Traffic { own, peer: &mut self.sdus });
            self.air.begin(now, 0);
        }
        mem::swap(&mut self.air, &mut self.next);
    }

    /// Discards what is on the air.
    pub(crate) fn silence(&mut self, now: Time) {
        for blocks in [&mut self.air, &mut self.next] {
            self.counters.blocks_received += u64::from(blocks.intact());
            blocks.begin(now, 0);
        }
    }

    /// When this direction's next TTI must be processed.
    pub(crate) fn next_tick(&self, now: Time, sender: &Entity, peer: &Sdus) -> Option<Time> {
        if self.air.used() > 0 {
            return Some(self.grid.after(now));
        }
        let time = sender.poll_timeout(now, &self.sdus, peer)?;
        self.first_room(self.grid.after_and_from(now, time))
    }

    /// The start of the first TTI at or after that which starts at `tick` that has room for a
    /// block, as far as this state goes.
    pub(crate) fn first_room(&self, tick: Time) -> Option<Time> {
        match self.state.blocks.as_constant() {
            Some(0) => return None,
            Some(_) => return Some(tick),
            None => {}
        }
        let tti = self.grid.number(tick);
        let first = self.state.blocks.next_with_room(tti)?;
        Some(tick + self.grid.tti * (first - tti))
    }

    /// The SDUs between entry and exit, oldest first.
    pub(crate) fn held(&self) -> impl Iterator<Item = &T> {
        let queued = self.queues.iter().flat_map(FlowQueues::sdus);
        self.contents.iter().chain(queued)
    }

    /// What has been counted.
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            bytes_sent: self.counters.blocks_sent * u64::from(self.payload),
            ..self.counters
        }
    }

    /// The sum over SDUs of the time that each has waited by `now`, from hand-in to the end of its
    /// first transmission.
    pub(crate) fn waited(&self, now: Time) -> Duration {
        let ahead = self.queues.as_ref().map(|queues| queues.waited(now));
        ahead.unwrap_or_default() + self.sdus.waited(now)
    }

    /// Draws the errors of the TTI that begins.
    pub(crate) fn send<O: Observe>(&mut self, machine: u32, observe: &mut O) {
        let (blocks, counters) = (&mut self.next, &mut self.counters);
        if blocks.used() == 0 {
            return;
        }
        if self.state.tbler != BlockErrorRate::NONE {
            let tti = self.grid.number(blocks.start);
            self.errors.draw(tti, blocks.used(), self.state.tbler, &mut blocks.errors);
        }
        counters.blocks_sent += u64::from(blocks.used());
        counters.blocks_in_error += u64::from(blocks.errors.count());
        counters.retransmitted_blocks += u64::from(blocks.retransmissions());
        let reports = blocks.control.iter().filter(|control| control.is_report());
        counters.status_pdus += reports.count() as u64;
        if O::ON {
            self.next.facts(machine, self.direction, observe);
        }
        if O::DEQUEUES {
            self.contents.tell_dequeued(self.next.start, machine, self.sdus.begun(), observe);
        }
    }

    /// Takes in `sdu`, or gives it back if the queue is full. A manager uses the `coming` blocks
    /// per TTI in place of the present ones.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "every SDU passes here, and would be moved once more")]
    pub(crate) fn push(&mut self, now: Time, sdu: T, coming: Option<Blocks>) -> Result<(), T> {
        self.counters.sdus += 1;
        let share = self.waiting_beside(&sdu);
        let fits = self.limit.admits(share, sdu.bytes());
        if !fits || !self.manager_admits(&sdu, coming) {
            self.counters.dropped += 1;
            return Err(sdu);
        }
        if let Some(backlog) = &mut self.backlog {
            backlog.enter(Waiting::of(&sdu));
        }
        match &mut self.queues {
            None => self.hand_in(now, sdu),
            Some(queues) => queues.push(now, sdu.flow(), sdu),
        }
        let ahead = self.queues.as_ref().map_or(0, FlowQueues::len);
        self.counters.queue_max = self.counters.queue_max.max(self.sdus.waiting() + ahead);
        self.top_up(now, 1);
        Ok(())
    }

    /// Fills the TTI that begins.
    pub(crate) fn fill(&mut self, now: Time, sender: &mut Entity, peer: &mut Sdus) -> Health {
        let blocks = self.state.blocks;
        let room = blocks.as_constant().unwrap_or_else(|| blocks.in_tti(self.grid.number(now)));
        self.next.begin(now, room);
        if room == 0 {
            return Health::Well;
        }
        self.top_up(now, u64::from(room) * u64::from(self.payload));
        sender.fill(&mut Traffic { own: &mut self.sdus, peer }, &mut self.next)
    }

    /// The link control gets SDUs of the flows in turn until it has `bytes` to send, or all.
    pub(crate) fn top_up(&mut self, now: Time, bytes: u64) {
        if self.queues.is_some() {
            self.serve_in_turn(now, bytes);
        }
    }

    /// Separate from `top_up`, since most bearers have no queues to check on every tick.
    #[cold]
    fn serve_in_turn(&mut self, now: Time, bytes: u64) {
        while self.sdus.unsent_bytes() < bytes {
            let next = self.queues.as_mut().and_then(|queues| queues.pop(now));
            let Some(sdu) = next else { return };
            self.hand_in(now, sdu);
        }
    }

    /// The link control gets `sdu`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "every SDU passes here, and would be moved once more")]
    fn hand_in(&mut self, now: Time, sdu: T) {
        if let Some(backlog) = &mut self.backlog {
            backlog.number(Waiting::of(&sdu));
        }
        let bytes = self.pdcp.send(&sdu);
        self.sdus.push(now, bytes);
        self.contents.push(sdu);
    }

    /// The bytes of SDUs that the link control has not got yet.
    pub(crate) fn queued_bytes(&self) -> u64 {
        self.queues.iter().flat_map(FlowQueues::sdus).map(|sdu| u64::from(sdu.bytes())).sum()
    }

    /// After a relocation, SDUs that had been sent wait again.
    pub(crate) fn wait_again(&mut self) {
        if let Some(backlog) = &mut self.backlog {
            backlog.forget_below(self.sdus.first_waiting());
            let contents = &self.contents;
            backlog.wait_again(self.sdus.first_waiting(), |number| {
                let sdu = contents.get(number);
                sdu.map_or_else(Waiting::default, Waiting::of)
            });
        }
    }

    /// The next SDU that has come out. Kept apart from the question whether there is one, to which
    /// the answer is mostly no.
    #[inline(never)]
    pub(crate) fn poll_output(&mut self) -> Option<Output<T>> {
        let output = match self.sdus.poll_outcome()? {
            Outcome::Delivered(number) => {
                let sdu = self.contents.take(number);
                if self.pdcp.receive(number, &sdu) {
                    Output::Delivered(sdu)
                } else {
                    Output::Discarded(sdu)
                }
            }
            Outcome::Discarded(number) => {
                self.pdcp.forget(number);
                Output::Discarded(self.contents.take(number))
            }
        };
        self.counters.count(&output);
        Some(output)
    }

    /// True if there is no manager, or it has room for `sdu`.
    fn manager_admits(&self, sdu: &T, coming: Option<Blocks>) -> bool {
        let (Some(manager), Some(backlog)) = (self.manager, &self.backlog) else { return true };
        let bdp = manager.bdp(coming.unwrap_or(self.usual), self.payload, self.grid.tti);
        let waiting = backlog.share(Scope::Flow, sdu.flow());
        let room = manager.room(bdp, backlog.place(sdu.flow()), backlog.flows_with(sdu.flow()));
        BufferManager::admits(room, waiting, sdu.bytes())
    }

    /// How much of what waits the limit counts together with `sdu`.
    fn waiting_beside(&mut self, sdu: &T) -> queue::Backlog {
        match &mut self.backlog {
            None => queue::Backlog { packets: self.sdus.waiting(), bytes: 0 },
            Some(backlog) => {
                backlog.forget_below(self.sdus.first_waiting());
                backlog.share(self.limit.scope, sdu.flow())
            }
        }
    }
}
