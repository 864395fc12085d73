//! UDP sources and where they send.

use observe::{Context, Observe};

use crate::{Body, Ends, Machine, MachineId, Packet, UdpEnd, UdpFlow, World};

/// Assembling.
impl<B: Body> World<B> {
    /// Adds the two ends of a UDP flow: the sender's and the receiver's.
    ///
    /// # Panics
    /// If the sender has no port left towards the receiver.
    pub fn add_udp(&mut self, flow: UdpFlow) -> [MachineId; 2] {
        let UdpFlow { sender, receiver, port, .. } = flow;
        let first = self.machines.next_id();
        let ends = [first, MachineId(first.0 + 1)];
        let own = self.nodes[sender].take_port(receiver, port).expect("a port is free");
        let [from, to] = [(sender, own), (receiver, port)]
            .map(|(node, port)| format!("{}:{port}/udp", self.node(node).name()));
        let to_end = UdpEnd::receiver(&flow);
        let from_end = UdpEnd::sender(flow, first.0, [own, port]);
        self.machines.add(&format!("{from}-{to}"), Machine::Udp(Box::new(from_end)));
        self.machines.add(&format!("{to}-{from}"), Machine::Udp(Box::new(to_end)));
        self.nodes[receiver].bind(port, sender, own, ends[1]);
        self.nodes[sender].bind(own, receiver, port, ends[0]);
        self.machines.reschedule(ends[0]);
        ends
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Sends what a UDP source has to send by now.
    pub(super) fn run_udp(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        while let Machine::Udp(end) = &mut self.machines[id]
            && let Some((identification, datagram)) = end.poll_output(cx.now)
        {
            let ends = Ends { source: end.node(), destination: end.peer() };
            let body = B::from_udp(datagram).expect("packets of this world carry UDP");
            let dscp = end.dscp();
            let packet = Packet { dscp, ..self.packets.make(ends, identification, body) };
            self.depart(cx, id, packet);
        }
        self.machines.reschedule(id);
    }
}
