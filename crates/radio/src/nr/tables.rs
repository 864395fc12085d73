//! Slots, modulation and coding, and the sizes of transport blocks.

use base::Duration;
use settings::words;

use crate::channel::{Scheme, curve};

words! {
    /// How far subcarriers are apart (TS 38.211 table 4.2-1).
    pub enum Spacing {
        /// Slots of 1 ms.
        Khz15 = "15 kHz",
        /// Slots of 500 us.
        Khz30 = "30 kHz",
        /// Slots of 250 us.
        Khz60 = "60 kHz",
        /// Slots of 125 us.
        Khz120 = "120 kHz",
    }
}

impl Spacing {
    /// How long a slot is: 1 ms / 2^µ (TS 38.211 §4.3.2).
    pub const fn slot(self) -> Duration {
        Duration::from_micros(1000 >> self as u64)
    }
}

words! {
    /// Which schemes of modulation and coding there are.
    pub enum McsTable {
        /// Up to 64QAM (TS 38.214 table 5.1.3.1-1).
        Qam64 = "64qam",
        /// Up to 256QAM (TS 38.214 table 5.1.3.1-2).
        Qam256 = "256qam",
    }
}

/// Bits per symbol, and the code rate.
type Coding = (u32, u32);

/// TS 38.214 table 5.1.3.1-1, whose code rates are in parts of 1024.
const QAM64: [Coding; 29] = [
    (2, 120),
    (2, 157),
    (2, 193),
    (2, 251),
    (2, 308),
    (2, 379),
    (2, 449),
    (2, 526),
    (2, 602),
    (2, 679),
    (4, 340),
    (4, 378),
    (4, 434),
    (4, 490),
    (4, 553),
    (4, 616),
    (4, 658),
    (6, 438),
    (6, 466),
    (6, 517),
    (6, 567),
    (6, 616),
    (6, 666),
    (6, 719),
    (6, 772),
    (6, 822),
    (6, 873),
    (6, 910),
    (6, 948),
];

/// TS 38.214 table 5.1.3.1-2, with code rates in parts of 2048: two of them are halves there.
const QAM256: [Coding; 28] = [
    (2, 240),
    (2, 386),
    (2, 616),
    (2, 898),
    (2, 1204),
    (4, 756),
    (4, 868),
    (4, 980),
    (4, 1106),
    (4, 1232),
    (4, 1316),
    (6, 932),
    (6, 1034),
    (6, 1134),
    (6, 1232),
    (6, 1332),
    (6, 1438),
    (6, 1544),
    (6, 1644),
    (6, 1746),
    (8, 1365),
    (8, 1422),
    (8, 1508),
    (8, 1594),
    (8, 1682),
    (8, 1770),
    (8, 1833),
    (8, 1896),
];

impl McsTable {
    /// How many schemes there are.
    pub(super) const fn schemes(self) -> u8 {
        match self {
            Self::Qam64 => QAM64.len() as u8,
            Self::Qam256 => QAM256.len() as u8,
        }
    }

    /// Bits per symbol, and the code rate in parts of 2048.
    const fn coding(self, mcs: u8) -> Coding {
        match self {
            Self::Qam64 => {
                let (bits, rate) = QAM64[mcs as usize];
                (bits, 2 * rate)
            }
            Self::Qam256 => QAM256[mcs as usize],
        }
    }

    /// Bits per resource element and layer.
    fn efficiency(self, mcs: u8) -> f64 {
        let (bits, rate) = self.coding(mcs);
        f64::from(bits * rate) / 2048.0
    }

    /// The ratio of signal to noise that each scheme needs for one layer, in decibels. Scheme 17 of
    /// 64QAM carries a little less than 16, and needs less.
    pub(super) fn needed(self) -> Vec<f64> {
        (0..self.schemes()).map(|mcs| curve::needed(self.efficiency(mcs))).collect()
    }
}

/// What a block of a direction has of a resource block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// Symbols of the shared channel (`N_symb`).
    pub(super) symbols: u32,
    /// Resource elements for reference signals (`N_DMRS`).
    pub(super) dmrs: u32,
    /// Those for other purposes (`N_oh`).
    pub(super) overhead: u32,
}

impl Shape {
    /// Resource elements for data of a resource block, which count up to 156.
    pub(super) fn elements(self) -> u32 {
        (12 * self.symbols).saturating_sub(self.dmrs + self.overhead).min(156)
    }

    /// The bits of a transport block over `blocks` resource blocks (TS 38.214 §5.1.3.2, §6.1.4.2).
    pub(super) fn bits(self, table: McsTable, of: Scheme, blocks: u16) -> u32 {
        let (modulation, rate) = table.coding(of.mcs);
        let symbols = u64::from(self.elements() * u32::from(blocks) * u32::from(of.layers));
        transport_block(symbols * u64::from(modulation * rate), rate)
    }
}

/// `N_info` is kept in parts of 2048, as the code rate is.
const PARTS: u64 = 2048;

/// The bits of a transport block that would carry `info` / 2048 with a code rate of `rate` / 2048.
fn transport_block(info: u64, rate: u32) -> u32 {
    if info <= 3824 * PARTS {
        let n = (info / PARTS).checked_ilog2().unwrap_or(0).saturating_sub(6).max(3);
        let quantised = ((info / (PARTS << n)) << n).max(24) as u32;
        return SMALL[SMALL.partition_point(|size| *size < quantised)];
    }
    let info = info - 24 * PARTS;
    let n = (info / PARTS).ilog2() - 5;
    // Halves are rounded up.
    let steps = (info + (PARTS << n) / 2) / (PARTS << n);
    let with_check = (steps << n).max(3840) as u32 + 24;
    let blocks = match rate {
        0..=512 => with_check.div_ceil(3816),
        _ if with_check > 8424 + 24 => with_check.div_ceil(8424),
        _ => 1,
    };
    8 * blocks * with_check.div_ceil(8 * blocks) - 24
}

/// TS 38.214 table 5.1.3.2-1.
const SMALL: [u32; 93] = [
    24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,
    192, 208, 224, 240, 256, 272, 288, 304, 320, 336, 352, 368, 384, 408, 432, 456, 480, 504, 528,
    552, 576, 608, 640, 672, 704, 736, 768, 808, 848, 888, 928, 984, 1032, 1064, 1128, 1160, 1192,
    1224, 1256, 1288, 1320, 1352, 1416, 1480, 1544, 1608, 1672, 1736, 1800, 1864, 1928, 2024, 2088,
    2152, 2216, 2280, 2408, 2472, 2536, 2600, 2664, 2728, 2792, 2856, 2976, 3104, 3240, 3368, 3496,
    3624, 3752, 3824,
];

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Shape = Shape { symbols: 13, dmrs: 12, overhead: 0 };

    const fn over(layers: u16, mcs: u8) -> Scheme {
        Scheme { layers, mcs, needed: 0.0 }
    }

    #[test]
    fn slots_halve_from_spacing_to_spacing() {
        let micros = Spacing::ALL.map(|spacing| spacing.slot().as_nanos() / 1000);
        assert_eq!(micros, [1000, 500, 250, 125]);
    }

    /// Each worked out by hand with the steps of TS 38.214 §5.1.3.2.
    #[test]
    fn blocks_have_the_sizes_that_the_specification_works_out() {
        let check_over = |layers, shape: Shape, table: McsTable, mcs, blocks, bits| {
            let seen = shape.bits(table, over(layers, mcs), blocks);
            assert_eq!(seen, bits, "{shape:?} {table:?} {mcs} {blocks}");
        };
        let check = |shape, table, mcs, blocks, bits| {
            check_over(1, shape, table, mcs, blocks, bits);
        };
        // N_info = 144 · 2 · 120/1024 = 33.75; n = 3; 32.
        check(WHOLE, McsTable::Qam64, 0, 1, 32);
        // N_info = 12 · 2 · 120/1024 = 2.8; at least 24.
        check(Shape { symbols: 2, ..WHOLE }, McsTable::Qam64, 0, 1, 24);
        // N_info = 144 · 10 · 4 · 340/1024 = 1912.5; n = 4; 1904; the next is 1928.
        check(WHOLE, McsTable::Qam64, 10, 10, 1928);
        // N_info = 144 · 10 · 6 · 438/1024 = 3695.6; n = 5; 3680; 3752.
        check(WHOLE, McsTable::Qam64, 17, 10, 3752);
        // N_info = 144 · 100 · 2 · 193/1024 = 5428.1, R < 1/4; n = 7; 42.2 steps of 128: 5376;
        // C = 2: 8 · 2 · ceil(5400 / 16) − 24 = 5384.
        check(WHOLE, McsTable::Qam64, 2, 100, 5384);
        // N_info = 144 · 20 · 6 · 438/1024 = 7391.25; n = 7; 57.6 steps of 128: 7424; one block of
        // 8 · ceil(7448 / 8) − 24 = 7424.
        check(WHOLE, McsTable::Qam64, 17, 20, 7424);
        // N_info = 144 · 273 · 8 · 948/1024 · 4 = 1164618; n = 15; 35.5 steps of 32768: 1179648;
        // C = 141: 8 · 141 · ceil(1179672 / 1128) − 24 = 1179864.
        check_over(4, WHOLE, McsTable::Qam256, 27, 273, 1_179_864);
        // More than 156 elements do not count: 156 · 50 · 2 · 602/1024 = 9171.1; n = 8; 35.7 steps
        // of 256: 9216; C = 2: 8 · 2 · ceil(9240 / 16) − 24 = 9224.
        check(Shape { symbols: 14, dmrs: 0, ..WHOLE }, McsTable::Qam64, 8, 50, 9224);
    }

    #[test]
    fn sizes_are_whole_bytes_that_grow_with_scheme_and_width() {
        for (table, layers, symbols) in [
            (McsTable::Qam64, 1, 13),
            (McsTable::Qam64, 2, 9),
            (McsTable::Qam256, 4, 13),
            (McsTable::Qam256, 1, 2),
        ] {
            let shape = Shape { symbols, ..WHOLE };
            for blocks in 1..=273 {
                let mut sizes =
                    (0..table.schemes()).map(|mcs| shape.bits(table, over(layers, mcs), blocks));
                assert!(sizes.clone().all(|bits| bits % 8 == 0), "{blocks}");
                let last = sizes.next().unwrap_or(0);
                // Scheme 17 of 64QAM carries 0.15 % less than 16, beside steps of 1/32.
                let grows = sizes.try_fold(last, |last, bits| {
                    (f64::from(bits) > 0.96 * f64::from(last)).then_some(bits)
                });
                assert!(grows.is_some(), "{table:?} {blocks}");
            }
            for mcs in 0..table.schemes() {
                let sizes: Vec<_> =
                    (1..=273).map(|blocks| shape.bits(table, over(layers, mcs), blocks)).collect();
                assert!(sizes.is_sorted(), "{table:?} {mcs}");
            }
        }
    }

    /// Spectral efficiencies that the tables list beside the code rates.
    #[test]
    fn schemes_carry_what_their_tables_list() {
        let check = |table: McsTable, mcs, listed: f64| {
            assert!((table.efficiency(mcs) - listed).abs() < 5e-5, "{table:?} {mcs}");
        };
        for (mcs, listed) in [(0, 0.2344), (9, 1.3262), (16, 2.5703), (17, 2.5664), (28, 5.5547)] {
            check(McsTable::Qam64, mcs, listed);
        }
        for (mcs, listed) in [
            (1, 0.3770),
            (4, 1.1758),
            (10, 2.5703),
            (19, 5.1152),
            (20, 5.3320),
            (26, 7.1602),
            (27, 7.4063),
        ] {
            check(McsTable::Qam256, mcs, listed);
        }
        for table in McsTable::ALL {
            let needed = table.needed();
            // Scheme 17 of 64QAM carries a little less than 16.
            let grows = |pair: &[f64]| pair[1] > pair[0] - 0.02;
            assert!(needed.windows(2).all(grows) && needed[0] < -6.0, "{needed:?}");
            assert!((20.0..31.0).contains(needed.last().expect("there are some")), "{needed:?}");
        }
    }
}
