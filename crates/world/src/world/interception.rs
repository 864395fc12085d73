//! Middleboxes at nodes: what they intercept, and what they send.

use std::borrow::Cow;

use middlebox::{
    Address, Aside, IpFields, Leg, Middlebox, Opaque, RadioReport, Reception, Release,
};
use observe::{BoxContext, Context, DropReason, Observe, PacketEvent};

use crate::{Body, Echo, Ends, Machine, MachineId, NodeId, Packet, RadioHop, World};

/// An odd number whose bits are spread evenly (2⁶⁴ over the golden ratio): it makes a hash.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Assembling.
impl<B: Body> World<B> {
    /// Puts `middlebox` at `node`, between hosts: it intercepts every TCP packet there on its way
    /// to another node. What it sends goes on from `node`.
    ///
    /// # Panics
    /// If there is one already.
    pub fn add_middlebox(
        &mut self,
        node: NodeId,
        middlebox: Box<dyn Middlebox<B::Payload>>,
    ) -> MachineId {
        self.put_middlebox(node, middlebox, None)
    }

    /// Puts the `middlebox` of a subscriber at `node`: it is shown what leaves there by the hop
    /// that leads to the node `toward`.
    ///
    /// # Panics
    /// If there is one already, or no such hop.
    pub fn add_subscriber_box(
        &mut self,
        node: NodeId,
        toward: NodeId,
        middlebox: Box<dyn Middlebox<B::Payload>>,
    ) -> MachineId {
        let pipe = self.node(node).hop(toward);
        assert!(pipe.is_some(), "a subscriber reaches the network");
        self.put_middlebox(node, middlebox, pipe)
    }

    fn put_middlebox(
        &mut self,
        node: NodeId,
        middlebox: Box<dyn Middlebox<B::Payload>>,
        pipe: Option<MachineId>,
    ) -> MachineId {
        let name = format!("{}/middlebox", self.node(node).name());
        let id = self.machines.add(&name, Machine::Middlebox { middlebox, at: node, pipe });
        self.nodes[node].set_middlebox(id);
        self.machines.reschedule(id);
        self.middleboxes.push(id);
        id
    }

    /// Says that `node` is on the radio's side of middleboxes, as the mobiles of radios are.
    pub fn set_mobile(&mut self, node: NodeId) {
        self.nodes[node].set_leg(Leg::Radio);
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Shows `packet`, which has come to `node` or starts there, to the middlebox `id` there.
    pub(super) fn pass_middlebox(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        (node, id): (NodeId, MachineId),
        packet: Packet<B>,
    ) {
        let Machine::Middlebox { pipe, .. } = &self.machines[id] else { return };
        let is_read = pipe.is_none();
        let leaves = is_read || self.node(node).hop(packet.ends.destination) == *pipe;
        match packet.body.echo() {
            Some(echo) if echo.is_reply && (is_read || !leaves) => {
                self.intercept_echo(cx, id, packet, echo.number);
            }
            _ if !leaves => self.route(cx, node, packet),
            _ if is_read
                && packet.body.header().is_some()
                && !packet.is_encrypted
                && !packet.is_corrupt =>
            {
                self.intercept(cx, id, packet);
            }
            _ => self.intercept_opaque(cx, id, packet),
        }
    }

    /// Hands `packet`, which is TCP, to the middlebox `id` at its node.
    pub(super) fn intercept(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        packet: Packet<B>,
    ) {
        cx.packet(&packet.fact(PacketEvent::Arrived, id.0));
        let [source, destination] =
            [packet.ends.source, packet.ends.destination].map(|node| self.address(node));
        let segment = packet.body.segment().map(Cow::into_owned);
        let ip = IpFields { dscp: packet.dscp, ..IpFields::default() };
        self.packets.recycle(packet);
        let Some(segment) = segment else { return };
        let packet = middlebox::Packet { source, destination, ip, segment };
        self.tell(cx, id, |middlebox, cx| middlebox.handle_packet(cx, packet));
        self.run_middlebox(cx, id);
    }

    /// Shows `packet`, which the middlebox `id` cannot read, to it.
    pub(super) fn intercept_opaque(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        packet: Packet<B>,
    ) {
        let Ends { source, destination } = packet.ends;
        let flow = (link::Load::flow(&packet).wrapping_mul(MIX) >> 32) as u32;
        let (ports, dscp, bytes) = (packet.ports(), packet.dscp, packet.bytes);
        let ecn = packet.body.ecn();
        let number = self.opaque.keep(packet);
        let mut ends = [source, destination].map(|node| self.address(node));
        let Machine::Middlebox { middlebox, at, pipe } = &mut self.machines[id] else { return };
        if pipe.is_some() {
            // To a subscriber whoever it talks to is beyond the radio.
            (ends[0].leg, ends[1].leg) = (Leg::Wired, Leg::Radio);
        }
        let ([source, destination], at) = (ends, *at);
        let shown = Opaque { number, source, destination, flow, ports, dscp, bytes, ecn };
        match with_facts(cx, id, |cx| middlebox.handle_opaque(cx, &shown)) {
            Reception::Waits => self.run_middlebox(cx, id),
            Reception::Passes => {
                if let Some(packet) = self.opaque.take(number) {
                    self.route(cx, at, packet);
                }
            }
        }
    }

    /// Sends what the middlebox `id` sends beside segments.
    fn send_asides(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        while let Machine::Middlebox { middlebox, at, .. } = &mut self.machines[id]
            && let Some(aside) = middlebox.poll_aside()
        {
            self.events += 1;
            let at = *at;
            let (number, release) = match aside {
                Aside::Packet(number, release) => (number, release),
                Aside::Echo(ends, number) => {
                    let [source, destination] = ends.map(|end| NodeId(end.host as u32));
                    let ends = Ends { source, destination };
                    self.send_echo(cx, at, ends, Echo { number, is_reply: false });
                    continue;
                }
            };
            let Some(mut packet) = self.opaque.take(number) else { continue };
            match release {
                Release::Sent => self.route(cx, at, packet),
                Release::Marked => {
                    packet.body.mark();
                    self.route(cx, at, packet);
                }
                Release::Late => self.lose_opaque(cx, id, packet, DropReason::Aqm),
                Release::Crowded => self.lose_opaque(cx, id, packet, DropReason::Queue),
            }
        }
    }

    /// The middlebox `id` drops `packet`, which it does not read.
    fn lose_opaque(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        packet: Packet<B>,
        reason: DropReason,
    ) {
        cx.packet(&packet.fact(PacketEvent::Dropped(reason), id.0));
        self.packets.recycle(packet);
    }

    /// Sends an echo on from `node`.
    fn send_echo(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        node: NodeId,
        ends: Ends,
        echo: Echo,
    ) {
        if let Some(body) = B::from_echo(echo) {
            let packet = self.packets.make(ends, 0, body);
            self.route(cx, node, packet);
        }
    }

    /// A node answers an echo request. A reply to one is for the subscriber's box there, if any.
    pub(super) fn answer_echo(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        packet: Packet<B>,
        echo: Echo,
    ) {
        let Ends { source, destination } = packet.ends;
        if echo.is_reply
            && let Some(id) = self.node(destination).middlebox()
        {
            return self.intercept_echo(cx, id, packet, echo.number);
        }
        self.packets.recycle(packet);
        if !echo.is_reply {
            let ends = Ends { source: destination, destination: source };
            self.send_echo(cx, destination, ends, Echo { is_reply: true, ..echo });
        }
    }

    /// The middlebox `id`, which asked, hears the reply to an echo request.
    pub(super) fn intercept_echo(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        packet: Packet<B>,
        number: u32,
    ) {
        let mobile = self.address(packet.ends.source);
        self.packets.recycle(packet);
        self.tell(cx, id, |middlebox, cx| middlebox.handle_echo(cx, mobile, number));
        self.run_middlebox(cx, id);
    }

    /// Wakes a middlebox.
    pub(crate) fn wake_middlebox(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        self.tell(cx, id, |middlebox, cx| middlebox.handle_timeout(cx));
        self.run_middlebox(cx, id);
    }

    /// Reports each downlink of `radio` that has changed to every middlebox of the network, and the
    /// uplink to that of the subscriber.
    pub(crate) fn report(&mut self, cx: &mut Context<'_, impl Observe>, radio: MachineId) {
        if self.middleboxes.is_empty() {
            return;
        }
        while let Some(RadioHop { cell, mobiles, .. }) = self.machines[radio].radio_mut()
            && let Some((ue, report)) = cell.poll_report()
        {
            let mobile = mobiles[ue as usize];
            self.tell_report(cx, mobile, report.rate);
        }
        while let Some(RadioHop { cell, mobiles, .. }) = self.machines[radio].radio_mut()
            && let Some(report) = cell.poll_uplink_report()
        {
            let mobile = mobiles[0];
            if let Some(id) = self.node(mobile).middlebox() {
                self.tell_report_to(cx, id, mobile, report.rate);
            }
        }
    }

    /// Tells every middlebox of the network what the downlink of `mobile` can carry.
    fn tell_report(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        mobile: NodeId,
        rate: Option<base::Rate>,
    ) {
        for index in 0..self.middleboxes.len() {
            let id = self.middleboxes[index];
            if matches!(self.machines[id], Machine::Middlebox { pipe: None, .. }) {
                self.tell_report_to(cx, id, mobile, rate);
            }
        }
    }

    fn tell_report_to(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        mobile: NodeId,
        rate: Option<base::Rate>,
    ) {
        let (mobile, report) = (self.address(mobile), RadioReport { rate });
        self.tell(cx, id, |middlebox, cx| middlebox.handle_report(cx, mobile, report));
        self.run_middlebox(cx, id);
    }

    /// Sends what a middlebox wants to send.
    fn run_middlebox(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        while let Machine::Middlebox { middlebox, at, .. } = &mut self.machines[id] {
            let at = *at;
            let packet = with_facts(cx, id, |cx| middlebox.poll_output(cx));
            self.send_asides(cx, id);
            let Some(packet) = packet else { break };
            self.events += 1;
            let [source, destination] =
                [packet.source, packet.destination].map(|address| NodeId(address.host as u32));
            let ends = Ends { source, destination };
            let identification = self.next_identification(ends);
            let (dscp, body) = (packet.ip.dscp, B::from_segment(packet.segment, ends));
            let packet = Packet { dscp, ..self.packets.make(ends, identification, body) };
            cx.packet(&packet.fact(PacketEvent::Departed, id.0));
            self.route(cx, at, packet);
        }
        self.machines.reschedule(id);
    }

    /// The next IP identification of a middlebox's packets from or to the mobile among `ends`. Each
    /// mobile has its own sequence: header compression sends differences.
    fn next_identification(&mut self, ends: Ends) -> u16 {
        let is_mobile = self.node(ends.destination).leg() == Leg::Radio;
        let mobile = if is_mobile { ends.destination } else { ends.source };
        let place = mobile.0 as usize;
        if self.identifications.len() <= place {
            self.identifications.resize(place + 1, 0);
        }
        let last = &mut self.identifications[place];
        *last = last.wrapping_add(1);
        *last
    }

    fn tell(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        tell: impl FnOnce(&mut dyn Middlebox<B::Payload>, &mut BoxContext<'_>),
    ) {
        if let Machine::Middlebox { middlebox, .. } = &mut self.machines[id] {
            with_facts(cx, id, |cx| tell(middlebox.as_mut(), cx));
        }
    }

    /// A node's address for middleboxes.
    fn address(&self, node: NodeId) -> Address {
        Address { leg: self.node(node).leg(), host: u128::from(node.0) }
    }
}

/// Calls a middlebox, whose facts go to the observer under its number.
fn with_facts<R>(
    cx: &mut Context<'_, impl Observe>,
    id: MachineId,
    act: impl FnOnce(&mut BoxContext<'_>) -> R,
) -> R {
    act(&mut BoxContext { now: cx.now, observe: &mut |fact| cx.middlebox(id.0, fact) })
}
