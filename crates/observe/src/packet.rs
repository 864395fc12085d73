//! What happens to packets.

use std::any::Any;

use base::{TcpHeader, Time, UdpDatagram, words};

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
    /// A link hands it on beside the packet of this number, of which it is a copy.
    Duplicated(u64),
    /// A link hands it on with a wrong bit.
    Corrupted,
}

words! {
    /// Why a link or bearer dropped a packet.
    pub enum DropReason {
        /// The queue was full.
        Queue = "queue",
        /// Active queue management (RFC 7567): RED or `CoDel`.
        Aqm = "aqm",
        /// Lost at random.
        Loss = "loss",
        /// It was on the list of packets to drop.
        List = "list",
        /// The link was out, or its satellite was replaced by another.
        Outage = "outage",
        /// Taken in by a radio bearer, then given up by RLC or PDCP, or not restored.
        Discarded = "discarded",
        /// Nobody heard it: its mobile is not, or no longer, where it was sent.
        Unreachable = "unreachable",
        /// A piece of a packet whose other pieces did not come (RFC 8200 §4.5).
        Incomplete = "incomplete",
        /// Larger than its tunnel takes, whose entry notified the source (RFC 2473 §7.1).
        TooBig = "too_big",
        /// The checksum was wrong at its receiver (RFC 9293 §3.1, RFC 1122 §4.1.3.4).
        Corrupt = "corrupt",
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
    /// The code point of its service (DSCP, RFC 2474 §3).
    pub dscp: u8,
    /// Its TCP header, where it has one.
    pub header: Option<&'a TcpHeader>,
    /// The UDP datagram, where it is one.
    pub udp: Option<&'a UdpDatagram>,
    /// Bytes of TCP or UDP payload.
    pub payload: u32,
    /// When an endpoint sent it; `None` of what something on the way has made.
    pub departed: Option<Time>,
    /// The node at whose interface it passed: that which handed it to the link or bearer, or to
    /// which that handed it on. `None` for what passes no interface.
    pub node: Option<u32>,
    /// What it carries, for observers that know its kind.
    pub body: &'a dyn Any,
}
