//! Drop-tail: what does not fit is dropped.

use settings::{Bytes, Count, Or, Unlimited, section};

use super::Backlog;

section! {
    /// The most that fits; `None` for no limit.
    ///
    /// The packet in transmission counts, whole, until its last bit has left: a limit of 50
    /// packets is 49 that wait and one that is being sent, as in ns-2.
    #[derive(Copy, Eq)]
    pub struct Limit {
        /// Most packets that wait or are being sent, which ns-2 counts alike. Default: ns-2.
        pub packets: Option<u32> as Packets = Some(PACKETS);
        /// Most bytes that wait or are being sent, beside `queue.packets`. Default: as many as
        /// those packets have.
        pub bytes: Option<u64> as Size = None;
    }
}

/// Packets that fit, unless a key says so: ns-2.
pub(super) const PACKETS: u32 = 50;

/// The most packets in a queue.
pub(super) type Packets = Or<Unlimited, Count<u32, 1, 1_000_000_000>>;

/// The most bytes in a queue.
pub(super) type Size = Or<Unlimited, Bytes<u64, 1, { u64::MAX }>>;

impl Limit {
    /// True if a packet of `bytes` fits beside `backlog`.
    pub fn admits(&self, backlog: Backlog, bytes: u32) -> bool {
        self.packets.is_none_or(|limit| backlog.packets < limit)
            && self.bytes.is_none_or(|limit| backlog.bytes + u64::from(bytes) <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let check = |packets, bytes, backlog: (u32, u64), size, expect| {
            let backlog = Backlog { packets: backlog.0, bytes: backlog.1 };
            assert_eq!(Limit { packets, bytes }.admits(backlog, size), expect, "{backlog:?}");
        };
        check(None, None, (1_000_000, 1 << 40), 1500, true);
        check(Some(1), None, (0, 0), 1500, true);
        check(Some(1), None, (1, 40), 40, false);
        check(None, Some(3000), (1, 1500), 1500, true);
        check(None, Some(3000), (1, 1500), 1501, false);
        check(None, Some(3000), (2, 2960), 40, true);
        check(Some(2), Some(3000), (2, 80), 40, false);
        check(Some(9), Some(1000), (0, 0), 1001, false);
    }
}
