//! Coding schemes: what a radio block carries, and how often it arrives.

use base::{Duration, Probability, float};
use settings::words;

/// How long a radio block takes in its time slot, on average: 12 blocks in the 240 ms of a
/// 52-multiframe (TS 45.002 §6.3.2.1).
pub(super) const BLOCK_PERIOD: Duration = Duration::from_millis(20);

words! {
    /// A coding scheme of GPRS (TS 45.003 §5.1) or EDGE (§5.1.5 and following).
    #[derive(PartialOrd, Ord)]
    pub enum CodingScheme {
        /// 8 kbit/s a slot.
        Cs1 = "cs-1",
        /// 12 kbit/s a slot.
        Cs2 = "cs-2",
        /// 14.4 kbit/s a slot.
        Cs3 = "cs-3",
        /// 20 kbit/s a slot.
        Cs4 = "cs-4",
        /// EDGE, 8.8 kbit/s a slot.
        Mcs1 = "mcs-1",
        /// EDGE, 11.2 kbit/s a slot.
        Mcs2 = "mcs-2",
        /// EDGE, 14.8 kbit/s a slot.
        Mcs3 = "mcs-3",
        /// EDGE, 17.6 kbit/s a slot.
        Mcs4 = "mcs-4",
        /// EDGE, 22.4 kbit/s a slot.
        Mcs5 = "mcs-5",
        /// EDGE, 29.6 kbit/s a slot.
        Mcs6 = "mcs-6",
        /// EDGE, 44.8 kbit/s a slot.
        Mcs7 = "mcs-7",
        /// EDGE, 54.4 kbit/s a slot.
        Mcs8 = "mcs-8",
        /// EDGE, 59.2 kbit/s a slot.
        Mcs9 = "mcs-9",
    }
}

impl CodingScheme {
    /// Bytes that one RLC data block carries, without its headers (TS 44.060 §10.2.1, §10.3a).
    pub(super) const fn block_bytes(self) -> u32 {
        SCHEMES[self as usize].0
    }

    /// RLC data blocks in a radio block.
    pub(super) const fn blocks(self) -> u32 {
        SCHEMES[self as usize].1
    }

    /// Bytes that a radio block carries.
    pub(super) const fn bytes(self) -> u32 {
        self.block_bytes() * self.blocks()
    }

    /// True for the schemes of EDGE.
    pub(super) const fn is_edge(self) -> bool {
        self as u8 >= Self::Mcs1 as u8
    }

    /// The next faster scheme of the same system.
    pub(super) fn faster(self) -> Option<Self> {
        let next = Self::ALL.get(self as usize + 1).copied();
        next.filter(|next| next.is_edge() == self.is_edge())
    }

    /// The next slower scheme of the same system.
    pub(super) fn slower(self) -> Option<Self> {
        let before = (self as usize).checked_sub(1).map(|index| Self::ALL[index]);
        before.filter(|before| before.is_edge() == self.is_edge())
    }

    /// The block error rate at `ci` dB: logistic, a tenth at the reference, and a hundredth
    /// `SLOPE` · ln 11 ≈ 5.3 dB above it.
    pub fn block_error_rate(self, ci: f64) -> Probability {
        let odds = 9.0 * float::exp((ci - self.reference_ci()) / SLOPE);
        Probability::new(1.0 / (1.0 + odds)).unwrap_or(Probability::ALWAYS)
    }

    /// Where [`Self::block_error_rate`] is `rate`, in dB.
    pub fn ci_of(self, rate: f64) -> f64 {
        self.reference_ci() + SLOPE * float::ln((1.0 / rate - 1.0) / 9.0)
    }

    /// The ratio of carrier to interference, in dB, at which a tenth of the blocks is in error:
    /// after TS 45.005 Table 2, TU50 without hopping at 900 MHz, rounded; those of MCS-7 to 9,
    /// for which the table has other rates, are extrapolated.
    const fn reference_ci(self) -> f64 {
        SCHEMES[self as usize].2
    }
}

/// Of each scheme, in their order: bytes of a data block, data blocks in a radio block, and the
/// reference in dB.
const SCHEMES: [(u32, u32, f64); CodingScheme::ALL.len()] = [
    (20, 1, 10.0),
    (30, 1, 14.0),
    (36, 1, 16.0),
    (50, 1, 24.0),
    (22, 1, 10.0),
    (28, 1, 12.0),
    (37, 1, 17.0),
    (44, 1, 21.5),
    (56, 1, 16.5),
    (74, 1, 19.0),
    (56, 2, 25.0),
    (68, 2, 29.5),
    (74, 2, 33.0),
];

/// The change in dB that changes a block's odds by a factor of e: fading flattens the curves of TS
/// 45.005. Our choice.
const SLOPE: f64 = 2.2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_and_rates() {
        let check = |scheme: CodingScheme, bytes, blocks, bps: u64| {
            assert_eq!((scheme.block_bytes(), scheme.blocks()), (bytes, blocks), "{scheme:?}");
            let rate = u64::from(scheme.bytes()) * 8 * 1_000_000_000 / BLOCK_PERIOD.as_nanos();
            assert_eq!(rate, bps, "{scheme:?}");
        };
        check(CodingScheme::Cs1, 20, 1, 8_000);
        check(CodingScheme::Cs2, 30, 1, 12_000);
        check(CodingScheme::Cs3, 36, 1, 14_400);
        check(CodingScheme::Cs4, 50, 1, 20_000);
        check(CodingScheme::Mcs1, 22, 1, 8_800);
        check(CodingScheme::Mcs2, 28, 1, 11_200);
        check(CodingScheme::Mcs3, 37, 1, 14_800);
        check(CodingScheme::Mcs4, 44, 1, 17_600);
        check(CodingScheme::Mcs5, 56, 1, 22_400);
        check(CodingScheme::Mcs6, 74, 1, 29_600);
        check(CodingScheme::Mcs7, 56, 2, 44_800);
        check(CodingScheme::Mcs8, 68, 2, 54_400);
        check(CodingScheme::Mcs9, 74, 2, 59_200);
    }

    #[test]
    fn neighbours_stay_within_their_system() {
        let check = |scheme: CodingScheme, slower, faster| {
            assert_eq!((scheme.slower(), scheme.faster()), (slower, faster), "{scheme:?}");
        };
        check(CodingScheme::Cs1, None, Some(CodingScheme::Cs2));
        check(CodingScheme::Cs2, Some(CodingScheme::Cs1), Some(CodingScheme::Cs3));
        check(CodingScheme::Cs4, Some(CodingScheme::Cs3), None);
        check(CodingScheme::Mcs1, None, Some(CodingScheme::Mcs2));
        check(CodingScheme::Mcs9, Some(CodingScheme::Mcs8), None);
    }

    #[test]
    fn error_rates_fall_with_the_carrier_and_have_an_inverse() {
        for scheme in CodingScheme::ALL {
            let at = |ci| scheme.block_error_rate(ci).value();
            assert!((at(scheme.reference_ci()) - 0.1).abs() < 1e-12);
            assert!((0..40).all(|ci| at(f64::from(ci)) > at(f64::from(ci + 1))));
            for rate in [0.01, 0.04, 0.15, 0.4, 0.9] {
                assert!((at(scheme.ci_of(rate)) - rate).abs() < 1e-9, "{scheme:?} at {rate}");
            }
        }
    }
}
