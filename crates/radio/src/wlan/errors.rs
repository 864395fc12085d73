//! Signal levels over distance, and frame errors.

use std::f64::consts::PI;

use base::float::{exp, power};
use mobility::motion::Position;

use super::airtime::DataRate;
use super::keys::WlanKeys;
use crate::kit::decibel::{from_db, to_db};

/// Metres in a nanosecond.
const LIGHT_M_PER_NS: f64 = 0.299_792_458;

/// The bits of the PLCP header, which are sent at 1 Mbit/s (IEEE 802.11-2012 §17.2.2.2).
const HEADER_BITS: u64 = 48;

/// Free space around access points.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeSpace {
    range_m: f64,
    /// What is received at 1 m, in dBm, and relative to the noise, as a ratio.
    at_1_m_dbm: f64,
    at_1_m_snr: f64,
}

impl FreeSpace {
    pub(super) fn new(keys: &WlanKeys) -> Self {
        let wavelength = LIGHT_M_PER_NS / keys.frequency;
        // 20 log10(4πd/λ) at d = 1 m (Friis 1946).
        let at_1_m_dbm = keys.power - 2.0 * to_db(4.0 * PI / wavelength);
        Self { range_m: keys.range, at_1_m_dbm, at_1_m_snr: from_db(at_1_m_dbm - keys.noise) }
    }

    /// True if what is sent at `one` is heard at `other` at all.
    pub(super) fn reaches(&self, one: Position, other: Position) -> bool {
        one.distance(other) <= self.range_m
    }

    /// What is received, in dBm; `f64::NEG_INFINITY` where nothing is heard.
    pub(super) fn level_dbm(&self, one: Position, other: Position) -> f64 {
        if !self.reaches(one, other) {
            return f64::NEG_INFINITY;
        }
        self.at_1_m_dbm - 2.0 * to_db(near(one.distance(other)))
    }

    /// The share of frames of `bytes` at `rate` that are in error.
    pub(super) fn frame_error_rate(
        &self,
        one: Position,
        other: Position,
        rate: DataRate,
        bytes: u32,
    ) -> f64 {
        let distance = near(one.distance(other));
        frame_error_rate(self.at_1_m_snr / (distance * distance), rate, bytes)
    }
}

/// Closer than 1 m the level is that at 1 m: the far field begins about there.
fn near(distance_m: f64) -> f64 {
    distance_m.max(1.0)
}

/// The share of frames of `bytes` in error at the signal-to-noise ratio `snr` (not in dB) in 22
/// MHz: the header and every bit of the frame have to be right.
fn frame_error_rate(snr: f64, rate: DataRate, bytes: u32) -> f64 {
    let header = power(1.0 - bit_error_rate(snr, DataRate::Mbps1), HEADER_BITS);
    let frame = power(1.0 - bit_error_rate(snr, rate), 8 * u64::from(bytes));
    1.0 - header * frame
}

/// The bit error rate at the signal-to-noise ratio `snr` (not in dB) in 22 MHz, by the formulas
/// with which IEEE 802.15.2-2003 and Annex E of IEEE 802.15.4-2006 model 802.11b. Those of CCK are
/// union bounds over the distances of its code words.
fn bit_error_rate(snr: f64, rate: DataRate) -> f64 {
    let terms = |terms: &[(f64, f64)]| -> f64 {
        terms.iter().map(|(words, distance)| words * tail((distance * snr).sqrt())).sum()
    };
    let bound = match rate {
        DataRate::Mbps1 => tail((11.0 * snr).sqrt()),
        DataRate::Mbps2 => tail((5.5 * snr).sqrt()),
        DataRate::Mbps5_5 => 8.0 / 15.0 * terms(&CCK_16),
        DataRate::Mbps11 => 128.0 / 255.0 * terms(&CCK_256),
    };
    bound.min(0.5)
}

/// Of the 16 code words of CCK at 5.5 Mbit/s: how many are at which distance from one of them, in
/// half squares of a chip's amplitude.
const CCK_16: [(f64, f64); 2] = [(14.0, 8.0), (1.0, 16.0)];

/// The same of the 256 at 11 Mbit/s.
const CCK_256: [(f64, f64); 6] =
    [(24.0, 4.0), (16.0, 6.0), (174.0, 8.0), (16.0, 10.0), (24.0, 12.0), (1.0, 16.0)];

/// Q(x), the share of a standard normal distribution above `x`, not below zero: a series near the
/// middle (Abramowitz and Stegun 26.2.11), a continued fraction beyond (26.2.14), and zero where
/// 1 − Q(x) is 1 to the last digit.
fn tail(x: f64) -> f64 {
    const MIDDLE: f64 = 3.0;
    const END: f64 = 9.0;
    if x > END {
        return 0.0;
    }
    let density = exp(-x * x / 2.0) / (2.0 * PI).sqrt();
    if x < MIDDLE {
        let (mut term, mut sum) = (x, x);
        for odd in (3..=81_u32).step_by(2) {
            term *= x * x / f64::from(odd);
            sum += term;
        }
        return 0.5 - density * sum;
    }
    let fraction = (1..=60_u32).rev().fold(x, |below, step| x + f64::from(step) / below);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expect: f64, share: f64) {
        assert!((value - expect).abs() <= share * expect.abs(), "{value} instead of {expect}");
    }

    /// erfc(x/√2)/2 of glibc.
    #[test]
    fn tails() {
        close(tail(0.0), 0.5, 1e-14);
        close(tail(0.5), 0.308_537_538_725_986_9, 1e-13);
        close(tail(1.0), 0.158_655_253_931_457_07, 1e-13);
        close(tail(2.0), 0.022_750_131_948_179_195, 1e-13);
        close(tail(2.999), 0.001_354_336_533_727_106_6, 1e-12);
        close(tail(3.0), 0.001_349_898_031_630_094_6, 1e-12);
        close(tail(5.0), 2.866_515_718_791_933_3e-7, 1e-12);
        close(tail(8.0), 6.220_960_574_271_786e-16, 1e-12);
        assert_eq!((1.0 - tail(9.0)).to_bits(), 1.0_f64.to_bits());
    }

    /// 92.45 + 20 log10(f/GHz) + 20 log10(d/km) dB (ITU-R P.525).
    #[test]
    fn free_space() {
        let space = FreeSpace::new(&WlanKeys::default());
        let level = |metres| space.level_dbm(Position::default(), Position::new(metres, 0.0));
        close(level(1.0), 15.0 - 40.052, 1e-4);
        close(level(100.0), 15.0 - 80.052, 1e-4);
        close(level(100.0) - level(200.0), 6.0206, 1e-4);
        assert_eq!(level(0.0).to_bits(), level(1.0).to_bits());
        assert!(level(250.0).is_finite(), "the edge is in range");
        assert!(level(250.1).is_infinite());
        close(to_db(space.at_1_m_snr), 15.0 - 40.052 + 94.0, 1e-4);
    }

    /// A chip as a quarter of a turn, and its square of the distance to another.
    fn square_distance(one: &[u32; 8], other: &[u32; 8]) -> u32 {
        let chips = one.iter().zip(other);
        // 0, 2, 4, 2 for a turn by 0, 90, 180, 270 degrees.
        chips.map(|(a, b)| [0, 2, 4, 2][((4 + a - b) % 4) as usize]).sum()
    }

    /// The code word of four phases in quarters of a turn (IEEE 802.11-2012 §17.4.6.5).
    fn word([p1, p2, p3, p4]: [u32; 4]) -> [u32; 8] {
        let chips = [
            p1 + p2 + p3 + p4,
            p1 + p3 + p4,
            p1 + p2 + p4,
            p1 + p4 + 2,
            p1 + p2 + p3,
            p1 + p3,
            p1 + p2 + 2,
            p1,
        ];
        chips.map(|chip| chip % 4)
    }

    /// Counts code words by their distance from each of them, which has to be the same for all.
    fn check_distances(words: &[[u32; 8]], expect: &[(f64, f64)]) {
        for one in words {
            let mut counts = std::collections::BTreeMap::new();
            for other in words.iter().filter(|other| *other != one) {
                *counts.entry(square_distance(one, other)).or_insert(0) += 1;
            }
            let counts = counts
                .into_iter()
                .map(|(square, count)| (f64::from(count), f64::from(square) / 2.0));
            assert_eq!(counts.collect::<Vec<_>>(), expect);
        }
    }

    #[test]
    fn distances_of_cck_follow_from_its_code_words() {
        let all: Vec<_> = (0..256_u32)
            .map(|bits| word([bits & 3, bits >> 2 & 3, bits >> 4 & 3, bits >> 6]))
            .collect();
        check_distances(&all, &CCK_256);
        // At 5.5 Mbit/s the second phase is d2·π + π/2, the third 0, the fourth d3·π (§17.4.6.6).
        let some: Vec<_> = (0..16_u32)
            .map(|bits| word([bits & 3, 2 * (bits >> 2 & 1) + 1, 0, 2 * (bits >> 3)]))
            .collect();
        check_distances(&some, &CCK_16);
    }

    #[test]
    fn faster_longer_and_farther_frames_err_more_often() {
        let space = FreeSpace::new(&WlanKeys { noise: -75.0, ..WlanKeys::default() });
        let rate_at = |metres, rate, bytes| {
            space.frame_error_rate(Position::default(), Position::new(metres, 0.0), rate, bytes)
        };
        for rate in DataRate::ALL {
            let rates: Vec<_> =
                (1..500).map(|metres| rate_at(f64::from(metres), rate, 1536)).collect();
            assert!(rates.is_sorted(), "{rate:?}");
            assert!(rates.iter().all(|rate| (0.0..=1.0).contains(rate)));
            assert!(rates[0] < 1e-9 && rates[498] > 0.9, "{rate:?}: {rates:?}");
            let sizes: Vec<_> = (0..3000).map(|bytes| rate_at(150.0, rate, bytes)).collect();
            assert!(sizes.is_sorted(), "{rate:?}");
        }
        for metres in 1..500 {
            let by_rate = DataRate::ALL.map(|rate| rate_at(f64::from(metres), rate, 1536));
            let [one, two, five, eleven] = by_rate;
            assert!(one <= two && five <= eleven && one <= eleven, "{metres} m: {by_rate:?}");
        }
    }

    /// The signal-to-noise ratios at which 1024 bytes err in 8 of 100, the sensitivity of
    /// IEEE 802.11-2012 §17.4.8.2: golden.
    #[test]
    fn sensitivities() {
        let snr_db = DataRate::ALL.map(|rate| {
            let errs = |tenths: &i32| {
                frame_error_rate(from_db(f64::from(*tenths) / 10.0), rate, 1024) > 0.08
            };
            (-200..300).find(|tenths| !errs(tenths)).expect("it falls")
        });
        assert_eq!(snr_db, [22, 52, 44, 76]);
    }
}
