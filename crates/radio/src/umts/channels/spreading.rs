//! Spreading factors and the user rates that they carry.
//!
//! A channel's symbols are spread to 3.84 Mchip/s. The lower the factor, the higher the rate, and
//! the larger the share of the code tree that it takes.

use std::fmt;

use base::{Direction, Rate};
use settings::{Count, Leaf, Scalar, Takes, words};

/// Chips a second (TS 25.201 §4.2.1).
pub(crate) const CHIP_RATE: u64 = 3_840_000;

/// Slots a second: 15 in a radio frame of 10 ms (TS 25.211 §5).
const SLOTS_PER_SECOND: u64 = 1500;

/// What half-rate coding leaves: one bit for the user in two of the channel.
const CODING: u64 = 2;

/// A spreading factor of a dedicated channel: a power of two from 4 to 512.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpreadingFactor {
    log2: u8,
}

impl SpreadingFactor {
    /// The lowest, with the highest rate.
    pub(crate) const MIN: Self = Self { log2: 2 };
    /// The highest, downlink alone.
    pub const MAX: Self = Self { log2: 9 };
    /// All of them, the highest factor first.
    pub(crate) const ALL: [Self; 8] = {
        let mut all = [Self::MAX; 8];
        let mut index = 0;
        while index < 8 {
            all[index].log2 = 9 - index as u8;
            index += 1;
        }
        all
    };

    /// The factor `chips` of a channel of `direction`.
    ///
    /// # Errors
    /// If the standard has no such factor there.
    pub fn new(chips: u32, direction: Direction) -> Result<Self, SpreadingError> {
        let known = chips.is_power_of_two() && (4..=512).contains(&chips);
        if !known {
            return Err(SpreadingError::Unknown { chips, direction });
        }
        Self { log2: chips.ilog2() as u8 }.allowed(direction)
    }

    /// Itself, if a channel of `direction` can have it.
    ///
    /// # Errors
    /// For 512 uplink: a DPDCH has 256 at most (TS 25.211 §5.2.1.1, Table 1).
    pub(super) fn allowed(self, direction: Direction) -> Result<Self, SpreadingError> {
        match direction {
            Direction::Uplink if self == Self::MAX => Err(SpreadingError::Uplink512),
            Direction::Uplink | Direction::Downlink => Ok(self),
        }
    }

    /// Chips a symbol.
    pub const fn chips(self) -> u32 {
        1 << self.log2
    }

    /// Its exponent of two: 2 to 9.
    pub(super) const fn log2(self) -> u32 {
        self.log2 as u32
    }
}

impl fmt::Display for SpreadingFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chips().fmt(f)
    }
}

words! {
    /// Which rate a spreading factor gives, with half-rate coding.
    pub enum SpreadingTable {
        /// Control has a channel of its own in both directions, so that every bit of the DPDCH is
        /// data (Hynderick and Raes 2004, Tables III.1 and III.2: their ns-2 module).
        Module = "module",
        /// Downlink, control shares the slot with data: pilot, power control and format indicator
        /// take bits of it (TS 25.211 §5.3.2, Table 11). Uplink is as in `Module`.
        Standard = "standard",
    }
}

/// A spreading factor, or one that fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spreading {
    /// What RRC picks for the sum of the flows' rates.
    Auto,
    /// This one.
    Factor(SpreadingFactor),
}

impl Leaf for Spreading {
    type Value = Self;

    fn expected() -> String {
        format!("{}, or auto", Sf::expected())
    }

    fn takes() -> Takes {
        Sf::takes().or(["auto"])
    }

    fn parse(scalar: &Scalar) -> Result<Self, String> {
        if scalar.text == "auto" {
            return Ok(Self::Auto);
        }
        Sf::parse(scalar).map(Self::Factor).map_err(|message| format!("{message}, or auto"))
    }

    fn show(value: &Self) -> String {
        match value {
            Self::Auto => "auto".to_owned(),
            Self::Factor(factor) => Sf::show(factor),
        }
    }
}

/// A spreading factor of either direction.
pub(crate) struct Sf;

impl Leaf for Sf {
    type Value = SpreadingFactor;

    fn expected() -> String {
        "a power of two from 4 to 512 (uplink to 256)".to_owned()
    }

    fn takes() -> Takes {
        Takes::choice(SpreadingFactor::ALL.map(|factor| factor.to_string()).into_iter().rev())
    }

    fn parse(scalar: &Scalar) -> Result<SpreadingFactor, String> {
        Count::<u32, 0, 1_000_000>::parse(scalar)
            .ok()
            .and_then(|chips| SpreadingFactor::new(chips, Direction::Downlink).ok())
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &SpreadingFactor) -> String {
        value.to_string()
    }
}

impl SpreadingTable {
    /// The user rate of one DPDCH.
    ///
    /// # Errors
    /// For factor 512 uplink.
    pub fn rate_of(
        self,
        direction: Direction,
        sf: SpreadingFactor,
    ) -> Result<Rate, SpreadingError> {
        let channel_bps = match (direction, self) {
            // One bit a symbol: data take the I branch, control the Q branch (TS 25.213 §4.2.1).
            (Direction::Uplink, Self::Module | Self::Standard) => {
                CHIP_RATE / u64::from(sf.allowed(direction)?.chips())
            }
            // Two bits a symbol (QPSK, TS 25.213 §5.1).
            (Direction::Downlink, Self::Module) => 2 * CHIP_RATE / u64::from(sf.chips()),
            (Direction::Downlink, Self::Standard) => {
                u64::from(SlotFormat::usual(sf).data_bits()) * SLOTS_PER_SECOND
            }
        };
        Ok(Rate::from_bps(channel_bps / CODING))
    }

    /// The highest factor, which takes the least of the code tree, that carries `asked`: the sum
    /// of what a node's flows ask for.
    ///
    /// # Errors
    /// If not even factor 4 carries it.
    pub fn least_for(
        self,
        direction: Direction,
        asked: Rate,
    ) -> Result<SpreadingFactor, SpreadingError> {
        let carries =
            |sf: &SpreadingFactor| self.rate_of(direction, *sf).is_ok_and(|rate| rate >= asked);
        let most = self.rate_of(direction, SpreadingFactor::MIN)?;
        let none = SpreadingError::NoneCarries { direction, asked, most };
        SpreadingFactor::ALL.into_iter().find(carries).ok_or(none)
    }
}

/// How a slot of the downlink DPCH is divided, in bits (TS 25.211 Table 11).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SlotFormat {
    /// Chips a symbol.
    chips: u16,
    /// The two fields of the DPDCH.
    data: [u16; 2],
    /// Transmit power control.
    tpc: u16,
    /// The transport format combination indicator.
    tfci: u16,
    /// The pilot.
    pilot: u16,
}

impl SlotFormat {
    /// Table 11 of TS 25.211, the formats without compressed mode, by their number.
    const ALL: [Self; 17] = [
        Self::new(512, [0, 4], 2, 0, 4),
        Self::new(512, [0, 2], 2, 2, 4),
        Self::new(256, [2, 14], 2, 0, 2),
        Self::new(256, [2, 12], 2, 2, 2),
        Self::new(256, [2, 12], 2, 0, 4),
        Self::new(256, [2, 10], 2, 2, 4),
        Self::new(256, [2, 8], 2, 0, 8),
        Self::new(256, [2, 6], 2, 2, 8),
        Self::new(128, [6, 28], 2, 0, 4),
        Self::new(128, [6, 26], 2, 2, 4),
        Self::new(128, [6, 24], 2, 0, 8),
        Self::new(128, [6, 22], 2, 2, 8),
        Self::new(64, [12, 48], 4, 8, 8),
        Self::new(32, [28, 112], 4, 8, 8),
        Self::new(16, [56, 232], 8, 8, 16),
        Self::new(8, [120, 488], 8, 8, 16),
        Self::new(4, [248, 1000], 8, 8, 16),
    ];

    const fn new(chips: u16, data: [u16; 2], tpc: u16, tfci: u16, pilot: u16) -> Self {
        Self { chips, data, tpc, tfci, pilot }
    }

    /// The format that `SpreadingTable::Standard` counts with: of those that tell the receiver the
    /// transport format, which a rate that varies needs, the one with the shortest pilot.
    ///
    /// # Panics
    /// Never: each factor has one.
    fn usual(sf: SpreadingFactor) -> Self {
        let fits = |format: &&Self| u32::from(format.chips) == sf.chips() && format.tfci > 0;
        *Self::ALL.iter().find(fits).expect("each factor has a format with TFCI")
    }

    /// Bits for data in a slot.
    const fn data_bits(self) -> u16 {
        self.data[0] + self.data[1]
    }

    /// All bits of a slot, control included.
    #[cfg(test)]
    const fn bits(self) -> u16 {
        self.data_bits() + self.tpc + self.tfci + self.pilot
    }
}

/// What is wrong with a spreading factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpreadingError {
    /// No factor of the standard.
    Unknown {
        /// Chips a symbol.
        chips: u32,
        /// Of the channel.
        direction: Direction,
    },
    /// 512 uplink.
    Uplink512,
    /// More than the lowest factor carries.
    NoneCarries {
        /// Of the channel.
        direction: Direction,
        /// The rate asked.
        asked: Rate,
        /// What factor 4 gives.
        most: Rate,
    },
}

impl fmt::Display for SpreadingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { chips, direction } => {
                let name = direction.name();
                let highest = direction.of(512, 256);
                write!(
                    f,
                    "spreading factor {chips} {name}: must be a power of two from 4 to {highest}"
                )
            }
            Self::Uplink512 => write!(
                f,
                "spreading factor 512 uplink: must be 256 at most; only the downlink has 512 \
                 (TS 25.211 §5.2.1.1)"
            ),
            Self::NoneCarries { direction, asked, most } => write!(
                f,
                "{} asked {}: no spreading factor carries it; factor 4 carries {} at most",
                kbits(*asked),
                direction.name(),
                kbits(*most)
            ),
        }
    }
}

impl std::error::Error for SpreadingError {}

fn kbits(rate: Rate) -> String {
    format!("{} kbit/s", rate.as_bps() as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use Direction::{Downlink, Uplink};
    use SpreadingTable::{Module, Standard};

    use super::*;
    use crate::testing::sf;

    fn bps(table: SpreadingTable, direction: Direction) -> Vec<u64> {
        let rate = |sf| table.rate_of(direction, sf).map(Rate::as_bps);
        SpreadingFactor::ALL.into_iter().filter_map(|sf| rate(sf).ok()).collect()
    }

    #[test]
    fn the_module_has_the_rates_of_the_thesis() {
        let doubled: Vec<u64> = (0..8).map(|step| 7_500 << step).collect();
        assert_eq!(bps(Module, Downlink), doubled, "Table III.2, factors 512 to 4");
        assert_eq!(bps(Module, Uplink), doubled[..7], "Table III.1, factors 256 to 4");
    }

    #[test]
    fn the_standard_multiplexes_control_with_downlink_data() {
        let computed = [1_500, 10_500, 24_000, 45_000, 105_000, 216_000, 456_000, 936_000];
        assert_eq!(bps(Standard, Downlink), computed);
        assert_eq!(bps(Standard, Uplink), bps(Module, Uplink));
        for (standard, module) in bps(Standard, Downlink).iter().zip(bps(Module, Downlink)) {
            assert!(*standard < module);
        }
    }

    /// Holma and Toskala, WCDMA for UMTS, bit rates of the downlink DPDCH. Half of them are its
    /// approximate maximum user rates: 1–3, 6–12, 20–24, 45, 105, 215, 456 and 936 kbit/s.
    #[test]
    fn slot_formats_span_the_published_rates() {
        let published = [
            [3_000, 6_000],
            [12_000, 24_000],
            [42_000, 51_000],
            [90_000; 2],
            [210_000; 2],
            [432_000; 2],
            [912_000; 2],
            [1_872_000; 2],
        ];
        for (sf, span) in SpreadingFactor::ALL.into_iter().zip(published) {
            let of_factor = |format: &&SlotFormat| u32::from(format.chips) == sf.chips();
            let bps = |format: &SlotFormat| u64::from(format.data_bits()) * SLOTS_PER_SECOND;
            let rates: Vec<u64> = SlotFormat::ALL.iter().filter(of_factor).map(bps).collect();
            assert_eq!([rates.iter().min(), rates.iter().max()], span.each_ref().map(Some), "{sf}");
        }
    }

    #[test]
    fn the_documented_rates_are_these() {
        let row = |name: &str, table: SpreadingTable, direction| {
            let cell = |sf| {
                let rate = table.rate_of(direction, sf).map(|rate| rate.as_bps() as f64 / 1000.0);
                rate.map_or("–".to_owned(), |kbps| kbps.to_string())
            };
            format!("| {name} | {} |", SpreadingFactor::ALL.map(cell).join(" | "))
        };
        let documentation = include_str!("../../../../../docs/models/umts-channels.md");
        for row in [
            row("uplink, both tables", Module, Uplink),
            row("uplink, both tables", Standard, Uplink),
            row("downlink, `module`", Module, Downlink),
            row("downlink, `standard`", Standard, Downlink),
        ] {
            assert!(documentation.contains(&row), "docs/models/umts-channels.md lacks:\n{row}");
        }
    }

    #[test]
    fn a_slot_is_filled() {
        for format in SlotFormat::ALL {
            let symbols = CHIP_RATE / SLOTS_PER_SECOND / u64::from(format.chips);
            assert_eq!(u64::from(format.bits()), 2 * symbols, "{format:?}");
        }
    }

    #[test]
    fn the_sum_of_the_flows_chooses_the_factor() {
        let least = |table: SpreadingTable, direction, bps| {
            table.least_for(direction, Rate::from_bps(bps)).map(SpreadingFactor::chips)
        };
        assert_eq!(least(Module, Uplink, 140_000), Ok(8), "the example of the thesis: 240 kbit/s");
        assert_eq!(least(Module, Uplink, 240_000), Ok(8));
        assert_eq!(least(Module, Uplink, 240_001), Ok(4));
        assert_eq!(least(Module, Uplink, 1), Ok(256));
        assert_eq!(least(Module, Downlink, 1), Ok(512));
        assert_eq!(least(Module, Downlink, 140_000), Ok(16));
        assert_eq!(least(Standard, Downlink, 140_000), Ok(16));
        assert_eq!(least(Standard, Downlink, 64_000), Ok(32));
        assert_eq!(least(Standard, Downlink, 384_000), Ok(8));
        let error = least(Module, Uplink, 480_001).unwrap_err().to_string();
        assert_eq!(
            error,
            "480.001 kbit/s asked uplink: no spreading factor carries it; factor 4 carries \
             480 kbit/s at most"
        );
    }

    #[test]
    fn every_factor_of_a_direction_and_no_other() {
        for chips in 0..=1025 {
            let known = |all: &[u32]| all.contains(&chips);
            let exists = |direction| SpreadingFactor::new(chips, direction).is_ok();
            assert_eq!(exists(Downlink), known(&[4, 8, 16, 32, 64, 128, 256, 512]));
            assert_eq!(exists(Uplink), known(&[4, 8, 16, 32, 64, 128, 256]));
        }
        let error =
            |chips, direction| SpreadingFactor::new(chips, direction).unwrap_err().to_string();
        assert_eq!(
            error(512, Uplink),
            "spreading factor 512 uplink: must be 256 at most; only the downlink has 512 \
             (TS 25.211 §5.2.1.1)"
        );
        assert_eq!(
            error(12, Uplink),
            "spreading factor 12 uplink: must be a power of two from 4 to 256"
        );
        assert_eq!(
            error(1024, Downlink),
            "spreading factor 1024 downlink: must be a power of two from 4 to 512"
        );
        assert_eq!(Module.rate_of(Uplink, sf(512)), Err(SpreadingError::Uplink512));
    }
}
