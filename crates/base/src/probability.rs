//! Probabilities as thresholds.

/// A probability in 0..=1, kept as the share of 2³² below which a uniform draw counts as a hit. A
/// higher probability then only adds hits to the same draws, so runs that differ in it are paired.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Probability {
    value: f64,
    threshold: u64,
}

impl Probability {
    /// Never.
    pub const NEVER: Self = Self { value: 0.0, threshold: 0 };

    /// Always.
    pub const ALWAYS: Self = Self { value: 1.0, threshold: 1 << 32 };

    /// The probability `value`, or `None` outside 0..=1.
    pub fn new(value: f64) -> Option<Self> {
        let threshold = (value * 4_294_967_296.0).round() as u64;
        (0.0..=1.0).contains(&value).then_some(Self { value, threshold })
    }

    /// As a number in 0..=1.
    pub const fn value(self) -> f64 {
        self.value
    }

    /// True if the uniform `draw` counts as a hit.
    pub const fn hit(self, draw: u32) -> bool {
        (draw as u64) < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_exact_and_the_rest_is_nested() {
        let of = |value| Probability::new(value).expect("in range");
        assert!(!of(0.0).hit(0) && of(1.0).hit(u32::MAX));
        assert!((0..=1000).all(|i| {
            let draw = i * 4_294_967;
            !of(0.05).hit(draw) || of(0.3).hit(draw)
        }));
        assert_eq!((Probability::NEVER, Probability::ALWAYS), (of(0.0), of(1.0)));
        assert_eq!(Probability::new(1.1), None);
        assert_eq!(Probability::new(f64::NAN), None);
    }
}
