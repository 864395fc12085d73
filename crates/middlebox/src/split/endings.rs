//! How connections end early, or leave the box: replaced, reset, given up, handed back.

use base::{Flags, Seq, TcpHeader};
use observe::{BoxContext, MiddleboxFact};
use tcp::{Payload, Segment};

use super::RadioLeg;
use super::handshake::Handshake;
use super::machine::{Flow, Phase, Splitter};
use super::toward_host::Stage;
use crate::Packet;
use crate::limits::{Bypass, ends};
use crate::side::{Pair, Side};
use crate::table::Name;

impl<P: Payload, L: RadioLeg<P>> Splitter<P, L> {
    /// A SYN with new numbers on an established connection: it passes, as its end may be over
    /// there. Once it is answered, the old connection is gone. One with data (RFC 7413) passes
    /// untouched, and so does its answer if the old connection is over.
    pub(super) fn renew(
        &mut self,
        cx: &mut BoxContext<'_>,
        slot: u32,
        from: Side,
        packet: Packet<P>,
    ) {
        let opens = !packet.segment.has(Flags::ACK);
        if opens && packet.segment.payload.length() > 0 {
            if self.is_over(slot) {
                self.forget(cx, slot);
                self.open(cx.now, packet);
            } else {
                self.counters.bypass(Bypass::Handshake);
                self.out.push_back(packet);
            }
            return;
        }
        let offer = packet.segment.header;
        let packet = self.clamped(cx.now, packet);
        let Some(Flow { phase: Phase::Established(split), .. }) = self.table[slot].as_deref_mut()
        else {
            return;
        };
        if opens {
            let mut successor = Handshake::new(cx.now, &packet.segment, packet.ip);
            successor.note_offer(Side::Caller, &offer);
            // Its caller may be the old one's callee.
            split.successor = Some(Box::new(match from {
                Side::Caller => successor,
                Side::Callee => Handshake { syns: Pair([None, successor.syns.0[0]]) },
            }));
            self.out.push_back(packet);
            return;
        }
        let answered = split.successor.as_ref().is_some_and(|successor| {
            let called = successor.syns[from.other()];
            called.is_some_and(|syn| packet.segment.header.ack == syn.isn + 1)
        });
        if !answered {
            split.owe(from);
            self.settle(cx, slot);
            return;
        }
        let Some(successor) = split.successor.take() else { return };
        let mut handshake = *successor;
        if from == Side::Caller {
            handshake = Handshake { syns: Pair([handshake.syns.0[1], None]) };
        }
        self.forget(cx, slot);
        let name = Name::of(packet.connection().reversed());
        if let Err(reason) = self.admission.open(&name.connection()) {
            self.counters.bypass(reason);
            self.out.push_back(packet);
            return;
        }
        let phase = Phase::Opening(handshake);
        let slot = self.table.insert(Box::new(Flow { name, phase, lives: false, active: cx.now }));
        self.rounds.add(cx.now, slot);
        self.opening_in(cx, slot, Side::Callee, packet);
    }

    /// Whether both ends of an established connection have closed it.
    fn is_over(&self, slot: u32) -> bool {
        let is_over =
            |flow: &Flow<P>| matches!(&flow.phase, Phase::Established(it) if it.is_over());
        self.table[slot].as_deref().is_some_and(is_over)
    }

    /// The box no longer takes part in the connection.
    pub(super) fn forget(&mut self, cx: &mut BoxContext<'_>, slot: u32) {
        self.discard(cx, slot);
        let _ = self.retire(cx, slot);
        let Some(flow) = self.table.remove(slot) else { return };
        if matches!(flow.phase, Phase::Opening(_)) {
            self.admission.cancel(&flow.name.connection());
        }
        self.changes.note(slot);
    }

    /// The radio leg forgets the connection, which is split no more after this.
    fn discard(&mut self, cx: &mut BoxContext<'_>, slot: u32) {
        let Some(flow) = &mut self.table[slot] else { return };
        let Phase::Established(split) = &mut flow.phase else { return };
        for side in Side::BOTH {
            let Some(half) = split.halves[side].take() else { continue };
            if half.stage != Stage::Closed {
                self.counters.discarded_bytes += self.leg.remove(cx, half.flow);
            }
            self.directions.remove(half.flow);
            self.mobiles.leave(cx.now, split.numbers[side].mobile, self.config.limits.idle);
        }
    }

    /// The connection is dead, and others may take its place: true once.
    fn retire(&mut self, cx: &mut BoxContext<'_>, slot: u32) -> bool {
        let Some(Flow { phase: Phase::Established(split), name, lives, .. }) =
            self.table[slot].as_deref_mut()
        else {
            return false;
        };
        let (lived, scales) = (std::mem::take(lives), Pair(split.ends.0.map(|end| end.scale)));
        let (connection, numbers) = (name.connection(), split.numbers);
        if lived {
            let reserve = self.reserve(&connection, scales);
            self.admission.close(&connection, reserve);
            let ends = ends(connection.source, connection.destination);
            for (side, _) in Side::BOTH.into_iter().zip(ends).filter(|(_, end)| end.is_some()) {
                cx.tell(MiddleboxFact::Closed { mobile: numbers[side.other()].mobile });
            }
        }
        lived
    }

    /// The connection is over. It is kept for a while, among as many as may be about to open.
    pub(super) fn expire(&mut self, cx: &mut BoxContext<'_>, slot: u32) {
        if !self.retire(cx, slot) {
            return;
        }
        self.closed_flows.add(cx.now, slot, self.config.limits.transitory);
        while let Some(oldest) = self.closed_flows.pop_beyond(self.config.limits.opening) {
            let rests = |flow: &Flow<P>| !flow.lives && !matches!(flow.phase, Phase::Opening(_));
            if self.table[oldest].as_deref().is_some_and(rests) {
                self.forget(cx, oldest);
            }
        }
    }

    /// The connection is over: the ends in `told` are sent resets, and waiting data are discarded.
    pub(super) fn reset(&mut self, cx: &mut BoxContext<'_>, slot: u32, told: &[Side]) {
        let stood = self.with_split(cx, slot, |split, cx| {
            for &side in told {
                split.reset(cx, side);
            }
            Pair(split.ends.0.map(|end| end.ip))
        });
        let Some(fields) = stood else { return };
        let lives = self.table[slot].as_deref().is_some_and(|flow| flow.lives);
        self.counters.resets += u64::from(lives);
        self.discard(cx, slot);
        self.expire(cx, slot);
        if let Some(flow) = &mut self.table[slot] {
            flow.phase = Phase::Reset(fields);
            flow.active = cx.now;
        }
        self.changes.note(slot);
    }

    /// A segment of a connection that was reset: its sender has not received the reset, or its SYN
    /// opens a new connection.
    pub(super) fn reset_in(
        &mut self,
        cx: &mut BoxContext<'_>,
        slot: u32,
        from: Side,
        packet: Packet<P>,
    ) {
        let segment = &packet.segment;
        if segment.has(Flags::SYN) && !segment.has(Flags::ACK) {
            self.forget(cx, slot);
            self.open(cx.now, packet);
            return;
        }
        let Some(Flow { phase: Phase::Reset(fields), active, .. }) =
            self.table[slot].as_deref_mut()
        else {
            return;
        };
        if segment.has(Flags::RST) || !segment.has(Flags::ACK) {
            return;
        }
        *active = cx.now;
        let way = packet.connection().reversed();
        let header = TcpHeader {
            source_port: way.source_port,
            destination_port: way.destination_port,
            seq: segment.header.ack,
            ack: Seq::new(0),
            flags: Flags::RST,
            ..TcpHeader::default()
        };
        self.out.push_back(Packet {
            source: way.source,
            destination: way.destination,
            ip: fields[from.other()],
            segment: Segment { header, ..Segment::default() },
        });
    }

    /// A half-open connection goes on without the box.
    pub(super) fn pass_by(&mut self, slot: u32, reason: Bypass) {
        if self.cancel(slot) {
            self.counters.bypass(reason);
        }
    }

    /// Forgets a half-open connection. Returns whether there was one.
    pub(super) fn cancel(&mut self, slot: u32) -> bool {
        let opens = |flow: &Flow<P>| matches!(flow.phase, Phase::Opening(_));
        if !self.table[slot].as_deref().is_some_and(opens) {
            return false;
        }
        if let Some(flow) = self.table.remove(slot) {
            self.admission.cancel(&flow.name.connection());
        }
        true
    }

    /// Takes no new connections any more, and hands each established one back to plain forwarding
    /// as soon as nothing of it is under way, no FIN is held back, and no end was promised more
    /// than its peer has room for.
    pub(super) fn hand_back(&mut self, cx: &mut BoxContext<'_>) {
        self.draining = true;
        self.leg.release_opaque();
        for slot in 0..self.table.bound() {
            match self.table[slot].as_deref() {
                Some(Flow { phase: Phase::Opening(_), .. }) => {
                    self.pass_by(slot, Bypass::Draining);
                }
                Some(Flow { phase: Phase::Established(_), .. }) => self.settle(cx, slot),
                Some(Flow { phase: Phase::Reset(_), .. }) => self.forget(cx, slot),
                None => {}
            }
        }
    }

    /// Forgets everything. Connections that cannot go on are reset at both ends; all others are
    /// handed back: at worst a sender gets a smaller window than it was promised.
    pub(super) fn reset_exposed(&mut self, cx: &mut BoxContext<'_>) {
        self.hand_back(cx);
        for slot in 0..self.table.bound() {
            let Some(flow) = self.table[slot].as_deref() else { continue };
            match &flow.phase {
                Phase::Established(split) if split.is_exposed(&self.leg) => {
                    self.reset(cx, slot, &Side::BOTH);
                }
                Phase::Established(_) => self.counters.released += u64::from(flow.lives),
                Phase::Opening(_) | Phase::Reset(_) => {}
            }
            self.forget(cx, slot);
        }
    }
}
