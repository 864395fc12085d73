//! Frames that come in: segments that the kernel holds together.

use base::{Flags, Time};
use wire::{Run, Split};

use super::Gateway;
use super::inward::{hosts_of, packet_of};

impl Gateway {
    /// A frame came in: as one packet if it is a run of data that a box takes in like that, else as
    /// the packets that it has. They count as those, whose number is returned.
    pub fn handle_frame(&mut self, now: Time, mut frame: Split<'_>) -> usize {
        if let Some(count) = frame.run().and_then(|run| self.handle_run(now, &run)) {
            return count;
        }
        let mut count = 0;
        while let Some(packet) = frame.next_packet() {
            self.handle_packet(now, packet);
            count += 1;
        }
        count
    }

    /// Hands a run to its box; `None` if it has to come packet by packet.
    fn handle_run(&mut self, now: Time, run: &Run<'_>) -> Option<usize> {
        let Run { segment, count, size, wire_bytes } = run;
        let header = &segment.header;
        let is_plain = [Flags::ACK, Flags::ACK | Flags::PSH].contains(&header.flags);
        // A record of a connection counts its segments.
        if !is_plain || !segment.unkept.is_empty() || self.config.log.flows {
            return None;
        }
        let hosts = hosts_of(&segment.addresses)?;
        let seen = self.boxes.find(hosts, [header.source_port, header.destination_port])?;
        let served = self.boxes.get_mut(seen.number)?;
        if !served.machine.takes_runs(&seen.connection, *size as u32) {
            return None;
        }
        let packet = packet_of(&seen.connection, segment, *header);
        served.with(now, |machine, cx| machine.handle_packet(cx, packet));
        let leg = seen.connection.source.leg;
        served.stats.leg(leg).received.add_several(*count, *wire_bytes);
        self.tallies.received.add_several(*count, *wire_bytes);
        self.mark_active(seen.number);
        Some(*count)
    }
}
