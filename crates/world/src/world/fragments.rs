//! Fragmentation and reassembly at hosts.

use observe::{Context, DropReason, Observe, PacketEvent};

use super::discard;
use crate::path_mtu::PathMtus;
use crate::reassembly::{Joined, MOST_PIECES};
use crate::{Body, Fragmentation, Machine, MachineId, NodeId, Packet, World};

/// Assembling.
impl<B: Body> World<B> {
    /// Makes every host fragment packets that are too large, and gives the links of every tunnel an
    /// MTU of `mtu` bytes.
    pub fn fragment(&mut self, how: Fragmentation, mtu: u32) {
        let id = self.machines.add("reassembly", Machine::Reassembly(Box::default()));
        self.fragments = Some((how, id));
        self.path_mtus = PathMtus::new(mtu);
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Cuts `packet`, which starts at its source, if it is too large for a host: sends all pieces
    /// but the last, which it becomes.
    pub(super) fn cut_at_source(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        packet: &mut Packet<B>,
    ) {
        let Some((how, _)) = self.fragments else { return };
        let learnt = self.path_mtus.learnt(cx.now, packet.ends);
        let is_larger = learnt.is_some_and(|(mtu, _)| packet.bytes > mtu);
        let mut sizes = how.sizes(packet.bytes, packet.body.payload_bytes());
        if sizes.is_empty() || is_larger {
            let mtu = Fragmentation::Mtu(self.path_mtus.get(cx.now, packet.ends));
            sizes = mtu.sizes(packet.bytes, 0);
        }
        self.cut(cx, packet.ends.source, packet, &sizes);
    }

    /// Cuts `packet` at `node` into pieces of `sizes` bytes above the IPv6 header, if there are
    /// any: sends all but the last, which it becomes.
    pub(super) fn cut(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        node: NodeId,
        packet: &mut Packet<B>,
        sizes: &[u32],
    ) {
        let Some((_, id)) = self.fragments else { return };
        if sizes.is_empty() || sizes.len() > MOST_PIECES {
            return;
        }
        let (ends, identification, dscp) = (packet.ends, packet.identification, packet.dscp);
        let rest = packet.body.cut(packet.uid, sizes);
        packet.bytes = packet.body.bytes();
        for body in rest {
            let piece = Packet { dscp, ..self.packets.make(ends, identification, body) };
            cx.packet(&piece.fact(PacketEvent::Departed, id.0));
            let before = std::mem::replace(packet, piece);
            self.forward(cx, node, before);
        }
    }

    /// The whole packet, if with `packet` all of it has come to the node `at`.
    pub(super) fn join(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        at: NodeId,
        packet: Packet<B>,
    ) -> Option<Packet<B>> {
        let Some((_, id)) = self.fragments.filter(|_| packet.body.piece().is_some()) else {
            return Some(packet);
        };
        if packet.is_corrupt {
            discard(cx, id, &packet);
            return None;
        }
        let Machine::Reassembly(reassembly) = &mut self.machines[id] else {
            return Some(packet);
        };
        let joined = reassembly.handle_packet(cx.now, at, packet);
        self.machines.reschedule(id);
        match joined {
            Joined::Waits => None,
            Joined::Again(piece) => {
                cx.packet(&piece.fact(PacketEvent::Arrived, id.0));
                None
            }
            Joined::Whole(whole, pieces) => {
                for piece in pieces {
                    cx.packet(&piece.fact(PacketEvent::Arrived, id.0));
                }
                Some(whole)
            }
        }
    }

    /// Fragments have waited too long.
    pub(super) fn give_up_pieces(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        let Machine::Reassembly(reassembly) = &mut self.machines[id] else { return };
        while let Some(piece) = reassembly.poll_given_up(cx.now) {
            let event = PacketEvent::Dropped(DropReason::Incomplete);
            cx.packet(&piece.fact(event, id.0));
        }
        self.machines.reschedule(id);
    }
}
