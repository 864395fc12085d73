//! The progress of one connection of a flow.

use std::collections::VecDeque;

use crate::flow::{Event, EventRow};
use crate::limits::LimitNow;

/// The progress of a connection, from the facts of its two ends.
#[derive(Debug)]
pub(crate) struct ConnectionProgress {
    /// Bytes that it is to carry; `None` without end.
    bytes: Option<u64>,
    /// True once the sender's handshake is done.
    pub(crate) established: bool,
    /// Everything below has been acknowledged to the sender.
    pub(crate) acked: u64,
    /// Everything below has been delivered to the receiver.
    pub(crate) delivered: u64,
    /// The congestion window in bytes, while it is open.
    pub(crate) window: u64,
    /// What keeps its sender from sending more.
    pub(crate) limit: LimitNow,
    /// Timeouts that may still turn out to be spurious.
    pub(crate) undecided: VecDeque<Undecided>,
    /// The packet that the receiver is processing.
    arrival: Arrival,
    /// Segments accepted out of order: offset and size with headers.
    out_of_order: Vec<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Arrival {
    uid: u64,
    header_bytes: u64,
}

/// A time-out until it is known whether it was spurious.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undecided {
    offset: u64,
    /// Packets below this number were sent before the time-out.
    next_uid: u64,
    /// Its row among the events.
    row: usize,
}

/// After this many newer timeouts one counts as genuine.
const UNDECIDED_MAX: usize = 64;

impl ConnectionProgress {
    pub(crate) const fn new(bytes: Option<u64>) -> Self {
        Self {
            bytes,
            established: false,
            acked: 0,
            delivered: 0,
            window: 0,
            limit: LimitNow::NONE,
            undecided: VecDeque::new(),
            arrival: Arrival { uid: 0, header_bytes: 0 },
            out_of_order: Vec::new(),
        }
    }

    /// Whether everything has arrived, as far as the sender knows.
    pub(crate) fn is_whole(&self) -> bool {
        self.bytes.is_some_and(|bytes| self.acked >= bytes)
    }

    pub(crate) fn arrived(&mut self, uid: u64, header_bytes: u32) {
        self.arrival = Arrival { uid, header_bytes: u64::from(header_bytes) };
    }

    /// The packet at hand brought `fresh` bytes at `offset`, and everything below `delivered` is
    /// there now. Returns the bytes of segments that are newly in order, headers included.
    pub(crate) fn deliver(&mut self, offset: u64, fresh: u32, delivered: u64) -> u64 {
        self.delivered = delivered;
        let mut total = 0;
        if fresh > 0 {
            let bytes = u64::from(fresh) + self.arrival.header_bytes;
            if offset >= delivered {
                self.out_of_order.push((offset, bytes));
            } else {
                total += bytes;
            }
        }
        if !self.out_of_order.is_empty() {
            self.out_of_order.retain(|&(offset, bytes)| {
                let waits = offset >= delivered;
                total += if waits { 0 } else { bytes };
                waits
            });
        }
        total
    }

    /// It is not known yet whether the time-out in `row`, of the segment at `offset`, was spurious.
    pub(crate) fn doubt(&mut self, offset: u64, next_uid: u64, row: usize) {
        if self.undecided.len() == UNDECIDED_MAX {
            self.undecided.pop_front();
        }
        self.undecided.push_back(Undecided { offset, next_uid, row });
    }

    /// The packet at hand carries `from..to`: time-outs of those bytes after it was sent were
    /// spurious.
    pub(crate) fn decide(&mut self, from: u64, to: u64, events: &mut [EventRow]) {
        let uid = self.arrival.uid;
        self.undecided.retain(|timeout| {
            let spurious = uid < timeout.next_uid && (from..to).contains(&timeout.offset);
            if spurious {
                events[timeout.row].event = Event::SpuriousTimeout;
            }
            !spurious
        });
    }
}
