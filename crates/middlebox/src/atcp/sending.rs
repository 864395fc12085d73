//! What an aggregate sends next (§IV.B): first what is lost, then a segment of the flow whose turn
//! it is, whenever what is in flight is a segment below the window. A flow of a priority above 0
//! may fill the rest of the window, and lower ones defer to it.

use base::{Duration, Time};
use observe::{MiddleboxFact, RepairReason};
use tcp::{Departure, Payload, are_tiny_segments};

use super::aggregate::{Aggregate, Context};
use super::config::AtcpConfig;
use super::flow::Next;
use super::recovery::Repair;
use super::schedule::Turn;
use super::unacked::Slot;
use crate::FlowId;

/// The longest time between probes of a closed window (RFC 9293 §3.8.6.1 leaves it open; RFC 6298
/// §2.5: 60 s for a timeout).
const PERSIST_MAX: Duration = Duration::from_secs(60);

impl Aggregate {
    /// The next segment to send now, and of which flow.
    pub(super) fn next_output<P: Payload>(
        &mut self,
        cx: &mut Context<'_, P>,
    ) -> Option<(u32, Departure<P>)> {
        self.part = None;
        self.expire_others(cx.now, cx.config);
        if self.shaper.holds(cx.now).is_some() {
            return None;
        }
        match self.repair(cx.config) {
            Repair::Packet(slot, reason) => Some(self.send_again(slot, reason, cx)),
            Repair::Silence => {
                self.send_lanes_in_stall(cx);
                None
            }
            Repair::NewProbe(Some(old)) => {
                self.send_new(cx).or_else(|| Some(self.send_again(old, RepairReason::Timeout, cx)))
            }
            Repair::NewProbe(None) => {
                let sent = self.send_new(cx);
                if sent.is_none() {
                    self.end_stall(cx);
                }
                sent
            }
            Repair::Nothing => self.probe_window(cx).or_else(|| self.send_new(cx)),
        }
    }

    fn send_again<P: Payload>(
        &mut self,
        slot: Slot,
        reason: RepairReason,
        cx: &mut Context<'_, P>,
    ) -> (u32, Departure<P>) {
        let now = cx.now;
        let flow = &mut cx.flows[self.unacked.get(slot).flow];
        self.unacked.cut(&mut flow.chain, slot, self.probe_limit(), flow.buffer.end());
        let sent = self.unacked.send_again(now, slot);
        let bytes = u64::from(sent.length);
        self.repairs.retransmissions += 1;
        self.departed(now, cx.config);
        self.shaper.sent(now, cx.config.shaping, bytes);
        let flow = &cx.flows[sent.flow];
        self.deference.sent(now, cx.config, flow.stride.share.priority, bytes);
        if self.is_dead(now, flow) {
            self.given_up.push(FlowId(sent.flow));
        }
        let (mobile, connection) = (self.mobile, flow.connection);
        let offset = sent.offset;
        (cx.watch)(MiddleboxFact::Retransmitted { mobile, connection, offset, reason });
        (sent.flow, flow.segment(sent.offset, sent.end()))
    }

    /// The flow whose turn it is sends.
    fn send_new<P: Payload>(&mut self, cx: &mut Context<'_, P>) -> Option<(u32, Departure<P>)> {
        while let Some(turn) = self.schedule.first() {
            let id = match turn {
                Turn::Flow(id) => id,
                Turn::Lane(lane) if self.send_lane(lane, cx) => continue,
                Turn::Lane(_) => return None,
            };
            let flow = &mut cx.flows[id];
            let priority = flow.stride.share.priority;
            let interactive = priority > 0;
            let coalescing = cx.config.coalescing().filter(|_| !interactive);
            match flow.next(cx.now, coalescing) {
                Next::Segment(numbers) => {
                    let room = if interactive { numbers } else { self.mss };
                    let in_flight = self.in_flight();
                    let defers = self.deference.holds(cx.now, priority).is_some();
                    let are_tiny = are_tiny_segments(self.unacked.len() + 1, in_flight + numbers);
                    let fits = self.fits(cx.now, room, cx.config) && !defers && !are_tiny;
                    let anyway = in_flight == 0 || self.recovery.is_stalled();
                    return (fits || anyway).then(|| (id, self.send(id, numbers, cx)));
                }
                Next::Hold(until) => {
                    self.hold = Some(self.hold.map_or(until, |hold| hold.min(until)));
                }
                Next::Blocked => self.blocked(cx),
                Next::Nothing => {}
            }
            self.schedule.skip(turn, &mut cx.flows[id].stride);
        }
        None
    }

    /// Whether the window has room for `bytes` more, or the time of what it lacks is over.
    pub(super) fn fits(&mut self, now: Time, bytes: u64, config: &AtcpConfig) -> bool {
        let (in_flight, cwnd) = (self.in_flight(), self.cwnd(config));
        let lacking = (in_flight + bytes).saturating_sub(cwnd);
        if lacking > 0 && in_flight < cwnd {
            let timed = || self.freed_at + config.transmission(lacking);
            self.part = config.fractions.then(timed);
        }
        lacking == 0 || self.part.take_if(|due| *due <= now).is_some()
    }

    /// Sends `numbers` more of flow `id`.
    fn send<P: Payload>(&mut self, id: u32, numbers: u64, cx: &mut Context<'_, P>) -> Departure<P> {
        let (now, config) = (cx.now, cx.config);
        if self.in_flight() == 0 {
            self.shaper.begin(self.estimator.clamp);
        }
        let flow = &mut cx.flows[id];
        let from = flow.nxt;
        if flow.chain.is_empty() {
            (flow.heard_at, flow.moved_at) = (now, now);
        }
        let queued = flow.queued();
        self.unacked.push(now, &mut flow.chain, id, from, numbers as u32);
        flow.advance(now, numbers);
        self.schedule.serve(Turn::Flow(id), &mut flow.stride, numbers, config.quantum);
        let bytes = queued - flow.queued();
        self.totals.queued -= bytes;
        self.totals.sent += bytes;
        let (tickets, mss) = (flow.stride.share.tickets, u64::from(flow.sender_mss));
        let priority = flow.stride.share.priority;
        flow.window.on_sent(now, config, &self.totals, tickets, bytes, mss);
        let departure = flow.segment(from, from + numbers);
        self.departed(now, config);
        self.shaper.sent(now, config.shaping, numbers);
        self.deference.sent(now, config, priority, numbers);
        self.persist.doublings = 0;
        self.announce_window(id, cx);
        departure
    }

    /// The path of flow `id` takes segments of at most `bytes`. What is larger cannot have arrived:
    /// it goes again at once in pieces, a probe in a stall included (RFC 1191 §6.4, RFC 8201 §5.4).
    pub(super) fn limit_segment<P: Payload>(
        &mut self,
        id: u32,
        bytes: u32,
        cx: &mut Context<'_, P>,
    ) {
        let flow = &mut cx.flows[id];
        let bytes = bytes.max(1);
        if bytes >= flow.mss {
            return;
        }
        flow.mss = bytes;
        self.unacked.cut_all(&mut flow.chain, bytes, flow.buffer.end());
        self.schedule.join(Turn::Flow(id), &mut flow.stride);
        self.mss = self.members.iter().map(|&id| u64::from(cx.flows[id].mss)).max().unwrap_or(1);
        self.recovery.hurry();
    }

    /// A mobile's window is closed: if nothing of that flow is in flight, it has to be probed.
    fn blocked<P: Payload>(&mut self, cx: &Context<'_, P>) {
        if self.persist.deadline.is_none() {
            let timeout =
                self.timeout(cx.now, cx.config).doubled(self.persist.doublings, PERSIST_MAX);
            self.persist.deadline = Some(cx.now + timeout);
        }
    }

    /// A flow's window that is to be probed.
    fn probe_window<P: Payload>(&mut self, cx: &mut Context<'_, P>) -> Option<(u32, Departure<P>)> {
        let id = self.persist.due.pop()?;
        let flow = &mut cx.flows[id];
        if let Next::Segment(_) = flow.next(cx.now, None) {
            self.schedule.join(Turn::Flow(id), &mut flow.stride);
            return None;
        }
        Some((id, flow.probe()))
    }

    /// Time has passed: short segments that waited, and windows to be probed.
    pub(super) fn wake<P: Payload>(&mut self, cx: &mut Context<'_, P>) {
        let now = cx.now;
        if self.hold.is_some_and(|hold| hold <= now) {
            self.hold = None;
            for &id in &self.members {
                let flow = &mut cx.flows[id];
                if flow.queued() > 0 {
                    self.schedule.join(Turn::Flow(id), &mut flow.stride);
                }
            }
        }
        if self.persist.deadline.is_some_and(|deadline| deadline <= now) {
            self.persist.deadline = None;
            let closed = |&&id: &&u32| {
                let flow = &cx.flows[id];
                flow.chain.is_empty() && flow.next(now, None) == Next::Blocked
            };
            self.persist.due = self.members.iter().filter(closed).copied().collect();
            if !self.persist.due.is_empty() {
                self.persist.doublings = self.persist.doublings.saturating_add(1);
                self.blocked(cx);
            }
        }
    }

    /// The next deadline.
    pub(super) fn deadline(&self, now: Time, config: &AtcpConfig) -> Option<Time> {
        let earlier = Time::earlier;
        let mut next = earlier(self.recovery.deadline(), self.persist.deadline);
        next = earlier(next, earlier(self.hold, self.part));
        let priority = self.schedule.priority();
        if priority.is_some() || self.unacked.first_lost().is_some() {
            next = earlier(next, earlier(self.others_due(now, config), self.shaper.holds(now)));
        }
        earlier(next, priority.and_then(|priority| self.deference.holds(now, priority)))
    }
}
