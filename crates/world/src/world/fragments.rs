//! Hosts that cut their packets, and join what others have cut.

use base::Time;
use observe::{DropReason, Observe, PacketEvent};

use crate::path_mtu::PathMtus;
use crate::reassembly::{Joined, MOST_PIECES, Reassembly};
use crate::{Body, Fragmentation, Machine, MachineId, NodeId, Packet, World};

/// Assembling.
impl<B: Body> World<B> {
    /// Has every host cut packets that are too large, and every tunnel be on links that take
    /// packets of `mtu` bytes.
    pub fn fragment(&mut self, how: Fragmentation, mtu: u32) {
        let id = self.machines.add("reassembly", Machine::Reassembly(Reassembly::default()));
        self.fragments = Some((how, id));
        self.path_mtus = PathMtus::new(mtu);
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Cuts `packet`, which starts at its source, if it is too large for a host: sends all pieces
    /// but the last, which it gives back.
    pub(super) fn cut_at_source(
        &mut self,
        now: Time,
        packet: Packet<B>,
        observe: &mut impl Observe,
    ) -> Packet<B> {
        let Some((how, _)) = self.fragments else { return packet };
        let learnt = self.path_mtus.learnt(now, packet.ends);
        let is_larger = learnt.is_some_and(|(mtu, _)| packet.bytes > mtu);
        let mut sizes = how.sizes(packet.bytes, packet.body.payload_bytes());
        if sizes.is_empty() || is_larger {
            let mtu = Fragmentation::Mtu(self.path_mtus.get(now, packet.ends));
            sizes = mtu.sizes(packet.bytes, 0);
        }
        self.cut(now, packet.ends.source, packet, &sizes, observe)
    }

    /// Cuts `packet` at `node` into pieces of `sizes` bytes above the IPv6 header, if there are
    /// any: sends all but the last, which it gives back.
    pub(super) fn cut(
        &mut self,
        now: Time,
        node: NodeId,
        mut packet: Packet<B>,
        sizes: &[u32],
        observe: &mut impl Observe,
    ) -> Packet<B> {
        let Some((_, id)) = self.fragments else { return packet };
        if sizes.is_empty() || sizes.len() > MOST_PIECES {
            return packet;
        }
        let (ends, identification) = (packet.ends, packet.identification);
        let rest = packet.body.cut(packet.uid, sizes);
        packet.bytes = packet.body.bytes();
        for body in rest {
            let piece = self.packets.make(ends, identification, body);
            observe.packet(now, &piece.fact(PacketEvent::Departed, id.0));
            let before = std::mem::replace(&mut packet, piece);
            self.forward(now, node, before, observe);
        }
        packet
    }

    /// The whole packet, if with `packet` all of it has come to the node `at`.
    pub(super) fn join(
        &mut self,
        now: Time,
        at: NodeId,
        packet: Packet<B>,
        observe: &mut impl Observe,
    ) -> Option<Packet<B>> {
        let Some((_, id)) = self.fragments.filter(|_| packet.body.piece().is_some()) else {
            return Some(packet);
        };
        let Machine::Reassembly(reassembly) = &mut self.machines[id] else {
            return Some(packet);
        };
        let joined = reassembly.handle_packet(now, at, packet);
        self.machines.reschedule(id);
        match joined {
            Joined::Waits => None,
            Joined::Again(piece) => {
                observe.packet(now, &piece.fact(PacketEvent::Arrived, id.0));
                None
            }
            Joined::Whole(whole, pieces) => {
                for piece in pieces {
                    observe.packet(now, &piece.fact(PacketEvent::Arrived, id.0));
                }
                Some(whole)
            }
        }
    }

    /// Pieces have waited in vain.
    pub(super) fn give_up_pieces(&mut self, now: Time, id: MachineId, observe: &mut impl Observe) {
        let Machine::Reassembly(reassembly) = &mut self.machines[id] else { return };
        while let Some(piece) = reassembly.poll_given_up(now) {
            let event = PacketEvent::Dropped(DropReason::Incomplete);
            observe.packet(now, &piece.fact(event, id.0));
        }
        self.machines.reschedule(id);
    }
}
