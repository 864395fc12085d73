//! Decisions about packets that wait, for whoever holds them: a queue ahead of a link, or a box.

pub mod codel;

use base::Duration;

pub use codel::CoDel;

/// What is decided on a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It is to notify its sender of congestion: by a mark where that is possible, else by its
    /// loss.
    Notify,
    /// It has been marked, and goes on.
    Marked,
    /// It is dropped.
    Drop,
}

/// A packet whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departure {
    /// How long it has waited.
    pub sojourn: Duration,
    /// Bytes that wait behind it.
    pub bytes_behind: u64,
}
