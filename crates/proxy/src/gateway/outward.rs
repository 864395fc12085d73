//! Packets that go out.

use base::{Flags, TcpHeader, Time};
use bytes::Bytes;
use middlebox::{Leg, Packet};
use wire::{Addresses, IpFields, Payload};

use super::{Declined, Gateway, add};
use crate::hosts;
use crate::reasons::Drop;
use crate::records::Side;

impl Gateway {
    /// Puts the next packet to send now in `packet`, in place of what is there; false if there is
    /// none.
    pub fn poll_packet(&mut self, now: Time, packet: &mut Vec<u8>) -> bool {
        loop {
            if self.passing.pop(packet) {
                break;
            }
            let next = self.next.take().or_else(|| self.poll_boxes(now));
            if !self.passing.is_empty() {
                // Packets beside segments go ahead of the next one.
                self.next = next;
                continue;
            }
            let Some((number, next)) = next else { return false };
            if !self.restore(&next) && self.write(now, number, next, packet) {
                break;
            }
        }
        self.tallies.sent.add(packet.len());
        true
    }

    fn poll_boxes(&mut self, now: Time) -> Option<(u32, Packet<Bytes>)> {
        while let Some(&number) = self.boxes_with_packets.front() {
            let polled = self.boxes.get_mut(number);
            let packet =
                polled.and_then(|served| served.with(now, |machine, cx| machine.poll_output(cx)));
            self.send_asides(now, number);
            let Some(packet) = packet else {
                self.boxes_with_packets.pop_front();
                self.remove_if_idle(now, number);
                if self.passing.is_empty() {
                    continue;
                }
                return None;
            };
            add(&mut self.boxes_with_exposures, number);
            return Some((number, packet));
        }
        None
    }

    /// Sends the original of a segment that its box hands back; true if it was one.
    fn restore(&mut self, next: &Packet<Bytes>) -> bool {
        if self.declined.is_empty() {
            return false;
        }
        // Its box may have sent something of its own to the same end before.
        let TcpHeader { seq, flags, .. } = next.segment.header;
        let is_it = |it: &Declined| {
            // Boxes forward SYNs without this flag.
            let of = it.header.flags.without(Flags::AE);
            let it = (it.connection, it.header.seq, of);
            it == (next.connection(), seq, flags.without(Flags::AE))
        };
        let Some(at) = self.declined.iter().position(is_it) else { return false };
        let Declined { original, .. } = self.declined.remove(at);
        for packet in &original {
            self.passing.push(packet);
        }
        true
    }

    /// Writes a packet of box `number`, or as much of it as its leg takes; false if it is dropped.
    fn write(&mut self, now: Time, number: u32, next: Packet<Bytes>, packet: &mut Vec<u8>) -> bool {
        let Some(addresses) = hosts::addresses(next.source.host, next.destination.host) else {
            self.tallies.drops.add(Drop::TooLong);
            return false;
        };
        let leg = next.destination.leg;
        let Some(next) = self.cut(number, &addresses, next) else { return false };
        let middlebox::IpFields { dscp, hop_limit, flow_label } = next.ip;
        let tcp::Segment { header, payload, ecn } = &next.segment;
        let hop_limit = hop_limit.saturating_add(1);
        let ip = IpFields { ecn: *ecn, dscp, hop_limit, flow_label };
        if wire::emit(header, ip, &addresses, Payload::Bytes(payload), packet).is_err() {
            self.tallies.drops.add(Drop::TooLong);
            return false;
        }
        if self.config.log.flows {
            let bytes = payload.len() as u32;
            self.records.note(now, number, Side::Out, next.connection(), header, bytes);
        }
        if let Some(served) = self.boxes.get_mut(number) {
            served.stats.leg(leg).sent.add(packet.len());
        }
        true
    }

    /// As much of a packet as its leg takes; the rest comes next. Hosts that respect the announced
    /// sizes never make that necessary, but the MTU of a link may have fallen since.
    fn cut(
        &mut self,
        number: u32,
        addresses: &Addresses,
        mut next: Packet<Bytes>,
    ) -> Option<Packet<Bytes>> {
        let mtu = match next.destination.leg {
            Leg::Wired => self.mtu[0],
            Leg::Radio => self.mtu[1],
        };
        let ip = match addresses {
            Addresses::V4 { .. } => 20,
            Addresses::V6 { .. } => 40,
        };
        let segment = &mut next.segment;
        let room = usize::from(mtu).checked_sub(ip + segment.header.bytes() as usize);
        let Some(room) = room.filter(|&room| room > 0 || segment.payload.is_empty()) else {
            self.tallies.drops.add(Drop::TooLong);
            return None;
        };
        if segment.payload.len() > room {
            let mut rest = next.clone();
            let segment = &mut next.segment;
            rest.segment.payload = segment.payload.split_off(room);
            // A SYN takes a number ahead of its data (RFC 9293 §3.4).
            let taken = room as u32 + u32::from(segment.has(Flags::SYN));
            rest.segment.header.seq = segment.header.seq + taken;
            rest.segment.header.flags = segment.header.flags.without(Flags::SYN | Flags::CWR);
            segment.header.flags = segment.header.flags.without(Flags::FIN | Flags::PSH);
            self.next = Some((number, rest));
            self.tallies.cut += 1;
        }
        Some(next)
    }
}
