//! What a path does to the transmissions of a stream, whoever sends them, and when.

use std::collections::BTreeMap;

use base::{Duration, Philox, Probability, Seq};

/// The blocks into which a stream is divided, in bytes.
const BLOCK: u32 = 1_000;

/// Which transmissions of a stream get lost, or late, by its blocks of 1000 bytes: alike for all
/// that send it in segments of a block each, whatever their windows and timers.
#[derive(Clone, Copy, Debug)]
pub struct LossPattern {
    /// Which of all patterns alike.
    pub seed: u64,
    /// So many blocks arrive first.
    pub from: u32,
    /// How likely a run of losses is in each so many blocks.
    pub likely: (Probability, u32),
    /// So many blocks, one after the other, are lost when they are sent first.
    pub run: u32,
    /// So many arrive before the next run, at least.
    pub gap: u32,
    /// How likely a lost block is lost once more.
    pub again: Probability,
    /// How late what arrives may be.
    pub disorder: Duration,
}

/// A pattern at work.
#[derive(Debug)]
pub struct Losses {
    pattern: LossPattern,
    chance: Philox,
    /// The number of the first byte.
    first: Seq,
    /// How often each block was sent.
    transmissions: BTreeMap<u32, u32>,
}

impl Losses {
    /// A stream that begins with `first` is lost as `pattern` says.
    pub fn new(pattern: LossPattern, first: Seq) -> Self {
        let chance = Philox::named(pattern.seed, "losses");
        Self { pattern, chance, first, transmissions: BTreeMap::new() }
    }

    /// How late the segment is that begins with `seq`, this time; `None` if it is lost.
    pub fn delay(&mut self, seq: Seq) -> Option<Duration> {
        let block = (seq - self.first) / BLOCK;
        let nth = self.transmissions.entry(block).or_default();
        *nth += 1;
        let [again, late, ..] = self.chance.at([block, *nth, 1, 0]);
        let lost = match *nth {
            1 => self.is_in_run(block),
            2 => self.is_in_run(block) && self.pattern.again.hit(again),
            _ => false,
        };
        let late = scaled(late, self.pattern.disorder.as_nanos());
        (!lost).then(|| Duration::from_nanos(late))
    }

    fn is_in_run(&self, block: u32) -> bool {
        let LossPattern { from, likely: (likely, apart), run, gap, .. } = self.pattern;
        let Some(block) = block.checked_sub(from) else { return false };
        let [hit, place, ..] = self.chance.at([block / apart, 0, 0, 0]);
        let first = scaled(place, u64::from(apart - run - gap + 1)) as u32;
        likely.hit(hit) && (first..first + run).contains(&(block % apart))
    }
}

/// A number below `end`.
fn scaled(draw: u32, end: u64) -> u64 {
    ((u128::from(end) * u128::from(draw)) >> 32) as u64
}
