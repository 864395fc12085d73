//! What comes out of radios.

use link::Dropped;
use observe::{Context, DropReason, Observe, PacketEvent};

use crate::{Body, MachineId, NodeId, Packet, RadioHop, World};

impl<B: Body> World<B> {
    /// Hands on what has come out of a radio.
    pub(super) fn run_radio(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        if !self.begins_to_hand_on(id) {
            return;
        }
        while let Some(RadioHop { cell, network, mobiles }) = self.machines[id].radio_mut() {
            let Some((ue, direction, output)) = cell.poll_output() else {
                let deadline = cell.poll_timeout();
                self.machines.schedule(id, deadline);
                break;
            };
            let to = direction.of(mobiles[ue as usize], *network);
            self.emerge(cx, id, to, output);
        }
        self.handing_on.pop();
        self.report(cx, id);
    }

    /// True if `id` begins to hand on its output with this call. Output causes further input: the
    /// call that began hands on all that follows, so that no burst is too long for the stack.
    pub(super) fn begins_to_hand_on(&mut self, id: MachineId) -> bool {
        let begins = !self.handing_on.contains(&id);
        if begins {
            self.handing_on.push(id);
        }
        begins
    }

    /// An SDU has come out of a radio at node `to`, or was dropped.
    fn emerge(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        from: MachineId,
        to: NodeId,
        output: radio::Output<Packet<B>>,
    ) {
        match output {
            radio::Output::Delivered(packet) => self.arrive(cx, from, to, packet),
            radio::Output::Discarded(packet) => {
                let event = PacketEvent::Dropped(DropReason::Discarded);
                cx.packet(&packet.fact(event, from.0));
            }
            radio::Output::Dropped(Dropped { packet, reason }) => {
                let event = PacketEvent::Dropped(reason);
                cx.packet(&packet.fact(event, from.0));
            }
        }
    }
}
