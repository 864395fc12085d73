//! What comes out of links, and what leaves the queues ahead of them.

use link::{Dropped, Output};
use observe::{Context, Observe, PacketEvent};

use crate::{Body, Hop, Machine, MachineId, World};

impl<B: Body> World<B> {
    /// Hands on what has come out of a link.
    pub(super) fn run_link(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        self.tell_dequeued(cx, id);
        while let Machine::Hop(Hop::Link { link, to }) = &mut self.machines[id]
            && let Some(output) = link.poll_output(cx.now)
        {
            let to = *to;
            match output {
                Output::Delivered(packet) => self.arrive(cx, id, to, packet),
                Output::Duplicated(packet) => {
                    let copy = self.packets.copy(&packet);
                    cx.packet(&copy.fact(PacketEvent::Duplicated(packet.uid), id.0));
                    self.arrive(cx, id, to, packet);
                    self.arrive(cx, id, to, copy);
                }
                Output::Corrupted(mut packet, draw) => {
                    packet.is_corrupt |= !packet.body.corrupt(draw);
                    cx.packet(&packet.fact(PacketEvent::Corrupted, id.0));
                    self.arrive(cx, id, to, packet);
                }
                Output::Dropped(Dropped { packet, reason }) => {
                    cx.packet(&packet.fact(PacketEvent::Dropped(reason), id.0));
                }
            }
        }
        self.machines.reschedule(id);
    }

    /// Reports what has left the queues of a link or a WLAN by `now`, which have no observer of
    /// their own.
    pub(super) fn tell_dequeued<O: Observe>(&mut self, cx: &mut Context<'_, O>, id: MachineId) {
        if !O::DEQUEUES {
            return;
        }
        let machine = &mut self.machines[id];
        if let Machine::Hop(Hop::Link { link, .. }) = machine {
            while let Some((starts, packet)) = link.poll_dequeued(cx.now) {
                cx.observe.dequeued(starts, id.0, packet.uid);
            }
        } else if let Machine::Hop(Hop::Wlan { wlan, .. }) = machine {
            while let Some(packet) = wlan.poll_dequeued() {
                cx.observe.dequeued(cx.now, id.0, packet.uid);
            }
        }
    }
}
