//! UDP sources and where they send.

use base::Time;
use observe::Observe;

use crate::udp::{UdpEnd, UdpFlow};
use crate::{Body, Ends, Machine, MachineId, World};

/// Assembling.
impl<B: Body> World<B> {
    /// Adds the two ends of a UDP flow: the sender's and the receiver's.
    ///
    /// # Panics
    /// If the sender has no port left towards the receiver.
    pub fn add_udp(&mut self, flow: UdpFlow) -> [MachineId; 2] {
        let UdpFlow { sender, receiver, port, .. } = flow;
        let first = self.machines.len() as u32;
        let ends = [MachineId(first), MachineId(first + 1)];
        let own = self.nodes[sender.0 as usize].take_port(receiver, port).expect("a port is free");
        let [from, to] = [(sender, own), (receiver, port)]
            .map(|(node, port)| format!("{}:{port}/udp", self.node(node).name()));
        let to_end = UdpEnd::receiver(&flow);
        let from_end = UdpEnd::sender(flow, first, [own, port]);
        let deadline = from_end.poll_timeout();
        self.add(&format!("{from}-{to}"), Machine::Udp(Box::new(from_end)));
        self.add(&format!("{to}-{from}"), Machine::Udp(Box::new(to_end)));
        self.nodes[receiver.0 as usize].bind(port, sender, own, ends[1]);
        self.nodes[sender.0 as usize].bind(own, receiver, port, ends[0]);
        self.agenda.set(first, deadline);
        ends
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Sends what a UDP source has to send by now.
    pub(super) fn run_udp(&mut self, now: Time, id: MachineId, observe: &mut impl Observe) {
        while let Machine::Udp(end) = &mut self.machines[id.0 as usize]
            && let Some((identification, datagram)) = end.poll_output(now)
        {
            let ends = Ends { source: end.node(), destination: end.peer() };
            let body = B::from_udp(datagram).expect("packets of this world carry UDP");
            let packet = self.packet(ends, identification, body);
            self.depart(now, id, packet, observe);
        }
        if let Machine::Udp(end) = &self.machines[id.0 as usize] {
            self.agenda.set(id.0, end.poll_timeout());
        }
    }
}
