//! Mobility agents at nodes: encapsulation, decapsulation, and their messages.

use base::Time;
use mobility::binding::{
    Address, Agent, AgentRequest, Header, LinkEvent, MobilityAgent, Outgoing, PacketAction,
};
use observe::{Context, DropReason, Observe, PacketEvent};

use super::discard;
use crate::{Body, Ends, Machine, MachineId, NodeId, Packet, World};

/// Assembling.
impl<B: Body> World<B> {
    /// Adds an address of mobiles, which is routed like a node; returns its number.
    pub fn add_address(&mut self, name: &str) -> Address {
        Address(self.add_node(name).0)
    }

    /// Puts an agent at `node`: it is shown every packet that starts there, passes through or
    /// arrives. `make` builds it from its machine number.
    ///
    /// # Panics
    /// If there is an agent or a middlebox already.
    pub fn add_agent<A: Into<Agent>>(
        &mut self,
        node: NodeId,
        make: impl FnOnce(u32) -> A,
    ) -> MachineId {
        let agent = Box::new(make(self.machines.next_id().0).into());
        let name = format!("{}/mobility", self.node(node).name());
        let id = self.machines.add(&name, Machine::Agent { agent, at: node });
        self.nodes[node].set_agent(id);
        self.machines.reschedule(id);
        id
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Applies the decisions of the agent `id` to `packet` at its node, until the packet leaves or
    /// ends there.
    pub(super) fn apply_agent(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        mut packet: Packet<B>,
    ) {
        loop {
            let Machine::Agent { agent, at } = &mut self.machines[id] else { return };
            let at = *at;
            match agent.look(cx.now, &header(&packet, at)) {
                PacketAction::Pass if packet.ends.destination == at => {
                    return self.hand_over(cx, id, at, packet);
                }
                PacketAction::Pass => return self.route(cx, at, packet),
                PacketAction::Wrap(outer) | PacketAction::Both([outer, _])
                    if self.is_too_big(cx.now, &packet, outer) =>
                {
                    return self.drop_too_big(cx, id, &packet, outer);
                }
                PacketAction::Wrap(outer) => {
                    let within = self.encapsulate(cx, (id, at), packet, outer);
                    let Some(within) = within else { return };
                    packet = within;
                }
                PacketAction::Both([first, second]) => {
                    // What the second tunnel refuses goes through the first only.
                    if !self.is_too_big(cx.now, &packet, second) {
                        let copy = self.copy(cx, id, &packet);
                        if let Some(within) = self.encapsulate(cx, (id, at), copy, second) {
                            self.route(cx, at, within);
                        }
                    }
                    let within = self.encapsulate(cx, (id, at), packet, first);
                    let Some(within) = within else { return };
                    packet = within;
                }
                PacketAction::Unwrap => {
                    let Some(whole) = self.join(cx, at, packet) else { return };
                    packet = whole;
                    let Some(ends) = packet.body.decapsulate() else {
                        return lose(cx, id, &packet);
                    };
                    packet.ends = ends;
                    packet.bytes = packet.body.bytes();
                }
                PacketAction::Take => return self.tell_agent(cx, id, &packet),
                PacketAction::Drop => {
                    lose(cx, id, &packet);
                    // The agent may notify the source.
                    return self.run_agent(cx, id);
                }
            }
        }
    }

    /// Another packet like `packet`, which the agent `id` sends.
    fn copy(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        packet: &Packet<B>,
    ) -> Packet<B> {
        let copy = self.packets.copy(packet);
        cx.packet(&copy.fact(PacketEvent::Departed, id.0));
        copy
    }

    /// A message that the agent `id` takes.
    fn tell_agent(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        packet: &Packet<B>,
    ) {
        if packet.is_corrupt {
            return discard(cx, id, packet);
        }
        if let Some(too_big) = packet.body.too_big() {
            return self.handle_too_big(cx, id, packet, too_big);
        }
        cx.packet(&packet.fact(PacketEvent::Arrived, id.0));
        if let (Machine::Agent { agent, .. }, Some(message)) =
            (&mut self.machines[id], packet.body.message())
        {
            let [source, destination] = addresses(packet.ends);
            let message = Outgoing { source, destination, message };
            agent.handle_message(cx, &message);
        }
        self.run_agent(cx, id);
    }

    /// Packets of the mobile at `node` take another path from now on: both ends of each of its
    /// connections are notified, as if they could know.
    fn tell_ends(&mut self, now: Time, node: NodeId) {
        let others_end = |(id, peer, [local, remote]): (MachineId, NodeId, [u16; 2])| {
            [Some(id), self.node(peer).endpoint(remote, node, local)]
        };
        let ends: Vec<_> = self.node(node).connections().flat_map(others_end).collect();
        for id in ends.into_iter().flatten() {
            if let Some(host) = self.machines[id].host_mut() {
                host.endpoint.on_path_change(now);
            }
        }
    }

    /// The link of the mobile at `node` has changed.
    pub(super) fn tell_of_link(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        node: NodeId,
        event: LinkEvent,
    ) {
        let Some(id) = self.node(node).agent() else { return };
        if let Machine::Agent { agent, .. } = &mut self.machines[id] {
            agent.handle_link(cx, event);
        }
        self.run_agent(cx, id);
    }

    /// Wakes an agent.
    pub(super) fn wake_agent(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        if let Machine::Agent { agent, .. } = &mut self.machines[id] {
            agent.handle_timeout(cx);
        }
        self.run_agent(cx, id);
    }

    /// Sends what an agent wants to send.
    fn run_agent(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        while let Machine::Agent { agent, at } = &mut self.machines[id]
            && let Some(Outgoing { source, destination, message }) = agent.poll_output()
        {
            let at = *at;
            let ends = Ends { source: NodeId(source.0), destination: NodeId(destination.0) };
            let Some(body) = B::from_message(message) else { continue };
            let packet = self.packets.make(ends, 0, body);
            cx.packet(&packet.fact(PacketEvent::Departed, id.0));
            self.forward(cx, at, packet);
        }
        while let Machine::Agent { agent, at } = &mut self.machines[id]
            && let Some(request) = agent.poll_request()
        {
            let at = *at;
            match request {
                AgentRequest::Moved => self.tell_ends(cx.now, at),
                AgentRequest::Hold { mobile } => self.hold(at, NodeId(mobile.0)),
                AgentRequest::Release { mobile } => self.release(cx, at, NodeId(mobile.0)),
            }
        }
        self.machines.reschedule(id);
    }
}

/// What an agent at the node `at` sees of a packet. Its node's own Packet Too Big messages have to
/// reach mobiles where they are, like data.
fn header<B: Body>(packet: &Packet<B>, at: NodeId) -> Header {
    let [source, destination] = addresses(packet.ends);
    let is_error = packet.body.too_big().is_some() && packet.ends.source != at;
    let is_message = is_error || packet.body.message().is_some();
    Header { source, destination, wrap: packet.body.wrap(), is_message }
}

fn addresses(ends: Ends) -> [Address; 2] {
    [Address(ends.source.0), Address(ends.destination.0)]
}

/// A packet that goes no further than the agent `id`.
pub(super) fn lose<B: Body>(cx: &mut Context<'_, impl Observe>, id: MachineId, packet: &Packet<B>) {
    let event = PacketEvent::Dropped(DropReason::Unreachable);
    cx.packet(&packet.fact(event, id.0));
}
