//! TCP sequence numbers.

use std::ops::{Add, Sub};

/// A 32-bit sequence number (RFC 9293 §3.4). It wraps, so it has no order of its own: compare
/// with [`Seq::before`], which is right for two numbers less than 2³¹ apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Seq(u32);

impl Seq {
    /// The sequence number `value`.
    pub const fn new(value: u32) -> Self {
        Self(value)
    }

    /// As it stands in a header.
    pub const fn to_u32(self) -> u32 {
        self.0
    }

    /// True if `self` comes before `other`.
    pub const fn before(self, other: Self) -> bool {
        (self.0.wrapping_sub(other.0) as i32) < 0
    }

    /// True if `self` comes before `other` or is it.
    pub const fn before_or_at(self, other: Self) -> bool {
        !other.before(self)
    }

    /// The signed distance from `other` to `self`.
    pub const fn distance(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0) as i32
    }

    /// True if `self` lies in the `length` numbers from `start` on.
    pub const fn within(self, start: Self, length: u32) -> bool {
        self.0.wrapping_sub(start.0) < length
    }
}

impl Add<u32> for Seq {
    type Output = Self;
    fn add(self, count: u32) -> Self {
        Self(self.0.wrapping_add(count))
    }
}

impl Sub<u32> for Seq {
    type Output = Self;
    fn sub(self, count: u32) -> Self {
        Self(self.0.wrapping_sub(count))
    }
}

impl Sub for Seq {
    type Output = u32;
    /// How many numbers lie from `start` up to `self`, around the wrap.
    fn sub(self, start: Self) -> u32 {
        self.0.wrapping_sub(start.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_holds_across_the_wrap() {
        let last = Seq::new(u32::MAX);
        let first = last + 1;
        assert_eq!(first, Seq::new(0));
        assert!(last.before(first) && !first.before(last) && last.before_or_at(last));
        assert_eq!(first - last, 1);
        assert_eq!(last.distance(first), -1);
        assert!(first.within(last, 2) && !first.within(last, 1) && !last.within(first, 9));
    }
}
