//! Classes of service: which packets belong to them, and what they may have.

use base::Rate;
use settings::words;

words! {
    /// Classes of service.
    pub enum Tins {
        /// One for all.
        BestEffort = "besteffort",
        /// One for each value of the first three bits of the code point (RFC 791).
        Precedence = "precedence",
        /// Background, the rest, and what waits badly.
        Diffserv3 = "diffserv3",
        /// Background, the rest, video, and what waits badly.
        Diffserv4 = "diffserv4",
        /// Eight, by RFC 4594.
        Diffserv8 = "diffserv8",
    }
}

/// Share of a tin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Share {
    /// The rate up to which it has priority: `None` if the whole is not limited.
    pub(super) rate: Option<Rate>,
    /// Bytes that it may send in a turn, where the whole is not limited.
    pub(super) quantum: u32,
}

/// The least rate (`sch_cake`: 64 B/s).
const MIN_BPS: u64 = 512;

/// Lower effort (RFC 8622).
const LE: u8 = 1;
/// Class selectors (RFC 2474 §4.2.2).
const CS1: u8 = 8;
const CS2: u8 = 16;
const CS3: u8 = 24;
const CS4: u8 = 32;
const CS5: u8 = 40;
const CS6: u8 = 48;
const CS7: u8 = 56;
/// Capacity-admitted voice (RFC 5865).
const VA: u8 = 44;
/// Expedited forwarding (RFC 3246).
const EF: u8 = 46;
/// High throughput and low delay of RFC 1349, as they are read as code points.
const TOS2: u8 = 2;
const TOS4: u8 = 4;

/// Class of assured forwarding, of any precedence (RFC 2597 §6).
const fn assured(dscp: u8) -> Option<u8> {
    match dscp {
        10 | 12 | 14 => Some(1),
        18 | 20 | 22 => Some(2),
        26 | 28 | 30 => Some(3),
        34 | 36 | 38 => Some(4),
        _ => None,
    }
}

impl Tins {
    /// The tin of packets with a code point (`sch_cake`). Of tins that keep within their rates, the
    /// last goes first.
    pub(super) const fn of(self, dscp: u8) -> usize {
        match self {
            Self::BestEffort => 0,
            Self::Precedence => (dscp >> 3) as usize,
            Self::Diffserv3 => match dscp {
                LE | CS1 => 1,
                TOS4 | VA | EF | CS6 | CS7 => 2,
                _ => 0,
            },
            Self::Diffserv4 => match (dscp, assured(dscp)) {
                (LE | CS1, _) => 1,
                (TOS4 | CS2 | CS3, _) | (_, Some(2..=4)) => 2,
                (VA | EF | CS4 | CS5 | CS6 | CS7, _) => 3,
                (_, _) => 0,
            },
            Self::Diffserv8 => match (dscp, assured(dscp)) {
                (LE, _) => 0,
                (CS1 | TOS2, _) | (_, Some(1)) => 1,
                (CS3, _) | (_, Some(3 | 4)) => 3,
                (TOS4, _) | (_, Some(2)) => 4,
                (CS2, _) => 5,
                (VA | EF | CS4 | CS5, _) => 6,
                (CS6 | CS7, _) => 7,
                (_, _) => 2,
            },
        }
    }

    /// Shares of the tins in a `rate` (`sch_cake`).
    pub(super) fn shares(self, rate: Option<Rate>) -> Vec<Share> {
        let share = |(quantum, bps): (u32, Option<u64>)| Share {
            rate: bps.map(|bps| Rate::from_bps(bps.max(MIN_BPS))),
            quantum,
        };
        let whole = rate.map(Rate::as_bps);
        let halved = |shifts: &[u32]| {
            shifts
                .iter()
                .map(|shift| share((1024 >> shift, whole.map(|bps| bps >> shift))))
                .collect()
        };
        match self {
            Self::BestEffort => vec![share((65_535, whole))],
            Self::Diffserv3 => halved(&[0, 4, 2]),
            Self::Diffserv4 => halved(&[0, 4, 1, 2]),
            Self::Precedence | Self::Diffserv8 => {
                let less = |(quantum, bps): &(u32, Option<u64>)| {
                    Some((quantum * 7 / 8, bps.map(|bps| bps * 7 / 8)))
                };
                std::iter::successors(Some((256, whole)), less).take(8).map(share).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tins of all code points by eights, as tc-cake(8) names them.
    #[test]
    fn tins_of_code_points() {
        let check = |tins: Tins, expect: [&str; 8]| {
            for (eight, row) in (0..).zip(expect) {
                let found: String =
                    (0..8).map(|one| tins.of(8 * eight + one).to_string()).collect();
                assert_eq!(found, row, "{tins:?}, from {}", 8 * eight);
            }
        };
        let zeros = "00000000";
        check(Tins::BestEffort, [zeros; 8]);
        check(
            Tins::Diffserv3,
            ["01002000", "10000000", zeros, zeros, zeros, "00002020", "20000000", "20000000"],
        );
        check(
            Tins::Diffserv4,
            [
                "01002000", "10000000", "20202020", "20202020", "30202020", "30003030", "30000000",
                "30000000",
            ],
        );
        check(
            Tins::Diffserv8,
            [
                "20124222", "12121212", "52424242", "32323232", "62323232", "62226262", "72222222",
                "72222222",
            ],
        );
        let precedence = ["0", "1", "2", "3", "4", "5", "6", "7"].map(|tin| tin.repeat(8));
        check(Tins::Precedence, precedence.each_ref().map(String::as_str));
    }

    #[test]
    fn shares_of_a_rate() {
        let check = |tins: Tins, bps: Option<u64>, expect: &[(Option<u64>, u32)]| {
            let shares = tins.shares(bps.map(Rate::from_bps));
            let found: Vec<_> = shares
                .into_iter()
                .map(|Share { rate, quantum }| (rate.map(Rate::as_bps), quantum))
                .collect();
            assert_eq!(found, expect, "{tins:?}");
        };
        let some = |bps, quantum| (Some(bps), quantum);
        check(Tins::BestEffort, Some(8_000), &[some(8_000, 65_535)]);
        check(Tins::Diffserv3, None, &[(None, 1024), (None, 64), (None, 256)]);
        check(
            Tins::Diffserv4,
            Some(16_000),
            &[some(16_000, 1024), some(1_000, 64), some(8_000, 512), some(4_000, 256)],
        );
        check(Tins::Diffserv3, Some(1_600), &[some(1_600, 1024), some(512, 64), some(512, 256)]);
        check(
            Tins::Diffserv8,
            Some(2_097_152),
            &[
                some(2_097_152, 256),
                some(1_835_008, 224),
                some(1_605_632, 196),
                some(1_404_928, 171),
                some(1_229_312, 149),
                some(1_075_648, 130),
                some(941_192, 113),
                some(823_543, 98),
            ],
        );
    }
}
