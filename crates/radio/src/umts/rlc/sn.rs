//! RLC sequence numbers.

use std::ops::{Add, Sub};

/// Bits of a sequence number on the air (TS 25.322 §9.2.2.3).
const BITS: u32 = 12;

/// The number of an acknowledged-mode PDU, counted from 0 without wrapping. On the air it has
/// 12 bits ([`Sn::wire`]).
///
/// With windows of up to 2048 PDUs the 12 bits always give the receiver the whole number. With
/// larger ones, which the standard allows up to 4095, an old duplicate can look like a new PDU; the
/// model keeps whole numbers, so that each SDU arrives once even then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Sn(u64);

impl Sn {
    /// The first number after establishment or reset.
    pub(super) const ZERO: Self = Self(0);

    /// How many numbers there are on the air.
    pub(super) const SPAN: u64 = 1 << BITS;

    /// The number `count` PDUs after the first.
    #[cfg(test)]
    pub(crate) const fn new(count: u64) -> Self {
        Self(count)
    }

    /// As in a PDU's header.
    pub(crate) const fn wire(self) -> u16 {
        (self.0 % Self::SPAN) as u16
    }

    /// The first number at or after `self` that is `wire` in a header.
    #[must_use]
    pub(super) const fn unwrap(self, wire: u16) -> Self {
        Self(self.0 + (wire as u64).wrapping_sub(self.0) % Self::SPAN)
    }
}

impl Add<u64> for Sn {
    type Output = Self;
    fn add(self, count: u64) -> Self {
        Self(self.0 + count)
    }
}

impl Sub<u64> for Sn {
    type Output = Self;
    fn sub(self, count: u64) -> Self {
        Self(self.0 - count)
    }
}

impl Sub for Sn {
    type Output = u64;
    /// How many numbers lie from `start` up to `self`.
    fn sub(self, start: Self) -> u64 {
        self.0 - start.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_bits_tell_the_whole_number_within_a_window() {
        let check = |from: u64, wire, expect: u64| {
            assert_eq!(Sn::new(from).unwrap(wire), Sn::new(expect));
            assert_eq!(Sn::new(expect).wire(), wire);
        };
        check(0, 0, 0);
        check(0, 4095, 4095);
        check(4095, 4095, 4095);
        check(4095, 0, 4096);
        check(10_000, 1807, 9_999 + 4096);
        check(10_000, 1808, 10_000);
    }
}
