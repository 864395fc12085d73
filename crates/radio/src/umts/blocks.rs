//! How many transport blocks fit in a TTI, exact over time.

use base::{Duration, Rate};

/// The transport blocks of a TTI: `whole`, and one more in `part` of every `of` TTIs.
///
/// A rate is seldom a whole number of blocks a TTI. At 30 kbit/s a TTI of 10 ms holds 37.5 B of a
/// block of 60 B, and five of every eight TTIs carry one. TTI n has room for
///
///   ⌊(n + 1) · r⌋ − ⌊n · r⌋
///
/// blocks, with r blocks a TTI from time 0 on: the remainder is never lost, and which TTI has how
/// many depends on nothing that is sent, so that an idle channel needs no counting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    whole: u32,
    part: u32,
    of: u32,
}

impl Blocks {
    /// Nothing can be sent.
    pub(super) const NONE: Self = Self::every_tti(0);

    /// `blocks` in every TTI.
    pub(super) const fn every_tti(blocks: u32) -> Self {
        Self { whole: blocks, part: 0, of: 1 }
    }

    /// What `rate` carries in TTIs of `tti`, as blocks of `pdu_payload` bytes. `None` if it is more
    /// than can be counted.
    ///
    /// # Panics
    /// If `pdu_payload` is zero, or `tti` is no whole number of milliseconds (all TTIs of the
    /// standard are).
    pub fn of_rate(rate: Rate, tti: Duration, pdu_payload: u32) -> Option<Self> {
        let millis = tti.whole(Duration::from_millis(1));
        assert_eq!(tti, Duration::from_millis(millis), "a TTI in whole milliseconds");
        let (bits, block) = (rate.as_bps().checked_mul(millis)?, u64::from(pdu_payload) * 8000);
        let (whole, part) = (u32::try_from(bits / block).ok()?, bits % block);
        let common = greatest_common_divisor(block, part);
        let [part, of] = [part / common, block / common].map(u32::try_from);
        Some(Self { whole, part: part.ok()?, of: of.ok()? })
    }

    /// True if nothing can be sent.
    pub(super) const fn is_none(self) -> bool {
        self.whole == 0 && self.part == 0
    }

    /// How many the TTI number `tti` has room for, counted from time 0.
    pub(super) const fn in_tti(self, tti: u64) -> u32 {
        if self.part == 0 {
            return self.whole;
        }
        let place = tti % self.of as u64;
        self.whole + (self.parts(place + 1) - self.parts(place)) as u32
    }

    /// How many each TTI has room for, if that is the same in all.
    pub(crate) const fn as_constant(self) -> Option<u32> {
        if self.part == 0 { Some(self.whole) } else { None }
    }

    /// How many a TTI has room for at most.
    pub(super) const fn most(self) -> u32 {
        self.whole + (self.part > 0) as u32
    }

    /// How many a TTI has room for on average.
    pub(crate) fn mean(self) -> f64 {
        f64::from(self.whole) + f64::from(self.part) / f64::from(self.of)
    }

    /// How many all TTIs before number `tti` have room for.
    pub(super) const fn before(self, tti: u64) -> u64 {
        let cycles = tti / self.of as u64;
        tti * self.whole as u64 + cycles * self.part as u64 + self.parts(tti % self.of as u64)
    }

    /// The first TTI from number `tti` on that has room for one.
    pub(super) const fn next_with_room(self, tti: u64) -> Option<u64> {
        if self.whole > 0 {
            return Some(tti);
        }
        if self.part == 0 {
            return None;
        }
        let (place, of) = (tti % self.of as u64, self.of as u64);
        let full = ((self.parts(place) + 1) * of).div_ceil(self.part as u64);
        Some(tti - place + full - 1)
    }

    /// How many TTIs `blocks` of them take, on average and rounded up; `None` is for ever.
    pub(crate) const fn ttis(self, blocks: u64) -> Option<u64> {
        if self.is_none() {
            return None;
        }
        let (of, part) = (self.of as u64, self.part as u64);
        Some((blocks * of).div_ceil(self.whole as u64 * of + part))
    }

    /// The blocks beyond `whole` a TTI in the first `ttis` of a cycle.
    const fn parts(self, ttis: u64) -> u64 {
        ttis * self.part as u64 / self.of as u64
    }
}

impl From<u32> for Blocks {
    fn from(blocks: u32) -> Self {
        Self::every_tti(blocks)
    }
}

const fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn blocks(kbps: u64, tti: u64, payload: u32) -> Blocks {
        let rate = Rate::from_bps(kbps * 1000);
        Blocks::of_rate(rate, Duration::from_millis(tti), payload).expect("countable")
    }

    #[test]
    fn a_rate_that_fits_has_the_same_in_every_tti() {
        let check = |kbps, tti, payload, expect| {
            assert_eq!(blocks(kbps, tti, payload), Blocks::every_tti(expect), "{kbps} kbit/s");
        };
        check(384, 10, 40, 12);
        check(64, 20, 40, 4);
        check(480, 10, 60, 10);
        check(240, 10, 60, 5);
    }

    #[test]
    fn a_rate_that_does_not_fit_keeps_its_remainder() {
        let check = |kbps, payload, expect: [u32; 8]| {
            let blocks = blocks(kbps, 10, payload);
            let there: Vec<_> = (0..8).map(|tti| blocks.in_tti(tti)).collect();
            assert_eq!(there, expect, "{kbps} kbit/s");
        };
        check(30, 60, [0, 1, 0, 1, 1, 0, 1, 1]);
        check(60, 60, [1, 1, 1, 2, 1, 1, 1, 2]);
        check(120, 60, [2, 3, 2, 3, 2, 3, 2, 3]);
        check(15, 60, [0, 0, 0, 1, 0, 0, 1, 0]);
    }

    proptest! {
        #[test]
        fn over_time_the_rate_is_exact(
            bps in 1_u64..3_000_000,
            tti in prop::sample::select(vec![10, 20, 40, 80]),
            payload in 10_u32..200,
            from in 0_u64..1_000_000_000,
        ) {
            let rate = Rate::from_bps(bps);
            let blocks = Blocks::of_rate(rate, Duration::from_millis(tti), payload).expect("few");
            let sum: u64 = (from..from + 60).map(|tti| u64::from(blocks.in_tti(tti))).sum();
            prop_assert_eq!(sum, blocks.before(from + 60) - blocks.before(from));
            let exact = u128::from(bps) * u128::from(tti * from) / (u128::from(payload) * 8000);
            prop_assert_eq!(u128::from(blocks.before(from)), exact);
            let next = blocks.next_with_room(from).expect("it carries something");
            prop_assert!(next >= from && blocks.in_tti(next) > 0);
            prop_assert_eq!(blocks.before(next), blocks.before(from));
        }
    }

    #[test]
    fn none_is_none() {
        assert!(Blocks::NONE.is_none() && Blocks::NONE.next_with_room(7).is_none());
        assert_eq!((Blocks::NONE.in_tti(3), Blocks::NONE.before(1000)), (0, 0));
        assert_eq!(Blocks::NONE.ttis(1), None);
        let none = Blocks::of_rate(Rate::from_bps(u64::MAX), Duration::from_millis(10), 40);
        assert_eq!(none, None, "more than can be counted");
    }
}
