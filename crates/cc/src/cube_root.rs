//! The cube root, the same on every platform.

/// Bits of a significand.
const PRECISION: i32 = 53;

/// The double that is nearest to the cube root of `x`, which is zero or more and finite.
///
/// Digit by digit in integers: with x = N · 2^(3q) and N between 2^156 and 2^159, the root of N
/// has 53 bits, and one comparison more decides how to round. No tie is possible: the cube of
/// an odd number is odd.
pub(crate) fn cube_root(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let (significand, exponent) = decompose(x);
    let shift = 104 + (exponent - 104).rem_euclid(3);
    let radicand = Wide::shifted(significand, shift);
    let mut root = 0;
    for bit in (0..PRECISION).rev() {
        let candidate = root | 1 << bit;
        if Wide::cube(candidate) <= radicand {
            root = candidate;
        }
    }
    let half_more = 2 * root + 1;
    if Wide::cube(half_more) <= Wide::shifted(significand, shift + 3) {
        root += 1;
    }
    root as f64 * power_of_two((exponent - shift) / 3)
}

/// `x` as a significand of 53 bits and a power of two.
fn decompose(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let field = (bits >> (PRECISION - 1)) as i32;
    let fraction = bits & ((1 << (PRECISION - 1)) - 1);
    if field > 0 {
        return (fraction | 1 << (PRECISION - 1), field - 1075);
    }
    let lead = fraction.leading_zeros() as i32 - (64 - PRECISION);
    (fraction << lead, -1074 - lead)
}

/// 2^`exponent`, for exponents of normal numbers.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << (PRECISION - 1))
}

/// An integer of 192 bits: the part above bit 64, and below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Wide(u128, u64);

impl Wide {
    /// `value` · 2^`shift`, for a shift of 64 or more.
    const fn shifted(value: u64, shift: i32) -> Self {
        Self((value as u128) << (shift - 64), 0)
    }

    /// `value`³, for a value of at most 54 bits.
    const fn cube(value: u64) -> Self {
        let value = value as u128;
        let square = value * value;
        let low = (square & u64::MAX as u128) * value;
        Self((square >> 64) * value + (low >> 64), low as u64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cubes_have_their_roots() {
        for n in 0..2000_u32 {
            let n = f64::from(n);
            assert_eq!(cube_root(n * n * n).to_bits(), n.to_bits());
        }
        assert_eq!(cube_root(0.125).to_bits(), 0.5_f64.to_bits());
        assert_eq!(cube_root(f64::from_bits(1)).to_bits(), power_of_two(-358).to_bits());
    }

    /// The first 20 decimals of the true roots; reading them rounds to the nearest double.
    #[test]
    fn known_roots() {
        let check = |x, root: &str| {
            assert_eq!(cube_root(x).to_bits(), root.parse::<f64>().unwrap().to_bits(), "{x}");
        };
        check(2.0, "1.25992104989487316477");
        check(3.0, "1.44224957030740838232");
        check(10.0, "2.15443469003188372176");
        check(75.0, "4.21716332650874623747");
        check(100.0, "4.64158883361277889241");
    }

    /// Whether (2·n + 1)³ is above the radicand, both as integers of 1/8 of a unit, decides which
    /// neighbour is nearest; here the neighbours are tried from the outside.
    fn between_its_half_steps(x: f64) -> bool {
        let root = cube_root(x);
        let (significand, exponent) = decompose(root);
        let (of_x, exponent_of_x) = decompose(x);
        // root = s · 2^e, so 8x / 2^(3e) lies between (2s − 1)³ and (2s + 1)³.
        let radicand = Wide::shifted(of_x, exponent_of_x - 3 * exponent + 3);
        Wide::cube(2 * significand - 1) < radicand && radicand < Wide::cube(2 * significand + 1)
    }

    proptest! {
        #[test]
        fn no_other_double_is_nearer(significand in 1.0_f64..8.0, octave in -60_i32..60) {
            prop_assert!(between_its_half_steps(significand * power_of_two(octave)));
        }

        #[test]
        fn it_is_beside_the_library(x in 1e-9_f64..1e12) {
            let (ours, library) = (cube_root(x).to_bits(), x.cbrt().to_bits());
            prop_assert!(ours.abs_diff(library) <= 1, "{x}");
        }
    }
}
