//! A box that splits connections on their way to mobiles.

use std::collections::VecDeque;

use base::{Flags, Time};
use observe::BoxContext;
use tcp::Payload;

use super::arrivals::After;
use super::closed_flows::ClosedFlows;
use super::directions::Directions;
use super::flow::{Context, Split};
use super::handshake::{Handshake, has_mobile};
use super::journal::ExposureChanges;
use super::rounds::Rounds;
use super::toward_host::TowardHost;
use super::uplink::Uplink;
use super::{RadioLeg, SplitConfig};
use crate::limits::{Admission, BoxAdmission, Bypass};
use crate::mobiles::Mobiles;
use crate::side::{Pair, Side};
use crate::table::{Name, Named, Table};
use crate::{
    Address, Aside, Bypasses, Connection, Counters, Exposure, IpFields, Leg, Managed, Middlebox,
    Opaque, Packet, PmtuHandler, RadioReport, Reception, Usage,
};

/// Splits each connection whose handshake it sees, in the directions that end at a mobile: data are
/// acknowledged as they come in, and sent on by the radio leg `L`. Sequence numbers are the same on
/// both legs, so a connection with nothing under way can be handed back.
///
/// * SYN, SYN-ACK and what becomes of them pass; both SYNs' offers hold on both legs. A connection
///   is split when the callee is acknowledged.
/// * Data towards a fixed host are passed through, with what the host was told in place of what the
///   mobile says; its acknowledgements are passed back.
/// * A FIN is acknowledged once the mobile has acknowledged it.
/// * A reset passes, and waiting data are discarded.
#[derive(Debug)]
pub struct Splitter<P, L> {
    pub(super) config: SplitConfig,
    pub(super) leg: L,
    /// Whether connections are handed back to plain forwarding as soon as each can be.
    pub(super) draining: bool,
    pub(super) admission: BoxAdmission,
    pub(super) table: Table<Box<Flow<P>>>,
    pub(super) directions: Directions,
    pub(super) mobiles: Mobiles,
    pub(super) uplink: Uplink,
    pub(super) connections: u32,
    pub(super) rounds: Rounds,
    pub(super) closed_flows: ClosedFlows,
    pub(super) changes: ExposureChanges,
    pub(super) out: VecDeque<Packet<P>>,
    /// Flows that may owe an acknowledgement.
    pub(super) due: VecDeque<u32>,
    pub(super) counters: Counters,
    pub(super) deadline: Option<Time>,
}

/// A connection that the box takes part in.
#[derive(Debug)]
pub(super) struct Flow<P> {
    /// As the caller's packets name it.
    pub(super) name: Name,
    pub(super) phase: Phase<P>,
    /// From its establishment until it is over.
    pub(super) lives: bool,
    /// When something last came of it.
    pub(super) active: Time,
}

impl<P> Named for Box<Flow<P>> {
    fn name(&self) -> &Name {
        &self.name
    }
}

#[derive(Debug)]
pub(super) enum Phase<P> {
    Opening(Handshake),
    Established(Split<P>),
    /// Reset. An end that still sends is sent a reset.
    Reset(Pair<IpFields>),
}

impl<P: Payload, L: RadioLeg<P>> Splitter<P, L> {
    /// A box without connections.
    pub fn new(config: SplitConfig, leg: L) -> Self {
        let limits = config.limits;
        let admission = Admission::new(limits);
        let splitter = Self {
            config,
            leg,
            draining: false,
            admission: BoxAdmission::new(admission.clone()),
            table: Table::default(),
            directions: Directions::default(),
            mobiles: Mobiles::default(),
            uplink: Uplink::new(config.uplink_clamp),
            connections: 0,
            rounds: Rounds::new(limits.idle.min(limits.transitory)),
            closed_flows: ClosedFlows::default(),
            changes: ExposureChanges::new(config.journal),
            out: VecDeque::new(),
            due: VecDeque::new(),
            counters: Counters::default(),
            deadline: None,
        };
        splitter.sharing(admission)
    }

    /// The same, which shares the bounds of others.
    #[must_use]
    pub fn sharing(mut self, admission: Admission) -> Self {
        self.leg.draw_from(&admission);
        self.admission = BoxAdmission::new(admission);
        self
    }

    /// Does something to connection `slot`, if there is one.
    pub(super) fn with<R>(
        &mut self,
        cx: &mut BoxContext<'_>,
        slot: u32,
        act: impl FnOnce(&mut Phase<P>, &mut Context<'_, P>) -> R,
    ) -> Option<R> {
        let Flow { name, phase, .. } = self.table[slot].as_deref_mut()?;
        let mut cx = Context {
            outer: BoxContext { now: cx.now, observe: &mut *cx.observe },
            config: &self.config,
            leg: &mut self.leg,
            uplink: &mut self.uplink,
            counters: &mut self.counters,
            out: &mut self.out,
            draining: self.draining,
            connection: name.connection(),
        };
        Some(act(phase, &mut cx))
    }

    /// The same, if it is established.
    pub(super) fn with_split<R>(
        &mut self,
        cx: &mut BoxContext<'_>,
        slot: u32,
        act: impl FnOnce(&mut Split<P>, &mut Context<'_, P>) -> R,
    ) -> Option<R> {
        let done = self.with(cx, slot, |phase, cx| match phase {
            Phase::Established(split) => Some(act(split, cx)),
            Phase::Opening(_) | Phase::Reset(_) => None,
        });
        done.flatten()
    }

    pub(super) fn handle_established(
        &mut self,
        cx: &mut BoxContext<'_>,
        slot: u32,
        from: Side,
        packet: Packet<P>,
    ) {
        let segment = &packet.segment;
        if segment.has(Flags::SYN)
            && !segment.has(Flags::RST)
            && let Some(Flow { phase: Phase::Established(split), .. }) = self.table[slot].as_deref()
            && segment.header.seq + 1 != split.ends[from].first
        {
            self.renew(cx, slot, from, packet);
            return;
        }
        let after = self.with_split(cx, slot, |split, cx| split.handle_segment(cx, from, packet));
        match after {
            Some(After::Reset) => self.reset(cx, slot, &[from.other()]),
            Some(After::GoesOn) => {
                if let Some(flow) = &mut self.table[slot] {
                    flow.active = cx.now;
                }
                self.settle(cx, slot);
            }
            Some(After::Ignored) => self.settle(cx, slot),
            None => {}
        }
    }

    /// After anything has happened to a connection: hands it back, or sets when it is looked at
    /// next.
    pub(super) fn settle(&mut self, cx: &mut BoxContext<'_>, slot: u32) {
        let Some(flow) = &mut self.table[slot] else { return };
        let Phase::Established(split) = &mut flow.phase else { return };
        self.changes.note(slot);
        if self.draining && split.is_releasable(&self.leg) {
            self.counters.released += u64::from(flow.lives);
            self.forget(cx, slot);
            return;
        }
        if !split.listed && Side::BOTH.iter().any(|&side| split.ack_is_due(side)) {
            split.listed = true;
            self.due.push_back(slot);
        }
        if let Some(delay) = self.config.delayed_ack {
            let waits = |half: &TowardHost<P>| half.receiver.poll_timeout() == Some(cx.now + delay);
            if split.halves.0.iter().flatten().any(|half| waits(half)) {
                self.rounds.delay(cx.now + delay, slot);
            }
        }
        if split.is_over() {
            self.expire(cx, slot);
        }
    }

    /// An acknowledgement of a connection has waited long enough.
    fn wake(&mut self, cx: &mut BoxContext<'_>, slot: u32) {
        if let Some(Flow { phase: Phase::Established(split), .. }) = self.table[slot].as_deref_mut()
        {
            split.handle_timeout(cx.now);
            self.settle(cx, slot);
        }
    }

    /// The round has come to a connection: forgets it if it has been silent for too long.
    fn look_at(&mut self, cx: &mut BoxContext<'_>, slot: u32) {
        let Some(flow) = &self.table[slot] else { return };
        let limits = &self.config.limits;
        let patience = match &flow.phase {
            Phase::Opening(_) | Phase::Reset(_) => limits.transitory,
            Phase::Established(split) if split.is_over() => limits.transitory,
            Phase::Established(_) => limits.idle,
        };
        if flow.active + patience <= cx.now {
            self.forget(cx, slot);
        } else {
            self.rounds.add(cx.now, slot);
        }
    }

    /// Acknowledgements that are due, those to senders whose window has widened included.
    fn acknowledge(&mut self, cx: &mut BoxContext<'_>) {
        while let Some(id) = self.leg.poll_window_update() {
            let (slot, side) = self.directions.of(id);
            let due = self.with_split(cx, slot, |split, cx| {
                split.widens(cx, side) && !std::mem::replace(&mut split.listed, true)
            });
            if due == Some(true) {
                self.due.push_back(slot);
            }
        }
        while let Some(slot) = self.due.pop_front() {
            let told = self.with_split(cx, slot, |split, cx| {
                split.listed = false;
                for side in Side::BOTH {
                    if split.ack_is_due(side) {
                        split.acknowledge(cx, side);
                    }
                }
            });
            if told.is_some() {
                self.settle(cx, slot);
            }
        }
    }

    /// What the radio leg has to send.
    fn depart(&mut self, cx: &mut BoxContext<'_>) {
        while let Some(id) = self.leg.poll_given_up() {
            self.reset(cx, self.directions.of(id).0, &Side::BOTH);
        }
        if let Some((id, departure)) = self.leg.poll_output(cx) {
            let (slot, from) = self.directions.of(id);
            self.with_split(cx, slot, |split, cx| {
                split.depart(cx, from.other(), departure);
            });
            self.changes.note(slot);
        }
    }
}

impl<P: Payload + Send, L: RadioLeg<P>> Middlebox<P> for Splitter<P, L> {
    fn handle_packet(&mut self, cx: &mut BoxContext<'_>, packet: Packet<P>) {
        self.counters.packets_in += 1;
        let Some((slot, from)) = self.table.find(packet.connection()) else {
            let segment = &packet.segment;
            let opens = segment.has(Flags::SYN)
                && !segment.has(Flags::ACK)
                && !segment.has(Flags::RST)
                && has_mobile(packet.source, packet.destination);
            if opens {
                self.open(cx.now, packet);
            } else {
                self.out.push_back(packet);
            }
            return;
        };
        match self.table[slot].as_deref().map(|flow| &flow.phase) {
            Some(Phase::Opening(_)) => self.opening_in(cx, slot, from, packet),
            Some(Phase::Established(_)) => self.handle_established(cx, slot, from, packet),
            Some(Phase::Reset(_)) => self.reset_in(cx, slot, from, packet),
            None => {}
        }
    }

    fn handle_opaque(&mut self, cx: &mut BoxContext<'_>, packet: &Opaque) -> Reception {
        if self.draining || packet.destination.leg == Leg::Wired {
            return Reception::Passes;
        }
        let mobile = self.meet(cx.now, packet.destination);
        self.leg.handle_opaque(cx, mobile, packet)
    }

    fn handle_echo(&mut self, cx: &mut BoxContext<'_>, mobile: Address, number: u32) {
        self.leg.handle_echo(cx, mobile, number);
    }

    fn poll_aside(&mut self) -> Option<Aside> {
        self.leg.poll_aside()
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        self.leg.handle_timeout(cx);
        while let Some(slot) = self.rounds.next_delayed(cx.now) {
            self.wake(cx, slot);
        }
        while let Some(slot) = self.rounds.next(cx.now) {
            self.look_at(cx, slot);
        }
    }

    fn handle_report(&mut self, cx: &mut BoxContext<'_>, mobile: Address, report: RadioReport) {
        self.leg.handle_report(cx, mobile, report);
    }

    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<Packet<P>> {
        if self.out.is_empty() {
            self.depart(cx);
        }
        if self.out.is_empty() {
            self.acknowledge(cx);
        }
        let packet = self.out.pop_front();
        if packet.is_some() {
            self.counters.packets_out += 1;
        } else {
            let deadlines = [self.rounds.poll_timeout(), self.leg.poll_timeout()];
            self.deadline = deadlines.into_iter().flatten().min();
        }
        packet
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.deadline
    }

    fn counters(&self) -> Counters {
        let mut counters = self.counters;
        self.leg.count(&mut counters);
        counters
    }
}

impl<P: Payload + Send, L: RadioLeg<P>> Managed<P> for Splitter<P, L> {
    fn bypasses(&self) -> Bypasses {
        self.counters.bypasses
    }

    fn knows(&self, connection: &Connection) -> bool {
        self.table.find(*connection).is_some()
    }

    fn takes_runs(&self, connection: &Connection, size: u32) -> bool {
        let Some((slot, from)) = self.table.find(*connection) else { return false };
        match self.table[slot].as_deref().map(|flow| &flow.phase) {
            Some(Phase::Established(split)) => {
                split.halves[from].as_ref().is_some_and(|half| half.takes_runs(size))
            }
            Some(Phase::Opening(_) | Phase::Reset(_)) | None => false,
        }
    }

    fn usage(&self) -> Usage {
        self.admission.usage
    }

    /// The caller, which reads the packets, knows which options sign them (RFC 2385, RFC 5925) or
    /// join them with others (RFC 8684). A connection that is split already is not ignored.
    fn ignore(&mut self, connection: Connection) {
        if let Some((slot, _)) = self.table.find(connection) {
            self.pass_by(slot, Bypass::Left);
        }
    }

    fn forget_opening(&mut self, _now: Time, connection: Connection) {
        if let Some((slot, _)) = self.table.find(connection) {
            self.cancel(slot);
        }
    }

    fn handle_path_mtu(
        &mut self,
        cx: &mut BoxContext<'_>,
        connection: Connection,
        mtu: u16,
    ) -> PmtuHandler {
        let Some((slot, from)) = self.table.find(connection) else { return PmtuHandler::Sender };
        let heeds = self.with_split(cx, slot, |split, cx| split.limit_path(cx, from, mtu));
        self.settle(cx, slot);
        heeds.unwrap_or(PmtuHandler::Sender)
    }

    fn drain(&mut self, cx: &mut BoxContext<'_>) {
        self.hand_back(cx);
    }

    fn reset_all(&mut self, cx: &mut BoxContext<'_>) {
        self.reset_exposed(cx);
    }

    fn poll_exposure(&mut self) -> Option<(u32, Option<Exposure>)> {
        while let Some(slot) = self.changes.next() {
            let exposure = match self.table[slot].as_deref() {
                Some(Flow { phase: Phase::Established(split), name, .. }) => {
                    split.exposure(&self.leg, name)
                }
                Some(Flow { phase: Phase::Opening(_) | Phase::Reset(_), .. }) | None => None,
            };
            if self.changes.is_changed(slot, exposure.is_some()) {
                return Some((slot, exposure));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::toward_host::TowardHost;
    use super::*;

    /// What an idle connection with one split direction costs in the box's own half: with the radio
    /// leg's and the tables at most 1 KB, which `benches/atcp.rs` measures.
    #[test]
    fn an_idle_connection_is_small() {
        let sizes = [size_of::<Flow<Bytes>>(), size_of::<TowardHost<Bytes>>()];
        let whole: usize = sizes.iter().sum();
        assert!(whole <= 544, "{whole} bytes: {sizes:?}");
    }
}
