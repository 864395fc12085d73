//! Channelisation codes: the tree of orthogonal variable spreading factors (TS 25.213 §4.3.1).
//!
//! A code of factor 2n is a code of factor n followed by itself or by its negative. Two codes are
//! orthogonal unless one descends from the other, so a code in use blocks all below and above it.

use std::fmt;
use std::iter;

use super::SpreadingFactor;

/// A channelisation code, C(sf, number).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Code {
    sf: SpreadingFactor,
    number: u16,
}

impl Code {
    /// The primary common pilot (TS 25.213 §5.2.1).
    const PRIMARY_CPICH: Self = Self { sf: SpreadingFactor::ALL[1], number: 0 };
    /// The primary common control physical channel (TS 25.213 §5.2.1).
    const PRIMARY_CCPCH: Self = Self { sf: SpreadingFactor::ALL[1], number: 1 };

    /// Code `number` of factor `sf`, counted from 0; `None` if there are fewer.
    fn new(sf: SpreadingFactor, number: u32) -> Option<Self> {
        (number < sf.chips()).then_some(Self { sf, number: number as u16 })
    }

    /// Its factor.
    pub const fn sf(self) -> SpreadingFactor {
        self.sf
    }

    /// Its number among those of its factor.
    pub const fn number(self) -> u32 {
        self.number as u32
    }

    /// Whether it is `other` or one of them descends from the other: they cannot both be used.
    #[cfg(test)]
    const fn conflicts(self, other: Self) -> bool {
        let level = if self.sf.log2() < other.sf.log2() { self.sf.log2() } else { other.sf.log2() };
        self.number >> (self.sf.log2() - level) == other.number >> (other.sf.log2() - level)
    }

    /// Its chips, each 1 or −1. Each bit of the number that is set negates the later half of a
    /// repetition, the lowest bit the longest.
    #[cfg(test)]
    fn chips(self) -> impl Iterator<Item = i8> {
        let halves = self.number().reverse_bits() >> (32 - self.sf.log2());
        (0..self.sf.chips()).map(move |chip| 1 - 2 * ((chip & halves).count_ones() % 2) as i8)
    }

    /// How many codes of the highest factor descend from it, itself included.
    const fn width(self) -> u32 {
        width(self.sf)
    }

    /// The first of them.
    const fn leaf(self) -> u32 {
        self.number() * self.width()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "C({}, {})", self.sf, self.number)
    }
}

/// What a code can be in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CodeState {
    /// It can be allocated.
    Free,
    /// It is.
    Allocated,
    /// A code above or below it is.
    Blocked,
}

/// A quarter of the tree, one bit a leaf: all below one code of factor 4.
type Quarter = u128;

/// The codes of one transmitter: a sector of a `NodeB`, or a UE.
///
/// Allocation is a best fit. Of the free codes it takes one whose sibling is in use, else one
/// whose parent's sibling is, and so on, the leftmost of equals: what is free stays in one piece.
#[derive(Clone, Debug)]
pub struct CodeTree {
    /// The leaves that an allocated code covers.
    used: [Quarter; 4],
    /// The exponent of the factor of the code allocated from this leaf on; 0 if none is.
    starts: [u8; LEAVES],
}

const LEAVES: usize = SpreadingFactor::MAX.chips() as usize;

impl Default for CodeTree {
    fn default() -> Self {
        Self { used: [0; 4], starts: [0; LEAVES] }
    }
}

impl CodeTree {
    /// The tree of a cell, with the primary CPICH and CCPCH and a secondary CCPCH of each factor of
    /// `secondary` in use.
    ///
    /// # Errors
    /// If there is no room for all.
    pub fn of_cell(secondary: &[SpreadingFactor]) -> Result<Self, NoCode> {
        let mut tree = Self::default();
        tree.occupy(Code::PRIMARY_CPICH);
        tree.occupy(Code::PRIMARY_CCPCH);
        for sf in secondary {
            tree.allocate(*sf)?;
        }
        Ok(tree)
    }

    /// Takes a free code of factor `sf`.
    ///
    /// # Errors
    /// If none is free.
    pub(crate) fn allocate(&mut self, sf: SpreadingFactor) -> Result<Code, NoCode> {
        let none = || NoCode { sf, free_leaves: self.free_leaves() };
        let code = self.best(sf).ok_or_else(none)?;
        self.occupy(code);
        Ok(code)
    }

    /// Takes exactly `code`.
    ///
    /// # Errors
    /// Its state, if it is not free.
    #[cfg(test)]
    fn take(&mut self, code: Code) -> Result<(), CodeState> {
        match self.state(code) {
            CodeState::Free => {
                self.occupy(code);
                Ok(())
            }
            state @ (CodeState::Allocated | CodeState::Blocked) => Err(state),
        }
    }

    /// Gives `code` back.
    ///
    /// # Panics
    /// If it was not allocated.
    pub(crate) fn release(&mut self, code: Code) {
        assert_eq!(self.state(code), CodeState::Allocated, "{code} is released once");
        self.starts[code.leaf() as usize] = 0;
        let (quarter, mask) = place(code);
        self.used[quarter] &= !mask;
    }

    /// The codes in use, from left to right.
    pub fn allocated(&self) -> impl Iterator<Item = Code> {
        let starts = self.starts.iter().enumerate().filter(|(_, log2)| **log2 > 0);
        starts.map(|(leaf, log2)| {
            let sf = SpreadingFactor::ALL[LEVELS - usize::from(*log2)];
            Code { sf, number: (leaf as u32 / width(sf)) as u16 }
        })
    }

    /// How many codes of factor `sf` could be allocated one after the other. If codes in use are
    /// scattered it is less than the free capacity allows.
    pub(crate) fn free(&self, sf: SpreadingFactor) -> u32 {
        self.used.iter().map(|used| free_blocks(*used, width(sf)).count_ones()).sum()
    }

    /// What `code` is.
    fn state(&self, code: Code) -> CodeState {
        let (quarter, mask) = place(code);
        if self.used[quarter] & mask == 0 {
            CodeState::Free
        } else if u32::from(self.starts[code.leaf() as usize]) == code.sf.log2() {
            CodeState::Allocated
        } else {
            CodeState::Blocked
        }
    }

    /// How many codes of factor 512 are free: the capacity that is left, of 512.
    fn free_leaves(&self) -> u32 {
        self.used.iter().map(|quarter| quarter.count_zeros()).sum()
    }

    fn best(&self, sf: SpreadingFactor) -> Option<Code> {
        let mut free = self.used.map(|used| free_blocks(used, width(sf)));
        let fits = iter::successors(Some(width(sf)), |width| Some(width * 2));
        for width in fits.take_while(|width| *width <= Quarter::BITS) {
            // Blocks of twice the width are kept for later, unless nothing else is left.
            let wider = free.map(|free| paired(free, width));
            for (quarter, (free, wider)) in iter::zip(free, wider).enumerate() {
                let single = free & !(wider | wider.unbounded_shl(width));
                if single != 0 {
                    let leaf = quarter as u32 * Quarter::BITS + single.trailing_zeros();
                    return Code::new(sf, leaf / self::width(sf));
                }
            }
            free = wider;
        }
        None
    }

    fn occupy(&mut self, code: Code) {
        let (quarter, mask) = place(code);
        self.used[quarter] |= mask;
        self.starts[code.leaf() as usize] = code.sf.log2() as u8;
    }
}

/// No code of a spreading factor is free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoCode {
    /// The factor asked.
    sf: SpreadingFactor,
    /// How many codes of factor 512 are free nevertheless.
    free_leaves: u32,
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no code of spreading factor {} is free: it needs {} codes of factor 512 side by side, \
             and of the {} free no such row is left",
            self.sf,
            width(self.sf),
            self.free_leaves
        )
    }
}

impl std::error::Error for NoCode {}

/// The exponent of the highest factor.
const LEVELS: usize = SpreadingFactor::MAX.log2() as usize;

/// Leaves below a code of factor `sf`.
const fn width(sf: SpreadingFactor) -> u32 {
    SpreadingFactor::MAX.chips() / sf.chips()
}

/// A code's quarter, and its leaves there.
fn place(code: Code) -> (usize, Quarter) {
    let (leaf, width) = (code.leaf(), code.width());
    let mask = Quarter::MAX >> (Quarter::BITS - width) << (leaf % Quarter::BITS);
    ((leaf / Quarter::BITS) as usize, mask)
}

/// The first leaf of each free block of `width` leaves.
fn free_blocks(used: Quarter, width: u32) -> Quarter {
    let steps = iter::successors(Some(1), |step| Some(step * 2));
    steps.take_while(|step| *step < width).fold(!used, paired)
}

/// The first leaf of each pair of free blocks, given those of `width` leaves each.
const fn paired(free: Quarter, width: u32) -> Quarter {
    if width == Quarter::BITS {
        return 0;
    }
    // The first leaf of each block with an even number: a bit in every two blocks.
    let even = Quarter::MAX / (Quarter::MAX >> (Quarter::BITS - 2 * width));
    free & free >> width & even
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::sf;

    fn code(chips: u32, number: u32) -> Code {
        Code::new(sf(chips), number).expect("a code")
    }

    /// TS 25.213 §4.3.1.1, word for word.
    fn recursive(chips: u32, number: u32) -> Vec<i8> {
        if chips == 1 {
            return vec![1];
        }
        let half = recursive(chips / 2, number / 2);
        let sign = if number.is_multiple_of(2) { 1 } else { -1 };
        half.iter().copied().chain(half.iter().map(|chip| sign * chip)).collect()
    }

    #[test]
    fn chips_follow_the_recursion() {
        for factor in SpreadingFactor::ALL {
            for number in 0..factor.chips() {
                let chips: Vec<i8> = code(factor.chips(), number).chips().collect();
                assert_eq!(chips, recursive(factor.chips(), number));
            }
        }
        assert_eq!(code(4, 1).chips().collect::<Vec<_>>(), [1, 1, -1, -1], "TS 25.213 Figure 4");
        assert_eq!(Code::new(sf(4), 4), None);
    }

    #[test]
    fn a_cell_begins_with_its_common_channels() {
        let tree = CodeTree::of_cell(&[sf(64)]).expect("room");
        let codes: Vec<String> = tree.allocated().map(|code| code.to_string()).collect();
        assert_eq!(codes, ["C(256, 0)", "C(256, 1)", "C(64, 1)"]);
        assert_eq!(tree.free(sf(4)), 3);
        assert_eq!(tree.free_leaves(), 512 - 2 - 2 - 8);
        assert_eq!(CodeTree::of_cell(&[sf(4); 3]).map(|tree| tree.free(sf(8))), Ok(1));
        assert!(CodeTree::of_cell(&[sf(4); 4]).is_err());
    }

    /// Hynderick and Raes 2004, II.D: four codes of the first level, or three and two of the next.
    #[test]
    fn one_code_or_two_below_it() {
        let mut tree = CodeTree::default();
        let first: Vec<Code> = (0..4).filter_map(|_| tree.allocate(sf(4)).ok()).collect();
        assert_eq!(first, [code(4, 0), code(4, 1), code(4, 2), code(4, 3)]);
        let error = tree.allocate(sf(8)).unwrap_err().to_string();
        assert_eq!(
            error,
            "no code of spreading factor 8 is free: it needs 64 codes of factor 512 side by side, \
             and of the 0 free no such row is left"
        );
        tree.release(code(4, 1));
        assert_eq!(tree.allocate(sf(8)), Ok(code(8, 2)));
        assert_eq!(tree.allocate(sf(8)), Ok(code(8, 3)));
        assert_eq!(tree.state(code(4, 1)), CodeState::Blocked);
        assert_eq!(tree.state(code(16, 7)), CodeState::Blocked);
    }

    #[test]
    fn the_smallest_hole_is_filled_first() {
        let mut tree = CodeTree::of_cell(&[]).expect("room");
        assert_eq!(tree.allocate(sf(512)), Ok(code(512, 4)));
        assert_eq!(tree.allocate(sf(8)), Ok(code(8, 1)));
        assert_eq!(tree.allocate(sf(256)), Ok(code(256, 3)), "beside the one of 512");
        assert_eq!(tree.free(sf(4)), 3, "nothing larger was split");
        assert_eq!(tree.take(code(4, 3)), Ok(()));
        assert_eq!(tree.take(code(4, 3)), Err(CodeState::Allocated));
        assert_eq!(tree.take(code(4, 0)), Err(CodeState::Blocked));
    }

    #[test]
    #[should_panic(expected = "C(8, 1) is released once")]
    fn a_code_is_released_once() {
        let mut tree = CodeTree::default();
        tree.take(code(16, 2)).expect("free");
        tree.release(code(8, 1));
    }

    prop_compose! {
        fn any_code()(log2 in 2_u32..=9)(
            number in 0_u32..1 << log2,
            log2 in Just(log2),
        ) -> Code {
            code(1 << log2, number)
        }
    }

    /// Whether two transmissions stay apart whatever data they carry: each symbol of the faster
    /// meets a part of the slower's symbol, and each of these parts must cancel.
    fn orthogonal(a: Code, b: Code) -> bool {
        let (fast, slow) = if a.sf() < b.sf() { (a, b) } else { (b, a) };
        let (fast, slow): (Vec<i8>, Vec<i8>) = (fast.chips().collect(), slow.chips().collect());
        slow.chunks(fast.len())
            .all(|part| iter::zip(part, &fast).map(|(x, y)| i32::from(x * y)).sum::<i32>() == 0)
    }

    /// Every code against a list of those in use.
    #[derive(Default)]
    struct Reference(Vec<Code>);

    impl Reference {
        fn is_free(&self, code: Code) -> bool {
            self.0.iter().all(|other| !code.conflicts(*other))
        }

        /// The leaves of the largest free code above `code`, itself included.
        fn hole(&self, code: Code) -> u32 {
            let above = (2..=code.sf().log2())
                .map(|log2| self::code(1 << log2, code.number() >> (code.sf().log2() - log2)));
            above.filter(|above| self.is_free(*above)).map(Code::width).max().unwrap_or(0)
        }

        fn best(&self, sf: SpreadingFactor) -> Option<Code> {
            let codes = (0..sf.chips()).map(|number| code(sf.chips(), number));
            codes.filter(|code| self.is_free(*code)).min_by_key(|code| (self.hole(*code), *code))
        }
    }

    proptest! {
        #[test]
        fn codes_are_orthogonal_unless_they_conflict(a in any_code(), b in any_code()) {
            prop_assert_eq!(orthogonal(a, b), !a.conflicts(b));
        }

        #[test]
        fn agrees_with_a_list_of_codes(
            steps in prop::collection::vec(
                (0_u8..5, any_code(), any::<prop::sample::Index>()),
                1..120,
            ),
        ) {
            let (mut tree, mut reference) = (CodeTree::default(), Reference::default());
            for (what, any, index) in steps {
                match what {
                    0 | 1 => {
                        let best = reference.best(any.sf());
                        prop_assert_eq!(tree.allocate(any.sf()).ok(), best);
                        reference.0.extend(best);
                    }
                    2 => {
                        let free = reference.is_free(any);
                        prop_assert_eq!(tree.take(any).is_ok(), free);
                        reference.0.extend(free.then_some(any));
                    }
                    _ if reference.0.is_empty() => {}
                    _ => tree.release(reference.0.swap_remove(index.index(reference.0.len()))),
                }
                reference.0.sort_by_key(|code| code.leaf());
                prop_assert!(tree.allocated().eq(reference.0.iter().copied()));
                let used: u32 = reference.0.iter().map(|code| code.width()).sum();
                prop_assert_eq!(tree.free_leaves(), 512 - used);
                let state = match (reference.0.contains(&any), reference.is_free(any)) {
                    (true, _) => CodeState::Allocated,
                    (false, true) => CodeState::Free,
                    (false, false) => CodeState::Blocked,
                };
                prop_assert_eq!(tree.state(any), state);
                let all = (0..any.sf().chips()).map(|number| code(any.sf().chips(), number));
                let free = all.filter(|code| reference.is_free(*code)).count();
                prop_assert_eq!(tree.free(any.sf()) as usize, free);
            }
        }
    }
}
