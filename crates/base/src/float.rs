//! Functions of real numbers that give the same bits on every machine: only sums, products,
//! quotients and square roots, which IEEE 754 rounds exactly.

const MANTISSA_BITS: u32 = 52;
const BIAS: i32 = 1023;

/// The natural logarithm of `x`, which is normal and above zero, to about 15 digits: with
/// x = m·2ᵉ and s = (m−1)/(m+1), ln m = 2 (s + s³/3 + s⁵/5 + …).
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> MANTISSA_BITS) as i32 - BIAS;
    let mantissa = bits & ((1 << MANTISSA_BITS) - 1);
    let mut m = f64::from_bits(mantissa | (BIAS as u64) << MANTISSA_BITS);
    if m > std::f64::consts::SQRT_2 {
        m /= 2.0;
        exponent += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let (square, mut power, mut sum) = (s * s, s, 0.0);
    for odd in (1..=23_u32).step_by(2) {
        sum += power / f64::from(odd);
        power *= square;
    }
    2.0 * sum + f64::from(exponent) * std::f64::consts::LN_2
}

/// e to the power of `x`, to about 15 digits; 0 and infinity beyond what a double can be. With
/// x = n·ln 2 + r and |r| ≤ ln 2 / 2, it is 2ⁿ (1 + r + r²/2! + …).
pub fn exp(x: f64) -> f64 {
    const LIMIT: f64 = 700.0;
    if x < -LIMIT {
        return 0.0;
    }
    if x > LIMIT {
        return f64::INFINITY;
    }
    let n = nearest(x / std::f64::consts::LN_2);
    let r = x - n * std::f64::consts::LN_2;
    let mut sum = 1.0;
    for term in (1..=18_u32).rev() {
        sum = 1.0 + r / f64::from(term) * sum;
    }
    sum * f64::from_bits(((n as i32 + BIAS) as u64) << MANTISSA_BITS)
}

/// A double of this size has no fraction, and its last bit is that of the units.
const UNITS: f64 = 1.5 * (1_u64 << MANTISSA_BITS) as f64;

/// The integer nearest to `x`, which is below 2⁵¹ in size, ties to even. The standard library calls
/// a function for it: not every processor has an instruction.
pub const fn nearest(x: f64) -> f64 {
    (x + UNITS) - UNITS
}

/// The factors of one term of the series of a sine to the next, 1 / 2n(2n + 1), from the last.
const SINE_FACTORS: [f64; 11] = {
    let mut factors = [0.0; 11];
    let mut place = 0;
    while place < factors.len() {
        let term = (factors.len() - place) as f64;
        factors[place] = 1.0 / (2.0 * term * (2.0 * term + 1.0));
        place += 1;
    }
    factors
};

/// The sine of `x` radians, to about 15 digits for angles of a few turns.
pub fn sine(x: f64) -> f64 {
    sines([x])[0]
}

/// The sines of several angles, as [`sine`], computed side by side.
pub fn sines<const N: usize>(angles: [f64; N]) -> [f64; N] {
    use std::f64::consts::{FRAC_PI_2, PI};
    let halves = angles.map(|angle| angle / PI + UNITS);
    let rests: [f64; N] = std::array::from_fn(|place| angles[place] - (halves[place] - UNITS) * PI);
    debug_assert!(rests.iter().all(|rest| rest.abs() <= FRAC_PI_2 * 1.01), "{angles:?}");
    let squares = rests.map(|rest| rest * rest);
    let mut sums = [1.0; N];
    for factor in SINE_FACTORS {
        for (sum, square) in sums.iter_mut().zip(&squares) {
            *sum = 1.0 - square * factor * *sum;
        }
    }
    std::array::from_fn(|place| {
        let sign = halves[place].to_bits() << (u64::BITS - 1);
        f64::from_bits((rests[place] * sums[place]).to_bits() ^ sign)
    })
}

/// The cosine of `x` radians, as [`sine`].
pub fn cosine(x: f64) -> f64 {
    sine(x + std::f64::consts::FRAC_PI_2)
}

/// The angle from 0 to π whose cosine is `x`, by bisection: to about 15 digits.
pub fn arc_cosine(x: f64) -> f64 {
    let (mut low, mut high) = (0.0, std::f64::consts::PI);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if cosine(middle) > x {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// `base` to the power of `exponent`, by squaring.
pub fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result *= base;
        }
        base *= base;
        exponent /= 2;
    }
    result
}

/// A standard normal value from pairs of uniform draws, by the polar method (Marsaglia and Bray
/// 1964), which needs no angles.
pub fn normal(mut draw: impl FnMut() -> [u32; 2]) -> f64 {
    loop {
        let [x, y] = draw().map(|draw| (f64::from(draw) + 0.5) / 2_147_483_648.0 - 1.0);
        let square = x * x + y * y;
        if square < 1.0 {
            return x * (-2.0 * ln(square) / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_integers() {
        for step in -4_000..4_000 {
            let x = f64::from(step) / 16.0;
            assert_eq!(nearest(x).to_bits() << 1, x.round_ties_even().to_bits() << 1, "{x}");
        }
    }

    #[test]
    fn angles() {
        for step in -200..=200 {
            let x = f64::from(step) * 0.037;
            assert!((sine(x) - x.sin()).abs() < 1e-14, "{x}: {}", sine(x));
            assert!((cosine(x) - x.cos()).abs() < 1e-14, "{x}: {}", cosine(x));
        }
        for step in 0..=100 {
            let x = f64::from(step) * 0.0314;
            assert!((arc_cosine(x.cos()) - x).abs() < 1e-8, "{x}");
        }
    }

    #[test]
    fn logarithms() {
        for x in [1e-9, 0.1, 0.5, 0.7, 0.999_999, 1.0, 1.4, 1.5, 2.0, 10.0, 1e12] {
            let x: f64 = x;
            assert!((ln(x) - x.ln()).abs() <= 1e-14 * x.ln().abs().max(1.0), "{x}: {}", ln(x));
        }
        assert_eq!(ln(0.3).to_bits(), (-1.203_972_804_325_936_f64).to_bits());
    }

    #[test]
    fn exponentials() {
        for x in [-699.0, -20.0, -1.0, -1e-9, 0.0, 0.3, 1.0, 8.35, 50.0, 699.0] {
            let x: f64 = x;
            assert!((exp(x) / x.exp() - 1.0).abs() <= 1e-13, "{x}: {}", exp(x));
        }
        assert_eq!(exp(-800.0).to_bits(), 0.0_f64.to_bits());
        assert!(exp(800.0).is_infinite());
    }

    #[test]
    fn powers() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(power(0.998, 0), 1.0));
        assert!(close(power(0.998, 1), 0.998));
        assert!(close(power(0.998, 500), 0.998_f64.powi(500)));
    }

    #[test]
    fn normal_values_have_mean_0_and_deviation_1() {
        let mut chance = crate::Stream::named(1, "normal");
        let count = 100_000;
        let values = (0..count).map(|_| normal(|| [chance.next_u32(), chance.next_u32()]));
        let (sum, squares) = values.fold((0.0, 0.0), |(sum, all), x| (sum + x, all + x * x));
        let mean = sum / f64::from(count);
        assert!(mean.abs() < 0.01, "{mean}");
        let variance = squares / f64::from(count) - mean * mean;
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
    }
}
