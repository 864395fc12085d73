//! What comes out of radio bearers and cells.

use base::Time;
use link::Dropped;
use observe::{DropReason, Observe, PacketEvent};

use crate::{Body, Machine, MachineId, NodeId, Packet, World};

impl<B: Body> World<B> {
    /// Hands on what has come out of a bearer.
    pub(super) fn run_bearer(&mut self, now: Time, id: MachineId, observe: &mut impl Observe) {
        while let Machine::Bearer { bearer, network, mobile } = &mut self.machines[id]
            && let Some((direction, output)) = bearer.poll_output()
        {
            let to = direction.of(*mobile, *network);
            self.emerge(now, id, to, output, observe);
        }
        self.machines.reschedule(id);
        self.report(now, id, observe);
    }

    /// Hands on what has come out of a network of cells.
    pub(super) fn run_cell(&mut self, now: Time, id: MachineId, observe: &mut impl Observe) {
        while let Machine::Cell { cell, network, mobiles } = &mut self.machines[id]
            && let Some((ue, direction, output)) = cell.poll_output()
        {
            let to = direction.of(mobiles[ue as usize], *network);
            self.emerge(now, id, to, output, observe);
        }
        self.machines.reschedule(id);
    }

    /// An SDU has come out of a bearer at node `to`, or will not.
    fn emerge(
        &mut self,
        now: Time,
        from: MachineId,
        to: NodeId,
        output: radio::Output<Packet<B>>,
        observe: &mut impl Observe,
    ) {
        match output {
            radio::Output::Delivered(packet) => self.arrive(now, from, to, packet, observe),
            radio::Output::Discarded(packet) => {
                let event = PacketEvent::Dropped(DropReason::Discarded);
                observe.packet(now, &packet.fact(event, from.0));
            }
            radio::Output::Dropped(Dropped { packet, reason }) => {
                let event = PacketEvent::Dropped(reason);
                observe.packet(now, &packet.fact(event, from.0));
            }
        }
    }
}
