//! How a transport block is sent: its size, how long it lasts, and what it needs.

use super::tables::{Category, DOWN, DOWN_ELEMENTS, LENGTHS, ROWS, Tones, UP};
use crate::channel::curve;
use crate::kit::decibel::to_db;

/// What a receiver loses because it has to estimate a weak channel, in decibels. Our choice.
const ESTIMATION_LOSS: f64 = 3.0;

/// A size of a transport block with all that follows from it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Format {
    /// Its size.
    pub(super) bytes: u32,
    /// How many subframes it lasts, repetitions included.
    pub(super) subframes: u64,
    /// The ratio of signal to noise that it needs, in decibels: downlink over the carrier, uplink
    /// over 15 kHz.
    pub(super) needed: f64,
}

/// The formats of one direction at one level of coverage, by length, then by row: the larger the
/// more they need.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Formats(Vec<Vec<Format>>);

impl Formats {
    /// Those of the downlink with so many repetitions.
    pub(super) fn down(category: Category, repetitions: u64) -> Self {
        let most = category.most_bits()[0];
        Self::of(&DOWN[..=category.last_row()], most, repetitions, 1, DOWN_ELEMENTS, 0.0)
    }

    /// Those of the uplink.
    pub(super) fn up(category: Category, tones: Tones, repetitions: u64) -> Self {
        let (most, rows) = (category.most_bits()[1], &UP[..=tones.last_row(category)]);
        // The mobile's power is spread over the tones.
        let spread = to_db(tones.width() as f64 / Tones::One.width() as f64);
        Self::of(rows, most, repetitions, tones.unit(), tones.elements(), spread)
    }

    fn of(
        rows: &[[u32; LENGTHS.len()]],
        most: u32,
        repetitions: u64,
        unit: u64,
        elements: u32,
        spread: f64,
    ) -> Self {
        // Energies of repetitions add up.
        let offset = ESTIMATION_LOSS + spread - to_db(repetitions as f64);
        let format = |bits: u32, length: u64| Format {
            bytes: bits / 8,
            subframes: length * unit * repetitions,
            needed: curve::needed(f64::from(bits) / f64::from(elements) / length as f64) + offset,
        };
        let of_length = |(place, length): (usize, &u64)| {
            let sizes = rows.iter().map(|row| row[place]).filter(|bits| *bits <= most);
            sizes.map(|bits| format(bits, *length)).collect()
        };
        debug_assert!(rows.len() <= ROWS);
        Self(LENGTHS.iter().enumerate().map(of_length).collect())
    }

    /// The shortest that carries `wanted` bytes at a ratio of `snr`; if none does, the one that
    /// carries most. At a ratio at which not even the smallest is good enough it is used all the
    /// same.
    pub(super) fn choose(&self, snr: f64, wanted: u64) -> Format {
        let mut best = self.0[0][0];
        for formats in &self.0 {
            let good = formats.partition_point(|format| format.needed <= snr);
            let format = formats[good.saturating_sub(1)];
            if format.bytes > best.bytes {
                best = format;
            }
            if u64::from(best.bytes) >= wanted {
                break;
            }
        }
        // No larger than needed: a smaller block of the same length is safer.
        let enough = wanted.min(u64::from(best.bytes));
        let alike = |format: &&Format| {
            format.subframes == best.subframes && u64::from(format.bytes) >= enough
        };
        self.0.iter().flatten().find(alike).copied().unwrap_or(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_the_shortest_that_is_enough() {
        let formats = Formats::down(Category::Nb1, 1);
        let size = |snr, wanted| {
            let format = formats.choose(snr, wanted);
            (format.bytes, format.subframes)
        };
        assert_eq!(size(40.0, 1_000_000), (85, 3), "680 bits");
        assert_eq!(size(40.0, 1), (2, 1));
        assert_eq!(size(40.0, 20), (22, 1));
        assert_eq!(size(-60.0, 20), (26, 8), "the safest that is enough");
        assert!(size(0.0, 80).1 > 3);
    }

    /// Nothing better than the radio allows, unless not even the smallest is good enough.
    #[test]
    fn a_block_is_good_enough_if_any_is() {
        let formats = Formats::up(Category::Nb2, Tones::Twelve, 1);
        for snr in (-20..30).map(f64::from) {
            for wanted in [1, 16, 40, 100, 1000] {
                let format = formats.choose(snr, wanted);
                let least =
                    formats.0.iter().map(|row| row[0]).find(|each| {
                        each.bytes == format.bytes && each.subframes == format.subframes
                    });
                assert!(format.needed <= snr || least.is_some(), "{snr} {wanted} {format:?}");
            }
        }
    }

    #[test]
    fn repetitions_make_up_for_a_weak_signal() {
        let [once, often] = [1, 128].map(|times| Formats::down(Category::Nb1, times));
        let (short, long) = (once.choose(40.0, 85), often.choose(40.0, 85));
        assert!((short.needed - long.needed - 21.07).abs() < 0.01);
        assert_eq!(long.subframes, 128 * short.subframes);
    }

    #[test]
    fn fewer_tones_last_longer_and_need_less() {
        let formats = [Tones::Narrow, Tones::One, Tones::Three, Tones::Six, Tones::Twelve]
            .map(|tones| Formats::up(Category::Nb1, tones, 1).choose(-4.0, 20));
        assert!(formats.windows(2).all(|pair| pair[0].subframes >= pair[1].subframes));
        let peak = Formats::up(Category::Nb1, Tones::Twelve, 1).choose(40.0, 1_000_000);
        assert_eq!((peak.bytes, peak.subframes), (125, 4), "1000 bits");
        let peak = Formats::up(Category::Nb2, Tones::Twelve, 1).choose(40.0, 1_000_000);
        assert_eq!((peak.bytes, peak.subframes), (317, 10), "2536 bits");
    }
}
