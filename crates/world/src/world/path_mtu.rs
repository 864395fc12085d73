//! Packets that a path does not take: what the entries of tunnels do with them (RFC 2473 §7.1),
//! and who learns of it (RFC 2473 §8, RFC 8201).

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
    /// Whether the tunnel `outer` refuses `packet` (RFC 2473 §7.1): what is no larger than the
    /// least MTU it has to take.
    pub(super) fn is_too_big(&self, now: Time, packet: &Packet<B>, outer: Outer) -> bool {
        outer.wrap == Wrap::Tunnel
            && packet.bytes > IPV6_MTU_MIN
            && packet.bytes + outer.wrap.bytes() > self.path_mtus.get(now, ends(outer))
    }

    /// Drops `packet`, which is too big for the tunnel `outer` of the agent `id`, and says so to
    /// its source.
    pub(super) fn refuse_too_big(
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
        self.say_too_big(cx, id, too_big);
    }

    /// The agent `id` tells the source of what is quoted. A mobile's own tunnels take nothing but
    /// what starts there: it tells itself.
    fn say_too_big(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId, too_big: TooBig) {
        let Machine::Agent { agent, at } = &self.machines[id] else { return };
        let (at, is_mobile) = (*at, matches!(**agent, Agent::Mobile(_)));
        let Some(body) = B::from_too_big(too_big) else { return };
        let ends = Ends { source: at, destination: too_big.quote.ends.source };
        let fact = MobilityFact::Sent { message: TooBig::NAME, to: ends.destination.0, attempt: 1 };
        cx.mobility(id.0, fact);
        let packet = self.packets.make(ends, 0, body);
        cx.packet(&packet.fact(PacketEvent::Departed, id.0));
        if is_mobile {
            self.heed_too_big(cx, id, &packet, too_big);
        } else {
            self.forward(cx, at, packet);
        }
    }

    /// Puts `outer` around `packet` at the node `at` of the agent `id`, and cuts it if it is too
    /// large then: sends all pieces but the last, which it gives back.
    pub(super) fn put_within(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        (id, at): (MachineId, NodeId),
        mut packet: Packet<B>,
        outer: Outer,
    ) -> Option<Packet<B>> {
        let inner = packet.ends;
        if !packet.body.put_within(inner, outer.wrap) {
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
            // A host knows of its own headers.
            Wrap::Routing | Wrap::HomeAddress => {
                self.learn(cx.now, inner, mtu - outer.wrap.bytes(), Larger::InPieces);
            }
        }
        let sizes = Fragmentation::Mtu(mtu).sizes(packet.bytes, 0);
        Some(self.cut(cx, at, packet, &sizes))
    }

    /// A Packet Too Big message has come to its destination, where machine `id` notes it. What
    /// began a tunnel there tells the source of what is within (RFC 2473 §8.2); a host heeds it.
    pub(super) fn heed_too_big(
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
                    return self.say_too_big(cx, id, too_big);
                }
                Wrap::Tunnel => return,
            }
        }
    }

    /// Nothing larger than `mtu` goes through whole on `path`: connections there are to heed it at
    /// once.
    fn learn(&mut self, now: Time, path: Ends, mtu: u32, larger: Larger) {
        self.path_mtus.learn(now, path, mtu, larger);
        for id in self.nodes[path.source].endpoints_to(path.destination) {
            self.machines.wake(id, now);
        }
    }

    /// Has the endpoint `id` send no more in a segment than its path takes.
    pub(super) fn heed_path(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        let Machine::Host(host) = &mut self.machines[id] else { return };
        let path = Ends { source: host.node, destination: host.peer };
        if let Some((mtu, larger)) = self.path_mtus.learnt(cx.now, path) {
            host.endpoint.limit_path(cx.now, mtu - crate::IPV6_HEADER_BYTES, larger, cx.observe);
        }
    }
}

fn ends(outer: Outer) -> Ends {
    let [source, destination] = [outer.source, outer.destination].map(|address| NodeId(address.0));
    Ends { source, destination }
}
