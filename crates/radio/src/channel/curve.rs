//! How often transport blocks err.

use base::float::exp;

use crate::kit::decibel::to_db;

/// How steep the curve is, per decibel. Our choice: from 50 % to 1 % within 1.5 dB, as turbo codes
/// of some thousand bits have it.
const SLOPE: f64 = 3.0;

/// The share of blocks that a link adaptation aims at, for which a scheme needs the ratio that is
/// called its own (TS 36.213 §7.2.3).
pub(crate) const TARGET: f64 = 0.1;

/// The share of blocks in error whose signal is `margin` decibels better than their scheme needs: a
/// logistic curve through [`TARGET`].
pub(crate) fn block_error_rate(margin: f64) -> f64 {
    1.0 / (1.0 + (1.0 - TARGET) / TARGET * exp(SLOPE * margin))
}

/// The margin at which the share of blocks in error is `rate`, which lies between 0 and 1.
pub(crate) fn margin_of(rate: f64) -> f64 {
    base::float::ln((1.0 - rate) / rate * TARGET / (1.0 - TARGET)) / SLOPE
}

/// What `transmissions` of a block are better than one, in decibels: their energies add up (Chase,
/// Code combining, IEEE Trans. Commun. 33(5), 1985).
pub(crate) fn combining_gain(transmissions: u32) -> f64 {
    to_db(f64::from(transmissions))
}

/// The ratio of signal to noise that a scheme of so many bits per resource element needs, in
/// decibels: a share of Shannon's bound, as TS 36.942 §A.1 has it. The share is our choice; with it
/// the ratios of all CQIs lie from −8 to 22 dB.
pub(crate) fn needed(bits_per_element: f64) -> f64 {
    const SHARE: f64 = 0.75;
    to_db(exp(bits_per_element / SHARE * std::f64::consts::LN_2) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::close;

    #[test]
    fn the_curve_falls_through_a_tenth() {
        close(block_error_rate(0.0), 0.1, 1e-12);
        for rate in [0.9, 0.5, 0.1, 0.01, 1e-4] {
            close(block_error_rate(margin_of(rate)), rate, 1e-9);
        }
        assert!(margin_of(0.01) - margin_of(0.5) < 1.6);
    }

    #[test]
    fn a_second_transmission_is_three_decibels() {
        close(combining_gain(1), 0.0, 1e-12);
        close(combining_gain(2), 3.01, 0.001);
        close(combining_gain(4), 6.02, 0.001);
    }

    #[test]
    fn schemes_need_what_a_bound_says() {
        close(needed(0.75), 0.0, 1e-9);
        assert!((-8.5..-7.5).contains(&needed(0.152)) && (21.0..23.0).contains(&needed(5.555)));
    }
}
