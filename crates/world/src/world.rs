//! The network as one machine.

mod agents;
mod changes;
mod connections;
mod fragments;
mod interception;
mod links;
mod machines;
mod path_mtu;
mod radios;
mod sending;
mod sharing;
mod udp;
mod wireless;

pub use wireless::{Directory, WlanNodes};

use std::collections::VecDeque;

use base::{Direction, Time};
use link::{Dropped, Link, LinkConfig, Pipe};
use middlebox::Keeper;
use observe::{Context, DropReason, Observe, PacketEvent};
use radio::Cell;

use agents::lose;
use machines::Machines;

use crate::node::Nodes;
use crate::packet::Packets;
use crate::path_mtu::PathMtus;
use crate::{Body, Ends, Fragmentation, Hop, Machine, MachineId, Node, NodeId, Packet, RadioHop};

/// A packet that left the world at an open node.
#[derive(Clone, Debug)]
pub struct Delivery<B> {
    /// When it arrived there.
    pub due: Time,
    /// The node.
    pub at: NodeId,
    /// The packet.
    pub packet: Packet<B>,
}

/// A network of nodes, links, bearers and endpoints.
#[derive(Debug)]
pub struct World<B: Body> {
    nodes: Nodes,
    machines: Machines<B>,
    packets: Packets<B>,
    events: u64,
    unroutable: u64,
    /// The machines that hand on what has come out of them, the innermost last.
    handing_on: Vec<MachineId>,
    /// What arrived at open nodes, oldest first.
    outbox: VecDeque<Delivery<B>>,
    /// Middleboxes, which get reports of the radio.
    middleboxes: Vec<MachineId>,
    /// Packets that wait in middleboxes, which do not read them, by their numbers there.
    opaque: Keeper<Packet<B>>,
    /// By node: the IP identification of the last packet of a middlebox from or to that mobile.
    identifications: Vec<u16>,
    /// Fragmentation by hosts, and reassembly.
    fragments: Option<(Fragmentation, MachineId)>,
    /// Path MTUs.
    path_mtus: PathMtus,
}

impl<B: Body> Default for World<B> {
    fn default() -> Self {
        Self {
            nodes: Nodes::default(),
            machines: Machines::default(),
            packets: Packets::default(),
            events: 0,
            unroutable: 0,
            handing_on: Vec::new(),
            outbox: VecDeque::new(),
            middleboxes: Vec::new(),
            opaque: Keeper::default(),
            identifications: Vec::new(),
            fragments: None,
            path_mtus: PathMtus::new(u32::MAX),
        }
    }
}

/// Assembling.
impl<B: Body> World<B> {
    /// An empty world.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node.
    pub fn add_node(&mut self, name: &str) -> NodeId {
        self.nodes.add(name)
    }

    /// Adds one direction of a wired link, which ends at node `to`.
    pub fn add_pipe(&mut self, name: &str, config: &link::Config, to: NodeId) -> MachineId {
        let pipe = Box::new(Pipe::new(config));
        self.machines.add(name, Machine::Hop(Hop::Pipe { pipe, to }))
    }

    /// Adds one direction of a wired link, which ends at node `to`: a pipe where that is enough.
    /// Its random streams come from `seed` and its name.
    pub fn add_link(
        &mut self,
        name: &str,
        config: &LinkConfig,
        to: NodeId,
        seed: u64,
    ) -> MachineId {
        if let Some(plain) = config.as_pipe() {
            return self.add_pipe(name, &plain, to);
        }
        let link = Box::new(Link::new(config, seed, name));
        self.machines.add(name, Machine::Hop(Hop::Link { link, to }))
    }

    /// Adds a radio between the node `network` and `mobiles`; `make` builds the bearer or the cells
    /// from its machine number.
    pub fn add_radio(
        &mut self,
        name: &str,
        network: NodeId,
        mobiles: Vec<NodeId>,
        make: impl FnOnce(u32) -> Cell<Packet<B>>,
    ) -> MachineId {
        let cell = make(self.machines.next_id().0);
        for mobile in &mobiles {
            self.set_mobile(*mobile);
        }
        let radio = Box::new(RadioHop { cell, network, mobiles: mobiles.into_boxed_slice() });
        let id = self.machines.add(name, Machine::Hop(Hop::Radio(radio)));
        self.machines.reschedule(id);
        id
    }

    /// Packets for `destination` (`None`: for every node without a route of its own) leave `from`
    /// through the link or bearer `hop`.
    pub fn set_route(&mut self, from: NodeId, destination: Option<NodeId>, hop: MachineId) {
        self.nodes[from].set_route(destination, hop);
    }

    /// Lets packets that arrive at `node`, their destination, leave the world there.
    pub fn open(&mut self, node: NodeId) {
        self.nodes[node].open();
    }
}

/// Looking.
impl<B: Body> World<B> {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Every node and address of a mobile, in the order of their numbers.
    pub fn nodes(&self) -> &[Node] {
        self.nodes.as_slice()
    }

    /// A machine.
    pub fn machine(&self, id: MachineId) -> &Machine<B> {
        &self.machines[id]
    }

    /// Every machine with its number and name, in order.
    pub fn machines(&self) -> impl Iterator<Item = (MachineId, &str, &Machine<B>)> {
        self.machines.iter()
    }

    /// The names of all machines and of all nodes and addresses, in the order of their numbers.
    pub fn into_names(self) -> [Vec<String>; 2] {
        [self.machines.into_names(), self.nodes.into_names()]
    }

    /// The packets within links, bearers and the outbox, each once.
    pub fn held(&self) -> impl Iterator<Item = &Packet<B>> {
        let outbox = self.outbox.iter().map(|delivery| &delivery.packet);
        self.machines.held().chain(outbox)
    }

    /// The number of the next packet.
    pub const fn next_uid(&self) -> u64 {
        self.packets.next_uid()
    }

    /// Packets that came out of pipes and middleboxes so far, and wakes of all other machines. One
    /// wake of a pipe or a middlebox may serve several mobiles, and would count once here and
    /// several times where each mobile has a world of its own.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Packets without a route: a bug in the assembly of the world.
    pub const fn unroutable(&self) -> u64 {
        self.unroutable
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Wakes the next machine that is due at or before `until` and says when it was; `None` if
    /// there is none.
    #[must_use]
    pub fn step(&mut self, until: Time, observe: &mut impl Observe) -> Option<Time> {
        let (now, id) = self.machines.next_due(until)?;
        let cx = &mut Context { now, observe };
        let machine = &mut self.machines[id];
        self.events += u64::from(!matches!(
            machine,
            Machine::Hop(Hop::Pipe { .. }) | Machine::Middlebox { .. }
        ));
        match machine {
            Machine::Hop(Hop::Pipe { .. }) => self.run_pipe(cx, id),
            Machine::Hop(Hop::Link { .. }) => self.run_link(cx, id),
            Machine::Hop(Hop::Radio(radio)) => {
                radio.cell.handle_timeout(cx);
                self.run_radio(cx, id);
            }
            Machine::Hop(Hop::Wlan { wlan, .. }) => {
                wlan.handle_timeout(now);
                self.run_wlan(cx, id);
            }
            Machine::Middlebox { .. } => self.wake_middlebox(cx, id),
            Machine::Agent { .. } => self.wake_agent(cx, id),
            Machine::Reassembly(_) => self.give_up_pieces(cx, id),
            Machine::Host(_) => self.wake_host(cx, id),
            Machine::Udp(_) => self.run_udp(cx, id),
            Machine::Browser(_) => self.run_browser(cx, id),
        }
        Some(now)
    }

    /// Takes in a packet that enters the world at `from` and is for `to`, under the number
    /// [`World::next_uid`]. [`World::step`] should have been called up to `now`. Poll afterwards.
    pub fn handle_packet(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        from: NodeId,
        to: NodeId,
        body: B,
    ) {
        let ends = Ends { source: from, destination: to };
        let packet = self.packets.make(ends, 0, body);
        self.forward(cx, from, packet);
    }

    /// The next packet that has left at an open node. To be called after each step or packet
    /// until it says `None`.
    #[must_use]
    pub fn poll_packet(&mut self) -> Option<Delivery<B>> {
        self.outbox.pop_front()
    }

    /// When the next machine is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.machines.earliest()
    }

    /// Moves `packet`, which has come to `node` or starts there, towards its destination until it
    /// waits somewhere.
    fn forward(&mut self, cx: &mut Context<'_, impl Observe>, node: NodeId, packet: Packet<B>) {
        let of_node = self.node(node);
        match (of_node.middlebox(), of_node.agent()) {
            (Some(id), _) => self.pass_middlebox(cx, (node, id), packet),
            (None, Some(id)) => self.apply_agent(cx, id, packet),
            (None, None) => self.route(cx, node, packet),
        }
    }

    /// As [`Self::forward`], past the middlebox or agent of `node`.
    fn route<O: Observe>(&mut self, cx: &mut Context<'_, O>, mut node: NodeId, packet: Packet<B>) {
        loop {
            let here = &self.nodes[node];
            let Some(id) = here.hop(packet.ends.destination) else {
                // Packets at a home agent without a home link, for mobiles that have not registered
                // yet.
                match here.agent() {
                    Some(agent) => lose(cx, agent, &packet),
                    None => self.unroutable += 1,
                }
                return;
            };
            cx.packet(&packet.fact_at(PacketEvent::Entered, id.0, node));
            let Machine::Hop(Hop::Pipe { pipe, to }) = &mut self.machines[id] else {
                return self.enter(cx, node, id, packet);
            };
            // A pipe that takes no time needs no event, except at the destination: an answer could
            // come back in the same instant, without end.
            let uid = packet.uid;
            if !pipe.is_instant() || *to == packet.ends.destination {
                return match pipe.handle_input(cx.now, packet) {
                    Ok(()) => {
                        if O::DEQUEUES {
                            cx.observe.dequeued(pipe.last_starts(cx.now), id.0, uid);
                        }
                        // Behind others it changes nothing.
                        if pipe.in_flight() == 1 {
                            let deadline = pipe.poll_timeout();
                            self.machines.schedule(id, deadline);
                        }
                    }
                    Err(packet) => drop_full(cx, id, &packet),
                };
            }
            cx.observe.dequeued(cx.now, id.0, uid);
            cx.packet(&packet.fact_at(PacketEvent::Left, id.0, *to));
            pipe.pass();
            node = *to;
            if self.node(node).watcher().is_some() {
                return self.forward(cx, node, packet);
            }
        }
    }

    /// A packet goes from `node` into the hop `id`, which is not a pipe.
    fn enter(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        node: NodeId,
        id: MachineId,
        packet: Packet<B>,
    ) {
        match &mut self.machines[id] {
            Machine::Hop(Hop::Link { link, .. }) => {
                let refused = link.handle_input(cx.now, packet);
                self.machines.reschedule(id);
                if let Err(Dropped { packet, reason }) = refused {
                    cx.packet(&packet.fact(PacketEvent::Dropped(reason), id.0));
                }
                self.tell_dequeued(cx, id);
            }
            Machine::Hop(Hop::Radio(radio)) => {
                let RadioHop { cell, network, mobiles } = &mut **radio;
                let (direction, mobile) = if node == *network {
                    (Direction::Downlink, packet.ends.destination)
                } else {
                    (Direction::Uplink, node)
                };
                // Behind a single mobile there may be hosts of their own.
                let ue = if mobiles.len() == 1 { Ok(0) } else { mobiles.binary_search(&mobile) };
                let ue = ue.expect("a cell's packets come from a mobile or are for one") as u32;
                let dropped = cell.handle_input(cx, ue, direction, packet);
                if let Err(packet) = dropped {
                    drop_full(cx, id, &packet);
                }
                self.run_radio(cx, id);
            }
            Machine::Hop(Hop::Wlan { .. }) => self.enter_wlan(cx, node, id, packet),
            _ => unreachable!("a route leads into a pipe, a link or a radio"),
        }
    }

    /// Hands on what has come out of a pipe.
    fn run_pipe(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        while let Machine::Hop(Hop::Pipe { pipe, to }) = &mut self.machines[id] {
            let (deadline, to) = (pipe.poll_timeout(), *to);
            let Some(packet) = pipe.poll_output(cx.now) else {
                return self.machines.schedule(id, deadline);
            };
            self.events += 1;
            self.arrive(cx, id, to, packet);
        }
    }

    /// A packet has come out of machine `from` at node `to`.
    #[inline]
    fn arrive(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        from: MachineId,
        to: NodeId,
        packet: Packet<B>,
    ) {
        cx.packet(&packet.fact_at(PacketEvent::Left, from.0, to));
        match self.node(to).agent() {
            Some(agent) => self.apply_agent(cx, agent, packet),
            None if packet.ends.destination == to => self.hand_over(cx, from, to, packet),
            None => self.forward(cx, to, packet),
        }
    }

    /// A packet has come by the machine `by` to the node `at`, its destination; fragments wait
    /// until they are whole.
    fn hand_over(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        by: MachineId,
        at: NodeId,
        packet: Packet<B>,
    ) {
        if packet.is_corrupt {
            discard(cx, by, &packet);
            return self.packets.recycle(packet);
        }
        if let Some(whole) = self.join(cx, at, packet) {
            self.deliver(cx, whole);
        }
    }

    /// Gives a packet to its endpoint, or out of the world.
    fn deliver(&mut self, cx: &mut Context<'_, impl Observe>, packet: Packet<B>) {
        let at = packet.ends.destination;
        let node = &self.nodes[at];
        if node.is_open() {
            self.outbox.push_back(Delivery { due: cx.now, at, packet });
            return;
        }
        if let (Some(too_big), Some((_, id))) = (packet.body.too_big(), self.fragments) {
            return self.handle_too_big(cx, id, &packet, too_big);
        }
        if let Some(echo) = packet.body.echo() {
            return self.answer_echo(cx, packet, echo);
        }
        let endpoint =
            packet.ports().and_then(|[from, to]| node.endpoint(to, packet.ends.source, from));
        let Some(id) = endpoint else {
            self.unroutable += u64::from(!node.has_released());
            self.refuse(cx, packet);
            return;
        };
        cx.packet(&packet.fact(PacketEvent::Arrived, id.0));
        let Some(segment) = packet.body.segment() else { return self.packets.recycle(packet) };
        self.inherit_if_listening(id);
        if let Some(host) = self.machines[id].host_mut() {
            host.handle_input(cx, &segment);
        }
        drop(segment);
        self.packets.recycle(packet);
        self.run_host(cx, id);
    }
}

/// The receiver of a packet that has come by the machine `by` discards it: its checksum is wrong.
fn discard<B: Body>(cx: &mut Context<'_, impl Observe>, by: MachineId, packet: &Packet<B>) {
    cx.packet(&packet.fact(PacketEvent::Dropped(DropReason::Corrupt), by.0));
}

/// A packet found the queue full.
fn drop_full<B: Body>(cx: &mut Context<'_, impl Observe>, id: MachineId, packet: &Packet<B>) {
    cx.packet(&packet.fact(PacketEvent::Dropped(DropReason::Queue), id.0));
}
