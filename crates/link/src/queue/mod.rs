//! What waits ahead of a link, and who has to go.
//!
//! RED and `CoDel` see facts of the queue and answer with a [`Verdict`]; they hold no packets. The
//! packets are in a [`Queue`], of one row or of one for each flow.

pub mod codel;
pub mod droptail;
pub mod fair;
pub mod red;
mod waiting;

use base::Duration;

pub use waiting::{Queue, Transmission, Turn};

/// What a discipline decides on a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It is to tell its sender of congestion: by a mark where that is possible, else by its loss.
    Notify,
    /// It is dropped.
    Drop,
}

/// How a sender is told of congestion before the queue is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// By dropping the packet.
    Drop,
    /// By a mark on packets that can carry one (RFC 3168 §5), else by dropping them.
    Mark,
}

/// Which packets go before the queue is full.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Discipline {
    /// None.
    DropTail,
    /// Some on arrival, the more the longer the average queue.
    Red(red::Config),
    /// Some on departure, while packets have waited too long for some time.
    CoDel(codel::Config),
    /// None, but flows take turns, and the longest one gives way when all is full.
    Fair(fair::Config),
}

/// A queue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// The most that fits.
    pub limit: droptail::Limit,
    /// Which packets go before it is full.
    pub discipline: Discipline,
    /// How their senders are told.
    pub notice: Notice,
}

impl Config {
    /// A drop-tail queue of any length.
    pub const UNLIMITED: Self = Self {
        limit: droptail::Limit { packets: None, bytes: None },
        discipline: Discipline::DropTail,
        notice: Notice::Drop,
    };
}

/// What a link holds that has not left its transmitter. The packet in transmission counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u32,
    /// Their bytes at the IP layer.
    pub bytes: u64,
}

/// A packet that arrives, as a discipline sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// What is there already.
    pub backlog: Backlog,
    /// How many typical packets the link could have sent since it fell idle; 0 while it is not.
    pub idle_packets: u64,
}

/// A packet whose turn it is, as a discipline sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departure {
    /// How long it has waited.
    pub sojourn: Duration,
    /// Bytes that wait behind it.
    pub bytes_behind: u64,
}
