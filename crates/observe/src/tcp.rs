//! What a TCP endpoint reports to observers.

use base::{Duration, Seq, words};

/// One round-trip time of one data segment that was sent once (Karn's rule), and whose
/// acknowledgement did not wait for a retransmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RttSample {
    /// Stream offset of the segment's first byte.
    pub offset: u64,
    /// From its transmission to the acknowledgement that covers it.
    pub rtt: Duration,
}

words! {
    /// What keeps a sender from sending more.
    pub enum SendLimit {
        /// The congestion window.
        Cwnd = "cwnd",
        /// The most that the configuration allows in flight (`tcp.window`).
        Window = "window",
        /// The window that the receiver advertises.
        Receiver = "receiver",
        /// The next segment waits for its turn.
        Pacing = "pacing",
        /// Everything written has been sent, and some of it is not yet acknowledged; or too little
        /// waits for a full segment.
        Application = "application",
        /// Everything written has been acknowledged.
        Idle = "idle",
    }
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
    /// The controller's estimate of the round-trip time without queues changed (Vegas's baseRTT).
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
    /// A segment was retransmitted on duplicate acknowledgements.
    FastRetransmit {
        /// Offset of its first byte.
        offset: u64,
    },
    /// The sender has sent what it could. Something else than before keeps it from sending more.
    Limited {
        /// What does.
        by: SendLimit,
    },
    /// The connection is over.
    Closed {
        /// In which way.
        how: Closing,
    },
}

/// End of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closing {
    /// Both sides closed it, and all that was sent was acknowledged.
    InOrder,
    /// Reset, or given up by one end.
    Aborted,
}
