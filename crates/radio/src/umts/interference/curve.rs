//! From Eb/N0 to block errors.

use base::Probability;

use crate::kit::decibel::{from_db, to_db};

/// The block error rate as a function of Eb/N0 in dB:
///
/// ```text
///   BLER(x) = 1 / (1 + (1/b − 1) · 10^((x − x₀)/d))
/// ```
///
/// It is `b` at `x₀`, falls by a factor of ten every `d` dB where errors are rare, and is 1 far
/// below. The form is ours: a logistic curve, the simplest that is monotone and has both ends. What
/// it is fitted to are the points that the standard requires of a receiver: TS 25.102 Table 8.3
/// gives Eb/N0 for 10⁻¹ and 10⁻² on a static channel, 0.2 to 0.3 dB apart; with fading the curve
/// is flatter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ErrorCurve {
    /// Eb/N0 in dB at `bler`: x₀.
    pub(super) ebn0_db: f64,
    /// The block error rate there, within 0 and 1 without the ends: b.
    pub(super) bler: f64,
    /// dB a decade, above zero: d.
    pub(super) decade_db: f64,
}

impl ErrorCurve {
    /// The block error rate at the ratio `ebn0` (not in dB).
    ///
    /// # Panics
    /// If the curve's point or slope is out of its range.
    pub(super) fn bler(&self, ebn0: f64) -> Probability {
        Probability::new(self.share(ebn0)).expect("within 0 and 1 by its form")
    }

    /// The Eb/N0, as a ratio, at which the rate is `bler`, within 0 and 1 without the ends.
    pub(super) fn ebn0_for(&self, bler: f64) -> f64 {
        let decades = to_db((1.0 / bler - 1.0) / (1.0 / self.bler - 1.0)) / 10.0;
        from_db(self.ebn0_db + self.decade_db * decades)
    }

    fn share(&self, ebn0: f64) -> f64 {
        if ebn0 <= 0.0 {
            return 1.0;
        }
        let decades = (to_db(ebn0) - self.ebn0_db) / self.decade_db;
        1.0 / (1.0 + (1.0 / self.bler - 1.0) * from_db(10.0 * decades))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CURVE: ErrorCurve = ErrorCurve { ebn0_db: 5.0, bler: 0.01, decade_db: 1.0 };

    #[test]
    fn it_passes_through_its_point_and_falls_a_decade_at_a_time() {
        let at = |db: f64| CURVE.bler(from_db(db)).value();
        assert!((at(5.0) - 0.01).abs() < 1e-12);
        assert!((at(6.0) / 0.001 - 1.0).abs() < 0.01, "{}", at(6.0));
        assert!((at(4.0) / 0.1 - 1.0).abs() < 0.1, "{}", at(4.0));
        assert!(at(-20.0) > 0.999_999);
        assert!(at(40.0) < 1e-30);
        assert!(CURVE.bler(0.0).hit(u32::MAX), "no signal, no block");
    }

    proptest! {
        #[test]
        fn more_signal_never_means_more_errors(
            ebn0_db in -5.0..15.0_f64, bler in 0.001..0.5_f64, decade_db in 0.1..5.0_f64,
            a in -30.0..40.0_f64, b in -30.0..40.0_f64,
        ) {
            let curve = ErrorCurve { ebn0_db, bler, decade_db };
            let [low, high] = [a.min(b), a.max(b)].map(|db| curve.bler(from_db(db)).value());
            prop_assert!(low >= high, "{low} {high}");
            prop_assert!((0.0..=1.0).contains(&low));
        }

        #[test]
        fn the_inverse_is_one(bler in 0.000_1..0.999_f64, decade_db in 0.1..5.0_f64) {
            let curve = ErrorCurve { decade_db, ..CURVE };
            let back = curve.bler(curve.ebn0_for(bler)).value();
            prop_assert!((back - bler).abs() < 1e-9, "{back} {bler}");
        }
    }
}
