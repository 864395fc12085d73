//! The observer that records every packet and block.

use base::{BlockFact, Flags, Observe, PacketEvent, PacketFact, Seq, TcpFact, TcpHeader, Time};

/// A segment as it left or reached an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentRow {
    /// When.
    pub time: Time,
    /// The endpoint's machine number.
    pub endpoint: u32,
    /// [`PacketEvent::Departed`] or [`PacketEvent::Arrived`].
    pub event: PacketEvent,
    /// The packet's number.
    pub uid: u64,
    /// Its TCP header.
    pub header: TcpHeader,
    /// Sequence number counted from the connection's first: 0 is the SYN.
    pub relative_seq: u32,
    /// Acknowledgement counted in the same way; 0 without the ACK flag.
    pub relative_ack: u32,
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
    /// [`PacketEvent::Entered`], [`PacketEvent::Left`] or [`PacketEvent::Dropped`].
    pub event: PacketEvent,
}

/// A radio block on the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockRow {
    /// Start of its TTI.
    pub time: Time,
    /// What it was.
    pub fact: BlockFact,
}

/// Everything that happened, in order of time.
#[derive(Debug, Default)]
pub struct Trace {
    /// Segments at the endpoints.
    pub segments: Vec<SegmentRow>,
    /// Packets at links and bearers.
    pub hops: Vec<HopRow>,
    /// Radio blocks.
    pub blocks: Vec<BlockRow>,
    /// The transmission that the packet about to depart is.
    transmission: u32,
    /// By endpoint: the initial sequence numbers of what it sends and of what it receives.
    isns: Vec<Isns>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Isns {
    sent: Seq,
    received: Seq,
}

impl Trace {
    fn segment(&mut self, now: Time, fact: &PacketFact<'_>, header: TcpHeader) {
        let index = fact.machine as usize;
        if self.isns.len() <= index {
            self.isns.resize(index + 1, Isns::default());
        }
        let isns = &mut self.isns[index];
        let (own, other) = match fact.event {
            PacketEvent::Departed => (&mut isns.sent, isns.received),
            PacketEvent::Arrived
            | PacketEvent::Entered
            | PacketEvent::Left
            | PacketEvent::Dropped => (&mut isns.received, isns.sent),
        };
        if header.flags.contains(Flags::SYN) {
            *own = header.seq;
        }
        let acknowledges = header.flags.contains(Flags::ACK);
        self.segments.push(SegmentRow {
            time: now,
            endpoint: fact.machine,
            event: fact.event,
            uid: fact.uid,
            header,
            relative_seq: header.seq - *own,
            relative_ack: if acknowledges { header.ack - other } else { 0 },
            payload: fact.payload,
            transmission: std::mem::take(&mut self.transmission),
        });
    }
}

impl Observe for Trace {
    fn packet(&mut self, now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Departed | PacketEvent::Arrived => {
                if let Some(&header) = fact.header {
                    self.segment(now, fact, header);
                }
            }
            PacketEvent::Entered | PacketEvent::Left | PacketEvent::Dropped => {
                self.hops.push(HopRow {
                    time: now,
                    uid: fact.uid,
                    machine: fact.machine,
                    event: fact.event,
                });
            }
        }
    }

    fn tcp(&mut self, _now: Time, _endpoint: u32, fact: TcpFact) {
        if let TcpFact::Sent { transmission, .. } = fact {
            self.transmission = transmission;
        }
    }

    fn block(&mut self, now: Time, fact: BlockFact) {
        self.blocks.push(BlockRow { time: now, fact });
    }
}
