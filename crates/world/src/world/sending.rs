//! What endpoints send.

use base::Time;
use observe::{Observe, PacketEvent};

use crate::{Body, Ends, Host, Machine, MachineId, Packet, World};

impl<B: Body> World<B> {
    /// Sends what an endpoint wants to send.
    pub(super) fn run_host(&mut self, now: Time, id: MachineId, observe: &mut impl Observe) {
        self.heed_path(now, id, observe);
        // What is sent may show at once what the path takes.
        while self.send_all(now, id, observe) && self.fragments.is_some() {
            self.heed_path(now, id, observe);
        }
        self.machines.reschedule(id);
        if let Some(browser) = self.machines.host(id).and_then(Host::watched_by) {
            self.machines.wake(browser, now);
        }
    }

    /// Sends what an endpoint wants to send on the path that it knows. False if there was nothing.
    fn send_all(&mut self, now: Time, id: MachineId, observe: &mut impl Observe) -> bool {
        let mut has_sent = false;
        while let Machine::Host(host) = &mut self.machines[id]
            && let Some(segment) = host.poll_output(now, observe)
        {
            let ends = Ends { source: host.node, destination: host.peer };
            let identification = host.next_identification();
            let packet = self.packets.make(ends, identification, B::from_segment(segment, ends));
            self.depart(now, id, packet, observe);
            has_sent = true;
        }
        has_sent
    }

    /// The endpoint `id` sends `packet`.
    #[inline]
    pub(super) fn depart(
        &mut self,
        now: Time,
        id: MachineId,
        mut packet: Packet<B>,
        observe: &mut impl Observe,
    ) {
        packet.departed = Some(now);
        observe.packet(now, &packet.fact(PacketEvent::Departed, id.0));
        let source = packet.ends.source;
        let packet = self.cut_at_source(now, packet, observe);
        self.forward(now, source, packet, observe);
    }
}
