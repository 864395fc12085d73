//! Sequence numbers of binding updates.

/// A sequence number of 16 bits, which wraps and thus has no total order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sequence(pub u16);

impl Sequence {
    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// Whether an update with it is newer than one with `last`: not if it is `last` or one of the
    /// 32,768 before that (RFC 6275 §9.5.1).
    pub const fn is_newer_than(self, last: Self) -> bool {
        let ahead = self.0.wrapping_sub(last.0);
        0 < ahead && ahead < 1 << 15
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_is_meant_modulo_65_536() {
        let check = |number: u16, last: u16, newer| {
            assert_eq!(Sequence(number).is_newer_than(Sequence(last)), newer, "{number} {last}");
        };
        check(1, 0, true);
        check(0, 0, false);
        check(0, 1, false);
        check(0, 65_535, true);
        check(32_767, 0, true);
        check(32_768, 0, false);
        check(5, 65_530, true);
        check(65_530, 5, false);
        assert_eq!(Sequence(65_535).next(), Sequence(0));
    }

    /// The clause's own words, number by number.
    #[test]
    fn the_last_and_the_32_768_before_it_are_old() {
        for last in [0_u16, 1, 777, 32_768, 65_535] {
            let old: Vec<u16> = (0..=32_768_u32).map(|n| last.wrapping_sub(n as u16)).collect();
            let newer = (0..=u16::MAX).filter(|n| Sequence(*n).is_newer_than(Sequence(last)));
            assert_eq!(newer.count() + old.len(), 65_536);
            assert!(old.iter().all(|n| !Sequence(*n).is_newer_than(Sequence(last))));
        }
    }
}
