//! Drop-tail: what does not fit is dropped.

use super::Backlog;

/// The most that fits; `None` for no limit.
///
/// The packet in transmission counts, whole, until its last bit has left: a limit of 50 packets is
/// 49 that wait and one that is being sent, as in ns-2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// In packets.
    pub packets: Option<u32>,
    /// In bytes at the IP layer.
    pub bytes: Option<u64>,
}

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
