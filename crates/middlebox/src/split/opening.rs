//! Connections from their SYN until they are established.

use base::{Flags, Time};
use observe::{BoxContext, MiddleboxFact};
use tcp::Payload;

use super::flow::{Split, full_segment};
use super::handshake::{Handshake, HandshakeStep, agreed};
use super::machine::{Flow, Phase, Splitter};
use super::{Numbers, RadioLeg};
use crate::limits::{Bypass, Reserve, ends};
use crate::side::{Pair, Side};
use crate::syn::{Syn, without_accurate_ecn};
use crate::table::Name;
use crate::{Address, Connection, Leg, Packet};

impl<P: Payload, L: RadioLeg<P>> Splitter<P, L> {
    /// A SYN of a connection that is not known.
    pub(super) fn open(&mut self, now: Time, packet: Packet<P>) {
        let admitted = if self.draining {
            Err(Bypass::Draining)
        } else if packet.segment.payload.length() > 0 {
            Err(Bypass::Handshake)
        } else {
            self.admission.open(&packet.connection())
        };
        if let Err(reason) = admitted {
            self.counters.bypass(reason);
            self.out.push_back(packet);
            return;
        }
        let name = Name::of(packet.connection());
        let offer = packet.segment.header;
        let packet = self.clamped(now, packet);
        let mut handshake = Handshake::new(now, &packet.segment, packet.ip);
        handshake.note_offer(Side::Caller, &offer);
        let phase = Phase::Opening(handshake);
        let slot = self.table.insert(Box::new(Flow { name, phase, lives: false, active: now }));
        self.rounds.add(now, slot);
        self.out.push_back(packet);
    }

    /// A SYN as it goes on: its window clamped, with no more about ECN than the box understands.
    pub(super) fn clamped(&mut self, now: Time, mut packet: Packet<P>) -> Packet<P> {
        let source = packet.source;
        let split = self.config.splits_toward(source.leg).then(|| self.leg.syn_window(source));
        let window = split.unwrap_or(u64::MAX).min(match source.leg {
            Leg::Radio => u64::MAX,
            Leg::Wired => self.first_share(now, &packet).unwrap_or(u64::MAX),
        });
        let header = &mut packet.segment.header;
        header.flags = without_accurate_ecn(header.flags);
        header.window = window.min(u64::from(header.window)) as u16;
        packet
    }

    /// What a mobile may send first in answer to a SYN of a fixed host.
    fn first_share(&mut self, now: Time, syn: &Packet<P>) -> Option<u64> {
        let said = Syn::read(now, &syn.segment.header, syn.ip);
        let segment = full_segment(self.config.segment_to(said.mss), said.offers) as u16;
        let scale = said.shift();
        match self.mobiles.find(syn.destination) {
            // It will have this number.
            Some(mobile) => {
                let upload = Numbers { mobile, connection: self.connections };
                self.uplink.share(now, upload, segment, scale)
            }
            None => self.uplink.among(1, segment, scale),
        }
    }

    pub(super) fn opening_in(
        &mut self,
        cx: &mut BoxContext<'_>,
        slot: u32,
        from: Side,
        packet: Packet<P>,
    ) {
        let syn = packet.segment.has(Flags::SYN);
        let offer = packet.segment.header;
        let mut packet = if syn { self.clamped(cx.now, packet) } else { packet };
        let Some(Flow { phase: Phase::Opening(handshake), active, .. }) =
            self.table[slot].as_deref_mut()
        else {
            return;
        };
        if packet.segment.has(Flags::RST) {
            // Any other is for its end to judge.
            if handshake.is_refused_by(from, &packet.segment) {
                self.forget(cx, slot);
            }
            self.out.push_back(packet);
            return;
        }
        *active = cx.now;
        if syn {
            let header = &mut packet.segment.header;
            header.window = header.window.max(handshake.told(from, &offer).min(offer.window));
        }
        let step = handshake.handle(cx.now, from, &packet.segment, packet.ip);
        if syn {
            handshake.note_offer(from, &offer);
        }
        match step {
            HandshakeStep::Forward => self.out.push_back(packet),
            HandshakeStep::Established => {
                let handshake = *handshake;
                self.establish(cx, slot, &handshake, from, packet);
            }
            HandshakeStep::Bypass => {
                self.pass_by(slot, Bypass::Handshake);
                self.out.push_back(packet);
            }
        }
    }

    /// The most that a connection can hold: for each split direction what the radio leg says, and
    /// less than one unit of the window scale.
    pub(super) fn reserve(&self, connection: &Connection, scales: Pair<u8>) -> Reserve {
        let ends =
            [(Side::Caller, connection.source.leg), (Side::Callee, connection.destination.leg)];
        let split = ends.into_iter().filter(|&(_, leg)| self.config.splits_toward(leg));
        split.fold(Reserve { per_mobile: 0, per_flow: 0 }, |sum, (side, leg)| {
            let Reserve { per_mobile, per_flow } = self.leg.reserve(leg);
            let rounding = (1 << scales[side]) - 1;
            Reserve {
                per_mobile: sum.per_mobile.max(per_mobile),
                per_flow: sum.per_flow + per_flow + rounding,
            }
        })
    }

    /// The number of a mobile to which something comes that is no connection.
    pub(super) fn meet(&mut self, now: Time, mobile: Address) -> u32 {
        self.forget_quiet(now);
        self.mobiles.meet(now, mobile, self.config.limits.idle)
    }

    /// Forgets mobiles that have had nothing for long.
    fn forget_quiet(&mut self, now: Time) {
        while let Some((number, mobile)) = self.mobiles.forget(now, &self.config.limits) {
            self.leg.forget(number, mobile);
        }
    }

    /// The handshake is done with `packet`.
    fn establish(
        &mut self,
        cx: &mut BoxContext<'_>,
        slot: u32,
        handshake: &Handshake,
        from: Side,
        packet: Packet<P>,
    ) {
        self.forget_quiet(cx.now);
        let Pair([Some(opener), Some(answerer)]) = &handshake.syns else { return };
        let agreed = agreed(opener, answerer);
        let Some(flow) = self.table[slot].as_deref() else { return };
        let connection = flow.name.connection();
        let reserve = self.reserve(&connection, agreed.scales);
        if let Err(reason) = self.admission.establish(&connection, reserve) {
            // It is no longer half-open.
            self.table.remove(slot);
            self.counters.bypass(reason);
            self.out.push_back(packet);
            return;
        }
        if let Some(flow) = &mut self.table[slot] {
            flow.lives = true;
        }
        let number = self.connections;
        self.connections = self.connections.wrapping_add(1);
        self.counters.flows += 1;
        let mut flows = Pair::default();
        let mut numbers = Pair([Numbers { mobile: 0, connection: number }; 2]);
        for (side, from, to) in [
            (Side::Caller, connection.source, connection.destination),
            (Side::Callee, connection.destination, connection.source),
        ] {
            if self.config.splits_toward(to.leg) {
                flows[side] = Some(self.directions.add(slot, side));
                let mobile = if to.leg == Leg::Radio { to } else { from };
                numbers[side].mobile = self.mobiles.join(mobile);
            }
        }
        let ends = ends(connection.source, connection.destination);
        for (side, end) in Side::BOTH.into_iter().zip(ends) {
            if let Some(Address { host, .. }) = end {
                let mobile = numbers[side.other()].mobile;
                cx.tell(MiddleboxFact::Opened { mobile, host });
            }
        }
        self.with(cx, slot, |phase, cx| {
            let syns = (opener, answerer, agreed);
            let mut split = Split::new(cx, handshake, syns, numbers, flows);
            // The callee waits for this, and a plain acknowledgement of a mobile ends here.
            split.owe_soon(from.other());
            *phase = Phase::Established(split);
        });
        self.handle_established(cx, slot, from, packet);
    }
}
