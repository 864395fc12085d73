//! What a measurement sees of a running world.
//!
//! Machines tell an observer the facts of their layer as they happen; observers (metrics, traces,
//! captures) never answer. An observer with `ON = false` costs nothing: every call compiles away.

use std::any::Any;

use crate::{
    CodeFact, CommonFact, ConnectionFact, Duration, EchoFact, HandoverFact, MiddleboxFact,
    MobilityFact, PageFact, RrcFact, Seq, TcpHeader, Time, UdpDatagram,
};

/// A sink for facts. Each method does nothing unless a sink wants that kind of fact.
pub trait Observe {
    /// False if nothing is recorded, so that work done only to record can be left out.
    const ON: bool = true;

    /// True if it is to be told of packets dequeued, which machines find out only then.
    const DEQUEUES: bool = false;

    /// A packet left or reached an endpoint or a middlebox, or entered, left or was dropped at a
    /// link or bearer.
    fn packet(&mut self, _now: Time, _fact: &PacketFact<'_>) {}

    /// Packet `uid` leaves the queue of link or bearer number `machine` at `time`, when its first
    /// bit is sent. Told as soon as it is known: of a pipe, when the packet enters.
    fn dequeued(&mut self, _time: Time, _machine: u32, _uid: u64) {}

    /// Something happened inside TCP endpoint number `endpoint`.
    fn tcp(&mut self, _now: Time, _endpoint: u32, _fact: TcpFact) {}

    /// A radio block was sent.
    fn block(&mut self, _now: Time, _fact: BlockFact) {}

    /// An RRC connection changed its state.
    fn rrc(&mut self, _now: Time, _fact: RrcFact) {}

    /// A code was allocated or released, or none was to be had.
    fn code(&mut self, _now: Time, _fact: CodeFact) {}

    /// A mobile's set of cells changed.
    fn handover(&mut self, _now: Time, _fact: HandoverFact) {}

    /// A common channel was used in the TTI that begins.
    fn common(&mut self, _now: Time, _fact: CommonFact) {}

    /// A page has arrived at the browser of TCP endpoint number `endpoint`.
    fn page(&mut self, _now: Time, _endpoint: u32, _fact: PageFact) {}

    /// What was typed at TCP endpoint number `endpoint` has come back.
    fn echo(&mut self, _now: Time, _endpoint: u32, _fact: EchoFact) {}

    /// An application opened a connection.
    fn connection(&mut self, _now: Time, _fact: ConnectionFact) {}

    /// Something happened inside middlebox number `machine`.
    fn middlebox(&mut self, _now: Time, _machine: u32, _fact: MiddleboxFact) {}

    /// Something happened in mobility agent number `machine`.
    fn mobility(&mut self, _now: Time, _machine: u32, _fact: MobilityFact) {}
}

/// The observer that sees nothing.
impl Observe for () {
    const ON: bool = false;
}

/// Two observers, both told.
impl<A: Observe, B: Observe> Observe for (A, B) {
    const ON: bool = A::ON || B::ON;
    const DEQUEUES: bool = A::DEQUEUES || B::DEQUEUES;

    fn packet(&mut self, now: Time, fact: &PacketFact<'_>) {
        self.0.packet(now, fact);
        self.1.packet(now, fact);
    }

    fn dequeued(&mut self, time: Time, machine: u32, uid: u64) {
        self.0.dequeued(time, machine, uid);
        self.1.dequeued(time, machine, uid);
    }

    fn tcp(&mut self, now: Time, endpoint: u32, fact: TcpFact) {
        self.0.tcp(now, endpoint, fact);
        self.1.tcp(now, endpoint, fact);
    }

    fn block(&mut self, now: Time, fact: BlockFact) {
        self.0.block(now, fact);
        self.1.block(now, fact);
    }

    fn rrc(&mut self, now: Time, fact: RrcFact) {
        self.0.rrc(now, fact);
        self.1.rrc(now, fact);
    }

    fn code(&mut self, now: Time, fact: CodeFact) {
        self.0.code(now, fact);
        self.1.code(now, fact);
    }

    fn handover(&mut self, now: Time, fact: HandoverFact) {
        self.0.handover(now, fact);
        self.1.handover(now, fact);
    }

    fn common(&mut self, now: Time, fact: CommonFact) {
        self.0.common(now, fact);
        self.1.common(now, fact);
    }

    fn page(&mut self, now: Time, endpoint: u32, fact: PageFact) {
        self.0.page(now, endpoint, fact);
        self.1.page(now, endpoint, fact);
    }

    fn echo(&mut self, now: Time, endpoint: u32, fact: EchoFact) {
        self.0.echo(now, endpoint, fact);
        self.1.echo(now, endpoint, fact);
    }

    fn connection(&mut self, now: Time, fact: ConnectionFact) {
        self.0.connection(now, fact);
        self.1.connection(now, fact);
    }

    fn middlebox(&mut self, now: Time, machine: u32, fact: MiddleboxFact) {
        self.0.middlebox(now, machine, fact);
        self.1.middlebox(now, machine, fact);
    }

    fn mobility(&mut self, now: Time, machine: u32, fact: MobilityFact) {
        self.0.mobility(now, machine, fact);
        self.1.mobility(now, machine, fact);
    }
}

/// What happened to a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketEvent {
    /// An endpoint or a middlebox sent it. What a middlebox sends is a packet of its own.
    Departed,
    /// An endpoint or a middlebox received it.
    Arrived,
    /// A link or bearer took it in.
    Entered,
    /// A link or bearer handed it on.
    Left,
    /// A link or bearer dropped it, on arrival or later.
    Dropped(DropReason),
}

/// Why a link or bearer dropped a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropReason {
    /// The queue was full.
    Queue,
    /// Active queue management (RFC 7567): RED or `CoDel`.
    Aqm,
    /// Lost at random.
    Loss,
    /// It was on the list of packets to drop.
    List,
    /// The link was out.
    Outage,
    /// Taken in by a radio bearer, then given up by RLC or not restored by PDCP.
    Discarded,
    /// Nobody heard it: its mobile is not, or no longer, where it was sent.
    Unreachable,
    /// A piece of a packet whose other pieces did not come (RFC 8200 §4.5).
    Incomplete,
    /// Larger than the tunnel takes that it came to, which told its source (RFC 2473 §7.1).
    TooBig,
}

impl DropReason {
    /// Every reason, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Queue,
        Self::Aqm,
        Self::Loss,
        Self::List,
        Self::Outage,
        Self::Discarded,
        Self::Unreachable,
        Self::Incomplete,
        Self::TooBig,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Aqm => "aqm",
            Self::Loss => "loss",
            Self::List => "list",
            Self::Outage => "outage",
            Self::Discarded => "discarded",
            Self::Unreachable => "unreachable",
            Self::Incomplete => "incomplete",
            Self::TooBig => "too_big",
        }
    }
}

/// A packet somewhere on its way.
#[derive(Clone, Copy, Debug)]
pub struct PacketFact<'a> {
    /// What happened.
    pub event: PacketEvent,
    /// The number of the machine (endpoint, middlebox, link or bearer) where it happened.
    pub machine: u32,
    /// The packet's number in this run; later packets have higher ones.
    pub uid: u64,
    /// The number of the node that it comes from.
    pub source: u32,
    /// The number of the node where it goes.
    pub destination: u32,
    /// Size at the IP layer in bytes.
    pub bytes: u32,
    /// Its TCP header, where it has one.
    pub header: Option<&'a TcpHeader>,
    /// The UDP datagram, where it is one.
    pub udp: Option<&'a UdpDatagram>,
    /// Bytes of TCP or UDP payload.
    pub payload: u32,
    /// When an endpoint sent it; `None` of what something on the way has made.
    pub departed: Option<Time>,
    /// The node at whose interface it passed: which gave it to the link or bearer, or which that
    /// handed it to. `None` of what passes no interface.
    pub node: Option<u32>,
    /// What it carries, for observers that know its kind.
    pub body: &'a dyn Any,
}

/// One round-trip time of one data segment that was sent once (Karn's rule), and whose
/// acknowledgement did not wait for another to be sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RttSample {
    /// Stream offset of the segment's first byte.
    pub offset: u64,
    /// From its transmission to the acknowledgement that covers it.
    pub rtt: Duration,
}

/// Something that happened inside a TCP endpoint. Offsets count payload bytes of one direction
/// of the stream from 0; they do not wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TcpFact {
    /// The three-way handshake is done, for this side.
    Established {
        /// The initial sequence number of what this side sends.
        local_isn: Seq,
    },
    /// A data segment was handed out.
    Sent {
        /// Offset of its first byte.
        offset: u64,
        /// Bytes of payload.
        length: u32,
        /// 1 for the first transmission of these bytes.
        transmission: u32,
    },
    /// A data segment arrived.
    Data {
        /// Offset of its first byte.
        offset: u64,
        /// Bytes of payload.
        length: u32,
        /// How many of them had not arrived before.
        fresh: u32,
        /// The in-order offset after it: everything below has been delivered.
        delivered: u64,
    },
    /// The peer acknowledged everything below `offset`.
    Acked {
        /// The lowest byte not acknowledged.
        offset: u64,
    },
    /// A round-trip time was measured.
    Rtt(RttSample),
    /// The congestion window or the slow-start threshold changed.
    Window {
        /// Congestion window in bytes, with fast recovery's inflation.
        cwnd: u64,
        /// Slow-start threshold in bytes.
        ssthresh: u64,
    },
    /// What the controller holds for the round-trip time without queues changed, where it goes by
    /// one (Vegas's baseRTT).
    BaseRtt {
        /// From now on.
        rtt: Duration,
    },
    /// The retransmission timer fired, for data or for the SYN.
    Timeout {
        /// Offset of the oldest byte not acknowledged.
        offset: u64,
        /// The time-out that ran out, back-off included.
        rto: Duration,
    },
    /// A segment was sent again on duplicate acknowledgements.
    FastRetransmit {
        /// Offset of its first byte.
        offset: u64,
    },
    /// The connection is over: both sides closed it, or it was reset or given up.
    Closed,
}

/// The two directions of a radio bearer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Towards the mobile.
    Downlink,
    /// From the mobile.
    Uplink,
}

/// What a radio block carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// A data PDU sent for the first time.
    Data,
    /// A data PDU sent again.
    Retransmission,
    /// Control: a status report, a window move or a reset.
    Control,
}

/// A radio block on the air. It was sent in the TTI that starts at the time of the fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockFact {
    /// The number of the bearer's machine.
    pub machine: u32,
    /// Its direction.
    pub direction: Direction,
    /// RLC sequence number; 0 for control.
    pub sn: u16,
    /// What it carried.
    pub kind: BlockKind,
    /// True if the poll bit was set.
    pub poll: bool,
    /// True if the block arrived in error.
    pub error: bool,
}
