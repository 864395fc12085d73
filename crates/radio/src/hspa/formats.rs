//! Transport blocks of HS-DSCH by channel quality indicator (CQI).

use base::words;

/// A TTI of HS-DSCH (TS 25.211 §5.3.3.13).
pub(super) const TTI: base::Duration = base::Duration::from_millis(2);

/// Bits of a block by CQI from 1 on (TS 25.214 tables 7A to 7D; from 23 on as of category 10).
const BITS: [u32; 30] = [
    137, 173, 233, 317, 377, 461, 650, 792, 931, 1262, 1483, 1742, 2279, 2583, 3319, 3565, 4189,
    4664, 5287, 5887, 6554, 7168, 9719, 11418, 14411, 17237, 21754, 23370, 24222, 25558,
];

/// The most PDUs of link control in a block (TS 25.321 §9.2.2, FDD).
const MOST_PDUS: u32 = 70;

/// MAC-hs: version, queue, TSN, and size, number and end of one kind of PDUs (TS 25.321 §9.1.4).
const MAC_HS_HEADER: u32 = 1 + 3 + 6 + 3 + 7 + 1;

/// MAC-e and MAC-es: description and number of PDUs, TSN (TS 25.321 §9.1.5).
pub(super) const MAC_E_HEADER: u32 = 6 + 6 + 6;

words! {
    /// A category of mobiles (TS 25.306 table 5.1a) by the largest block that its CQIs ask for.
    pub enum Category {
        /// 7168 bits, 3.6 Mbit/s; 5 is alike.
        Six = "6",
        /// 14411 bits, 7.2 Mbit/s; 7 is alike.
        Eight = "8",
        /// 25558 bits, 12.8 Mbit/s.
        Ten = "10",
    }
}

impl Category {
    /// The bits of its largest block in the tables of CQIs.
    const fn most_bits(self) -> u32 {
        match self {
            Self::Six => 7168,
            Self::Eight => 14_411,
            Self::Ten => 25_558,
        }
    }
}

/// The blocks that a category can get, and how many PDUs of link control each carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formats {
    /// By CQI, from 0 on, which stands for no block.
    pdus: Vec<u32>,
}

impl Formats {
    /// Those of `category` with PDUs of so many bytes, headers included.
    pub(super) fn new(category: Category, pdu_bytes: u32) -> Self {
        let carried =
            |bits: u32| (bits.saturating_sub(MAC_HS_HEADER) / (pdu_bytes * 8)).min(MOST_PDUS);
        let within = BITS.iter().take_while(|bits| **bits <= category.most_bits());
        Self { pdus: std::iter::once(0).chain(within.map(|bits| carried(*bits))).collect() }
    }

    /// The most PDUs of a block.
    pub fn most(&self) -> u32 {
        self.pdus[self.pdus.len() - 1]
    }

    /// The format for a reported CQI. Below the smallest block that holds a PDU that one is sent
    /// all the same, for HARQ to repeat; at CQI 0 nothing is.
    pub(super) fn of_cqi(&self, cqi: u8) -> Option<u8> {
        let first = self.pdus.partition_point(|pdus| *pdus == 0);
        (cqi > 0).then(|| usize::from(cqi).clamp(first, self.pdus.len() - 1) as u8)
    }

    /// How many PDUs the block of `format` carries.
    pub(super) fn pdus(&self, format: u8) -> u32 {
        self.pdus[usize::from(format)]
    }

    /// The smallest format that carries `pdus`, `most` if none does.
    pub(super) fn least_for(&self, pdus: u64, most: u8) -> u8 {
        let fits = self.pdus.partition_point(|carried| u64::from(*carried) < pdus.max(1));
        fits.min(usize::from(most)) as u8
    }

    /// The bytes of a block of `format`.
    pub(super) fn bytes(format: u8) -> u32 {
        BITS[usize::from(format) - 1].div_ceil(8)
    }
}

/// The CQI that a mobile reports at a ratio of signal to noise: the largest block of which a tenth
/// errs (Brouwer et al., "Usage of link-level performance indicators for HSDPA network-level
/// simulations in E-UMTS", ISSSTA 2004; EURANE).
pub(super) fn cqi(snr: f64) -> u8 {
    (snr / STEP + OFFSET).floor().clamp(0.0, 30.0) as u8
}

/// The ratio of signal to noise in decibels at which a tenth of the blocks of `format` errs.
pub fn needed(format: u8) -> f64 {
    (f64::from(format) - OFFSET) * STEP
}

const STEP: f64 = 1.02;
const OFFSET: f64 = 16.62;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_the_specification() {
        assert_eq!((BITS[0], BITS[14], BITS[21], BITS[29]), (137, 3319, 7168, 25_558));
        assert!(BITS.is_sorted() && BITS.iter().sum::<u32>() == 201_742);
        assert_eq!((MAC_HS_HEADER, MAC_E_HEADER), (21, 18));
    }

    #[test]
    fn a_block_carries_whole_pdus() {
        // 42 bytes with their header, as of release 5; 82 of release 5 for fast mobiles.
        let check = |category, pdu_bytes, most| {
            assert_eq!(Formats::new(category, pdu_bytes).most(), most, "{category:?} {pdu_bytes}");
        };
        check(Category::Six, 42, 21);
        check(Category::Eight, 42, 42);
        check(Category::Ten, 42, 70);
        check(Category::Ten, 82, 38);
    }

    #[test]
    fn a_format_is_what_a_report_allows_and_what_waits_needs() {
        let formats = Formats::new(Category::Six, 42);
        let of = |cqi| formats.of_cqi(cqi);
        assert_eq!(
            [0, 1, 4, 5, 6, 22, 23, 30].map(of),
            [None, Some(5), Some(5), Some(5), Some(6), Some(22), Some(22), Some(22)]
        );
        assert_eq!([0, 1, 2, 21, 500].map(|pdus| formats.least_for(pdus, 22)), [5, 5, 8, 22, 22]);
        assert_eq!(formats.least_for(21, 10), 10);
        assert_eq!((formats.pdus(7), formats.pdus(8), Formats::bytes(22)), (1, 2, 896));
    }

    #[test]
    fn reports_are_those_of_eurane() {
        assert_eq!([-17.0, -16.0, 0.0, 5.0, 5.6, 50.0].map(cqi), [0, 0, 16, 21, 22, 30]);
        for format in 1..=30 {
            assert_eq!(cqi(needed(format) + 1e-9), format);
            assert_eq!(cqi(needed(format) - 1e-9), format - 1);
        }
    }
}
