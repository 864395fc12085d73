//! Packets that exceed a path's MTU: what tunnel entries do with them (RFC 2473 §7.1), and who is
//! notified (RFC 2473 §8, RFC 8201).

use base::Time;
use mobility::binding::{Agent, Outer, Wrap};
use observe::{Context, DropReason, MobilityFact, Observe, PacketEvent};
use tcp::Larger;

use crate::path_mtu::IPV6_MTU_MIN;
use crate::{Body, Ends, Fragmentation, Machine, MachineId, NodeId, Packet, TooBig, World};

/// Looking.
impl<B: Body> World<B> {
    /// The largest packet in bytes that the node with the address `path.source` takes to go through
    /// to `path.destination` at `now`.
    pub fn path_mtu(&self, now: Time, path: Ends) -> u32 {
        self.path_mtus.get(now, path)
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Whether the tunnel `outer` refuses `packet` (RFC 2473 §7.1): packets up to the minimum MTU
    /// have to be taken.
    pub(super) fn is_too_big(&self, now: Time, packet: &Packet<B>, outer: Outer) -> bool {
        outer.wrap == Wrap::Tunnel
            && packet.bytes > IPV6_MTU_MIN
            && packet.bytes + outer.wrap.bytes() > self.path_mtus.get(now, ends(outer))
    }

    /// Drops `packet`, which is too big for the tunnel `outer` of the agent `id`, and notifies its
    /// source.
    pub(super) fn drop_too_big(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        packet: &Packet<B>,
        outer: Outer,
    ) {
        let event = PacketEvent::Dropped(DropReason::TooBig);
        cx.packet(&packet.fact(event, id.0));
        let mtu = self.path_mtus.get(cx.now, ends(outer)) - outer.wrap.bytes();
        let too_big = TooBig { mtu: mtu.max(IPV6_MTU_MIN), quote: packet.body.quote(packet.ends) };
        self.send_too_big(cx, id, too_big);
    }

    /// The agent `id` notifies the source of the quoted packet. A mobile's own tunnels carry only
    /// what starts there: it notifies itself.
    fn send_too_big(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId, too_big: TooBig) {
        let Machine::Agent { agent, at } = &self.machines[id] else { return };
        let (at, is_mobile) = (*at, matches!(**agent, Agent::Mobile(_)));
        let Some(body) = B::from_too_big(too_big) else { return };
        let ends = Ends { source: at, destination: too_big.quote.ends.source };
        let fact = MobilityFact::Sent { message: TooBig::NAME, to: ends.destination.0, attempt: 1 };
        cx.mobility(id.0, fact);
        let packet = self.packets.make(ends, 0, body);
        cx.packet(&packet.fact(PacketEvent::Departed, id.0));
        if is_mobile {
            self.handle_too_big(cx, id, &packet, too_big);
        } else {
            self.forward(cx, at, packet);
        }
    }

    /// Encapsulates `packet` in `outer` at the node `at` of the agent `id`, and fragments it if it
    /// is too large then: sends all pieces but the last, which it gives back.
    pub(super) fn encapsulate(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        (id, at): (MachineId, NodeId),
        mut packet: Packet<B>,
        outer: Outer,
    ) -> Option<Packet<B>> {
        let inner = packet.ends;
        if !packet.body.encapsulate(inner, outer.wrap) {
            super::agents::lose(cx, id, &packet);
            return None;
        }
        packet.ends = ends(outer);
        packet.bytes = packet.body.bytes();
        let mtu = self.path_mtus.get(cx.now, packet.ends);
        if packet.bytes <= mtu {
            return Some(packet);
        }
        match outer.wrap {
            Wrap::Tunnel => {}
            // A host accounts for its own headers.
            Wrap::Routing | Wrap::HomeAddress => {
                self.learn(cx.now, inner, mtu - outer.wrap.bytes(), Larger::InPieces);
            }
        }
        let sizes = Fragmentation::Mtu(mtu).sizes(packet.bytes, 0);
        self.cut(cx, at, &mut packet, &sizes);
        Some(packet)
    }

    /// A Packet Too Big message has come to its destination, the node of machine `id`. A tunnel
    /// entry notifies the source of the inner packet (RFC 2473 §8.2); a host applies it.
    pub(super) fn handle_too_big(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        packet: &Packet<B>,
        TooBig { mtu, mut quote }: TooBig,
    ) {
        cx.packet(&packet.fact(PacketEvent::Arrived, id.0));
        let fact = MobilityFact::Received { message: TooBig::NAME, from: packet.ends.source.0 };
        cx.mobility(id.0, fact);
        let mut mtu = mtu.max(IPV6_MTU_MIN);
        loop {
            self.learn(cx.now, quote.ends, mtu, Larger::Lost);
            let Some((wrap, within)) = quote.within() else { return };
            quote = within;
            mtu -= wrap.bytes();
            match wrap {
                Wrap::Routing | Wrap::HomeAddress => {}
                Wrap::Tunnel if quote.bytes > IPV6_MTU_MIN => {
                    let too_big = TooBig { mtu: mtu.max(IPV6_MTU_MIN), quote };
                    return self.send_too_big(cx, id, too_big);
                }
                Wrap::Tunnel => return,
            }
        }
    }

    /// Nothing larger than `mtu` goes through whole on `path`: wakes its connections to apply that
    /// at once.
    fn learn(&mut self, now: Time, path: Ends, mtu: u32, larger: Larger) {
        self.path_mtus.learn(now, path, mtu, larger);
        for id in self.nodes[path.source].endpoints_to(path.destination) {
            self.machines.wake(id, now);
        }
    }

    /// Limits the segments of endpoint `id` to its path's MTU.
    pub(super) fn apply_pmtu(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        let Some(host) = self.machines[id].host_mut() else { return };
        let path = Ends { source: host.node, destination: host.peer };
        if let Some((mtu, larger)) = self.path_mtus.learnt(cx.now, path) {
            host.endpoint.limit_path(cx, mtu - crate::IPV6_HEADER_BYTES, larger);
        }
    }
}

fn ends(outer: Outer) -> Ends {
    let [source, destination] = [outer.source, outer.destination].map(|address| NodeId(address.0));
    Ends { source, destination }
}
