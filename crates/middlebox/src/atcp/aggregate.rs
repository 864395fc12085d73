//! The aggregate control block of a mobile (§IV.B and figure 6): one congestion window, one
//! round-trip time, one timer and one list of unacknowledged packets for all its flows.

use std::collections::VecDeque;

use base::{Duration, Time};
use observe::{MiddleboxFact, RepairReason};
use tcp::{Acknowledgement, Payload};

use super::Flows;
use super::black_hole::BlackHole;
use super::config::{AtcpConfig, Role};
use super::deference::Deference;
use super::echoes::Echoes;
use super::estimator::{Arrived, Estimator};
use super::flow::{Flow, Next, WindowUpdate};
use super::flow_control::{EdgeMove, Grant, Position, Totals};
use super::lanes::{Lanes, Released};
use super::nearest::Nearest;
use super::pipe::Pipe;
use super::recent_rtt::RecentRtt;
use super::recovery::Recovery;
use super::schedule::{Schedule, Turn};
use super::shaper::Shaper;
use super::unacked::{NONE, PacketState, Sent, Skips, Unacknowledged};
use crate::radio_rtt::RadioRtt;
use crate::{FlowId, Repairs};

/// Largest segment before the first flow.
pub(super) const NO_MSS: u64 = 1;

/// All flows to one mobile.
#[derive(Debug)]
pub(super) struct Aggregate {
    /// What facts call the mobile.
    pub(super) mobile: u32,
    /// Its flows.
    pub(super) members: Vec<u32>,
    pub(super) unacked: Unacknowledged,
    pub(super) skips: Skips,
    pub(super) schedule: Schedule,
    pub(super) lanes: Lanes,
    pub(super) pipe: Pipe,
    pub(super) echoes: Echoes,
    /// Of a subscriber, whose pipe leads to many hosts.
    pub(super) nearest: Option<Nearest>,
    pub(super) recent_rtt: RecentRtt,
    pub(super) round_trip: RadioRtt,
    pub(super) estimator: Estimator,
    pub(super) shaper: Shaper,
    pub(super) deference: Deference,
    pub(super) recovery: Recovery,
    pub(super) black_hole: BlackHole,
    /// Payload bytes of a segment that every path takes, where large ones may vanish.
    pub(super) small_segment: Option<u32>,
    pub(super) totals: Totals,
    pub(super) persist: Persist,
    /// The largest segment of any flow.
    pub(super) mss: u64,
    /// When something last left the pipe.
    pub(super) freed_at: Time,
    /// When the next segment leaves for which the window has too little room.
    pub(super) part: Option<Time>,
    /// When the first short segment that waits to be filled is due.
    pub(super) hold: Option<Time>,
    /// Flows that wait for room in the budget.
    pub(super) budget_queue: VecDeque<u32>,
    pub(super) repairs: Repairs,
    /// Flows that are given up as dead.
    pub(super) given_up: Vec<FlowId>,
    /// True while it is in the queue of those that may have something to send.
    pub(super) polled: bool,
    /// Bit/s that the radio reports, 0 while nothing gets through.
    pub(super) reported_bps: Option<u64>,
    /// The backlog as last reported.
    pub(super) reported: (u64, u64, u64),
    /// Estimate and report of the radio's rate, as last told.
    pub(super) told_rates: (Option<u64>, Option<u64>),
}

/// Closed windows of the mobile, to be probed.
#[derive(Debug, Default)]
pub(super) struct Persist {
    pub(super) deadline: Option<Time>,
    pub(super) doublings: u32,
    /// Flows to probe now.
    pub(super) due: Vec<u32>,
}

/// What an aggregate needs besides its own state.
pub(super) struct Context<'a, P> {
    pub(super) now: Time,
    pub(super) config: &'a AtcpConfig,
    pub(super) flows: &'a mut Flows<P>,
    /// Flows whose windows are to be announced to their senders.
    pub(super) updates: &'a mut VecDeque<u32>,
    /// Packets that are not TCP and wait no longer.
    pub(super) released: &'a mut Released,
    pub(super) watch: &'a mut dyn FnMut(MiddleboxFact),
}

/// What an acknowledgement newly delivers: packets that were not known to have arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Acked {
    pub(super) bytes: u64,
    /// The round-trip time of the newest, if none of them was retransmitted.
    pub(super) rtt: Option<Duration>,
    /// True if one was.
    pub(super) repaired: bool,
    /// One above the highest position that arrived.
    pub(super) beyond: u64,
    /// Positions below have been skipped often enough.
    pub(super) bound: u64,
    /// True if a packet arrived from before the last stall, rather than its retransmission during
    /// it.
    pub(super) waited: bool,
}

impl Aggregate {
    pub(super) fn new(mobile: u32, config: &AtcpConfig) -> Self {
        Self {
            mobile,
            members: Vec::new(),
            unacked: Unacknowledged::new(),
            skips: Skips::new(config.skip_threshold),
            schedule: Schedule::default(),
            lanes: Lanes::default(),
            pipe: Pipe::default(),
            echoes: Echoes::default(),
            nearest: (config.role == Role::Subscriber).then(Nearest::default),
            recent_rtt: RecentRtt::default(),
            round_trip: RadioRtt::default(),
            estimator: Estimator::new(config),
            shaper: Shaper::default(),
            deference: Deference::default(),
            recovery: Recovery::default(),
            black_hole: BlackHole::default(),
            small_segment: None,
            totals: Totals::default(),
            persist: Persist::default(),
            mss: NO_MSS,
            freed_at: Time::ZERO,
            part: None,
            hold: None,
            budget_queue: VecDeque::new(),
            repairs: Repairs::default(),
            given_up: Vec::new(),
            polled: false,
            reported_bps: None,
            reported: (0, 0, 0),
            told_rates: (None, None),
        }
    }

    /// Bytes allowed in flight.
    pub(super) fn cwnd(&self, config: &AtcpConfig) -> u64 {
        let clamp = self.estimator.clamp.max(self.mss) + self.beyond(config);
        clamp + u64::from(self.recovery.tests(config)) * self.mss
    }

    /// Bytes in the pipe, as far as is known.
    pub(super) const fn in_flight(&self) -> u64 {
        self.unacked.in_flight + self.pipe.in_flight
    }

    /// Bytes came from a sender.
    pub(super) fn write<P: Payload>(&mut self, id: u32, payload: P, cx: &mut Context<'_, P>) {
        let (now, config) = (cx.now, cx.config);
        let flow = &mut cx.flows[id];
        let bytes = payload.length();
        if flow.buffer.length() == 0 {
            self.totals.tickets += u64::from(flow.stride.share.tickets);
            flow.window.resume(now, &self.totals);
        }
        self.totals.credit -= flow.credit();
        flow.write(now, payload);
        self.totals.credit += flow.credit();
        self.totals.held += bytes;
        self.totals.held_max = self.totals.held_max.max(self.totals.held);
        self.totals.queued += bytes;
        flow.window.on_arrival(config, &self.totals, bytes, u64::from(flow.sender_mss));
        self.schedule.join(Turn::Flow(id), &mut flow.stride);
    }

    /// The sender of flow `id` has sent everything: its unused allowance goes to others.
    pub(super) fn close<P: Payload>(&mut self, id: u32, cx: &mut Context<'_, P>) {
        let flow = &mut cx.flows[id];
        self.totals.credit -= flow.credit();
        flow.closed = true;
        self.schedule.join(Turn::Flow(id), &mut flow.stride);
        self.serve_budget_queue(cx);
    }

    /// Removes flow `id`. Returns how many bytes were held of it.
    pub(super) fn remove<P: Payload>(&mut self, id: u32, cx: &mut Context<'_, P>) -> u64 {
        let mut flow = cx.flows.0[id as usize].take().expect("a flow is removed once");
        let held = flow.buffer.length();
        self.totals.held -= held;
        self.totals.queued -= flow.queued();
        self.totals.credit -= flow.credit();
        self.totals.connections -= 1;
        if held > 0 {
            self.totals.tickets -= u64::from(flow.stride.share.tickets);
        }
        self.unacked.abandon(&mut flow.chain);
        self.await_orphans(cx.now, cx.config);
        self.schedule.remove(Turn::Flow(id), &flow.stride);
        self.persist.due.retain(|&other| other != id);
        if flow.window_update == WindowUpdate::AwaitsBudget {
            self.budget_queue.retain(|&other| other != id);
        }
        self.members.swap_remove(flow.member as usize);
        if let Some(&moved) = self.members.get(flow.member as usize) {
            cx.flows[moved].member = flow.member;
        }
        self.serve_budget_queue(cx);
        held
    }

    /// The mobile acknowledged something of flow `id`.
    pub(super) fn handle_ack<P: Payload>(
        &mut self,
        id: u32,
        arrival: &Acknowledgement,
        cx: &mut Context<'_, P>,
    ) {
        let now = cx.now;
        let Some(heard) = cx.flows[id].hear(now, arrival) else { return };
        let limited = self.in_flight() + self.mss > self.cwnd(cx.config);
        let mut acked = Acked::default();
        self.take_acknowledged(id, heard.una, cx, &mut acked);
        self.take_selected(id, arrival, cx, &mut acked);
        let flow = &mut cx.flows[id];
        if heard.duplicate && !flow.sack {
            self.take_duplicate(id, cx, &mut acked);
        }
        self.take_back_head(id, cx);
        if acked.bytes > 0 {
            acked.bytes += self.pipe.leave_below(acked.beyond);
            self.echoes.told();
            self.freed_at = now;
            self.measure(cx, id, &acked, limited);
            self.heard(cx, &acked);
        }
        let flow = &mut cx.flows[id];
        if flow.next(now, None) != Next::Nothing {
            self.schedule.join(Turn::Flow(id), &mut flow.stride);
        }
        self.serve_budget_queue(cx);
    }

    /// Takes off the list what is acknowledged.
    fn take_acknowledged<P: Payload>(
        &mut self,
        id: u32,
        una: u64,
        cx: &mut Context<'_, P>,
        acked: &mut Acked,
    ) {
        let flow = &mut cx.flows[id];
        if una == flow.una {
            return;
        }
        while !flow.chain.is_empty() && self.unacked.get(flow.chain.first).end() <= una {
            let Some(sent) = self.unacked.pop(&mut flow.chain) else { break };
            if sent.state != PacketState::Sacked {
                self.arrived(cx.now, cx.config, &sent, acked);
            }
        }
        if !flow.chain.is_empty() && self.unacked.get(flow.chain.first).offset < una {
            self.unacked.trim(flow.chain.first, una);
        }
        let (held, queued) = (flow.buffer.length(), flow.queued());
        flow.acknowledge(cx.now, una);
        self.totals.held -= held - flow.buffer.length();
        self.totals.queued -= queued - flow.queued();
        if held > 0 && flow.buffer.length() == 0 {
            self.totals.tickets -= u64::from(flow.stride.share.tickets);
        }
    }

    /// Marks what was selectively acknowledged.
    fn take_selected<P: Payload>(
        &mut self,
        id: u32,
        arrival: &Acknowledgement,
        cx: &mut Context<'_, P>,
        acked: &mut Acked,
    ) {
        let flow = &cx.flows[id];
        for &block in arrival.sack.as_slice() {
            let Some([from, to]) = flow.block(block) else { continue };
            let mut slot = flow.chain.first;
            while slot != NONE && self.unacked.get(slot).end() <= to {
                let sent = *self.unacked.get(slot);
                if sent.offset >= from && sent.state != PacketState::Sacked {
                    self.unacked.sack(slot);
                    self.arrived(cx.now, cx.config, &sent, acked);
                }
                slot = self.unacked.next(slot);
            }
        }
    }

    /// A mobile without SACK: a duplicate says that one later packet of the flow arrived, but not
    /// which. It is taken to be the one that was sent first, which arrives before all others, if
    /// that can have arrived by now. The duplicate gives no round-trip time, and may come from a
    /// needless retransmission.
    fn take_duplicate<P: Payload>(&mut self, id: u32, cx: &mut Context<'_, P>, acked: &mut Acked) {
        let chain = cx.flows[id].chain;
        if chain.is_empty() {
            return;
        }
        let later =
            self.unacked.after(chain.first).filter(|sent| sent.1.state != PacketState::Sacked);
        if let Some((slot, sent)) = later.min_by_key(|sent| sent.1.position)
            && self.may_have_arrived(cx.now, cx.config, &sent)
        {
            self.unacked.sack(slot);
            acked.bytes += u64::from(sent.length);
            acked.bound = acked.bound.max(self.skips.arrived(sent.position));
            acked.beyond = acked.beyond.max(sent.position + 1);
        }
    }

    /// The first packet that is not acknowledged cannot have arrived. If it counts as arrived,
    /// either the mobile reneged (RFC 2018 §8), and it is lost; or a duplicate was about another
    /// packet, and it is lost if it has been skipped.
    fn take_back_head<P: Payload>(&mut self, id: u32, cx: &mut Context<'_, P>) {
        let Flow { chain, sack, .. } = cx.flows[id];
        if chain.is_empty() || self.unacked.get(chain.first).state != PacketState::Sacked {
            return;
        }
        if sack {
            self.unacked.lose(chain.first, RepairReason::Skipped);
        } else {
            self.unacked.take_back(chain.first);
        }
    }

    /// A packet is newly known to have arrived.
    ///
    /// Of a retransmitted packet either transmission may have arrived. If the second was less than
    /// the shortest round-trip time ago, it was the first (as in RFC 8985 §6.2). If it was less
    /// than the usual round-trip time ago, with a queue of seconds, it may have been the first:
    /// then it says nothing about packets sent before the second, or one needless retransmission
    /// would count as the loss of all of them. It never gives a round-trip time (Karn's algorithm).
    fn arrived(&mut self, now: Time, config: &AtcpConfig, sent: &Sent, acked: &mut Acked) {
        let age = now - sent.at;
        let once = sent.transmissions == 1;
        let early = !once && self.round_trip.smallest.is_none_or(|least| age < least);
        self.note_arrival(sent.length);
        acked.bytes += u64::from(sent.length);
        acked.waited |= early || once && self.recovery.is_before_stall(sent.position);
        if !once {
            // Packets that are acknowledged with it may have waited for it at the mobile.
            (acked.repaired, acked.rtt) = (true, None);
            if !self.may_have_arrived(now, config, sent) {
                return;
            }
        }
        acked.bound = acked.bound.max(self.skips.arrived(sent.position));
        if sent.position >= acked.beyond {
            acked.beyond = sent.position + 1;
            if once && !acked.repaired && sent.position >= self.recovery.timed_from {
                acked.rtt = Some(age);
            }
        }
    }

    /// True if a packet was sent last long enough ago to have been acknowledged. Where no
    /// round-trip time was measured yet, the usual one has to be over.
    fn may_have_arrived(&self, now: Time, config: &AtcpConfig, sent: &Sent) -> bool {
        now - sent.at >= self.round_trip.least_likely().unwrap_or(config.round_trip)
    }

    fn measure<P: Payload>(
        &mut self,
        cx: &mut Context<'_, P>,
        id: u32,
        acked: &Acked,
        limited: bool,
    ) {
        if let Some(rtt) = acked.rtt {
            self.round_trip.sample(rtt);
            self.recent_rtt.sample(cx.now, rtt, self.round_trip.smoothed().unwrap_or(rtt));
            let connection = cx.flows[id].connection;
            (cx.watch)(MiddleboxFact::Rtt { mobile: self.mobile, connection, rtt });
        }
        self.estimate(cx.now, cx.config, acked.bytes, limited);
    }

    /// So many bytes have left the pipe.
    pub(super) fn estimate(&mut self, now: Time, config: &AtcpConfig, bytes: u64, limited: bool) {
        let (Some(smoothed), Some(least)) = (self.round_trip.smoothed(), self.round_trip.smallest)
        else {
            return;
        };
        let arrived = Arrived { bytes, limited, smoothed, least, mss: self.packet() };
        self.estimator.on_arrival(now, config, &arrived);
    }

    /// Where the right edge of flow `id` may be now, with its present window. Flows that wait for
    /// the budget come first.
    fn grant<P: Payload>(&self, id: u32, at: &Position, cx: &Context<'_, P>) -> Grant {
        let flow = &cx.flows[id];
        if self.recovery.is_stalled() || flow.closed {
            return Grant::Enough;
        }
        let first = self.budget_queue.front().is_none_or(|&first| first == id);
        let left = if first { self.totals.left(cx.config.budget, EdgeMove::Segment) } else { 0 };
        flow.window.grant(at, left)
    }

    /// Moves the right edge of flow `id`, which is `at` that position, as far as it may. Returns
    /// whether it moved.
    fn move_edge<P: Payload>(&mut self, id: u32, at: &Position, cx: &mut Context<'_, P>) -> bool {
        let grant = self.grant(id, at, cx);
        let flow = &mut cx.flows[id];
        let coalesces = self.totals.queued >= self.mss && !self.recovery.is_stalled();
        let moved = match grant {
            Grant::Edge(edge) => Some((edge, EdgeMove::Segment)),
            Grant::Short | Grant::Enough if !coalesces => None,
            Grant::Short | Grant::Enough => {
                let left = self.totals.left(cx.config.budget, EdgeMove::Nudge);
                let edge = flow.window.nudge(at, left, self.totals.connections);
                edge.map(|edge| (edge, EdgeMove::Nudge))
            }
        };
        if let Some((edge, edge_move)) = moved {
            self.totals.credit -= flow.credit();
            flow.window.move_to(edge, edge_move);
            self.totals.credit += flow.credit();
        }
        if grant == Grant::Short && flow.window_update != WindowUpdate::AwaitsBudget {
            flow.window_update = WindowUpdate::AwaitsBudget;
            self.budget_queue.push_back(id);
        }
        if flow.window_update == WindowUpdate::AwaitsBudget && grant != Grant::Short {
            flow.window_update = WindowUpdate::Known;
            self.budget_queue.retain(|&other| other != id);
        }
        moved.is_some()
    }

    /// The right edge of flow `id`, which is about to be announced to its sender.
    pub(super) fn right_edge<P: Payload>(&mut self, id: u32, cx: &mut Context<'_, P>) -> u64 {
        if self.move_edge(id, &cx.flows[id].position(), cx) {
            self.serve_budget_queue(cx);
        }
        let flow = &mut cx.flows[id];
        if flow.window_update == WindowUpdate::Due {
            flow.window_update = WindowUpdate::Known;
        }
        flow.window.edge
    }

    /// Has the window of flow `id` announced to its sender, if it has moved.
    pub(super) fn announce_window<P: Payload>(&mut self, id: u32, cx: &mut Context<'_, P>) {
        self.announce_from(id, &cx.flows[id].position(), cx);
    }

    /// The stall is over: has the window of flow `id` announced to its sender, and where
    /// [`AtcpConfig::restore_window`] says so, as if nothing waited.
    pub(super) fn reopen_window<P: Payload>(&mut self, id: u32, cx: &mut Context<'_, P>) {
        let position = cx.flows[id].position();
        let sent = if cx.config.restore_window { position.received } else { position.sent };
        self.announce_from(id, &Position { sent, ..position }, cx);
    }

    fn announce_from<P: Payload>(&mut self, id: u32, at: &Position, cx: &mut Context<'_, P>) {
        if self.move_edge(id, at, cx) && cx.flows[id].window_update == WindowUpdate::Known {
            cx.flows[id].window_update = WindowUpdate::Due;
            cx.updates.push_back(id);
        }
    }

    /// There may be room in the budget for the first that waits for it.
    pub(super) fn serve_budget_queue<P: Payload>(&mut self, cx: &mut Context<'_, P>) {
        while let Some(&id) = self.budget_queue.front() {
            self.announce_window(id, cx);
            if self.budget_queue.front() == Some(&id) {
                return;
            }
        }
    }
}
