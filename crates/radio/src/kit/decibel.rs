//! Decibels, the same on every machine.

use std::f64::consts::LN_10;

use base::float::{exp, ln};

/// The ratio that is `db` decibels.
pub(crate) fn from_db(db: f64) -> f64 {
    exp(db * LN_10 / 10.0)
}

/// `ratio`, above zero, in decibels.
pub(crate) fn to_db(ratio: f64) -> f64 {
    10.0 * log10(ratio)
}

/// The common logarithm of `x`, above zero.
pub(crate) fn log10(x: f64) -> f64 {
    ln(x.max(f64::MIN_POSITIVE)) / LN_10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_is_ten_decibels() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.abs().max(1.0);
        for (ratio, db) in [(1.0, 0.0), (10.0, 10.0), (1e-12, -120.0), (2.0, 3.010_299_956_639_812)]
        {
            assert!(
                close(to_db(ratio), db) && close(from_db(db), ratio),
                "{ratio}: {}",
                to_db(ratio)
            );
        }
        assert!(to_db(0.0).is_finite());
    }
}
