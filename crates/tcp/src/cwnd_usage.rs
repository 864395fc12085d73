//! Use of the congestion window (RFC 7661; RFC 9438 §5.8).

/// Use that a sender makes of its congestion window, over the last window of data: as in Linux, a
/// sender that was held back once counts as held back until what was sent by then is acknowledged.
#[derive(Debug, Default)]
pub(crate) struct CwndUsage {
    limited: bool,
    most: u64,
    /// Offset whose acknowledgement ends the window of data.
    until: u64,
}

impl CwndUsage {
    /// Everything that may leave now has left: `una` to `nxt` is in flight, and more would follow
    /// if the congestion window were larger, or not.
    pub(crate) const fn note(&mut self, una: u64, nxt: u64, limited: bool) {
        let in_flight = nxt - una;
        if una >= self.until || limited || (!self.limited && in_flight > self.most) {
            *self = Self { limited, most: in_flight, until: nxt };
        }
    }

    /// True if the congestion window held the sender back at some time in it.
    pub(crate) const fn is_limited(&self) -> bool {
        self.limited
    }

    /// Bytes in flight at most.
    pub(crate) const fn most(&self) -> u64 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_data_remembers_that_it_was_limited() {
        let mut usage = CwndUsage::default();
        let mut check = |una, nxt, limited, expect| {
            usage.note(una, nxt, limited);
            assert_eq!((usage.is_limited(), usage.most()), expect, "{una} {nxt} {limited}");
        };
        check(0, 4, false, (false, 4));
        check(1, 6, false, (false, 5));
        check(2, 4, false, (false, 5));
        check(3, 9, true, (true, 6));
        check(8, 10, false, (true, 6));
        check(9, 10, false, (false, 1));
    }
}
