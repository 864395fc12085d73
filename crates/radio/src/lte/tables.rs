//! Sizes of transport blocks and what mobiles can do.

use base::Direction;
use settings::words;

use crate::channel::{Scheme, Sizes, curve};

/// How many sizes of transport blocks there are for a number of resource blocks (TS 36.213
/// §7.1.7.1).
pub(super) const SCHEMES: u8 = 27;

/// The numbers of resource blocks for which sizes are listed: those of all bandwidths, one, and two
/// layers over the largest bandwidth.
const COLUMNS: [u16; 8] = [1, 6, 15, 25, 50, 75, 100, 200];

/// Bits of a transport block by scheme and by [`COLUMNS`] (TS 36.213 table 7.1.7.2.1-1; the last
/// column by table 7.1.7.2.2-1). Scheme 6 over one resource block is 328 there, for voice; here it
/// is what lies between its neighbours.
const BITS: [[u32; COLUMNS.len()]; SCHEMES as usize] = [
    [16, 152, 392, 680, 1384, 2088, 2792, 5544],
    [24, 208, 520, 904, 1800, 2728, 3624, 7224],
    [32, 256, 648, 1096, 2216, 3368, 4584, 9144],
    [40, 328, 872, 1416, 2856, 4392, 5736, 11_448],
    [56, 408, 1064, 1800, 3624, 5352, 7224, 14_688],
    [72, 504, 1320, 2216, 4392, 6712, 8760, 17_568],
    [88, 600, 1544, 2600, 5160, 7736, 10_296, 20_616],
    [104, 712, 1800, 3112, 6200, 9144, 12_216, 24_496],
    [120, 808, 2088, 3496, 6968, 10_680, 14_112, 28_336],
    [136, 936, 2344, 4008, 7992, 11_832, 15_840, 31_704],
    [144, 1032, 2664, 4392, 8760, 12_960, 17_568, 35_160],
    [176, 1192, 2984, 4968, 9912, 15_264, 19_848, 39_232],
    [208, 1352, 3368, 5736, 11_448, 16_992, 22_920, 45_352],
    [224, 1544, 3880, 6456, 12_960, 19_080, 25_456, 51_024],
    [256, 1736, 4264, 7224, 14_112, 21_384, 28_336, 57_336],
    [280, 1800, 4584, 7736, 15_264, 22_920, 30_576, 61_664],
    [328, 1928, 4968, 7992, 16_416, 24_496, 32_856, 66_592],
    [336, 2152, 5352, 9144, 18_336, 27_376, 36_696, 73_712],
    [376, 2344, 5992, 9912, 19_848, 29_296, 39_232, 78_704],
    [408, 2600, 6456, 10_680, 21_384, 32_856, 43_816, 87_936],
    [440, 2792, 6968, 11_448, 22_920, 35_160, 46_888, 93_800],
    [488, 2984, 7480, 12_576, 25_456, 37_888, 51_024, 101_840],
    [520, 3240, 7992, 13_536, 27_376, 40_576, 55_056, 110_136],
    [552, 3496, 8504, 14_112, 28_336, 43_816, 57_336, 115_040],
    [584, 3624, 9144, 15_264, 30_576, 45_352, 61_664, 124_464],
    [616, 3752, 9528, 15_840, 31_704, 46_888, 63_776, 128_496],
    [712, 4392, 11_064, 18_336, 36_696, 55_056, 75_376, 149_776],
];

/// Resource elements of a resource block over a subframe that carry data: 168 without one symbol of
/// control and two antennas' reference signals (TS 36.211 §6.10.1).
const ELEMENTS: f64 = 144.0;

words! {
    /// What a mobile can do (TS 36.306 table 4.1-1, 4.1-2).
    pub enum Category {
        /// 10 Mbit/s down, 5 up.
        One = "1",
        /// 50 Mbit/s down, 25 up.
        Two = "2",
        /// 100 Mbit/s down, 50 up.
        Three = "3",
        /// 150 Mbit/s down, 50 up.
        Four = "4",
        /// LTE-M: 1 Mbit/s both ways over six resource blocks.
        M1 = "m1",
    }
}

impl Category {
    /// The most bits of a transport block downlink and uplink.
    const fn most_bits(self) -> [u32; 2] {
        match self {
            Self::One => [10_296, 5_160],
            Self::Two => [51_024, 25_456],
            Self::Three => [102_048, 51_024],
            Self::Four => [150_752, 51_024],
            Self::M1 => [1_000, 1_000],
        }
    }

    /// How many layers it receives.
    const fn layers(self) -> u16 {
        match self {
            Self::One | Self::M1 => 1,
            Self::Two | Self::Three | Self::Four => 2,
        }
    }

    /// How many sizes of blocks there are. Up to category 4 a mobile sends 16QAM at most (TS 36.306
    /// table 4.1-2), of which a resource element carries four bits: the largest block of category 4
    /// is that of size 21 over 100 resource blocks.
    const fn count(self, way: Direction) -> u8 {
        match (self, way) {
            (Self::One | Self::Two | Self::Three | Self::Four, Direction::Uplink) => 22,
            (_, Direction::Downlink) | (Self::M1, _) => SCHEMES,
        }
    }

    /// The schemes of a direction, which need what `needed` lists over one layer: those of all
    /// numbers of layers that it may have, or a `fixed` one of all layers.
    pub(super) fn schemes(self, way: Direction, needed: &[f64], fixed: Option<u8>) -> Vec<Scheme> {
        let (layers, count) = (way.of(self.layers(), 1), self.count(way));
        if let Some(mcs) = fixed {
            return vec![Scheme::new(layers, mcs.min(count - 1), needed)];
        }
        let widest = COLUMNS[COLUMNS.len() - 2];
        let most = |of: Scheme| bits(of.mcs, widest * of.layers);
        Scheme::adaptive(layers, &needed[..usize::from(count)], most)
    }

    /// How many resource blocks of `all` it can use.
    pub(super) fn width(self, all: u16) -> u16 {
        if self == Self::M1 { all.min(6) } else { all }
    }

    /// The sizes of its transport blocks of `schemes` in a cell of `width` resource blocks.
    pub(super) fn sizes(self, way: Direction, schemes: &[Scheme], width: u16) -> Sizes {
        let most = self.most_bits()[way as usize];
        let bytes = |of: Scheme, blocks: u16| bits(of.mcs, blocks * of.layers).min(most) / 8;
        Sizes::new(schemes, self.width(width), bytes)
    }
}

/// The bits of a transport block of `scheme` over `blocks` resource blocks, times layers: between
/// the columns of the table on a straight line, in whole bytes.
fn bits(scheme: u8, blocks: u16) -> u32 {
    let row = BITS[scheme as usize];
    let place = COLUMNS.partition_point(|column| *column < blocks);
    if COLUMNS[place] == blocks {
        return row[place];
    }
    let (low, high) = (COLUMNS[place - 1], COLUMNS[place]);
    let more = (row[place] - row[place - 1]) * u32::from(blocks - low) / u32::from(high - low);
    (row[place - 1] + more) / 8 * 8
}

/// What says which scheme an index of modulation and coding of a direction has.
pub(super) fn scheme_of(way: Direction) -> fn(u8) -> u8 {
    way.of(downlink_scheme, uplink_scheme)
}

/// The scheme of a downlink modulation and coding index (TS 36.213 table 7.1.7.1-1).
const fn downlink_scheme(mcs: u8) -> u8 {
    match mcs {
        0..=9 => mcs,
        10..=16 => mcs - 1,
        _ => mcs - 2,
    }
}

/// The same of the uplink (TS 36.213 table 8.6.1-1).
const fn uplink_scheme(mcs: u8) -> u8 {
    match mcs {
        0..=10 => mcs,
        11..=20 => mcs - 1,
        _ => mcs - 2,
    }
}

/// The ratio of signal to noise that each scheme needs for one layer, in decibels.
pub(super) fn needed() -> Vec<f64> {
    let largest = BITS.iter().map(|row| f64::from(row[6]) / (100.0 * ELEMENTS));
    largest.map(curve::needed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_with_scheme_and_width() {
        for blocks in 1..=200 {
            let column: Vec<_> = (0..SCHEMES).map(|scheme| bits(scheme, blocks)).collect();
            assert!(column.is_sorted() && column.iter().all(|bits| bits % 8 == 0), "{blocks}");
        }
        for scheme in 0..SCHEMES {
            assert!(
                (1..200).all(|blocks| bits(scheme, blocks) < bits(scheme, blocks + 1)),
                "{scheme}"
            );
        }
    }

    /// Sizes that lie between the columns, of TS 36.213 table 7.1.7.2.1-1.
    #[test]
    fn between_its_columns_the_table_is_nearly_straight() {
        let check = |scheme, blocks, listed: u32| {
            let off = f64::from(bits(scheme, blocks)) / f64::from(listed) - 1.0;
            assert!(
                off.abs() < 0.04,
                "{scheme} over {blocks}: {} and {listed}",
                bits(scheme, blocks)
            );
        };
        for (blocks, listed) in
            [(10, 256), (20, 536), (30, 808), (40, 1096), (60, 1672), (90, 2536)]
        {
            check(0, blocks, listed);
        }
        for (blocks, listed) in
            [(10, 1736), (20, 3496), (30, 5352), (40, 6968), (60, 10_680), (90, 15_840)]
        {
            check(10, blocks, listed);
        }
        for (blocks, listed) in
            [(10, 4584), (20, 9144), (30, 14_112), (40, 18_336), (60, 28_336), (90, 42_368)]
        {
            check(20, blocks, listed);
        }
    }

    #[test]
    fn categories_have_their_peak_rates() {
        let most = |category: Category, width| {
            Direction::BOTH.map(|way| {
                let schemes = category.schemes(way, &needed(), None);
                let sizes = category.sizes(way, &schemes, width);
                sizes.bytes(schemes.len() as u8 - 1, sizes.width()) * 8
            })
        };
        assert_eq!(most(Category::Four, 100), [149_776, 51_024]);
        assert_eq!(most(Category::One, 100), [10_296, 5_160]);
        assert_eq!(most(Category::Four, 50)[1], 25_456);
        assert_eq!(most(Category::M1, 100), [1_000, 1_000]);
    }

    #[test]
    fn schemes_need_more_the_more_they_carry() {
        let needed = needed();
        assert!(needed.is_sorted() && needed[0] < -6.0 && needed[26] > 20.0 && needed[26] < 24.0);
    }
}
