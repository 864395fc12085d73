//! What passed through one direction of a link.

use base::Duration;
use observe::DropReason;

/// What passed through one direction of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Packets taken in.
    pub accepted: u64,
    /// Packets dropped, on arrival or later.
    pub drops: Drops,
    /// Packets marked instead of dropped (RFC 3168 §5).
    pub marks: u64,
    /// Time spent sending.
    pub busy: Duration,
    /// Sum over packets of the time that each waited or was in transmission, in packet·ns.
    pub queue_integral: Duration,
    /// Most packets waiting or in transmission at once.
    pub queue_max: u32,
}

/// Packets dropped, by what dropped them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Drops {
    /// The queue was full.
    pub queue: u64,
    /// A discipline, before the queue was full.
    pub aqm: u64,
    /// Lost at random, independently or in bursts.
    pub loss: u64,
    /// On the list of packets to drop.
    pub list: u64,
    /// Sent during an outage.
    pub outage: u64,
    /// Given up by a radio bearer; never by a link.
    pub discarded: u64,
    /// Heard by nobody; never on a link.
    pub unreachable: u64,
}

impl Drops {
    /// Counts one more.
    pub const fn count(&mut self, reason: DropReason) {
        match reason {
            DropReason::Queue => self.queue += 1,
            DropReason::Aqm => self.aqm += 1,
            DropReason::Loss => self.loss += 1,
            DropReason::List => self.list += 1,
            DropReason::Outage => self.outage += 1,
            DropReason::Discarded => self.discarded += 1,
            DropReason::Unreachable => self.unreachable += 1,
            // Hosts and agents do this.
            DropReason::Incomplete | DropReason::TooBig | DropReason::Corrupt => {}
        }
    }

    /// All of them.
    pub const fn total(&self) -> u64 {
        let of_links = self.queue + self.aqm + self.loss + self.list + self.outage;
        of_links + self.discarded + self.unreachable
    }
}
