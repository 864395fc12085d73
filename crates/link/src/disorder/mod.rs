//! What a wire does to packets beside losing them: jitter, reordering, duplicates and bit errors.

pub mod jitter;
mod line;

use base::{Duration, Probability, Schedule};
use settings::{Chance, Count, Flat, OfTime, section};

pub(crate) use line::{Line, Sent};

section! {
    /// The keys of what one direction of a link does to packets beside losing them.
    #[derive(Copy)]
    pub struct Keys {
        /// How the delay strays.
        pub jitter: jitter::Keys as Flat<jitter::Keys> = jitter::Keys::default();
        /// Chance that a packet is held back at the far end until `reorder_distance` later ones
        /// have arrived, or `reorder_hold` has passed.
        pub reorder: Probability as Chance = Probability::NEVER;
        /// Later packets that arrive ahead of one that is held back. Default: 3, which RFC 5681
        /// (3.2) takes for a loss.
        pub reorder_distance: u32 as Count<u32, 1, 1000> = 3;
        /// The longest time for which a packet is held back. Default: a tenth of the least timeout
        /// of RFC 6298 (2.4), so that a packet without others behind it is late and not lost.
        pub reorder_hold: Duration as OfTime = Duration::from_millis(100);
        /// Chance that a packet arrives twice.
        pub duplicate: Probability as Chance = Probability::NEVER;
        /// Chance that a bit of a packet is wrong, which its receiver's checksum finds.
        pub corrupt: Probability as Chance = Probability::NEVER;
    }
}

/// Jitter, reordering, duplicates and bit errors of a wire, by time of departure.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// How the delay strays.
    pub jitter: jitter::Config,
    /// Chance that a packet is held back.
    pub reorder: Schedule<Probability>,
    /// Later packets that a held one waits for.
    pub distance: u32,
    /// The longest time that it waits.
    pub hold: Duration,
    /// Chance that a packet arrives twice.
    pub duplicate: Schedule<Probability>,
    /// Chance that a bit of a packet is wrong.
    pub corrupt: Schedule<Probability>,
}

impl Default for Config {
    fn default() -> Self {
        Keys::default().config()
    }
}

impl Keys {
    /// Config of a wire that is always like this.
    pub fn config(&self) -> Config {
        Config {
            jitter: self.jitter.config(self.jitter.jitter.into()),
            reorder: self.reorder.into(),
            distance: self.reorder_distance,
            hold: self.reorder_hold,
            duplicate: self.duplicate.into(),
            corrupt: self.corrupt.into(),
        }
    }
}

impl Config {
    /// True if it never does anything.
    pub fn is_none(&self) -> bool {
        let Self { jitter, reorder, duplicate, corrupt, .. } = self;
        jitter.extent.values().all(|extent| extent == Duration::ZERO)
            && [reorder, duplicate, corrupt]
                .into_iter()
                .flat_map(Schedule::values)
                .all(|chance| chance == Probability::NEVER)
    }
}

/// Packets that came out of a link otherwise than they went in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Those that arrived behind one that was sent later (RFC 4737 §3.3).
    pub reordered: u64,
    /// Those that arrived twice.
    pub duplicated: u64,
    /// Those that arrived with a wrong bit.
    pub corrupted: u64,
}
