//! Discontinuous reception: when a connected mobile listens (TS 36.321 §5.7).

use base::Duration;
use settings::{OfTime, section};

section! {
    /// `[radio.drx]`: when a connected mobile listens. Defaults: of an LTE network in the United
    /// States (Huang et al., MobiSys 2012, as the AT&T Application Resource Optimizer has them).
    #[derive(Copy)]
    pub struct Keys {
        /// It listens for so long after the last new block.
        pub inactivity: Duration as OfTime<1_000_000> = Duration::from_millis(100);
        /// Then it listens at the beginning of each short cycle.
        pub short_cycle: Duration as OfTime<1_000_000> = Duration::from_millis(20);
        /// For how long cycles are short.
        pub short_for: Duration as OfTime = Duration::from_millis(20);
        /// Then it listens at the beginning of each long cycle.
        pub long_cycle: Duration as OfTime<1_000_000> = Duration::from_millis(40);
        /// For how long.
        pub on: Duration as OfTime<1_000_000> = Duration::from_millis(2);
    }
}

/// The same in slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cycles {
    inactivity: u64,
    short: u64,
    short_for: u64,
    long: u64,
    on: u64,
}

impl Keys {
    pub(crate) fn in_slots(self, slot: Duration) -> Cycles {
        let slots = |time: Duration| time.ceil_to(slot).whole(slot);
        Cycles {
            inactivity: slots(self.inactivity),
            short: slots(self.short_cycle).max(1),
            short_for: slots(self.short_for),
            long: slots(self.long_cycle).max(1),
            on: slots(self.on).max(1),
        }
    }
}

impl Cycles {
    /// The slot from which it sleeps, if it had its last new block in slot `last`: the timer counts
    /// from the next slot on (TS 36.321 §5.7).
    pub(crate) const fn asleep_from(&self, last: u64) -> u64 {
        last + 1 + self.inactivity
    }

    /// The first slot from `slot` on in which the mobile listens, if it had its last new block in
    /// slot `last` and nothing else keeps it awake.
    pub(crate) fn listens_from(&self, slot: u64, last: u64) -> u64 {
        let asleep = self.asleep_from(last);
        if slot < asleep {
            return slot;
        }
        let long = asleep + self.short_for;
        if slot < long {
            let next = self.on_from(slot, self.short);
            if next < long {
                return next;
            }
        }
        self.on_from(slot.max(long), self.long)
    }

    fn on_from(&self, slot: u64, cycle: u64) -> u64 {
        if slot % cycle < self.on { slot } else { (slot / cycle + 1) * cycle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_listens_in_each_cycle() {
        let cycles = Keys::default().in_slots(Duration::from_millis(1));
        let from = |slot| cycles.listens_from(slot, 1000);
        assert_eq!([1000, 1100].map(from), [1000, 1100], "after a block");
        assert_eq!([1101, 1102, 1119, 1120].map(from), [1101, 1120, 1120, 1120], "short");
        assert_eq!([1121, 1122, 1123, 1160].map(from), [1121, 1160, 1160, 1160], "long");
    }

    #[test]
    fn what_it_says_is_the_first_slot_in_which_it_listens() {
        let cycles = Keys { short_for: Duration::from_millis(77), ..Keys::default() }
            .in_slots(Duration::from_millis(1));
        let listens = |slot: u64| {
            let cycle = if slot < 1001 + 100 + 77 { 20 } else { 40 };
            slot < 1101 || slot % cycle < 2
        };
        for slot in 1000..1500 {
            let first = (slot..slot + 100).find(|slot| listens(*slot));
            assert_eq!(Some(cycles.listens_from(slot, 1000)), first, "{slot}");
        }
    }
}
