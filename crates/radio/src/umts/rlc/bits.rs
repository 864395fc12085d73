//! One bit for each sequence number of a window.

use super::Sn;

const WORDS: usize = Sn::SPAN as usize / 64;

/// A ring of 4096 bits, indexed by sequence number and handled 64 at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    words: [u64; WORDS],
}

impl Bits {
    pub(super) const fn new() -> Self {
        Self { words: [0; WORDS] }
    }

    #[cfg(test)]
    pub(super) fn get(&self, sn: Sn) -> bool {
        self.chunk(sn) & 1 == 1
    }

    /// The bits of 64 numbers from `sn` on, the first lowest.
    pub(super) fn chunk(&self, sn: Sn) -> u64 {
        let (word, shift) = place(sn);
        let low = self.words[word] >> shift;
        if shift == 0 { low } else { low | self.words[(word + 1) % WORDS] << (64 - shift) }
    }

    /// Sets the bits that are set in `mask`, whose lowest belongs to `sn`.
    pub(super) fn set(&mut self, sn: Sn, mask: u64) {
        let (word, shift) = place(sn);
        self.words[word] |= mask << shift;
        if shift > 0 {
            self.words[(word + 1) % WORDS] |= mask >> (64 - shift);
        }
    }

    /// Clears the bits that are set in `mask`, whose lowest belongs to `sn`.
    pub(super) fn clear(&mut self, sn: Sn, mask: u64) {
        let (word, shift) = place(sn);
        self.words[word] &= !(mask << shift);
        if shift > 0 {
            self.words[(word + 1) % WORDS] &= !(mask >> (64 - shift));
        }
    }

    /// Clears the bits of `from..to`.
    pub(super) fn clear_range(&mut self, from: Sn, to: Sn) {
        for (sn, mask) in chunks(from, to) {
            self.clear(sn, mask);
        }
    }

    /// The first number of `from..to` whose bit is set.
    pub(super) fn first_set(&self, from: Sn, to: Sn) -> Option<Sn> {
        chunks(from, to).find_map(|(sn, mask)| {
            let set = self.chunk(sn) & mask;
            (set != 0).then(|| sn + u64::from(set.trailing_zeros()))
        })
    }

    /// The first number of `from..to` whose bit is clear, or `to`.
    pub(super) fn first_clear(&self, from: Sn, to: Sn) -> Sn {
        let found = chunks(from, to).find_map(|(sn, mask)| {
            let clear = !self.chunk(sn) & mask;
            (clear != 0).then(|| sn + u64::from(clear.trailing_zeros()))
        });
        found.unwrap_or(to)
    }

    /// How many bits of `from..to` are set.
    pub(super) fn count(&self, from: Sn, to: Sn) -> u32 {
        chunks(from, to).map(|(sn, mask)| (self.chunk(sn) & mask).count_ones()).sum()
    }
}

/// The numbers `from..to` as steps of at most 64, each with a mask of as many low bits.
pub(super) fn chunks(from: Sn, to: Sn) -> impl Iterator<Item = (Sn, u64)> {
    let mut next = from;
    std::iter::from_fn(move || {
        let left = if next < to { to - next } else { return None };
        let step = (next, low_bits(left.min(64) as u32));
        next = next + left.min(64);
        Some(step)
    })
}

/// `count` set bits, from the lowest up; at most 64.
pub(super) const fn low_bits(count: u32) -> u64 {
    if count == 0 { 0 } else { u64::MAX >> (64 - count) }
}

fn place(sn: Sn) -> (usize, u32) {
    (usize::from(sn.wire() / 64), u32::from(sn.wire() % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bits(set: impl IntoIterator<Item = u64>) -> Bits {
        let mut bits = Bits::new();
        for sn in set {
            bits.set(Sn::new(sn), 1);
        }
        bits
    }

    #[test]
    fn ranges_cross_words_and_the_wrap() {
        let ring = bits((4090..4200).filter(|sn| *sn != 4100));
        let find = |from, to| ring.first_clear(Sn::new(from), Sn::new(to));
        assert_eq!(find(4090, 4200), Sn::new(4100));
        assert_eq!(find(4101, 4190), Sn::new(4190));
        assert_eq!(find(4101, 4300), Sn::new(4200));
        assert_eq!(ring.first_set(Sn::new(4100), Sn::new(4101)), None);
        assert_eq!(ring.first_set(Sn::new(4000), Sn::new(4200)), Some(Sn::new(4090)));
        assert_eq!(ring.count(Sn::new(4000), Sn::new(5000)), 109);
    }

    proptest! {
        #[test]
        fn agrees_with_a_table(
            base in 0_u64..9000,
            steps in prop::collection::vec((0_u64..4000, any::<u64>(), 0_u8..3), 1..40),
        ) {
            let (mut ring, mut table) = (Bits::new(), vec![false; 4096]);
            for (offset, mask, what) in steps {
                let sn = Sn::new(base + offset);
                match what {
                    0 => ring.set(sn, mask),
                    1 => ring.clear(sn, mask),
                    _ => ring.clear_range(sn, sn + mask % 90),
                }
                for bit in 0..64_u64 {
                    let slot = &mut table[((offset + bit) % 4096) as usize];
                    match what {
                        0 if mask >> bit & 1 == 1 => *slot = true,
                        1 if mask >> bit & 1 == 1 => *slot = false,
                        _ => {}
                    }
                }
                if what == 2 {
                    (0..mask % 90).for_each(|bit| table[((offset + bit) % 4096) as usize] = false);
                }
            }
            let (from, to) = (Sn::new(base), Sn::new(base + 4096));
            let at = |index: usize| Sn::new(base + index as u64);
            prop_assert_eq!(ring.first_set(from, to), table.iter().position(|set| *set).map(at));
            let clear = table.iter().position(|set| !*set).map_or(to, at);
            prop_assert_eq!(ring.first_clear(from, to), clear);
            let count = table.iter().filter(|set| **set).count();
            prop_assert_eq!(ring.count(from, to) as usize, count);
            let same = (0..4096).all(|index| ring.get(at(index)) == table[index]);
            prop_assert!(same);
        }
    }
}
