//! Sizes of transport blocks, and how long they last.

use settings::words;

/// How many subframes or resource units a block takes (TS 36.213 tables 16.4.1.3-1,
/// 16.5.1.1-2).
pub(super) const LENGTHS: [u64; 8] = [1, 2, 3, 4, 5, 6, 8, 10];

/// How many rows the tables of sizes have.
pub(super) const ROWS: usize = 14;

/// Bits of a block of NPDSCH (TS 36.213 table 16.4.1.5.1-1).
pub(super) const DOWN: [[u32; LENGTHS.len()]; ROWS] = [
    [16, 32, 56, 88, 120, 152, 208, 256],
    [24, 56, 88, 144, 176, 208, 256, 344],
    [32, 72, 144, 176, 208, 256, 328, 424],
    [40, 104, 176, 208, 256, 328, 440, 568],
    [56, 120, 208, 256, 328, 408, 552, 680],
    [72, 144, 224, 328, 424, 504, 680, 872],
    [88, 176, 256, 392, 504, 600, 808, 1032],
    [104, 224, 328, 472, 584, 680, 968, 1224],
    [120, 256, 392, 536, 680, 808, 1096, 1352],
    [136, 296, 456, 616, 776, 936, 1256, 1544],
    [144, 328, 504, 680, 872, 1032, 1384, 1736],
    [176, 376, 584, 776, 1000, 1192, 1608, 2024],
    [208, 440, 680, 904, 1128, 1352, 1800, 2280],
    [224, 488, 744, 1032, 1256, 1544, 2024, 2536],
];

/// Bits of a block of NPUSCH format 1 (TS 36.213 table 16.5.1.2-2).
pub(super) const UP: [[u32; LENGTHS.len()]; ROWS] = [
    [16, 32, 56, 88, 120, 152, 208, 256],
    [24, 56, 88, 144, 176, 208, 256, 344],
    [32, 72, 144, 176, 208, 256, 328, 424],
    [40, 104, 176, 208, 256, 328, 440, 568],
    [56, 120, 208, 256, 328, 408, 552, 680],
    [72, 144, 224, 328, 424, 504, 680, 872],
    [88, 176, 256, 392, 504, 600, 808, 1000],
    [104, 224, 328, 472, 584, 712, 1000, 1224],
    [120, 256, 392, 536, 680, 808, 1096, 1384],
    [136, 296, 456, 616, 776, 936, 1256, 1544],
    [144, 328, 504, 680, 872, 1000, 1384, 1736],
    [176, 376, 584, 776, 1000, 1192, 1608, 2024],
    [208, 440, 680, 1000, 1128, 1352, 1800, 2280],
    [224, 488, 744, 1032, 1256, 1544, 2024, 2536],
];

/// Resource elements of a subframe that carry data: 168 without the reference signals of two
/// antennas, in a carrier of its own (TS 36.211 §10.2.6).
pub(super) const DOWN_ELEMENTS: u32 = 152;

words! {
    /// What a mobile can do (TS 36.306 table 4.1C-1, 4.1C-2).
    pub enum Category {
        /// Blocks of 680 bit down and 1000 up.
        Nb1 = "nb1",
        /// Blocks of 2536 bit both ways. It has one HARQ process here.
        Nb2 = "nb2",
    }
}

impl Category {
    /// The most bits of a block downlink and uplink.
    pub(super) const fn most_bits(self) -> [u32; 2] {
        match self {
            Self::Nb1 => [680, 1000],
            Self::Nb2 => [2536, 2536],
        }
    }

    /// The last row that multi-tone blocks use (TS 36.213 §16.5.1.2).
    pub(super) const fn last_row(self) -> usize {
        match self {
            Self::Nb1 => 12,
            Self::Nb2 => 13,
        }
    }
}

words! {
    /// Over how many tones a mobile sends (TS 36.211 table 10.1.2.3-1).
    pub enum Tones {
        /// One of 3.75 kHz.
        Narrow = "3.75kHz",
        /// One of 15 kHz.
        One = "1",
        /// Three of 15 kHz.
        Three = "3",
        /// Six of 15 kHz.
        Six = "6",
        /// Twelve of 15 kHz: the whole carrier.
        Twelve = "12",
    }
}

impl Tones {
    /// How many subframes a resource unit lasts.
    pub(super) const fn unit(self) -> u64 {
        match self {
            Self::Narrow => 32,
            Self::One => 8,
            Self::Three => 4,
            Self::Six => 2,
            Self::Twelve => 1,
        }
    }

    /// How much of the carrier they take, of 48 times 3.75 kHz.
    pub(super) const fn width(self) -> usize {
        match self {
            Self::Narrow => 1,
            Self::One => 4,
            Self::Three => 12,
            Self::Six => 24,
            Self::Twelve => 48,
        }
    }

    /// Resource elements of a resource unit that carry data: six of seven symbols (TS 36.211
    /// §10.1.4).
    pub(super) const fn elements(self) -> u32 {
        match self {
            Self::Narrow | Self::One => 96,
            Self::Three | Self::Six | Self::Twelve => 144,
        }
    }

    /// The last row of the table of sizes that they use: with one tone `I_TBS` 10 (TS 36.213
    /// table 16.5.1.2-1).
    pub(super) fn last_row(self, category: Category) -> usize {
        match self {
            Self::Narrow | Self::One => 10,
            Self::Three | Self::Six | Self::Twelve => category.last_row(),
        }
    }

    /// How many subframes an acknowledgement lasts that is sent once: four slots of one tone (TS
    /// 36.211 table 10.1.2.3-1, NPUSCH format 2).
    pub(super) const fn ack(self) -> u64 {
        match self {
            Self::Narrow => 8,
            Self::One | Self::Three | Self::Six | Self::Twelve => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_and_are_whole_bytes() {
        for table in [DOWN, UP] {
            for (place, row) in table.iter().enumerate() {
                assert!(row.is_sorted() && row.iter().all(|bits| bits % 8 == 0), "{place}");
            }
            for pair in table.windows(2) {
                assert!((0..LENGTHS.len()).all(|each| pair[0][each] < pair[1][each]), "{pair:?}");
            }
        }
    }

    /// The directions differ in a few sizes only.
    #[test]
    fn most_sizes_are_those_of_both_directions() {
        let both = DOWN.iter().flatten().zip(UP.iter().flatten());
        let differ: Vec<_> = both.filter(|(down, up)| down != up).collect();
        assert_eq!(
            differ,
            [
                (&1032, &1000),
                (&680, &712),
                (&968, &1000),
                (&1352, &1384),
                (&1032, &1000),
                (&904, &1000)
            ]
        );
    }
}
