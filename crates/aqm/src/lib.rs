//! Decisions about packets that wait, for whoever holds them: a queue ahead of a link, or a box.

pub mod codel;

use base::Duration;

pub use codel::CoDel;

/// Decision on a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Pass: it goes on.
    Pass,
    /// Notice of congestion to its sender: by a mark where that is possible, else by its loss.
    Notify,
    /// Mark that it has been given; it goes on.
    Marked,
    /// Drop.
    Drop,
}

/// A packet whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departure {
    /// Time that it has waited.
    pub sojourn: Duration,
    /// Bytes that wait behind it.
    pub bytes_behind: u64,
}
