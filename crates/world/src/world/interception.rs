//! Middleboxes at nodes: what they intercept, and what they send.

use std::borrow::Cow;

use middlebox::{Address, IpFields, Leg, Middlebox, RadioReport};
use observe::{BoxContext, Context, Observe, PacketEvent};

use crate::{Body, Ends, Machine, MachineId, NodeId, Packet, RadioHop, World};

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
        let name = format!("{}/middlebox", self.node(node).name());
        let id = self.machines.add(&name, Machine::Middlebox { middlebox, at: node });
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

    /// Wakes a middlebox.
    pub(crate) fn wake_middlebox(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        self.tell(cx, id, |middlebox, cx| middlebox.handle_timeout(cx));
        self.run_middlebox(cx, id);
    }

    /// Reports each downlink of `radio` that has changed to every middlebox.
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
    }

    /// Tells every middlebox what the downlink of `mobile` can carry.
    fn tell_report(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        mobile: NodeId,
        rate: Option<base::Rate>,
    ) {
        let mobile = self.address(mobile);
        for index in 0..self.middleboxes.len() {
            let id = self.middleboxes[index];
            let report = RadioReport { rate };
            self.tell(cx, id, |middlebox, cx| middlebox.handle_report(cx, mobile, report));
            self.run_middlebox(cx, id);
        }
    }

    /// Sends what a middlebox wants to send.
    fn run_middlebox(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        while let Machine::Middlebox { middlebox, at } = &mut self.machines[id]
            && let Some(packet) = with_facts(cx, id, |cx| middlebox.poll_output(cx))
        {
            self.events += 1;
            let at = *at;
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
