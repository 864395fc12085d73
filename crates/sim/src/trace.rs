//! The observer that records every packet and block.

use std::collections::BTreeMap;

use base::{Ecn, Flags, Seq, TcpHeader, Time, UdpDatagram};
use observe::{BlockFact, Observe, PacketEvent, PacketFact, PowerFact, RatioFact, TcpFact};
use tcp::Length;
use world::{Body, Ends, Ipv6, NodeId, Side, World};

use crate::Metrics;
use crate::energy::{PowerRow, PowerTrace};
use crate::flow::Timed;
use crate::queue::{QueueRow, Queues};
use crate::transit::{self, Transits};

/// The most that a window is shifted (RFC 7323 §2.3).
const SCALE_MAX: u8 = 14;

/// A segment as it left or reached an endpoint or a middlebox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentRow {
    /// When.
    pub time: Time,
    /// The machine number of the endpoint or middlebox.
    pub endpoint: u32,
    /// [`PacketEvent::Departed`] or [`PacketEvent::Arrived`].
    pub event: PacketEvent,
    /// The packet's number.
    pub uid: u64,
    /// Its source and destination hosts and ports.
    pub way: FlowDirection,
    /// The code point of its service.
    pub dscp: u8,
    /// Codepoint of the ECN field in its IP header.
    pub ecn: Ecn,
    /// Its TCP header.
    pub header: TcpHeader,
    /// Sequence number counted from the connection's first: 0 is the SYN.
    pub relative_seq: u32,
    /// Acknowledgement counted in the same way; 0 without the ACK flag.
    pub relative_ack: u32,
    /// The window that it announces in bytes, scaled (RFC 7323 §2.3).
    pub window: u32,
    /// The first range that it acknowledges selectively (RFC 2018 §4: the most recent one), from
    /// and up to but without, counted as the acknowledgement is.
    pub sack: Option<[u32; 2]>,
    /// Bytes of TCP payload.
    pub payload: u32,
    /// How often these bytes had been sent then, this time included; 0 for a segment that
    /// arrived or carries no data.
    pub transmission: u32,
}

/// A packet at a link or bearer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HopRow {
    /// When.
    pub time: Time,
    /// The packet's number.
    pub uid: u64,
    /// The machine's number.
    pub machine: u32,
    /// Neither [`PacketEvent::Departed`] nor [`PacketEvent::Arrived`].
    pub event: PacketEvent,
}

/// A packet at an interface of a node in a mobile network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PassageRow {
    pub(crate) time: Time,
    pub(crate) node: u32,
    /// The number of the link.
    pub(crate) machine: u32,
    /// [`PacketEvent::Entered`], from the node, or [`PacketEvent::Left`], to it.
    pub(crate) event: PacketEvent,
    /// Its form, as an index into [`Trace::forms`].
    pub(crate) form: usize,
}

/// A UDP datagram at an interface of a node in a network of IPv4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DatagramPassage {
    pub(crate) time: Time,
    pub(crate) node: u32,
    /// Its source and destination nodes.
    pub(crate) nodes: [u32; 2],
    /// The code point of its service.
    pub(crate) dscp: u8,
    pub(crate) datagram: UdpDatagram,
}

/// A packet of a mobile network, until it is encapsulated, decapsulated or fragmented.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) ends: Ends,
    pub(crate) bytes: u32,
    pub(crate) body: Ipv6<Length>,
}

/// Everything that happened, in order of time.
#[derive(Debug, Default)]
pub struct Trace {
    /// Segments at the endpoints and at middleboxes.
    pub segments: Vec<SegmentRow>,
    /// Packets at links and bearers.
    pub hops: Vec<HopRow>,
    /// Radio blocks, at the start of their TTIs.
    pub blocks: Vec<Timed<BlockFact>>,
    /// The ratios of signal to noise that they met, one for each change.
    pub ratios: Vec<Timed<RatioFact>>,
    /// What the radios of mobiles draw.
    pub(crate) power: PowerTrace,
    /// UDP datagrams at interfaces of nodes.
    pub(crate) datagrams: Vec<DatagramPassage>,
    /// Packets at interfaces of nodes.
    pub(crate) passages: Vec<PassageRow>,
    /// The forms of packets, one for each change.
    pub(crate) forms: Vec<Form>,
    /// The last of them, by number of the packet.
    last_forms: BTreeMap<u64, usize>,
    /// Packets that came to queues, left them or were dropped.
    pub queues: Vec<QueueRow>,
    /// The same, while it is being recorded.
    recorder: Queues,
    /// The content of an ns-2 trace file, if that was requested.
    pub(crate) transits: Option<Transits>,
    /// The transmission number of the packet about to depart.
    transmission: u32,
    /// What each machine knows of the directions of connections.
    directions: BTreeMap<(u32, FlowDirection), DirectionState>,
}

/// The direction of a flow: source and destination hosts and ports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FlowDirection {
    /// The numbers of the nodes.
    pub nodes: [u32; 2],
    /// The ports.
    pub ports: [u16; 2],
}

impl FlowDirection {
    /// The opposite direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        let Self { nodes: [from, to], ports: [source, destination] } = self;
        Self { nodes: [to, from], ports: [destination, source] }
    }
}

/// What a machine knows of one direction of a connection.
#[derive(Clone, Debug, Default)]
struct DirectionState {
    syn: Syn,
    /// How often a middlebox has sent the segment that begins with a byte.
    sent: BTreeMap<u32, u32>,
}

/// What a SYN says about the segments after it.
#[derive(Clone, Copy, Debug, Default)]
struct Syn {
    isn: Seq,
    window_scale: Option<u8>,
}

impl Trace {
    /// An empty trace of `world`; with `is_ns2` of what a trace file of ns-2 tells as well.
    pub(crate) fn new<B: Body>(world: &World<B>, is_ns2: bool) -> Self {
        let transits = is_ns2.then(|| Transits::new(world));
        let (recorder, power) = (Queues::new(world), PowerTrace::new(world));
        Self { power, recorder, transits, ..Self::default() }
    }

    /// The run ends at `until`: what was recorded for later has not happened.
    pub(crate) fn end(&mut self, until: Time) {
        self.queues = std::mem::take(&mut self.recorder).rows(until);
        if let Some(transits) = &mut self.transits {
            transits.end(until);
        }
    }

    /// What the radios of mobiles drew, from the start on, in order of time.
    #[must_use]
    pub fn power(&self) -> &[PowerRow] {
        &self.power.rows
    }

    /// Flow of each segment, and where it goes: 0 to the receiver, 1 to the sender. A middlebox
    /// knows connections by their hosts and ports, as its flows' endpoints told before.
    #[must_use]
    pub fn flows(&self, metrics: &Metrics) -> Vec<(u32, u8)> {
        let mut by_way: BTreeMap<FlowDirection, (u32, u8)> = BTreeMap::new();
        let flow = |row: &SegmentRow| {
            let Some((flow, end)) = metrics.flow_of(row.endpoint) else {
                return by_way.get(&row.way).copied().unwrap_or_default();
            };
            let towards = match (end, row.event == PacketEvent::Departed) {
                (Side::Sender, true) | (Side::Receiver, false) => 0,
                (Side::Sender, false) | (Side::Receiver, true) => 1,
            };
            by_way.insert(row.way, (flow as u32, towards));
            by_way.insert(row.way.reversed(), (flow as u32, 1 - towards));
            (flow as u32, towards)
        };
        self.segments.iter().map(flow).collect()
    }

    /// True if it holds the content of a trace file of ns-2.
    #[must_use]
    pub const fn has_ns2(&self) -> bool {
        self.transits.is_some()
    }

    fn segment(&mut self, now: Time, fact: &PacketFact<'_>, header: TcpHeader) {
        let nodes = [fact.source, fact.destination];
        let way = FlowDirection { nodes, ports: [header.source_port, header.destination_port] };
        let other = self.directions.get(&(fact.machine, way.reversed()));
        let other = other.map(|direction| direction.syn).unwrap_or_default();
        let direction = self.directions.entry((fact.machine, way)).or_default();
        let opens = header.flags.contains(Flags::SYN);
        if opens {
            let syn = Syn { isn: header.seq, window_scale: header.options.window_scale };
            *direction = DirectionState { syn, ..DirectionState::default() };
        }
        let own = direction.syn;
        let relative_seq = header.seq - own.isn;
        let mut transmission = std::mem::take(&mut self.transmission);
        // A middlebox does not report how often it has sent something.
        if fact.event == PacketEvent::Departed && fact.payload > 0 && transmission == 0 {
            let sent = direction.sent.entry(relative_seq).or_default();
            *sent += 1;
            transmission = *sent;
        }
        // Scaled only if both SYNs offer it, and never on a SYN (RFC 7323 §2.2).
        let scale = match (own.window_scale, other.window_scale) {
            (Some(shift), Some(_)) if !opens => shift.min(SCALE_MAX),
            _ => 0,
        };
        let acknowledges = header.flags.contains(Flags::ACK);
        let sack = header.options.sack.as_slice().first();
        self.segments.push(SegmentRow {
            time: now,
            endpoint: fact.machine,
            event: fact.event,
            uid: fact.uid,
            way,
            dscp: fact.dscp,
            ecn: transit::ecn(fact),
            header,
            relative_seq,
            relative_ack: if acknowledges { header.ack - other.isn } else { 0 },
            window: u32::from(header.window) << scale,
            sack: sack.map(|block| block.map(|edge| edge - other.isn)),
            payload: fact.payload,
            transmission,
        });
    }

    /// A packet has passed an interface of `node`.
    fn passage(&mut self, now: Time, fact: &PacketFact<'_>, node: u32, body: &Ipv6<Length>) {
        let [source, destination] = [fact.source, fact.destination].map(NodeId);
        let ends = Ends { source, destination };
        let last = self.last_forms.get(&fact.uid).copied();
        let is_same = |form: &Form| {
            (form.ends, form.bytes, form.body.ecn()) == (ends, fact.bytes, body.ecn())
        };
        let form = last.filter(|last| is_same(&self.forms[*last])).unwrap_or_else(|| {
            self.forms.push(Form { ends, bytes: fact.bytes, body: body.clone() });
            self.forms.len() - 1
        });
        self.last_forms.insert(fact.uid, form);
        let (machine, event) = (fact.machine, fact.event);
        self.passages.push(PassageRow { time: now, node, machine, event, form });
    }
}

impl Observe for Trace {
    const DEQUEUES: bool = true;

    fn dequeued(&mut self, time: Time, machine: u32, uid: u64) {
        self.recorder.dequeued(time, machine, uid);
        if let Some(transits) = &mut self.transits {
            transits.dequeued(time, machine, uid);
        }
    }

    fn packet(&mut self, now: Time, fact: &PacketFact<'_>) {
        self.recorder.packet(now, fact);
        if let Some(transits) = &mut self.transits {
            transits.packet(now, fact);
        }
        match fact.event {
            PacketEvent::Departed | PacketEvent::Arrived => {
                if let Some(&header) = fact.header {
                    self.segment(now, fact, header);
                }
            }
            PacketEvent::Entered
            | PacketEvent::Left
            | PacketEvent::Dropped(_)
            | PacketEvent::Duplicated(_)
            | PacketEvent::Corrupted => {
                let PacketFact { event, machine, uid, .. } = *fact;
                self.hops.push(HopRow { time: now, uid, machine, event });
                let Some(node) = fact.node else { return };
                if let Some(body) = fact.body.downcast_ref() {
                    self.passage(now, fact, node, body);
                } else if let Some(&datagram) = fact.udp {
                    let (nodes, dscp) = ([fact.source, fact.destination], fact.dscp);
                    let passage = DatagramPassage { time: now, node, nodes, dscp, datagram };
                    self.datagrams.push(passage);
                }
            }
        }
    }

    fn tcp(&mut self, _now: Time, _endpoint: u32, fact: TcpFact) {
        if let TcpFact::Sent { transmission, .. } = fact {
            self.transmission = transmission;
        }
    }

    fn power(&mut self, now: Time, fact: PowerFact) {
        self.power.add(now, fact);
    }

    fn block(&mut self, now: Time, fact: BlockFact) {
        self.blocks.push(Timed { time: now, fact });
    }

    fn ratio(&mut self, now: Time, fact: RatioFact) {
        self.ratios.push(Timed { time: now, fact });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Options, SackBlocks};

    const FIRST: Seq = Seq::new(u32::MAX - 10);

    /// The row of a segment without payload, seen at one endpoint.
    fn see(trace: &mut Trace, event: PacketEvent, header: TcpHeader) -> SegmentRow {
        let header = Some(&header);
        let [source, destination] = if event == PacketEvent::Departed { [0, 1] } else { [1, 0] };
        let fact = PacketFact {
            event,
            machine: 1,
            uid: 0,
            source,
            destination,
            bytes: 40,
            dscp: 0,
            header,
            udp: None,
            payload: 0,
            departed: None,
            node: None,
            body: &(),
        };
        trace.packet(Time::ZERO, &fact);
        trace.segments[trace.segments.len() - 1]
    }

    fn syn(flags: Flags, window_scale: Option<u8>) -> TcpHeader {
        let options = Options { window_scale, ..Options::default() };
        TcpHeader {
            seq: FIRST,
            ack: FIRST + 1,
            flags,
            window: 100,
            options,
            ..TcpHeader::default()
        }
    }

    fn window(own: Option<u8>, peer: Option<u8>) -> (u32, u32) {
        let mut trace = Trace::default();
        see(&mut trace, PacketEvent::Departed, syn(Flags::SYN, own));
        let answer = see(&mut trace, PacketEvent::Arrived, syn(Flags::SYN | Flags::ACK, peer));
        let later = see(&mut trace, PacketEvent::Arrived, syn(Flags::ACK, None));
        (answer.window, later.window)
    }

    #[test]
    fn windows_are_scaled_after_the_syn_if_both_offer_it() {
        assert_eq!(window(Some(0), Some(3)), (100, 800));
        assert_eq!(window(None, Some(3)), (100, 100));
        assert_eq!(window(Some(3), None), (100, 100));
        assert_eq!(window(Some(0), Some(255)), (100, 100 << 14));
    }

    #[test]
    fn selective_acknowledgements_are_counted_from_the_syn() {
        let mut trace = Trace::default();
        see(&mut trace, PacketEvent::Departed, syn(Flags::SYN, None));
        let mut header = syn(Flags::ACK, None);
        assert_eq!(see(&mut trace, PacketEvent::Arrived, header).sack, None);
        let mut sack = SackBlocks::NONE;
        sack.push(FIRST + 101, FIRST + 201);
        sack.push(FIRST + 301, FIRST + 401);
        header.options.sack = sack;
        let row = see(&mut trace, PacketEvent::Arrived, header);
        assert_eq!((row.relative_ack, row.sack), (1, Some([101, 201])));
    }
}
