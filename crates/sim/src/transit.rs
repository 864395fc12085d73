//! Packets at links: enqueued, dequeued, then received or dropped.

use std::collections::BTreeMap;

use base::{Ecn, Flags, Seq, TcpHeader, Time, UdpDatagram};
use observe::{PacketEvent, PacketFact};
use tcp::Length;
use world::{Body, Directory, Ends, Hop, Ipv4, Ipv6, Machine, NodeId, World};

use crate::FlowDirection;

/// A packet at a link or bearer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transit {
    /// The packet's number.
    pub(crate) uid: u64,
    /// The node that it comes from.
    pub(crate) from: u32,
    /// The node where it goes; `None` for a mobile's packet if its access point is unknown.
    pub(crate) to: Option<u32>,
    /// The outermost addresses.
    pub(crate) ends: Ends,
    /// Size at the IP layer in bytes.
    pub(crate) bytes: u32,
    /// Its ECN codepoint when it enters and when it leaves.
    pub(crate) ecn: [Ecn; 2],
    /// Its content; `None` for mobility messages.
    pub(crate) cargo: Option<Cargo>,
}

/// A segment or a datagram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cargo {
    /// Between the connection's own ends, regardless of encapsulation.
    pub(crate) way: FlowDirection,
    pub(crate) flags: Flags,
    pub(crate) kind: Kind,
    pub(crate) position: StreamPosition,
}

/// The kind of a packet for counting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// It takes sequence numbers, or resets the connection.
    Data,
    /// It only acknowledges, as the answer to a SYN does.
    Acknowledgement,
    /// UDP, of the machine with this number.
    Datagram(u32),
}

/// Its position in the stream, in bytes of payload from 0, or the number of its datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StreamPosition {
    /// Before the stream.
    Syn,
    /// From this byte on.
    From(u64),
    /// Acknowledged up to this byte.
    UpTo(u64),
    /// Behind these bytes, which are all: a FIN without payload, or a reset.
    Behind(u64),
    /// The datagram with this number, from 0.
    Number(u64),
}

/// Something that happened to a packet at a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransitEvent {
    pub(crate) time: Time,
    /// Its index in [`Transits::rows`].
    pub(crate) transit: u32,
    pub(crate) event: TransitEventKind,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TransitEventKind {
    Enqueued,
    Dequeued,
    Received,
    Dropped,
}

/// All packets at all links.
#[derive(Debug, Default)]
pub(crate) struct Transits {
    pub(crate) rows: Vec<Transit>,
    /// In order of time once [`Transits::end`] was called.
    pub(crate) events: Vec<TransitEvent>,
    /// By number of the machine.
    far: Vec<Option<Far>>,
    /// Packets between their first and their last event, by machine and packet.
    open: BTreeMap<(u32, u64), Open>,
    streams: BTreeMap<FlowDirection, Stream>,
    /// The content of fragmented packets, by number of the packet or piece.
    cut: BTreeMap<u64, Option<Cargo>>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    transit: u32,
    /// A radio may restart an SDU: the first time counts.
    is_dequeued: bool,
}

/// Where packets come out of a machine.
#[derive(Debug)]
enum Far {
    At(NodeId),
    /// At the end that they do not come from.
    Other([NodeId; 2]),
    /// At this node, or at the mobile that they are for.
    Cell(NodeId),
    Wlan(Box<Directory>),
}

impl Far {
    fn of<B: Body>(machine: &Machine<B>) -> Option<Self> {
        Some(match machine.hop()? {
            Hop::Pipe { to, .. } | Hop::Link { to, .. } => Self::At(*to),
            Hop::Radio(radio) => match *radio.mobiles {
                [mobile] => Self::Other([radio.network, mobile]),
                _ => Self::Cell(radio.network),
            },
            Hop::Wlan { directory, .. } => Self::Wlan(directory.clone()),
        })
    }

    /// The exit of what enters at `from`.
    fn node(&self, from: NodeId, ends: Ends) -> Option<NodeId> {
        match self {
            Self::At(to) => Some(*to),
            Self::Other([one, other]) => Some(if from == *one { *other } else { *one }),
            Self::Cell(network) if from == *network => Some(ends.destination),
            Self::Cell(network) => Some(*network),
            Self::Wlan(directory) => directory.far_end(from, ends),
        }
    }
}

/// One direction of a connection.
#[derive(Clone, Copy, Debug)]
struct Stream {
    isn: Seq,
    /// The highest byte seen so far, which resolves wrapped sequence numbers.
    top: u64,
    /// The bytes before the FIN, and the position of its acknowledgement.
    fin: Option<(u64, StreamPosition)>,
}

impl Stream {
    /// How many bytes of payload lie below `seq`.
    fn offset(&self, seq: Seq) -> u64 {
        let beyond = (seq - self.isn).wrapping_sub(1).wrapping_sub(self.top as u32) as i32;
        self.top.saturating_add_signed(i64::from(beyond))
    }
}

impl Transits {
    /// An empty record for the links of `world`.
    pub(crate) fn new<B: Body>(world: &World<B>) -> Self {
        let far = world.machines().map(|(_, _, machine)| Far::of(machine)).collect();
        Self { far, ..Self::default() }
    }

    /// A packet was handed to a machine, or came out of it.
    pub(crate) fn packet(&mut self, now: Time, fact: &PacketFact<'_>) {
        let key = (fact.machine, fact.uid);
        let event = match fact.event {
            PacketEvent::Departed | PacketEvent::Arrived | PacketEvent::Corrupted => return,
            PacketEvent::Duplicated(of) => return self.double(now, fact, of),
            PacketEvent::Entered => return self.enter(now, fact),
            PacketEvent::Left => TransitEventKind::Received,
            PacketEvent::Dropped(_) => TransitEventKind::Dropped,
        };
        // Drops by hosts and agents are not at a link.
        let Some(Open { transit, .. }) = self.open.remove(&key) else { return };
        if event == TransitEventKind::Received && fact.node.is_none() {
            // Each mobile is sent a copy instead, at once.
            self.rows.pop();
            self.events.pop();
            return;
        }
        let left = &mut self.rows[transit as usize];
        left.ecn[1] = ecn(fact);
        left.to = fact.node.or(left.to);
        self.events.push(TransitEvent { time: now, transit, event });
    }

    /// It leaves the queue at `time`.
    pub(crate) fn dequeued(&mut self, time: Time, machine: u32, uid: u64) {
        let Some(open) = self.open.get_mut(&(machine, uid)) else { return };
        if !std::mem::replace(&mut open.is_dequeued, true) {
            let event = TransitEventKind::Dequeued;
            self.events.push(TransitEvent { time, transit: open.transit, event });
        }
    }

    /// The run ends at `until`: events that were recorded for later have not happened.
    pub(crate) fn end(&mut self, until: Time) {
        self.events.retain(|step| step.time <= until);
        self.events.sort_by_key(|step| step.time);
    }

    /// Packet number `of` comes out of a link twice.
    fn double(&mut self, now: Time, fact: &PacketFact<'_>, of: u64) {
        let Some(open) = self.open.get(&(fact.machine, of)) else { return };
        let transit = self.rows.len() as u32;
        self.rows.push(Transit { uid: fact.uid, ..self.rows[open.transit as usize] });
        for event in [TransitEventKind::Enqueued, TransitEventKind::Dequeued] {
            self.events.push(TransitEvent { time: now, transit, event });
        }
        self.open.insert((fact.machine, fact.uid), Open { transit, is_dequeued: true });
    }

    fn enter(&mut self, now: Time, fact: &PacketFact<'_>) {
        let ends = Ends { source: NodeId(fact.source), destination: NodeId(fact.destination) };
        let from = fact.node.unwrap_or(fact.source);
        let far = self.far.get(fact.machine as usize).and_then(Option::as_ref);
        let to = far.and_then(|far| far.node(NodeId(from), ends)).map(|node| node.0);
        let cargo = self.cargo(fact, ends);
        let (uid, bytes, ecn) = (fact.uid, fact.bytes, [ecn(fact); 2]);
        let transit = self.rows.len() as u32;
        self.rows.push(Transit { uid, from, to, ends, bytes, ecn, cargo });
        self.events.push(TransitEvent { time: now, transit, event: TransitEventKind::Enqueued });
        self.open.insert((fact.machine, uid), Open { transit, is_dequeued: false });
    }

    fn cargo(&mut self, fact: &PacketFact<'_>, outer: Ends) -> Option<Cargo> {
        let body = fact.body.downcast_ref::<Ipv6<Length>>();
        let within = body.and_then(|body| body.wraps().first()).map_or(outer, |(ends, _)| *ends);
        let piece = body.and_then(|body| body.pieces().first());
        let cargo = match (fact.header, fact.udp, piece) {
            (Some(header), _, _) => Some(self.segment(within, header, fact.payload)),
            (None, Some(udp), _) => Some(datagram(within, udp)),
            (None, None, Some(piece)) => self.cut.get(&piece.of).copied().flatten(),
            (None, None, None) => None,
        };
        if piece.is_some() {
            self.cut.insert(fact.uid, cargo);
        }
        cargo
    }

    fn segment(&mut self, ends: Ends, header: &TcpHeader, payload: u32) -> Cargo {
        let nodes = [ends.source.0, ends.destination.0];
        let way = FlowDirection { nodes, ports: [header.source_port, header.destination_port] };
        let (kind, position) = self.position(way, header, payload);
        Cargo { way, flags: header.flags, kind, position }
    }

    fn position(
        &mut self,
        way: FlowDirection,
        header: &TcpHeader,
        payload: u32,
    ) -> (Kind, StreamPosition) {
        let has = |flag| header.flags.contains(flag);
        if has(Flags::SYN) {
            let new = Stream { isn: header.seq, top: 0, fin: None };
            let own = self.streams.entry(way).or_insert(new);
            if own.isn != header.seq {
                *own = new;
            }
            let answers = has(Flags::ACK);
            return if answers {
                (Kind::Acknowledgement, StreamPosition::UpTo(0))
            } else {
                (Kind::Data, StreamPosition::Syn)
            };
        }
        if payload == 0 && !has(Flags::FIN) && !has(Flags::RST) {
            let other = self.streams.get(&way.reversed());
            let acked = other.map_or(0, |other| other.offset(header.ack));
            let fin = other.and_then(|other| other.fin).filter(|(bytes, _)| acked > *bytes);
            let position = fin.map_or(StreamPosition::UpTo(acked), |(_, position)| position);
            return (Kind::Acknowledgement, position);
        }
        let Some(own) = self.streams.get_mut(&way) else {
            return (Kind::Data, StreamPosition::Behind(0));
        };
        let offset = own.offset(header.seq);
        let end = offset + u64::from(payload);
        own.top = own.top.max(end);
        if has(Flags::FIN) {
            let acknowledged =
                if payload > 0 { StreamPosition::UpTo(end) } else { StreamPosition::Behind(end) };
            own.fin.get_or_insert((end, acknowledged));
        }
        let position =
            if payload > 0 { StreamPosition::From(offset) } else { StreamPosition::Behind(offset) };
        (Kind::Data, position)
    }
}

fn datagram(ends: Ends, udp: &UdpDatagram) -> Cargo {
    let nodes = [ends.source.0, ends.destination.0];
    let way = FlowDirection { nodes, ports: [udp.source_port, udp.destination_port] };
    let (kind, position) = (Kind::Datagram(udp.sender), StreamPosition::Number(udp.number));
    Cargo { way, flags: Flags::NONE, kind, position }
}

/// The ECN codepoint of a packet; none for a datagram.
pub(crate) fn ecn(fact: &PacketFact<'_>) -> Ecn {
    match fact.body.downcast_ref() {
        Some(Ipv4::<Length>::Segment(segment)) => segment.ecn,
        Some(Ipv4::Datagram(_) | Ipv4::Echo(_)) => Ecn::default(),
        None => fact.body.downcast_ref::<Ipv6<Length>>().map(Body::ecn).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORTH: FlowDirection = FlowDirection { nodes: [0, 1], ports: [20, 1024] };
    const FIRST: Seq = Seq::new(u32::MAX - 500);

    fn header(flags: Flags, seq: Seq, ack: Seq) -> TcpHeader {
        TcpHeader { seq, ack, flags, ..TcpHeader::default() }
    }

    /// A connection whose SYNs have crossed.
    fn open() -> Transits {
        let mut transits = Transits::default();
        let (syn, answer) = (Flags::SYN, Flags::SYN | Flags::ACK);
        let located = transits.position(FORTH, &header(syn, FIRST, Seq::new(0)), 0);
        assert_eq!(located, (Kind::Data, StreamPosition::Syn));
        let back = FORTH.reversed();
        let located = transits.position(back, &header(answer, FIRST, FIRST + 1), 0);
        assert_eq!(located, (Kind::Acknowledgement, StreamPosition::UpTo(0)));
        transits
    }

    /// The positions of a segment in the forward direction, and of the acknowledgement of all of
    /// it.
    fn send(
        transits: &mut Transits,
        flags: Flags,
        offset: u64,
        payload: u32,
    ) -> [StreamPosition; 2] {
        let seq = FIRST + 1 + offset as u32;
        let (kind, position) = transits.position(FORTH, &header(flags, seq, FIRST + 1), payload);
        assert_eq!(kind, Kind::Data);
        let end = seq + payload + u32::from(flags.contains(Flags::FIN));
        let ack = header(Flags::ACK, FIRST + 1, end);
        let (kind, acknowledged) = transits.position(FORTH.reversed(), &ack, 0);
        assert_eq!(kind, Kind::Acknowledgement);
        [position, acknowledged]
    }

    const fn from_up_to(from: u64, to: u64) -> [StreamPosition; 2] {
        [StreamPosition::From(from), StreamPosition::UpTo(to)]
    }

    #[test]
    fn bytes_are_counted_beyond_the_wrap_of_sequence_numbers() {
        let mut transits = open();
        let mut offset = 0;
        while offset < 1 << 34 {
            let located = send(&mut transits, Flags::ACK, offset, 1 << 30);
            assert_eq!(located, from_up_to(offset, offset + (1 << 30)));
            offset += 1 << 30;
        }
        let again = send(&mut transits, Flags::ACK, offset - 3000, 1000);
        assert_eq!(again, from_up_to(offset - 3000, offset - 2000));
    }

    #[test]
    fn a_fin_has_a_number_of_its_own_if_it_travels_alone() {
        let fin = Flags::FIN | Flags::ACK;
        let mut alone = open();
        send(&mut alone, Flags::ACK, 0, 1000);
        assert_eq!(send(&mut alone, fin, 1000, 0), [StreamPosition::Behind(1000); 2]);
        let mut riding = open();
        assert_eq!(send(&mut riding, fin, 0, 1000), from_up_to(0, 1000));
    }

    #[test]
    fn what_answers_nobody_is_a_reset_at_the_beginning() {
        let mut transits = Transits::default();
        let reset = header(Flags::RST, Seq::new(77), Seq::new(0));
        assert_eq!(transits.position(FORTH, &reset, 0), (Kind::Data, StreamPosition::Behind(0)));
    }
}
