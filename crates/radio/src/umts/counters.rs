//! What a bearer counts.

use base::Duration;

/// Counts of one direction since the start.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// Transport blocks sent.
    pub blocks_sent: u64,
    /// Those of them that arrived in error.
    pub blocks_in_error: u64,
    /// Those of them that arrived intact. The rest of those sent are on the air.
    pub blocks_received: u64,
    /// Blocks with a data PDU that had been sent before.
    pub retransmitted_blocks: u64,
    /// Blocks with a status report.
    pub status_pdus: u64,
    /// SDUs handed in, dropped ones included.
    pub sdus: u64,
    /// SDUs that found the queue full.
    pub dropped: u64,
    /// SDUs delivered.
    pub delivered: u64,
    /// SDUs taken in that will never be delivered.
    pub discarded: u64,
    /// Resets that the sender of this direction began.
    pub resets: u64,
    /// How often resets remained unanswered, so that the bearer was established anew.
    pub unrecoverable_errors: u64,
    /// The sum over SDUs of the time from hand-in to the end of the first transmission; over the
    /// duration it is the mean length of the queue.
    pub waiting_time: Duration,
    /// The largest number of SDUs that waited at once.
    pub queue_max: u32,
}
