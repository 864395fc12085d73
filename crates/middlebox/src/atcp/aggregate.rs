//! The aggregate control block of a mobile (§IV.B and figure 6): one congestion window, one
//! round-trip time, one timer and one list of unacknowledged packets for all its flows.

use std::collections::VecDeque;

use base::{Duration, Time};
use observe::{MiddleboxFact, RepairReason};
use tcp::{Acknowledgement, Payload};

use super::Flows;
use super::config::AtcpConfig;
use super::deference::Deference;
use super::estimator::{Arrived, Estimator};
use super::flow::{Flow, Next, Telling};
use super::flow_control::{Books, Grant, Step};
use super::recovery::Recovery;
use super::schedule::Schedule;
use super::shaper::Shaper;
use super::unacked::{Fate, NONE, Sent, Skips, Unacknowledged};
use crate::radio_rtt::RadioRtt;
use crate::{FlowId, Watch};

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
    pub(super) round_trip: RadioRtt,
    pub(super) estimator: Estimator,
    pub(super) shaper: Shaper,
    pub(super) deference: Deference,
    pub(super) recovery: Recovery,
    pub(super) books: Books,
    pub(super) persist: Persist,
    /// The largest segment of any flow.
    pub(super) mss: u64,
    /// When something last left the pipe.
    pub(super) freed_at: Time,
    /// When the next segment leaves for which there is less than room.
    pub(super) part: Option<Time>,
    /// When the first short segment that waits to be filled is due.
    pub(super) hold: Option<Time>,
    /// Flows that wait for room in the budget.
    pub(super) line: VecDeque<u32>,
    pub(super) tally: Tally,
    /// Flows that are held to be dead.
    pub(super) given_up: Vec<FlowId>,
    /// True while it is in the line of those that may have something to send.
    pub(super) polled: bool,
    /// The backlog as last told.
    told: (u64, u64, u64),
}

/// Windows of the mobile that stand in the way.
#[derive(Debug, Default)]
pub(super) struct Persist {
    pub(super) deadline: Option<Time>,
    pub(super) doublings: u32,
    /// Flows to probe now.
    pub(super) due: Vec<u32>,
}

/// What an aggregate counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Packets sent again.
    pub(super) retransmissions: u64,
    /// Stalls.
    pub(super) timeouts: u64,
}

impl Tally {
    /// Both together.
    pub(super) const fn and(&self, other: &Self) -> Self {
        Self {
            retransmissions: self.retransmissions + other.retransmissions,
            timeouts: self.timeouts + other.timeouts,
        }
    }
}

/// What is at hand when an aggregate is told something.
pub(super) struct Context<'a, P> {
    pub(super) now: Time,
    pub(super) config: &'a AtcpConfig,
    pub(super) flows: &'a mut Flows<P>,
    /// Flows whose senders are to be told of their windows.
    pub(super) updates: &'a mut VecDeque<u32>,
    pub(super) watch: Watch<'a>,
}

/// What acknowledgements tell of packets that were not known to have arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    pub(super) bytes: u64,
    /// The round-trip time of the newest, if nothing of all that was sent again.
    pub(super) rtt: Option<Duration>,
    /// True if something was.
    pub(super) repaired: bool,
    /// One above the highest position that arrived.
    pub(super) beyond: u64,
    /// Positions below have been skipped often enough.
    pub(super) bound: u64,
    /// True if something arrived that was sent before the last stall, and not only again in it.
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
            round_trip: RadioRtt::default(),
            estimator: Estimator::new(config),
            shaper: Shaper::default(),
            deference: Deference::default(),
            recovery: Recovery::default(),
            books: Books::default(),
            persist: Persist::default(),
            mss: 1,
            freed_at: Time::ZERO,
            part: None,
            hold: None,
            line: VecDeque::new(),
            tally: Tally::default(),
            given_up: Vec::new(),
            polled: false,
            told: (0, 0, 0),
        }
    }

    /// What may be in flight, in bytes.
    pub(super) fn cwnd(&self, config: &AtcpConfig) -> u64 {
        let clamp = self.estimator.clamp().max(self.mss);
        clamp + u64::from(self.recovery.tests(config)) * self.mss
    }

    /// Bytes came from a sender.
    pub(super) fn write<P: Payload>(&mut self, id: u32, payload: P, context: &mut Context<'_, P>) {
        let (now, config) = (context.now, context.config);
        let flow = &mut context.flows[id];
        let bytes = payload.length();
        if flow.buffer.length() == 0 {
            self.books.tickets += u64::from(flow.place.share.tickets);
            flow.window.resume(now, &self.books);
        }
        self.books.credit -= flow.credit();
        flow.write(now, payload);
        self.books.credit += flow.credit();
        self.books.held += bytes;
        self.books.held_max = self.books.held_max.max(self.books.held);
        self.books.queued += bytes;
        flow.window.on_arrival(config, &self.books, u64::from(flow.sender_mss));
        self.schedule.join(id, &mut flow.place);
    }

    /// The sender of flow `id` has sent all: what more it was allowed is others'.
    pub(super) fn close<P: Payload>(&mut self, id: u32, context: &mut Context<'_, P>) {
        let flow = &mut context.flows[id];
        self.books.credit -= flow.credit();
        flow.closed = true;
        self.schedule.join(id, &mut flow.place);
        self.serve_line(context);
    }

    /// Flow `id` is no more: says how many bytes were held of it.
    pub(super) fn remove<P: Payload>(&mut self, id: u32, context: &mut Context<'_, P>) -> u64 {
        let mut flow = context.flows.0[id as usize].take().expect("a flow is removed once");
        let held = flow.buffer.length();
        self.books.held -= held;
        self.books.queued -= flow.queued();
        self.books.credit -= flow.credit();
        self.books.connections -= 1;
        if held > 0 {
            self.books.tickets -= u64::from(flow.place.share.tickets);
        }
        self.unacked.abandon(&mut flow.chain);
        self.await_orphans(context.now, context.config);
        self.schedule.remove(id, &flow.place);
        self.persist.due.retain(|&other| other != id);
        if flow.telling == Telling::InLine {
            self.line.retain(|&other| other != id);
        }
        self.members.swap_remove(flow.member as usize);
        if let Some(&moved) = self.members.get(flow.member as usize) {
            context.flows[moved].member = flow.member;
        }
        self.serve_line(context);
        held
    }

    /// The mobile acknowledged something of flow `id`.
    pub(super) fn handle_ack<P: Payload>(
        &mut self,
        id: u32,
        arrival: &Acknowledgement,
        context: &mut Context<'_, P>,
    ) {
        let now = context.now;
        let Some(heard) = context.flows[id].hear(now, arrival) else { return };
        let limited = self.unacked.in_flight() + self.mss > self.cwnd(context.config);
        let mut news = News::default();
        self.take_acknowledged(id, heard.una, context, &mut news);
        self.take_selected(id, arrival, context, &mut news);
        let flow = &mut context.flows[id];
        if heard.duplicate && !flow.sack {
            self.take_duplicate(id, context, &mut news);
        }
        self.take_back_head(id, context);
        if news.bytes > 0 {
            self.freed_at = now;
            self.measure(context, id, &news, limited);
            self.heard(context, &news);
        }
        let flow = &mut context.flows[id];
        if flow.next(now, None) != Next::Nothing {
            self.schedule.join(id, &mut flow.place);
        }
        self.serve_line(context);
    }

    /// Takes off the list what is acknowledged.
    fn take_acknowledged<P: Payload>(
        &mut self,
        id: u32,
        una: u64,
        context: &mut Context<'_, P>,
        news: &mut News,
    ) {
        let flow = &mut context.flows[id];
        if una == flow.una {
            return;
        }
        while !flow.chain.is_empty() && self.unacked.get(flow.chain.first).end() <= una {
            let Some(sent) = self.unacked.pop(&mut flow.chain) else { break };
            if sent.fate != Fate::Sacked {
                self.arrived(context.now, &sent, news);
            }
        }
        if !flow.chain.is_empty() && self.unacked.get(flow.chain.first).offset < una {
            self.unacked.trim(flow.chain.first, una);
        }
        let (held, queued) = (flow.buffer.length(), flow.queued());
        flow.acknowledge(context.now, una);
        self.books.held -= held - flow.buffer.length();
        self.books.queued -= queued - flow.queued();
        if held > 0 && flow.buffer.length() == 0 {
            self.books.tickets -= u64::from(flow.place.share.tickets);
        }
    }

    /// Marks what was selected beyond.
    fn take_selected<P: Payload>(
        &mut self,
        id: u32,
        arrival: &Acknowledgement,
        context: &mut Context<'_, P>,
        news: &mut News,
    ) {
        let flow = &context.flows[id];
        for &block in arrival.sack.as_slice() {
            let Some([from, to]) = flow.block(block) else { continue };
            let mut slot = flow.chain.first;
            while slot != NONE && self.unacked.get(slot).end() <= to {
                let sent = *self.unacked.get(slot);
                if sent.offset >= from && sent.fate != Fate::Sacked {
                    self.unacked.sack(slot);
                    self.arrived(context.now, &sent, news);
                }
                slot = self.unacked.next(slot);
            }
        }
    }

    /// A mobile that does not select: a duplicate says that one later packet of the flow arrived.
    /// Which one, it does not say: the one that was sent first is taken for it, since no other
    /// arrives before, if that can have arrived by now. It tells no round-trip time, and not that
    /// nothing was sent in vain.
    fn take_duplicate<P: Payload>(
        &mut self,
        id: u32,
        context: &mut Context<'_, P>,
        news: &mut News,
    ) {
        let chain = context.flows[id].chain;
        if chain.is_empty() {
            return;
        }
        let later = self.unacked.after(chain.first).filter(|sent| sent.1.fate != Fate::Sacked);
        if let Some((slot, sent)) = later.min_by_key(|sent| sent.1.position)
            && self.may_have_arrived(context.now, &sent)
        {
            self.unacked.sack(slot);
            news.bytes += u64::from(sent.length);
            news.bound = news.bound.max(self.skips.arrived(sent.position));
            news.beyond = news.beyond.max(sent.position + 1);
        }
    }

    /// The first packet that is not acknowledged cannot have arrived. If it counts as arrived, the
    /// mobile gave it up (RFC 2018 §8), and it is lost; or a duplicate was about another one, and
    /// it is lost if it has been skipped.
    fn take_back_head<P: Payload>(&mut self, id: u32, context: &mut Context<'_, P>) {
        let Flow { chain, sack, .. } = context.flows[id];
        if chain.is_empty() || self.unacked.get(chain.first).fate != Fate::Sacked {
            return;
        }
        if sack {
            self.unacked.lose(chain.first, RepairReason::Skipped);
        } else {
            self.unacked.take_back(chain.first);
        }
    }

    /// A packet arrived that was not known to have.
    ///
    /// Sent again, it may have arrived either time. Where that was less than the shortest
    /// round-trip time ago it was the first time (as in RFC 8985 §6.2). Where it was less than the
    /// usual one, with a queue that takes seconds, it may have been: it says nothing of what was
    /// sent before the second time, or one packet that was sent again in vain would be taken for
    /// the loss of all before it. It never tells a round-trip time (Karn's algorithm).
    fn arrived(&mut self, now: Time, sent: &Sent, news: &mut News) {
        let age = now - sent.at;
        let once = sent.transmissions == 1;
        let early = !once && self.round_trip.smallest().is_none_or(|least| age < least);
        news.bytes += u64::from(sent.length);
        news.waited |= early || once && self.recovery.is_before_stall(sent.position);
        if !once {
            // What is acknowledged with it may have waited for it at the mobile.
            (news.repaired, news.rtt) = (true, None);
            if !self.may_have_arrived(now, sent) {
                return;
            }
        }
        news.bound = news.bound.max(self.skips.arrived(sent.position));
        if sent.position >= news.beyond {
            news.beyond = sent.position + 1;
            if once && !news.repaired && sent.position >= self.recovery.timed_from {
                news.rtt = Some(age);
            }
        }
    }

    /// Whether a packet was sent last long enough ago to have been acknowledged.
    fn may_have_arrived(&self, now: Time, sent: &Sent) -> bool {
        self.round_trip.least_likely().is_some_and(|likely| now - sent.at >= likely)
    }

    fn measure<P: Payload>(
        &mut self,
        context: &mut Context<'_, P>,
        id: u32,
        news: &News,
        limited: bool,
    ) {
        if let Some(rtt) = news.rtt {
            self.round_trip.sample(rtt);
            let connection = context.flows[id].connection;
            (context.watch)(MiddleboxFact::Rtt { mobile: self.mobile, connection, rtt });
        }
        let (Some(smoothed), Some(least)) =
            (self.round_trip.smoothed(), self.round_trip.smallest())
        else {
            return;
        };
        let (bytes, mss) = (news.bytes, self.mss);
        let arrived = Arrived { bytes, limited, smoothed, least, mss };
        self.estimator.on_arrival(context.now, context.config, &arrived);
    }

    /// Where the right edge of flow `id` may be now, with the window as it stands. What is left of
    /// the budget is for those first who wait for it.
    fn grant<P: Payload>(&self, id: u32, context: &Context<'_, P>) -> Grant {
        let flow = &context.flows[id];
        if self.recovery.is_stalled() || flow.closed {
            return Grant::Enough;
        }
        let first = self.line.front().is_none_or(|&first| first == id);
        let left = if first { self.books.left(context.config.budget, Step::Whole) } else { 0 };
        flow.window.grant(&flow.position(), left)
    }

    /// Moves the right edge of flow `id` as far as it may. Says whether it moved.
    fn move_edge<P: Payload>(&mut self, id: u32, context: &mut Context<'_, P>) -> bool {
        let grant = self.grant(id, context);
        let flow = &mut context.flows[id];
        let coalesces = self.books.queued >= self.mss && !self.recovery.is_stalled();
        let moved = match grant {
            Grant::Edge(edge) => Some((edge, Step::Whole)),
            Grant::Short | Grant::Enough if !coalesces => None,
            Grant::Short | Grant::Enough => {
                let left = self.books.left(context.config.budget, Step::Sliver);
                let edge = flow.window.sliver(&flow.position(), left, self.books.connections);
                edge.map(|edge| (edge, Step::Sliver))
            }
        };
        if let Some((edge, step)) = moved {
            self.books.credit -= flow.credit();
            flow.window.move_to(edge, step);
            self.books.credit += flow.credit();
        }
        if grant == Grant::Short && flow.telling != Telling::InLine {
            flow.telling = Telling::InLine;
            self.line.push_back(id);
        }
        if flow.telling == Telling::InLine && grant != Grant::Short {
            flow.telling = Telling::Settled;
            self.line.retain(|&other| other != id);
        }
        moved.is_some()
    }

    /// The right edge of flow `id`, which its sender is about to be told.
    pub(super) fn right_edge<P: Payload>(&mut self, id: u32, context: &mut Context<'_, P>) -> u64 {
        if self.move_edge(id, context) {
            self.serve_line(context);
        }
        let flow = &mut context.flows[id];
        if flow.telling == Telling::Due {
            flow.telling = Telling::Settled;
        }
        flow.window.edge
    }

    /// The sender of flow `id` is to be told of its window, if that has moved.
    pub(super) fn tell<P: Payload>(&mut self, id: u32, context: &mut Context<'_, P>) {
        if self.move_edge(id, context) && context.flows[id].telling == Telling::Settled {
            context.flows[id].telling = Telling::Due;
            context.updates.push_back(id);
        }
    }

    /// There may be room in the budget for the first in line.
    pub(super) fn serve_line<P: Payload>(&mut self, context: &mut Context<'_, P>) {
        while let Some(&id) = self.line.front() {
            self.tell(id, context);
            if self.line.front() == Some(&id) {
                return;
            }
        }
    }

    /// Tells of the backlog if it changed.
    pub(super) fn report(&mut self, config: &AtcpConfig, watch: Watch<'_>) {
        let backlog = (self.books.queued, self.unacked.in_flight(), self.cwnd(config));
        if backlog != self.told {
            self.told = backlog;
            let (queued, in_flight, cwnd) = backlog;
            let mobile = self.mobile;
            watch(MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd });
        }
    }
}
