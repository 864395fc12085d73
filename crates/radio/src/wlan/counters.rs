//! What a WLAN counts.

use base::Duration;
use link::Drops;

/// Counts of one direction since the start, all access points together. SDUs handed in are those
/// delivered, those dropped and those held.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// SDUs handed in, dropped ones included.
    pub sdus: u64,
    /// SDUs delivered.
    pub delivered: u64,
    /// Their bytes, at the IP layer.
    pub bytes_delivered: u64,
    /// SDUs dropped, on arrival or later.
    pub drops: Drops,
    /// SDUs marked instead of dropped (RFC 3168 §5).
    pub marks: u64,
    /// Frames sent, retransmissions included.
    pub frames: u64,
    /// Frames that were not heard or in error.
    pub frame_errors: u64,
    /// Frames that were lost to collisions.
    pub collisions: u64,
    /// The sum over SDUs of the time from hand-in to delivery or drop.
    pub waiting_time: Duration,
    /// The largest number of SDUs at once in one queue, the one in transmission included.
    pub queue_max: u32,
}
