//! What a middlebox reports to observers.

use base::{Duration, words};

/// Something happened inside a middlebox. It numbers the mobiles and the connections that it takes
/// part in from 0, in the order in which it first sees them. A mobile that has long been without
/// connections is forgotten, and its number used again; that of a connection is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MiddleboxFact {
    /// A connection of a mobile is established. Those of a box are numbered in this order.
    Opened {
        /// The mobile.
        mobile: u32,
        /// The number of its host, as the box's packets have it.
        host: u128,
    },
    /// One that was established has ended.
    Closed {
        /// The mobile.
        mobile: u32,
    },
    /// What is under way to a mobile.
    Backlog {
        /// The mobile.
        mobile: u32,
        /// Payload bytes that wait in the box.
        queued: u64,
        /// Payload bytes sent and not acknowledged.
        in_flight: u64,
        /// The window: what is allowed in flight, in bytes; of several windows the sum.
        cwnd: u64,
    },
    /// The round-trip time of a segment over the radio leg.
    Rtt {
        /// The mobile.
        mobile: u32,
        /// The connection.
        connection: u32,
        /// From its transmission to its acknowledgement.
        rtt: Duration,
    },
    /// The box retransmitted a segment on its own.
    Retransmitted {
        /// The mobile.
        mobile: u32,
        /// The connection.
        connection: u32,
        /// Offset of its first byte.
        offset: u64,
        /// Why.
        reason: RepairReason,
    },
    /// Nothing has been heard from a mobile for too long.
    Stalled {
        /// The mobile.
        mobile: u32,
    },
    /// It has been heard from again.
    Recovered {
        /// The mobile.
        mobile: u32,
    },
    /// A window was advertised to a sender.
    Advertised {
        /// The mobile that it sends to.
        mobile: u32,
        /// The connection.
        connection: u32,
        /// In bytes.
        window: u64,
        /// Offset of the right edge.
        edge: u64,
    },
    /// A packet that the box does not read came to wait for its turn.
    Waits {
        /// The mobile that it is for.
        mobile: u32,
        /// Place of its class among those of the box, if it is in one.
        class: Option<u32>,
        /// Bytes with its IP header.
        bytes: u32,
    },
    /// A packet that the box does not read waits no longer.
    Released {
        /// The mobile that it is for.
        mobile: u32,
        /// Place of its class among those of the box, if it is in one.
        class: Option<u32>,
        /// Bytes with its IP header.
        bytes: u32,
        /// From its arrival at the box.
        waited: Duration,
        /// Outcome.
        release: Release,
    },
    /// An echo request went to a mobile.
    EchoSent {
        /// The mobile.
        mobile: u32,
    },
    /// A mobile answered one.
    EchoAnswered {
        /// The mobile.
        mobile: u32,
        /// From the request to the answer.
        rtt: Duration,
    },
    /// The estimate of what the radio carries, or what the radio itself reports, has changed.
    Estimate {
        /// The mobile.
        mobile: u32,
        /// Bit/s that the box takes the radio to carry; `None` before the first estimate.
        estimate: Option<u64>,
        /// Bit/s of the latest report, 0 while nothing gets through; `None` before the first.
        reported: Option<u64>,
    },
}

words! {
    /// End of a packet's wait.
    pub enum Release {
        /// Way on.
        Sent = "sent",
        /// Way on with a mark (RFC 3168 §5).
        Marked = "marked",
        /// Loss: it has waited too long.
        Late = "late",
        /// Loss: there is no room for it.
        Crowded = "crowded",
    }
}

impl Release {
    /// True if the packet does not go on.
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Late | Self::Crowded)
    }
}

/// Why a middlebox retransmitted a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepairReason {
    /// Duplicate or selective acknowledgements of the connection.
    Duplicates,
    /// Later packets of the mobile's aggregate arrived.
    Skipped,
    /// Nothing was heard for too long.
    Timeout,
    /// It was larger than the path takes.
    TooLarge,
}
