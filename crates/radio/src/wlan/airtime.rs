//! How long frames are on the air: DSSS and HR/DSSS, the PHYs of 802.11b (IEEE 802.11-2012 §16
//! and §17).

use base::Duration;
use settings::words;

words! {
    /// A rate of 802.11b, the slowest first.
    #[derive(PartialOrd, Ord)]
    pub enum DataRate {
        /// DBPSK with the Barker sequence.
        Mbps1 = "1 Mbit/s",
        /// DQPSK with the Barker sequence.
        Mbps2 = "2 Mbit/s",
        /// CCK with 4 bits a symbol.
        Mbps5_5 = "5.5 Mbit/s",
        /// CCK with 8 bits a symbol.
        Mbps11 = "11 Mbit/s",
    }
}

impl DataRate {
    /// In bit/s.
    pub(super) const fn bps(self) -> u64 {
        match self {
            Self::Mbps1 => 1_000_000,
            Self::Mbps2 => 2_000_000,
            Self::Mbps5_5 => 5_500_000,
            Self::Mbps11 => 11_000_000,
        }
    }
}

words! {
    /// What precedes a frame: preamble and PLCP header (§17.2.2).
    pub enum Preamble {
        /// 144 bits and a header of 48 at 1 Mbit/s: 192 µs.
        Long = "long",
        /// 72 bits at 1 Mbit/s and a header of 48 at 2 Mbit/s: 96 µs. Not for frames at 1 Mbit/s,
        /// which have the long one.
        Short = "short",
    }
}

/// SIFS (§16.3.3, §17.3.3).
pub const SIFS: Duration = Duration::from_micros(10);

/// A slot of the back-off (§16.3.3, §17.3.3).
pub const SLOT: Duration = Duration::from_micros(20);

/// DIFS: SIFS and two slots (§9.3.7).
pub const DIFS: Duration = Duration::from_micros(50);

/// An acknowledgement with its FCS (§8.3.1.4).
pub const ACK_BYTES: u32 = 14;

/// A request to send with its FCS (§8.3.1.2).
pub(super) const RTS_BYTES: u32 = 20;

/// A clear to send with its FCS (§8.3.1.3).
pub(super) const CTS_BYTES: u32 = 14;

/// What a frame adds to a packet, in bytes: MAC header with three addresses, FCS (§8.2.3) and
/// LLC/SNAP.
pub const OVERHEAD_BYTES: u32 = 24 + 4 + 8;

/// How long a frame of `bytes`, MAC header and FCS included, is on the air: TXTIME of §17.3.4,
/// which rounds up to microseconds.
pub const fn frame_time(bytes: u32, rate: DataRate, preamble: Preamble) -> Duration {
    let ahead = match (preamble, rate) {
        (Preamble::Short, DataRate::Mbps2 | DataRate::Mbps5_5 | DataRate::Mbps11) => 96,
        (Preamble::Long, _) | (Preamble::Short, DataRate::Mbps1) => 192,
    };
    let micros = (bytes as u64 * 8_000_000).div_ceil(rate.bps());
    Duration::from_micros(ahead + micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_every_rate() {
        let check = |bytes, preamble, micros: [u64; 4]| {
            let times = DataRate::ALL.map(|rate| frame_time(bytes, rate, preamble));
            assert_eq!(times, micros.map(Duration::from_micros), "{bytes} B {preamble:?}");
        };
        // By hand: 192 or 96 µs, and 8 bits a byte, rounded up.
        check(0, Preamble::Long, [192, 192, 192, 192]);
        check(ACK_BYTES, Preamble::Long, [304, 248, 213, 203]);
        check(ACK_BYTES, Preamble::Short, [304, 152, 117, 107]);
        check(36 + 40, Preamble::Long, [800, 496, 303, 248]);
        check(36 + 1500, Preamble::Long, [12_480, 6_336, 2_427, 1_310]);
        check(36 + 1500, Preamble::Short, [12_480, 6_240, 2_331, 1_214]);
        check(34 + 1024, Preamble::Long, [8_656, 4_424, 1_731, 962]);
    }

    #[test]
    fn spaces_between_frames() {
        assert_eq!(DIFS, SIFS + SLOT + SLOT);
    }
}
