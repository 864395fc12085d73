//! A box that splits connections on their way to mobiles.

use std::collections::VecDeque;

use base::{Flags, Time};
use tcp::Payload;

use super::arrivals::After;
use super::flow::{Context, Draining, Split};
use super::handshake::{Handshake, Step, agreed, clamp, has_mobile};
use super::mobiles::Mobiles;
use super::rounds::Rounds;
use super::side::{Pair, Side};
use super::table::{Directions, Name, Table};
use super::toward_host::TowardHost;
use super::{Numbers, RadioLeg, SplitConfig};
use crate::{Address, Connection, Counters, Leg, Middlebox, Packet, RadioReport, Watch};

/// Splits each connection whose handshake it sees, in the directions that end at a mobile: data
/// are acknowledged as they come in, and sent on by the radio leg `L`. Sequence numbers are the
/// same on both legs, so a connection of which nothing is under way can be handed back.
///
/// * SYN, SYN-ACK and what becomes of them pass; both SYNs' offers hold on both legs. A connection
///   is split when the callee is acknowledged.
/// * Data towards a fixed host ride through, with what the host was told in place of what the
///   mobile says; its acknowledgements ride back.
/// * A FIN is acknowledged once the mobile has acknowledged it.
/// * A reset goes through, and what waited is thrown away.
#[derive(Debug)]
pub struct Splitter<P, L> {
    pub(super) config: SplitConfig,
    pub(super) leg: L,
    pub(super) draining: Draining,
    pub(super) table: Table<P>,
    pub(super) directions: Directions,
    pub(super) mobiles: Mobiles,
    pub(super) connections: u32,
    pub(super) rounds: Rounds,
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
    /// When something last came of it.
    pub(super) active: Time,
}

#[derive(Debug)]
pub(super) enum Phase<P> {
    Opening(Handshake),
    Stands(Split<P>),
    /// Reset. Who still speaks is told so.
    Reset,
}

impl<P: Payload, L: RadioLeg<P>> Splitter<P, L> {
    /// A box without connections.
    pub fn new(config: SplitConfig, leg: L) -> Self {
        Self {
            config,
            leg,
            draining: Draining::No,
            table: Table::default(),
            directions: Directions::default(),
            mobiles: Mobiles::default(),
            connections: 0,
            rounds: Rounds::new(config.idle.min(config.transitory)),
            out: VecDeque::new(),
            due: VecDeque::new(),
            counters: Counters::default(),
            deadline: None,
        }
    }

    /// The radio leg.
    pub const fn radio_leg(&self) -> &L {
        &self.leg
    }

    /// Takes no new connections any more, and hands each that stands back to plain forwarding as
    /// soon as nothing of it is under way, no FIN is held, and no end was promised more than its
    /// peer has room for.
    pub fn drain(&mut self, now: Time, watch: Watch<'_>) {
        self.draining = Draining::Yes;
        for slot in 0..self.table.bound() {
            let opening = |flow: &Flow<P>| matches!(flow.phase, Phase::Opening(_));
            if self.table[slot].as_deref().is_some_and(opening) {
                self.table.remove(slot);
                self.counters.bypassed += 1;
            } else {
                self.settle(now, slot, watch);
            }
        }
    }

    /// Leaves a connection alone whose packets carry what a box must not touch: options that sign
    /// them (RFC 2385, RFC 5925) or join them with others (RFC 8684). Whoever reads packets knows.
    /// One that is split already is not left.
    pub fn bypass(&mut self, connection: Connection) {
        if let Some(slot) = self.table.find(&Name::of(connection))
            && let Some(Flow { phase: Phase::Opening(_), .. }) = self.table[slot].as_deref()
        {
            self.table.remove(slot);
            self.counters.bypassed += 1;
        }
    }

    /// Connections that the box takes part in.
    pub fn flows(&self) -> usize {
        self.table.len()
    }

    pub(super) fn open(&mut self, now: Time, packet: Packet<P>) {
        let plain = packet.segment.payload.length() == 0;
        let full = self.flows() as u64 >= u64::from(self.config.flows);
        if self.draining == Draining::Yes || full || !plain {
            self.counters.bypassed += 1;
            self.out.push_back(packet);
            return;
        }
        let name = Name::of(packet.connection());
        let room = packet.segment.header.window;
        let packet = self.clamped(packet);
        let mut handshake = Handshake::new(now, &packet.segment, packet.dscp);
        handshake.note_room(Side::Caller, room);
        let phase = Phase::Opening(handshake);
        let flow = Flow { name, phase, active: now };
        let slot = self.table.insert(Box::new(flow));
        self.rounds.add(now, slot);
        self.out.push_back(packet);
    }

    /// A SYN as it goes on: its MSS and window clamped.
    pub(super) fn clamped(&self, mut packet: Packet<P>) -> Packet<P> {
        let window = match (packet.source.leg, packet.destination.leg) {
            (Leg::Radio, _) => self.leg.syn_window(packet.source),
            (Leg::Wired, _) => self.config.uplink_clamp.map_or(u64::MAX, u64::from),
        };
        clamp(&mut packet.segment.header, self.config.mss, window);
        packet
    }

    pub(super) fn opening_in(
        &mut self,
        now: Time,
        slot: u32,
        from: Side,
        packet: Packet<P>,
        watch: Watch<'_>,
    ) {
        let syn = packet.segment.has(Flags::SYN);
        let room = packet.segment.header.window;
        let packet = if syn { self.clamped(packet) } else { packet };
        let Some(Flow { phase: Phase::Opening(handshake), .. }) = self.table[slot].as_deref_mut()
        else {
            return;
        };
        if packet.segment.has(Flags::RST) {
            self.table.remove(slot);
            self.out.push_back(packet);
            return;
        }
        let handshake_after = |handshake: &mut Handshake| {
            let step = handshake.handle(now, from, &packet.segment, packet.dscp);
            if syn {
                handshake.note_room(from, room);
            }
            (step, *handshake)
        };
        match handshake_after(handshake) {
            (Step::Passes, _) => self.out.push_back(packet),
            (Step::Stands, handshake) => self.stand(now, slot, &handshake, from, packet, watch),
            (Step::Bypass, _) => {
                self.table.remove(slot);
                self.counters.bypassed += 1;
                self.out.push_back(packet);
            }
        }
    }

    /// The handshake is done with `packet`.
    fn stand(
        &mut self,
        now: Time,
        slot: u32,
        handshake: &Handshake,
        from: Side,
        packet: Packet<P>,
        watch: Watch<'_>,
    ) {
        while let Some((number, mobile)) = self.mobiles.forget(now, self.config.idle) {
            self.leg.forget(number, mobile);
        }
        let Some(Flow { name, phase, .. }) = self.table[slot].as_deref_mut() else { return };
        let connection = name.connection();
        let Pair([Some(opener), Some(answerer)]) = &handshake.syns else { return };
        let number = self.connections;
        self.connections = self.connections.wrapping_add(1);
        self.counters.flows += 1;
        let mut flows = Pair::default();
        let mut numbers = Pair([Numbers { mobile: 0, connection: number }; 2]);
        for (side, mobile) in
            [(Side::Caller, connection.destination), (Side::Callee, connection.source)]
        {
            if mobile.leg == Leg::Radio {
                flows[side] = Some(self.directions.add(slot, side));
                numbers[side].mobile = self.mobiles.join(mobile);
            }
        }
        let mut cx = context(
            (now, &self.config, self.draining, name),
            &mut self.leg,
            &mut self.counters,
            &mut self.out,
            watch,
        );
        let syns = (opener, answerer, agreed(opener, answerer));
        let mut split = Split::new(&mut cx, handshake, syns, numbers, flows);
        // The callee waits for this, and a plain acknowledgement of a mobile ends here.
        split.owe_soon(from.other());
        *phase = Phase::Stands(split);
        self.standing_in(now, slot, from, packet, watch);
    }

    fn standing_in(
        &mut self,
        now: Time,
        slot: u32,
        from: Side,
        packet: Packet<P>,
        watch: Watch<'_>,
    ) {
        let segment = &packet.segment;
        let Some(Flow { phase: Phase::Stands(split), name, .. }) = self.table[slot].as_deref_mut()
        else {
            return;
        };
        if segment.has(Flags::SYN)
            && !segment.has(Flags::RST)
            && segment.header.seq + 1 != split.ends[from].first
        {
            self.renew(now, slot, from, packet, watch);
            return;
        }
        let mut cx = context(
            (now, &self.config, self.draining, name),
            &mut self.leg,
            &mut self.counters,
            &mut self.out,
            watch,
        );
        let after = split.handle_segment(&mut cx, from, packet);
        match after {
            After::GoesOn => self.settle(now, slot, watch),
            After::Reset => self.reset(now, slot, &[from.other()], watch),
        }
    }

    /// After anything happened to a connection: it is handed back, or looked at again when
    /// something is due.
    pub(super) fn settle(&mut self, now: Time, slot: u32, watch: Watch<'_>) {
        let Some(flow) = &mut self.table[slot] else { return };
        let Phase::Stands(split) = &mut flow.phase else { return };
        if self.draining == Draining::Yes && split.is_releasable(&self.leg) {
            self.discard(now, slot, watch);
            self.table.remove(slot);
            self.counters.released += 1;
            return;
        }
        if !split.listed && Side::BOTH.iter().any(|&side| split.ack_is_due(side)) {
            split.listed = true;
            self.due.push_back(slot);
        }
        if let Some(delay) = self.config.delayed_ack {
            let waits = |half: &TowardHost<P>| half.receiver.poll_timeout() == Some(now + delay);
            if split.halves.0.iter().flatten().any(|half| waits(half)) {
                self.rounds.delay(now + delay, slot);
            }
        }
    }

    /// An acknowledgement of a connection has waited long enough.
    fn wake(&mut self, now: Time, slot: u32, watch: Watch<'_>) {
        if let Some(Flow { phase: Phase::Stands(split), .. }) = self.table[slot].as_deref_mut() {
            split.handle_timeout(now);
            self.settle(now, slot, watch);
        }
    }

    /// The round has come to a connection: it is forgotten if it has been silent for too long.
    fn look_at(&mut self, now: Time, slot: u32, watch: Watch<'_>) {
        let Some(flow) = &self.table[slot] else {
            self.table.release(slot);
            return;
        };
        let patience = match &flow.phase {
            Phase::Opening(_) | Phase::Reset => self.config.transitory,
            Phase::Stands(split) if split.is_over() => self.config.transitory,
            Phase::Stands(_) => self.config.idle,
        };
        if flow.active + patience <= now {
            self.discard(now, slot, watch);
            self.table.remove(slot);
            self.table.release(slot);
        } else {
            self.rounds.add(now, slot);
        }
    }

    /// Acknowledgements that are due, those to senders whose window has widened included.
    fn acknowledge(&mut self, now: Time, watch: Watch<'_>) {
        while let Some(id) = self.leg.poll_window_update(now) {
            let (slot, side) = self.directions.of(id);
            if let Some(Flow { phase: Phase::Stands(split), .. }) = self.table[slot].as_deref_mut()
                && let Some(half) = &mut split.halves[side]
            {
                half.receiver.limit_window(self.leg.right_edge(now, half.flow));
                if half.receiver.has_wider_window() && self.draining == Draining::No {
                    half.receiver.owe_ack(tcp::AckDue::Now);
                    if !std::mem::replace(&mut split.listed, true) {
                        self.due.push_back(slot);
                    }
                }
            }
        }
        while let Some(slot) = self.due.pop_front() {
            let Some(flow) = &mut self.table[slot] else { continue };
            let Flow { phase: Phase::Stands(split), name, .. } = &mut **flow else {
                continue;
            };
            split.listed = false;
            let mut cx = context(
                (now, &self.config, self.draining, name),
                &mut self.leg,
                &mut self.counters,
                &mut self.out,
                watch,
            );
            for side in Side::BOTH {
                if split.ack_is_due(side) {
                    split.acknowledge(&mut cx, side);
                }
            }
            self.settle(now, slot, watch);
        }
    }

    /// What the radio leg has to send.
    fn depart(&mut self, now: Time, watch: Watch<'_>) {
        while let Some(id) = self.leg.poll_given_up() {
            self.reset(now, self.directions.of(id).0, &Side::BOTH, watch);
        }
        if let Some((id, departure)) = self.leg.poll_output(now, watch)
            && let (slot, from) = self.directions.of(id)
            && let Some(Flow { phase: Phase::Stands(split), name, .. }) =
                self.table[slot].as_deref_mut()
        {
            let mut cx = context(
                (now, &self.config, self.draining, name),
                &mut self.leg,
                &mut self.counters,
                &mut self.out,
                watch,
            );
            split.depart(&mut cx, from.other(), departure);
        }
    }
}

impl<P: Payload + Send, L: RadioLeg<P>> Middlebox<P> for Splitter<P, L> {
    fn handle_packet(&mut self, now: Time, packet: Packet<P>, watch: Watch<'_>) {
        self.counters.packets_in += 1;
        let name = Name::of(packet.connection());
        let known = self.table.find(&name);
        let Some((slot, flow)) = known.and_then(|slot| Some((slot, self.table[slot].as_mut()?)))
        else {
            let segment = &packet.segment;
            let opens = segment.has(Flags::SYN)
                && !segment.has(Flags::ACK)
                && !segment.has(Flags::RST)
                && has_mobile(packet.source, packet.destination);
            if opens {
                self.open(now, packet);
            } else {
                self.out.push_back(packet);
            }
            return;
        };
        flow.active = now;
        let caller = flow.name == name;
        let from = if caller { Side::Caller } else { Side::Callee };
        match flow.phase {
            Phase::Opening(_) => self.opening_in(now, slot, from, packet, watch),
            Phase::Stands(_) => self.standing_in(now, slot, from, packet, watch),
            Phase::Reset => self.reset_in(now, slot, packet),
        }
    }

    fn handle_timeout(&mut self, now: Time, watch: Watch<'_>) {
        self.leg.handle_timeout(now, watch);
        while let Some(slot) = self.rounds.next_delayed(now) {
            self.wake(now, slot, watch);
        }
        while let Some(slot) = self.rounds.next(now) {
            self.look_at(now, slot, watch);
        }
    }

    fn handle_report(&mut self, now: Time, mobile: Address, report: RadioReport, watch: Watch<'_>) {
        self.leg.handle_report(now, mobile, report, watch);
    }

    fn poll_output(&mut self, now: Time, watch: Watch<'_>) -> Option<Packet<P>> {
        if self.out.is_empty() {
            self.depart(now, watch);
        }
        if self.out.is_empty() {
            self.acknowledge(now, watch);
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

pub(super) fn context<'a, P, L>(
    (now, config, draining, name): (Time, &'a SplitConfig, Draining, &Name),
    leg: &'a mut L,
    counters: &'a mut Counters,
    out: &'a mut VecDeque<Packet<P>>,
    watch: Watch<'a>,
) -> Context<'a, P, L> {
    let connection = name.connection();
    Context { now, config, leg, counters, out, draining, connection, watch }
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
        assert!(whole <= 540, "{whole} bytes: {sizes:?}");
    }
}
