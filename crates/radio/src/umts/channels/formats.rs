//! Transport formats: how many blocks of which size a transport channel carries in a TTI, and
//! which of them may go together.
//!
//! What changes from TTI to TTI is the number of blocks and their size; the TTI itself, coding and
//! checksum stay (TS 25.302 §7.1). The receiver reads the combination chosen from its number, the
//! TFCI, in the DPCCH.

use std::cmp::Reverse;
use std::fmt;

use base::{Duration, Rate};

/// What a transport channel carries in one TTI: the dynamic part (TS 25.302 §7.1.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransportFormat {
    /// Transport blocks.
    pub blocks: u32,
    /// Bits of each: MAC header and RLC PDU.
    pub block_bits: u32,
}

impl TransportFormat {
    /// Nothing is sent.
    pub const NOTHING: Self = Self { blocks: 0, block_bits: 0 };

    /// Bits in a TTI.
    pub const fn bits(self) -> u32 {
        self.blocks * self.block_bits
    }
}

/// What all formats of a transport channel have in common: the semi-static part (TS 25.302 §7.1.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemiStatic {
    /// How long a set of blocks is on the air: 10, 20, 40 or 80 ms.
    pub tti: Duration,
    /// Against errors.
    pub coding: Coding,
    /// Checksum of each block: 0, 8, 12, 16 or 24 bits (TS 25.212 §4.2.1).
    pub crc_bits: u8,
}

/// Channel coding (TS 25.212 §4.2.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// Convolutional, one bit in two.
    ConvolutionalHalf,
    /// Convolutional, one bit in three.
    ConvolutionalThird,
    /// Turbo, one bit in three.
    Turbo,
}

/// The formats that a transport channel may have. The place of each is its TFI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TransportFormatSet {
    semi_static: SemiStatic,
    formats: Vec<TransportFormat>,
}

impl TransportFormatSet {
    /// At most so many formats (TS 25.331 §10.3.10, maxTF).
    pub const MOST: usize = 32;

    /// A channel with `formats`, by TFI.
    ///
    /// # Errors
    /// If the standard has no such channel.
    pub fn new(semi_static: SemiStatic, formats: &[TransportFormat]) -> Result<Self, FormatError> {
        if ![10, 20, 40, 80].map(Duration::from_millis).contains(&semi_static.tti) {
            return Err(FormatError::Tti(semi_static.tti));
        }
        if ![0, 8, 12, 16, 24].contains(&semi_static.crc_bits) {
            return Err(FormatError::Crc(semi_static.crc_bits));
        }
        if !(1..=Self::MOST).contains(&formats.len()) {
            return Err(FormatError::Formats(formats.len()));
        }
        Ok(Self { semi_static, formats: formats.to_vec() })
    }

    /// None to `most` blocks of `block_bits`, as many as are needed: TFI and blocks are the same.
    ///
    /// # Errors
    /// As `new`.
    #[cfg(test)]
    pub fn up_to(most: u32, block_bits: u32, semi_static: SemiStatic) -> Result<Self, FormatError> {
        let format = |blocks| TransportFormat { blocks, block_bits };
        Self::new(semi_static, &(0..=most).map(format).collect::<Vec<_>>())
    }

    /// What all formats have in common.
    pub const fn semi_static(&self) -> SemiStatic {
        self.semi_static
    }

    /// The format of number `tfi`.
    pub fn format(&self, tfi: usize) -> Option<TransportFormat> {
        self.formats.get(tfi).copied()
    }

    /// The rate of number `tfi`, MAC and RLC headers included; `None` if it sends nothing.
    pub fn rate(&self, tfi: usize) -> Option<Rate> {
        let bits = u128::from(self.format(tfi)?.bits());
        let bps = bits * 1_000_000_000 / u128::from(self.semi_static.tti.as_nanos());
        (bps > 0).then(|| Rate::from_bps(bps as u64))
    }
}

/// Which formats of several transport channels may go together over one DPCCH. The place of each
/// combination is its TFCI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CombinationSet {
    channels: Vec<TransportFormatSet>,
    /// The TFI of each channel, one combination after the other.
    combinations: Vec<u8>,
}

/// The highest of the eight priorities of logical channels is 1 (TS 25.331 §10.3.4.21).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Priority(u8);

impl Priority {
    /// The one served first.
    pub const HIGHEST: Self = Self(1);
    /// The one served last.
    pub const LOWEST: Self = Self(8);

    /// Priority `level`, 1 to 8.
    pub const fn new(level: u8) -> Option<Self> {
        if Self::HIGHEST.0 <= level && level <= Self::LOWEST.0 { Some(Self(level)) } else { None }
    }

    /// 1 to 8.
    pub const fn level(self) -> u8 {
        self.0
    }
}

/// What a logical channel has to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The place of its transport channel.
    pub transport: usize,
    /// Its priority.
    pub priority: Priority,
    /// Transport blocks that wait.
    pub blocks: u32,
    /// The size of each. Formats of other sizes do not carry them.
    pub block_bits: u32,
}

impl CombinationSet {
    /// At most so many combinations: a TFCI has ten bits (TS 25.212 §4.3.3).
    pub const MOST: usize = 1024;

    /// `combinations`, each with a TFI for each of `channels`.
    ///
    /// # Errors
    /// If there are none or too many, or one does not fit the channels.
    pub fn new(
        channels: Vec<TransportFormatSet>,
        combinations: &[&[u8]],
    ) -> Result<Self, FormatError> {
        if !(1..=Self::MOST).contains(&combinations.len()) {
            return Err(FormatError::Combinations(combinations.len()));
        }
        for (tfci, combination) in combinations.iter().enumerate() {
            let fits = |(channel, tfi): (&TransportFormatSet, &u8)| {
                channel.format(usize::from(*tfi)).is_some()
            };
            let all = channels.len() == combination.len() && !channels.is_empty();
            if !all || !channels.iter().zip(*combination).all(fits) {
                return Err(FormatError::Combination { tfci, channels: channels.len() });
            }
        }
        Ok(Self { channels, combinations: combinations.concat() })
    }

    /// How many combinations there are.
    pub fn len(&self) -> usize {
        self.combinations.len() / self.channels.len()
    }

    /// Never: there is at least one combination.
    pub fn is_empty(&self) -> bool {
        self.combinations.is_empty()
    }

    /// The formats of combination `tfci`, channel by channel.
    pub fn formats(&self, tfci: usize) -> impl Iterator<Item = TransportFormat> {
        let tfis = self.combinations.chunks(self.channels.len()).nth(tfci).unwrap_or_default();
        let format = |(channel, tfi): (&TransportFormatSet, &u8)| channel.format((*tfi).into());
        self.channels.iter().zip(tfis).filter_map(format)
    }

    /// Chooses a TFCI for what waits: the combination that carries most of the highest priority;
    /// of those the one that carries most of the next, and so on; of those the one with the lowest
    /// rate, the lowest number of equals (TS 25.321 §11.4).
    ///
    /// `held` has a TFI for each channel that is in the middle of a TTI: it keeps that format.
    /// `None` if no combination agrees with them.
    pub fn select(&self, held: &[Option<u8>], waiting: &[Waiting]) -> Option<usize> {
        let agrees = |tfis: &[u8]| {
            held.iter().zip(tfis).all(|(held, tfi)| held.is_none_or(|held| held == *tfi))
        };
        let combinations = self.combinations.chunks(self.channels.len()).enumerate();
        combinations
            .filter(|(_, tfis)| agrees(tfis))
            .max_by_key(|(tfci, _)| {
                (self.carried(*tfci, waiting), Reverse(self.bps(*tfci)), Reverse(*tfci))
            })
            .map(|(tfci, _)| tfci)
    }

    /// Bits of each priority, from the highest, that combination `tfci` carries.
    fn carried(&self, tfci: usize, waiting: &[Waiting]) -> [u64; Priority::LOWEST.0 as usize] {
        let mut carried = [0; Priority::LOWEST.0 as usize];
        for (transport, format) in self.formats(tfci).enumerate() {
            let mut room = format.blocks;
            for (priority, bits) in (1..).zip(&mut carried) {
                let here = |each: &&Waiting| {
                    (each.transport, each.priority.0, each.block_bits)
                        == (transport, priority, format.block_bits)
                };
                for each in waiting.iter().filter(here) {
                    let blocks = room.min(each.blocks);
                    room -= blocks;
                    *bits += u64::from(blocks) * u64::from(format.block_bits);
                }
            }
        }
        carried
    }

    /// Bits a second of combination `tfci`.
    fn bps(&self, tfci: usize) -> u64 {
        let bps = |(format, channel): (TransportFormat, &TransportFormatSet)| {
            u64::from(format.bits()) * 1_000_000_000 / channel.semi_static.tti.as_nanos()
        };
        self.formats(tfci).zip(&self.channels).map(bps).sum()
    }
}

/// What is wrong with formats or combinations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatError {
    /// A TTI that is not 10, 20, 40 or 80 ms.
    Tti(Duration),
    /// A checksum of a length that the standard does not have.
    Crc(u8),
    /// No format, or too many.
    Formats(usize),
    /// No combination, or too many.
    Combinations(usize),
    /// A combination without a format for each channel.
    Combination {
        /// Its number.
        tfci: usize,
        /// How many channels there are.
        channels: usize,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tti(tti) => write!(f, "TTI {tti:?}: must be 10 ms, 20 ms, 40 ms or 80 ms"),
            Self::Crc(bits) => write!(f, "CRC of {bits} bits: must be 0, 8, 12, 16 or 24"),
            Self::Formats(count) => {
                write!(f, "{count} transport formats: must be 1 to {}", TransportFormatSet::MOST)
            }
            Self::Combinations(count) => write!(
                f,
                "{count} transport format combinations: must be 1 to {}",
                CombinationSet::MOST
            ),
            Self::Combination { tfci, channels } => write!(
                f,
                "transport format combination {tfci}: must name a format of each of the {channels} \
                 transport channels"
            ),
        }
    }
}

impl std::error::Error for FormatError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn semi_static(tti_ms: u64) -> SemiStatic {
        SemiStatic { tti: Duration::from_millis(tti_ms), coding: Coding::Turbo, crc_bits: 16 }
    }

    fn waiting(transport: usize, level: u8, blocks: u32, block_bits: u32) -> Waiting {
        let priority = Priority::new(level).expect("1 to 8");
        Waiting { transport, priority, blocks, block_bits }
    }

    /// Up to four blocks of data in 20 ms, up to one of signalling in 40 ms (64 kbit/s with 3.4
    /// beside, TS 34.108 §6.10.2), all together but for the fastest with signalling.
    fn bearer() -> CombinationSet {
        bearer_with(&BEARER)
    }

    const BEARER: [&[u8]; 9] =
        [&[0, 0], &[1, 0], &[2, 0], &[3, 0], &[4, 0], &[0, 1], &[1, 1], &[2, 1], &[3, 1]];

    fn bearer_with(combinations: &[&[u8]]) -> CombinationSet {
        let data = TransportFormatSet::up_to(4, 336, semi_static(20)).expect("formats");
        let signalling = TransportFormatSet::up_to(1, 148, semi_static(40)).expect("formats");
        CombinationSet::new(vec![data, signalling], combinations).expect("combinations")
    }

    #[test]
    fn the_highest_priority_is_carried_first() {
        let check = |wait: &[Waiting], tfci| assert_eq!(bearer().select(&[], wait), Some(tfci));
        check(&[], 0);
        check(&[waiting(0, 5, 2, 336)], 2);
        check(&[waiting(0, 5, 9, 336)], 4);
        check(&[waiting(0, 5, 9, 336), waiting(1, 1, 1, 148)], 8);
        check(&[waiting(0, 1, 9, 336), waiting(1, 5, 1, 148)], 4);
        check(&[waiting(0, 1, 1, 336), waiting(0, 8, 1, 336), waiting(1, 5, 1, 148)], 7);
        check(&[waiting(0, 5, 9, 320)], 0);
    }

    #[test]
    fn a_channel_in_the_midst_of_its_tti_keeps_its_format() {
        let wait = [waiting(0, 1, 9, 336), waiting(1, 5, 1, 148)];
        assert_eq!(bearer().select(&[None, Some(1)], &wait), Some(8));
        assert_eq!(bearer().select(&[Some(4), None], &wait), Some(4));
        assert_eq!(bearer().select(&[Some(4), Some(1)], &wait), None);
    }

    #[test]
    fn rates_and_numbers() {
        let set = bearer();
        assert_eq!(set.len(), 9);
        assert_eq!(set.channels[0].rate(4), Some(Rate::from_bps(67_200)));
        assert_eq!(set.channels[0].rate(0), None);
        assert_eq!(set.channels[0].format(5), None);
        let bits: Vec<u32> = set.formats(8).map(TransportFormat::bits).collect();
        assert_eq!(bits, [1008, 148]);
        assert_eq!(set.formats(9).count(), 0);
        assert_eq!(Priority::new(0).or(Priority::new(9)), None);
    }

    #[test]
    fn what_the_standard_does_not_have_is_refused() {
        let check = |result: Result<CombinationSet, FormatError>, expected: &str| {
            assert_eq!(result.unwrap_err().to_string(), expected);
        };
        let up_to = TransportFormatSet::up_to;
        let from = |formats: Result<TransportFormatSet, FormatError>| {
            CombinationSet::new(vec![formats?], &[&[0]])
        };
        let expected = "TTI 0.03s: must be 10 ms, 20 ms, 40 ms or 80 ms";
        check(from(up_to(1, 336, semi_static(30))), expected);
        let expected = "33 transport formats: must be 1 to 32";
        check(from(up_to(32, 336, semi_static(10))), expected);
        let crc_of_4 = SemiStatic { crc_bits: 4, ..semi_static(10) };
        check(from(up_to(1, 336, crc_of_4)), "CRC of 4 bits: must be 0, 8, 12, 16 or 24");
        let one = || vec![up_to(1, 336, semi_static(10)).expect("formats")];
        let expected = "0 transport format combinations: must be 1 to 1024";
        check(CombinationSet::new(one(), &[]), expected);
        for combination in [&[2_u8] as &[u8], &[0, 0], &[]] {
            let expected = "transport format combination 1: must name a format of each of the 1 \
                            transport channels";
            check(CombinationSet::new(one(), &[&[0], combination]), expected);
        }
    }

    proptest! {
        /// TS 25.321 §11.4 as it is written: no other combination carries more of a priority
        /// while it carries as much of all higher ones, or as much of all at a lower rate.
        #[test]
        fn no_other_combination_is_better(
            wait in prop::collection::vec((0_usize..2, 1_u8..=8, 0_u32..6), 0..6),
            order in Just(BEARER.to_vec()).prop_shuffle(),
        ) {
            let set = bearer_with(&order);
            let sizes = [336, 148];
            let wait: Vec<Waiting> = wait
                .iter()
                .map(|(to, level, blocks)| waiting(*to, *level, *blocks, sizes[*to]))
                .collect();
            let chosen = set.select(&[], &wait).expect("a combination");
            let bits = |tfci: usize, level: u8| -> u32 {
                let upto = |transport: usize, level: u8| -> u32 {
                    let counts = |each: &&Waiting| {
                        each.transport == transport && each.priority.level() <= level
                    };
                    wait.iter().filter(counts).map(|each| each.blocks).sum()
                };
                let formats = set.formats(tfci).enumerate();
                formats.map(|(transport, format)| {
                    format.blocks.min(upto(transport, level)) * format.block_bits
                }).sum()
            };
            for other in 0..set.len() {
                let differs = (1..=8).find(|level| bits(other, *level) != bits(chosen, *level));
                match differs {
                    Some(level) => prop_assert!(bits(other, level) < bits(chosen, level)),
                    None => prop_assert!(set.bps(other) >= set.bps(chosen)),
                }
            }
        }
    }
}
