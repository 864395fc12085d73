//! What endpoints send.

use observe::{Context, Observe, PacketEvent};

use crate::{Body, Ends, MachineId, Packet, World};

impl<B: Body> World<B> {
    /// Sends what an endpoint wants to send.
    pub(super) fn run_host(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        let is_limited = self.fragments.is_some();
        // A sent packet may reveal the path's MTU at once.
        loop {
            if is_limited {
                self.apply_pmtu(cx, id);
            }
            if !self.send_all(cx, id) || !is_limited {
                break;
            }
        }
        let Some(host) = self.machines[id].host() else { return };
        let (deadline, browser) = (host.poll_timeout(), host.watched_by());
        self.machines.schedule(id, deadline);
        if let Some(browser) = browser {
            self.machines.wake(browser, cx.now);
        }
    }

    /// Sends what an endpoint wants to send with the known path MTU. False if there was nothing.
    fn send_all(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) -> bool {
        let mut has_sent = false;
        while let Some(host) = self.machines[id].host_mut()
            && let Some(segment) = host.poll_output(cx)
        {
            let ends = Ends { source: host.node, destination: host.peer };
            let (identification, dscp) = (host.next_identification(), host.dscp);
            let is_encrypted = host.is_encrypted;
            let body = B::from_segment(segment, ends);
            let packet =
                Packet { dscp, is_encrypted, ..self.packets.make(ends, identification, body) };
            self.depart(cx, id, packet);
            has_sent = true;
        }
        has_sent
    }

    /// The endpoint `id` sends `packet`.
    #[inline]
    pub(super) fn depart(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        mut packet: Packet<B>,
    ) {
        packet.departed = Some(cx.now);
        cx.packet(&packet.fact(PacketEvent::Departed, id.0));
        let source = packet.ends.source;
        self.cut_at_source(cx, &mut packet);
        self.forward(cx, source, packet);
    }
}
