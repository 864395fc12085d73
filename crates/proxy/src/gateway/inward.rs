//! Packets that come in.

use base::{Duration, Flags, Seq, TcpHeader, Time};
use bytes::Bytes;
use middlebox::{Connection, Leg, Packet, PmtuHandler, Role};
use wire::{Addresses, Complaint, Datagram, Fragment, IcmpError, ParseError, Segment};

use super::others::Wait;
use super::{Declined, Gateway};
use crate::hosts;
use crate::reasons::{Bypass, Drop, Icmp};
use crate::records::Side;
use crate::view::Seen;

/// Numbers of protocols (RFC 5237).
const ICMP: u8 = 1;
const ICMP6: u8 = 58;

/// The urgent bit of a TCP header (RFC 9293 §3.1).
const URGENT: Flags = Flags::from_bits(0x20);

/// A packet as it came, to be sent on like that.
#[derive(Clone, Copy)]
enum Original<'a> {
    Packet(&'a [u8]),
    Pieces(&'a Datagram),
}

impl Original<'_> {
    fn each(&self, mut act: impl FnMut(&[u8])) {
        match self {
            Self::Packet(packet) => act(packet),
            Self::Pieces(datagram) => datagram.pieces().for_each(act),
        }
    }

    fn bytes(&self) -> usize {
        let mut bytes = 0;
        self.each(|packet| bytes += packet.len());
        bytes
    }
}

impl Gateway {
    /// A packet came in.
    pub fn handle_packet(&mut self, now: Time, packet: &[u8]) {
        self.tallies.received.add(packet.len());
        let original = Original::Packet(packet);
        match wire::parse(packet) {
            Ok(segment) => self.handle_segment(now, &segment, original),
            Err(ParseError::Fragment) => self.handle_fragment(now, packet),
            Err(ParseError::NotTcp) => match wire::headers(packet).map(|seen| seen.protocol) {
                Some(ICMP | ICMP6) => self.handle_icmp(now, packet),
                Some(_) | None => self.pass(now, Bypass::OtherProtocol, original),
            },
            Err(ParseError::Ip) => self.pass(now, Bypass::NotIp, original),
            Err(ParseError::Tcp) => self.pass(now, Bypass::NotTcp, original),
            Err(ParseError::Checksum) => self.pass(now, Bypass::Checksum, original),
        }
    }

    fn handle_fragment(&mut self, now: Time, packet: &[u8]) {
        let stats = &mut self.tallies.fragments;
        match self.fragments.handle_packet(now, packet) {
            Fragment::Untouched => self.pass(now, Bypass::Fragment, Original::Packet(packet)),
            Fragment::Held => stats.received += 1,
            Fragment::Refused => {
                stats.received += 1;
                stats.failed += 1;
                self.tallies.drops.add(Drop::Fragment);
            }
            Fragment::Whole(datagram) => {
                stats.received += 1;
                stats.completed += 1;
                let original = Original::Pieces(&datagram);
                match wire::parse(&datagram.whole()) {
                    Ok(segment) => self.handle_segment(now, &segment, original),
                    Err(_) => self.pass(now, Bypass::Fragment, original),
                }
            }
        }
    }

    fn handle_segment(&mut self, now: Time, segment: &Segment<'_>, original: Original<'_>) {
        let header = &segment.header;
        let Some(hosts) = hosts_of(&segment.addresses) else {
            return self.pass(now, Bypass::NotIp, original);
        };
        let ports = [header.source_port, header.destination_port];
        if let Some(seen) = self.boxes.find(hosts, ports) {
            self.handle_known(now, seen, segment, original);
        } else if let Some(seen) = self.boxes.see(hosts, ports) {
            if self.boxes.role(seen.number) == Role::Subscriber {
                return self.pass(now, Bypass::Subscriber, original);
            }
            let resets = header.flags.contains(Flags::RST) || header.flags.contains(Flags::ACK);
            if header.flags.contains(Flags::SYN) && !resets {
                self.open(now, seen, segment, original);
            } else {
                self.pass(now, Bypass::UnknownFlow, original);
            }
        } else {
            self.pass(now, Bypass::NoMobile, original);
        }
    }

    /// A SYN of a connection that no box knows.
    fn open(&mut self, now: Time, seen: Seen, segment: &Segment<'_>, original: Original<'_>) {
        let reason = self.refusal(segment);
        let Some(served) = self.boxes.get_mut(seen.number) else { return };
        served.stats.counted.syns.seen += 1;
        if let Some(reason) = reason {
            served.stats.counted.connections.bypassed += 1;
            return self.pass(now, reason, original);
        }
        self.make_room(now, &seen.connection);
        if self.show(now, seen, segment, original) == Shown::Taken {
            self.openings.open(now, seen.connection, segment.header.seq);
        } else {
            self.records.drop(&seen.connection);
        }
    }

    /// Half-open connections that have to make room for `connection` go on without the proxy.
    fn make_room(&mut self, now: Time, connection: &Connection) {
        while let Some(Seen { number, connection }) = self.boxes.displaced_by(connection) {
            let Some(served) = self.boxes.get_mut(number) else { return };
            served.machine.forget_opening(now, connection);
            served.stats.counted.syns.displaced += 1;
            served.stats.counted.connections.bypassed += 1;
            self.records.drop(&connection);
            self.mark_active(number);
        }
    }

    /// Why a new connection is not even shown to a box.
    fn refusal(&self, segment: &Segment<'_>) -> Option<Bypass> {
        let header = &segment.header;
        let never = &self.config.never;
        let ends = [segment.addresses.source(), segment.addresses.destination()];
        let ports = [header.source_port, header.destination_port];
        if never.hosts.iter().any(|prefix| ends.iter().any(|&end| prefix.contains(&end))) {
            Some(Bypass::NeverHost)
        } else if ports.iter().any(|port| never.ports.contains(port)) {
            Some(Bypass::NeverPort)
        } else if segment.unkept.option.is_some() || segment.unkept.extension.is_some() {
            Some(Bypass::Option)
        } else if !segment.payload.is_empty() {
            Some(Bypass::DataOnSyn)
        } else {
            self.draining.then_some(Bypass::Draining)
        }
    }

    /// A segment of a connection that a box takes part in.
    fn handle_known(
        &mut self,
        now: Time,
        seen: Seen,
        segment: &Segment<'_>,
        original: Original<'_>,
    ) {
        let Seen { number, connection } = seen;
        let header = &segment.header;
        let Some(served) = self.boxes.get_mut(number) else { return };
        let syn = header.flags.contains(Flags::SYN);
        if syn && (segment.unkept.option.is_some() || segment.unkept.extension.is_some()) {
            served.machine.ignore(connection);
            self.mark_active(number);
            if !self.boxes.knows(number, &connection) {
                return self.pass(now, Bypass::Option, original);
            }
        }
        if syn {
            // It may open a new connection in place of one that is over.
            let answers = header.flags.contains(Flags::ACK);
            let called = if answers { connection.reversed() } else { connection };
            self.make_room(now, &called);
        }
        let Some(served) = self.boxes.get_mut(number) else { return };
        let stats = &mut served.stats.counted;
        if syn && !header.flags.contains(Flags::ACK) {
            stats.syns.seen += 1;
            self.openings.open(now, connection, header.seq);
        } else if syn {
            let answered = self.openings.answer(now, &connection.reversed(), header.ack);
            if let (Some(round_trip), Leg::Wired) = (answered, connection.source.leg) {
                stats.wired.round_trip.add(round_trip);
            }
        } else if header.flags.contains(Flags::RST) {
            let refused = self.openings.refuse(&connection.reversed(), header.ack);
            stats.syns.refused += u64::from(refused);
        }
        self.show(now, seen, segment, original);
    }

    /// Hands a segment to its box.
    fn show(
        &mut self,
        now: Time,
        seen: Seen,
        segment: &Segment<'_>,
        original: Original<'_>,
    ) -> Shown {
        let Seen { number, connection } = seen;
        let mut header = segment.header;
        if self.config.log.flows {
            let bytes = segment.payload.len() as u32;
            self.records.note(now, number, Side::In, connection, &header, bytes);
        }
        if !segment.unkept.is_empty() {
            self.tallies.stripped += 1;
            header.flags = header.flags.without(URGENT);
        }
        let most = self.mss(&segment.addresses);
        let Some(served) = self.boxes.get_mut(number) else { return Shown::Declined };
        if let (true, Some(mss)) = (header.flags.contains(Flags::SYN), &mut header.options.mss) {
            *mss = (*mss).min(most).min(served.profile.mss.unwrap_or(u16::MAX));
        }
        let packet = packet_of(&connection, segment, header);
        let before = served.machine.bypasses();
        served.with(now, |machine, cx| machine.handle_packet(cx, packet));
        let declined = served.machine.bypasses().since(&before);
        if declined.is_none() {
            served.stats.leg(connection.source.leg).received.add(original.bytes());
        }
        self.mark_active(number);
        let Some(reason) = declined else { return Shown::Taken };
        // The box hands it back: the original goes on.
        let mut packets = Vec::new();
        original.each(|packet| {
            self.tallies.bypasses.add(reason.into());
            packets.push(packet.to_vec());
        });
        self.declined.push(Declined { connection, header, original: packets });
        Shown::Declined
    }

    /// The largest segment that both legs carry, in bytes of data: its sender may later send
    /// without the proxy.
    fn mss(&self, addresses: &Addresses) -> u16 {
        let headers = match addresses {
            Addresses::V4 { .. } => 40,
            Addresses::V6 { .. } => 60,
        };
        self.mtu[0].min(self.mtu[1]).saturating_sub(headers)
    }

    fn handle_icmp(&mut self, now: Time, packet: &[u8]) {
        let error = wire::icmp_error(packet);
        let done = match error {
            Some(error) => self.heed(now, &error),
            None => self.take_echo(now, packet).unwrap_or(Icmp::Other),
        };
        self.tallies.icmp.add(done);
        match done {
            Icmp::PathMtu | Icmp::Echo => {}
            Icmp::Error | Icmp::Other => self.pass(now, Bypass::Icmp, Original::Packet(packet)),
        }
    }

    /// An ICMP error. Addresses, ports and numbers are the same on both legs, so that its quotation
    /// is valid for its receiver.
    fn heed(&mut self, now: Time, error: &IcmpError) -> Icmp {
        let IcmpError { complaint, quote } = error;
        let ports = [quote.source_port, quote.destination_port];
        let seen = hosts_of(&quote.addresses).and_then(|hosts| self.boxes.find(hosts, ports));
        let Some(seen) = seen else { return Icmp::Other };
        let Seen { number, connection } = seen;
        match *complaint {
            Complaint::TooBig { mtu } => {
                let Some(mtu) = believable(mtu, &quote.addresses) else { return Icmp::Error };
                // The sender may be the box: the quoted number shows it (RFC 5927 §4.1). Looking it
                // up takes time, which is limited for a flood.
                if now < self.quotes_from {
                    return Icmp::Error;
                }
                self.quotes_from = now + BETWEEN_QUOTES;
                if !self.may_be_under_way(&seen, quote.seq) {
                    return Icmp::Error;
                }
                let Some(served) = self.boxes.get_mut(number) else { return Icmp::Error };
                let heeds =
                    served.with(now, |machine, cx| machine.handle_path_mtu(cx, connection, mtu));
                self.mark_active(number);
                match heeds {
                    PmtuHandler::Box => Icmp::PathMtu,
                    PmtuHandler::Sender => Icmp::Error,
                }
            }
            Complaint::Unreachable => {
                if self.openings.refuse(&connection, quote.seq + 1)
                    && let Some(served) = self.boxes.get_mut(number)
                {
                    served.stats.counted.syns.refused += 1;
                    served.machine.forget_opening(now, connection);
                    self.mark_active(number);
                }
                Icmp::Error
            }
            Complaint::TimeExceeded | Complaint::Parameter => Icmp::Error,
        }
    }

    /// Whether a box may have sent a segment of number `seq` that is not acknowledged yet: it is no
    /// further back than all that is under way to the mobile, or an unscaled window.
    fn may_be_under_way(&self, seen: &Seen, seq: Seq) -> bool {
        let back = seen.connection.reversed();
        let next = self.exposures.iter().flatten().find_map(|exposure| {
            if exposure.connection == seen.connection {
                Some(exposure.caller_next)
            } else {
                (exposure.connection == back).then_some(exposure.callee_next)
            }
        });
        let served = self.boxes.get(seen.number);
        let in_flight = served.map_or(0, |served| served.stats.in_flight_to(seen.mobile()));
        let most = in_flight.max(u16::MAX.into()) as u32;
        next.is_some_and(|next| seq.within(next - most, most))
    }

    /// Sends a packet on as it came, at once or when it is its turn.
    fn pass(&mut self, now: Time, reason: Bypass, original: Original<'_>) {
        original.each(|packet| {
            let reason = match self.wait(now, packet) {
                Wait::Waits => return,
                Wait::Passes => reason,
                Wait::NoRoom => Bypass::LimitOthers,
            };
            self.tallies.bypasses.add(reason);
            self.passing.push(packet);
        });
    }
}

/// The minimum time from one examined ICMP error to the next.
const BETWEEN_QUOTES: Duration = Duration::from_millis(10);

/// Whether a box took what it was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shown {
    Taken,
    /// Its connection passes from now on.
    Declined,
}

/// A segment as boxes see it, with this header in place of its own.
pub(super) fn packet_of(
    connection: &Connection,
    segment: &Segment<'_>,
    header: TcpHeader,
) -> Packet<Bytes> {
    let wire::IpFields { ecn, dscp, hop_limit, flow_label } = segment.ip;
    Packet {
        source: connection.source,
        destination: connection.destination,
        ip: middlebox::IpFields { dscp, hop_limit, flow_label },
        segment: tcp::Segment { header, payload: Bytes::copy_from_slice(segment.payload), ecn },
    }
}

pub(super) fn hosts_of(addresses: &Addresses) -> Option<[u128; 2]> {
    Some([hosts::number(addresses.source())?, hosts::number(addresses.destination())?])
}

/// The packet size that a router asks for, if a host may accept it: IPv6 has no link of less than
/// 1,280 (RFC 8201 §4), and old IPv4 routers do not name it (RFC 1191 §5).
fn believable(mtu: u32, addresses: &Addresses) -> Option<u16> {
    let least = match addresses {
        Addresses::V4 { .. } => 68,
        Addresses::V6 { .. } => 1_280,
    };
    u16::try_from(mtu).ok().filter(|&mtu| mtu >= least)
}

#[cfg(test)]
mod tests {
    use base::{Ecn, TcpHeader};
    use middlebox::{Bypasses, Counters, Managed, Middlebox};
    use observe::BoxContext;
    use wire::Payload;

    use super::*;

    /// Forwards everything, and does not count.
    #[derive(Debug)]
    struct Uncounted(Option<Packet<Bytes>>);

    impl Middlebox<Bytes> for Uncounted {
        fn handle_packet(&mut self, _cx: &mut BoxContext<'_>, packet: Packet<Bytes>) {
            self.0 = Some(packet);
        }

        fn handle_timeout(&mut self, _cx: &mut BoxContext<'_>) {}

        fn poll_output(&mut self, _cx: &mut BoxContext<'_>) -> Option<Packet<Bytes>> {
            self.0.take()
        }

        fn poll_timeout(&self) -> Option<Time> {
            None
        }

        fn counters(&self) -> Counters {
            panic!("all mobiles are counted together for one packet");
        }
    }

    impl Managed<Bytes> for Uncounted {
        fn bypasses(&self) -> Bypasses {
            Bypasses::default()
        }
    }

    /// Counting takes time for each mobile: only stats ask for these counters.
    #[test]
    fn no_packet_has_a_box_counted() {
        let text = "[radio]\ninterfaces = ['wl0']\n[wired]\ninterfaces = ['eth0']\n\
                    [[profile]]\nname = 'thin'\nmobiles = ['10.45.0.0/16']\n";
        let config = crate::Config::parse(text, "proxy.toml").expect("a configuration");
        let mut gateway = Gateway::new(&config, [1_500, 1_500], 1);
        gateway.boxes.get_mut(0).expect("a box").machine = Box::new(Uncounted(None));
        let addresses =
            Addresses::V4 { source: [10, 45, 0, 2].into(), destination: [192, 0, 2, 1].into() };
        let mut syn = Vec::new();
        let header = TcpHeader { flags: Flags::SYN, ..TcpHeader::default() };
        wire::emit(&header, Ecn::NotCapable, &addresses, Payload::Bytes(b""), &mut syn)
            .expect("a SYN");
        gateway.handle_packet(Time::ZERO, &syn);
        let mut packet = Vec::new();
        assert!(gateway.poll_packet(Time::ZERO, &mut packet));
        assert_eq!(packet.len(), syn.len());
    }
}
