//! How connections end before their time: replaced, reset, given up.

use base::{Flags, Seq, TcpHeader, Time};
use tcp::{Payload, Segment};

use super::RadioLeg;
use super::handshake::Handshake;
use super::machine::{Flow, Phase, Splitter, context};
use super::side::{Pair, Side};
use super::toward_host::Stage;
use crate::{Packet, Watch};

impl<P: Payload, L: RadioLeg<P>> Splitter<P, L> {
    /// A SYN with new numbers on a connection that stands: it passes, as its end may be over
    /// there. Once it is answered, the old connection is gone.
    pub(super) fn renew(
        &mut self,
        now: Time,
        slot: u32,
        from: Side,
        packet: Packet<P>,
        watch: Watch<'_>,
    ) {
        let packet = self.clamped(packet);
        let Some(flow) = &mut self.table[slot] else { return };
        let Phase::Stands(split) = &mut flow.phase else { return };
        if !packet.segment.has(Flags::ACK) {
            if packet.segment.payload.length() == 0 {
                let successor = Handshake::new(now, &packet.segment, packet.dscp);
                // Its caller may be the old one's callee.
                split.successor = Some(Box::new(match from {
                    Side::Caller => successor,
                    Side::Callee => Handshake { syns: Pair([None, successor.syns.0[0]]) },
                }));
            }
            self.out.push_back(packet);
            return;
        }
        let answered = split.successor.as_ref().is_some_and(|successor| {
            let called = successor.syns[from.other()];
            called.is_some_and(|syn| packet.segment.header.ack == syn.isn + 1)
        });
        if !answered {
            split.owe(from);
            self.settle(now, slot, watch);
            return;
        }
        let Some(successor) = split.successor.take() else { return };
        self.discard(now, slot, watch);
        let Some(flow) = &mut self.table[slot] else { return };
        let mut handshake = *successor;
        if from == Side::Caller {
            flow.name = flow.name.reversed();
            handshake = Handshake { syns: Pair([handshake.syns.0[1], None]) };
        }
        flow.phase = Phase::Opening(handshake);
        self.opening_in(now, slot, Side::Callee, packet, watch);
    }

    /// The radio leg forgets the connection, which is split no more after this.
    pub(super) fn discard(&mut self, now: Time, slot: u32, watch: Watch<'_>) {
        let Some(flow) = &mut self.table[slot] else { return };
        let Phase::Stands(split) = &mut flow.phase else { return };
        for side in Side::BOTH {
            let Some(half) = split.halves[side].take() else { continue };
            if half.stage != Stage::Closed {
                self.counters.discarded_bytes += self.leg.remove(now, half.flow, watch);
            }
            self.directions.remove(half.flow);
            self.mobiles.leave(now, split.numbers[side].mobile, self.config.idle);
        }
    }

    /// The connection is over: `told` are to learn so, and what waits is thrown away.
    pub(super) fn reset(&mut self, now: Time, slot: u32, told: &[Side], watch: Watch<'_>) {
        let Some(Flow { phase: Phase::Stands(split), name, .. }) = self.table[slot].as_deref_mut()
        else {
            return;
        };
        let mut cx = context(
            (now, &self.config, self.draining, name),
            &mut self.leg,
            &mut self.counters,
            &mut self.out,
            watch,
        );
        for &side in told {
            split.reset(&mut cx, side);
        }
        self.discard(now, slot, watch);
        if let Some(flow) = &mut self.table[slot] {
            flow.phase = Phase::Reset;
            flow.active = now;
        }
    }

    /// A segment of a connection that was reset: its sender has not heard of that, or its SYN
    /// opens another one.
    pub(super) fn reset_in(&mut self, now: Time, slot: u32, packet: Packet<P>) {
        let segment = &packet.segment;
        if segment.has(Flags::SYN) && !segment.has(Flags::ACK) {
            self.table.remove(slot);
            self.open(now, packet);
            return;
        }
        if segment.has(Flags::RST) || !segment.has(Flags::ACK) {
            return;
        }
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
            dscp: packet.dscp,
            segment: Segment { header, ..Segment::default() },
        });
    }
}
