//! What a bearer counts.

use std::iter::Sum;
use std::ops::Add;

use observe::{BlockKind, DropReason};

use crate::{Output, Sdu};

/// Counts of one direction since the start.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// Transport blocks sent.
    pub blocks_sent: u64,
    /// Those of them that arrived in error.
    pub blocks_in_error: u64,
    /// Those of them that arrived intact. The rest of those sent are on the air.
    pub blocks_received: u64,
    /// Bytes of the channel's rate that the blocks sent took: data, padding and control, whether
    /// for the first time or again. Over `bytes_delivered` it is the effort of a delivery.
    pub bytes_sent: u64,
    /// Bytes of the SDUs delivered, at the IP layer.
    pub bytes_delivered: u64,
    /// Blocks that hybrid ARQ sent again.
    pub harq_repeats: u64,
    /// Blocks that erred in their last transmission, so that hybrid ARQ gave them up.
    pub harq_given_up: u64,
    /// Blocks with a data PDU that had been sent before.
    pub retransmitted_blocks: u64,
    /// Blocks with a status report.
    pub status_pdus: u64,
    /// SDUs handed in, dropped ones included.
    pub sdus: u64,
    /// SDUs dropped by a full queue, on arrival or to make room for others.
    pub dropped: u64,
    /// SDUs that active queue management dropped (RFC 7567).
    pub managed: u64,
    /// SDUs lost at random on their way through the air.
    pub lost: u64,
    /// SDUs on their way when the satellite was replaced by another.
    pub cut_off: u64,
    /// SDUs delivered.
    pub delivered: u64,
    /// SDUs taken in that will never be delivered.
    pub discarded: u64,
    /// Resets that the sender of this direction began, and failures of the radio link.
    pub resets: u64,
    /// How often resets remained unanswered, so that the bearer was established anew.
    pub unrecoverable_errors: u64,
    /// How often the link control was relocated and re-established.
    pub relocations: u64,
    /// The largest number of SDUs that waited at once.
    pub queue_max: u32,
}

impl Counters {
    /// Counts what has come out.
    pub(crate) fn count(&mut self, output: &Output<impl Sdu>) {
        match output {
            Output::Delivered(sdu) => {
                self.delivered += 1;
                self.bytes_delivered += u64::from(sdu.bytes());
            }
            Output::Discarded(_) => self.discarded += 1,
            Output::Dropped(dropped) => self.count_drop(dropped.reason),
        }
    }

    /// Counts a block of `bytes` that was sent.
    pub(crate) fn count_block(&mut self, bytes: u32, error: bool) {
        self.blocks_sent += 1;
        self.blocks_in_error += u64::from(error);
        self.blocks_received += u64::from(!error);
        self.bytes_sent += u64::from(bytes);
    }

    /// Counts what hybrid ARQ knows of it besides.
    pub(crate) fn count_transmission(&mut self, transmissions: u32, kind: BlockKind, report: bool) {
        self.harq_repeats += u64::from(transmissions > 1);
        self.retransmitted_blocks += u64::from(kind == BlockKind::Retransmission);
        self.status_pdus += u64::from(report);
    }

    /// Counts an SDU that a queue or the way through the air has dropped.
    pub(crate) fn count_drop(&mut self, reason: DropReason) {
        let counter = match reason {
            DropReason::Aqm => &mut self.managed,
            DropReason::Loss => &mut self.lost,
            DropReason::Outage => &mut self.cut_off,
            DropReason::Queue
            | DropReason::List
            | DropReason::Discarded
            | DropReason::Unreachable
            | DropReason::Incomplete
            | DropReason::TooBig
            | DropReason::Corrupt => &mut self.dropped,
        };
        *counter += 1;
    }

    /// Which share of `blocks` that there was room for has been sent; `None` if there was none.
    pub(crate) fn share_of(&self, blocks: u64) -> Option<f64> {
        (blocks > 0).then(|| self.blocks_sent as f64 / blocks as f64)
    }
}

/// Of two bearers together; `queue_max` is the longer one's.
impl Add for Counters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            blocks_sent: self.blocks_sent + other.blocks_sent,
            blocks_in_error: self.blocks_in_error + other.blocks_in_error,
            blocks_received: self.blocks_received + other.blocks_received,
            bytes_sent: self.bytes_sent + other.bytes_sent,
            bytes_delivered: self.bytes_delivered + other.bytes_delivered,
            harq_repeats: self.harq_repeats + other.harq_repeats,
            harq_given_up: self.harq_given_up + other.harq_given_up,
            retransmitted_blocks: self.retransmitted_blocks + other.retransmitted_blocks,
            status_pdus: self.status_pdus + other.status_pdus,
            sdus: self.sdus + other.sdus,
            dropped: self.dropped + other.dropped,
            managed: self.managed + other.managed,
            lost: self.lost + other.lost,
            cut_off: self.cut_off + other.cut_off,
            delivered: self.delivered + other.delivered,
            discarded: self.discarded + other.discarded,
            resets: self.resets + other.resets,
            unrecoverable_errors: self.unrecoverable_errors + other.unrecoverable_errors,
            relocations: self.relocations + other.relocations,
            queue_max: self.queue_max.max(other.queue_max),
        }
    }
}

impl Sum for Counters {
    fn sum<I: Iterator<Item = Self>>(counters: I) -> Self {
        counters.fold(Self::default(), Add::add)
    }
}
