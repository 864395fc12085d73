//! Whether a mobile is connected (TS 36.331 §4.2.1).

use base::Duration;
use settings::{OfTime, section};

section! {
    /// `[radio.rrc]`: when a mobile is connected. Defaults: of an LTE network in the United States
    /// (Huang et al., MobiSys 2012, as the AT&T Application Resource Optimizer has them).
    #[derive(Copy)]
    pub struct Keys {
        /// From idle to connected.
        pub promotion: Duration as OfTime = Duration::from_millis(260);
        /// The connection is released so long after the last block.
        pub tail: Duration as OfTime<1_000_000> = Duration::from_secs(10);
        /// How often an idle mobile listens for a page.
        pub paging_cycle: Duration as OfTime<1_000_000> = Duration::from_millis(1280);
    }
}

/// Where a mobile is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Not connected.
    Idle,
    /// It connects until this slot.
    Connecting(u64),
    /// Connected.
    Connected,
}

/// The keys in slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Times {
    pub(crate) promotion: u64,
    pub(crate) tail: u64,
    paging_cycle: u64,
}

impl Keys {
    pub(crate) fn in_slots(self, slot: Duration) -> Times {
        let slots = |time: Duration| time.ceil_to(slot).whole(slot);
        Times {
            promotion: slots(self.promotion),
            tail: slots(self.tail),
            paging_cycle: slots(self.paging_cycle).max(1),
        }
    }
}

impl Times {
    /// The first slot from `slot` on in which idle mobile number `ue` hears a page: they are spread
    /// over the cycle.
    pub(crate) fn paging_occasion(&self, ue: u32, slot: u64) -> u64 {
        // Steps of the golden ratio spread any number of mobiles evenly.
        let place = (u64::from(ue.wrapping_mul(0x9E37_79B9)) * self.paging_cycle) >> 32;
        place + slot.saturating_sub(place).div_ceil(self.paging_cycle) * self.paging_cycle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mobile_hears_a_page_once_a_cycle() {
        let times = Keys::default().in_slots(Duration::from_millis(1));
        for ue in 0..50 {
            let first = times.paging_occasion(ue, 0);
            assert!(first < 1280);
            for slot in (0..4000).step_by(7) {
                let next = times.paging_occasion(ue, slot);
                assert!((slot..slot + 1280).contains(&next) && next % 1280 == first, "{ue} {slot}");
            }
        }
        let places: std::collections::BTreeSet<_> =
            (0..50).map(|ue| times.paging_occasion(ue, 0)).collect();
        assert_eq!(places.len(), 50);
    }
}
