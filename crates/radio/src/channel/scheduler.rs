//! Who sends in a slot.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use base::float::exp;
use settings::{Count, Word, section, words};

words! {
    /// How a base station chooses between mobiles.
    pub enum Policy {
        /// In turn.
        RoundRobin = "round-robin",
        /// Those with the best radio first.
        MaxCi = "max-ci",
        /// Those first whose rate now is largest beside the one that they had (Jalali, Padovani,
        /// Pankaj: Data throughput of CDMA-HDR, VTC 2000).
        ProportionalFair = "proportional-fair",
    }
}

section! {
    /// `[radio.scheduler]`: how the base station chooses between mobiles.
    #[derive(Copy)]
    pub struct SchedulerConfig {
        /// The rule.
        pub policy: Policy as Word<Policy> = Policy::ProportionalFair;
        /// `proportional-fair`: over how many slots a mobile's past rate is averaged. Default: of
        /// CDMA-HDR, 1000 slots of 1.67 ms, in slots of 1 ms.
        pub memory: u32 as Count<u32, 1, 1_000_000> = 1670;
    }
}

/// What the scheduler remembers of one mobile in one direction.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Past {
    /// The slot in which it was served last, plus one.
    served: u64,
    /// Its mean rate then, in bytes per slot.
    rate: f64,
}

/// The choice between mobiles: the rule, and those between which a slot is shared, by rank.
#[derive(Debug)]
pub(crate) struct Scheduler {
    config: SchedulerConfig,
    /// The share of a past rate that remains after each number of slots, as far as it is tabled.
    remains: Box<[f64]>,
    left: BinaryHeap<Ranked>,
}

#[derive(Clone, Copy, Debug)]
struct Ranked {
    priority: u8,
    rank: f64,
    ue: u32,
}

impl Scheduler {
    /// The number of slots that the table has: few mobiles that have something to send wait longer.
    const TABLED: u32 = 1024;

    pub(crate) fn new(config: SchedulerConfig) -> Self {
        let remains = match config.policy {
            Policy::ProportionalFair => {
                (0..Self::TABLED).map(|slots| config.remains(slots.into())).collect()
            }
            Policy::RoundRobin | Policy::MaxCi => Box::default(),
        };
        Self { config, remains, left: BinaryHeap::new() }
    }

    /// A mobile with this `past` gets `bytes` in `slot`.
    pub(crate) fn serve(&self, past: &mut Past, slot: u64, bytes: u32) {
        let share = 1.0 / f64::from(self.config.memory);
        past.rate = self.mean(past, slot) * (1.0 - share) + share * f64::from(bytes);
        past.served = slot + 1;
    }

    /// The rank in `slot` of a mobile with this `past` that could get `bytes` with a ratio of
    /// `snr`: higher ones are preferred.
    pub(crate) fn rank(&self, past: &Past, slot: u64, bytes: u32, snr: f64) -> f64 {
        match self.config.policy {
            Policy::RoundRobin => -(past.served as f64),
            Policy::MaxCi => snr,
            Policy::ProportionalFair => f64::from(bytes) / self.mean(past, slot).max(1e-3),
        }
    }

    /// The mean rate of a mobile up to `slot`, in which it got nothing since it was served.
    fn mean(&self, past: &Past, slot: u64) -> f64 {
        let idle = slot.saturating_sub(past.served);
        let known = self.remains.get(idle as usize);
        past.rate * known.copied().unwrap_or_else(|| self.config.remains(idle))
    }

    /// A new slot is shared.
    pub(crate) fn clear(&mut self) {
        self.left.clear();
    }

    /// `ue` may get some of it: those with a lower `priority` first, of these those with a higher
    /// `rank`.
    pub(crate) fn add(&mut self, ue: u32, priority: u8, rank: f64) {
        self.left.push(Ranked { priority, rank, ue });
    }

    /// True if nobody is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The one that is first, and the first of equals. It is no longer among them.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.left.pop().map(|ranked| ranked.ue)
    }
}

impl SchedulerConfig {
    /// The share of a past rate that remains after so many slots.
    fn remains(self, slots: u64) -> f64 {
        exp(-(slots as f64) / f64::from(self.memory))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let priority = other.priority.cmp(&self.priority);
        priority.then(self.rank.total_cmp(&other.rank)).then(other.ue.cmp(&self.ue))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_rank_comes_first_and_the_first_of_equals() {
        let mut scheduler = Scheduler::new(SchedulerConfig::default());
        scheduler.add(9, 9, 1.0);
        scheduler.clear();
        for (ue, rank) in [(7, -1.0), (3, 2.0), (5, f64::INFINITY), (1, 2.0), (2, 0.0)] {
            scheduler.add(ue, 9, rank);
        }
        scheduler.add(8, 2, -2.0);
        scheduler.add(6, 2, -1.0);
        let order: Vec<_> = std::iter::from_fn(|| scheduler.pop()).collect();
        assert_eq!(order, [6, 8, 5, 1, 3, 2, 7]);
    }

    /// Serves the best of two mobiles for `slots`, who could get `bytes` in a slot each.
    fn shares(policy: Policy, bytes: [u32; 2], slots: u64) -> [u64; 2] {
        let scheduler = Scheduler::new(SchedulerConfig { policy, memory: 100 });
        let (mut pasts, mut served) = ([Past::default(); 2], [0; 2]);
        for slot in 0..slots {
            let rank =
                |who: usize| scheduler.rank(&pasts[who], slot, bytes[who], f64::from(bytes[who]));
            let best = usize::from(rank(1) > rank(0));
            scheduler.serve(&mut pasts[best], slot, bytes[best]);
            served[best] += 1;
        }
        served
    }

    #[test]
    fn each_policy_shares_as_its_name_says() {
        assert_eq!(shares(Policy::RoundRobin, [10, 1000], 1000), [500, 500]);
        assert_eq!(shares(Policy::MaxCi, [10, 1000], 1000), [0, 1000]);
        let fair = shares(Policy::ProportionalFair, [10, 1000], 10_000);
        assert!(fair.iter().all(|slots| (4_900..5_100).contains(slots)), "{fair:?}");
    }
}
