//! Accurate ECN, the sending half (RFC 9768 §3.2): how many of its packets the peer says were
//! marked.

use base::{Ecn, EcnBytes, Flags};
use cc::Marked;

use crate::ecn_counters::{FIRST_BYTES, FIRST_PACKETS, place};

/// The numbers that an ACE field tells apart.
const CYCLE: u64 = 8;

/// The bits of a counter that an option has (RFC 9768 §3.2.3).
const LOW_BITS: u32 = 0xFF_FFFF;

/// Report of marks by a segment: its ACE field, and the option if it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkReport {
    /// The ACE field, low three bits.
    pub ace: u8,
    /// The option.
    pub bytes: Option<EcnBytes>,
}

/// Arrivals that an acknowledgement tells of, beside its marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Arrived {
    /// Packets that it acknowledges or selects for the first time; one for a duplicate without
    /// selections.
    pub(crate) packets: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// True if it acknowledges something new: none has overtaken it.
    pub(crate) advances: bool,
}

/// State of the option on the path from the peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Options {
    /// None has: the ACE field is read for the worst (RFC 9768 §3.2.3.2.3).
    Missing,
    /// Some have.
    Seen,
    /// They were zeroed on the path (RFC 9768 §3.2.3.2.4).
    Zeroed,
}

/// Marks told of so far.
#[derive(Clone, Debug)]
pub(crate) struct MarkCounts {
    /// The largest payload of a packet, in bytes.
    mss: u64,
    /// Packets marked: s.cep, which starts at [`FIRST_PACKETS`].
    packets: u64,
    /// Bytes marked: s.ceb.
    bytes: u64,
    /// The low 24 bits of the peer's counters of ECT(0), CE and ECT(1).
    counters: [u32; 3],
    options: Options,
    /// Packets that arrived since the ACE field was last read.
    arrived: u64,
    /// Packets that arrived since an option confirmed the ACE field.
    unconfirmed: u64,
    /// True until the first report after the handshake.
    is_first: bool,
    /// True if reports make no sense any more: new data are not to be ECN-capable.
    pub(crate) distrusts: bool,
    /// True if marks are not answered either.
    pub(crate) ignores: bool,
}

impl MarkCounts {
    pub(crate) fn new(mss: u32) -> Self {
        Self {
            mss: mss.into(),
            packets: FIRST_PACKETS.into(),
            bytes: 0,
            counters: FIRST_BYTES,
            options: Options::Missing,
            arrived: 0,
            unconfirmed: 0,
            is_first: true,
            distrusts: false,
            ignores: false,
        }
    }

    /// Packets marked so far, a SYN/ACK included.
    pub(crate) fn packets(&self) -> u64 {
        self.packets - u64::from(FIRST_PACKETS)
    }

    /// The peer says that the SYN/ACK was marked (RFC 9768 table 4).
    pub(crate) const fn note_syn_ack(&mut self) {
        self.packets += 1;
    }

    /// The option of the segment that completed the handshake, which has no ACE field to go with.
    pub(crate) fn read_first_option(&mut self, option: &EcnBytes) {
        self.note_option(option);
    }

    /// Marks in `report` beyond those that were known.
    pub(crate) fn read(&mut self, report: &MarkReport, arrived: &Arrived) -> Marked {
        self.arrived += arrived.packets;
        self.unconfirmed += arrived.packets;
        if std::mem::take(&mut self.is_first) && report.ace == 0 {
            // RFC 9768 §3.2.2.4: no counter begins at zero.
            (self.distrusts, self.ignores) = (true, true);
        }
        let grown = match &report.bytes {
            Some(option) => {
                let Some(grown) = self.note_option(option) else { return Marked::NONE };
                grown
            }
            None => [0; 3],
        };
        let told = u64::from(report.ace.wrapping_sub(self.packets as u8) & 7);
        let is_confirmed = report.bytes.is_some() && self.options == Options::Seen;
        // Marks come with bytes, since only data are ECN-capable, or else with packets.
        let most = if is_confirmed { 0 } else { self.arrived };
        if grown == [0; 3] && !arrived.advances && told > most {
            // An older acknowledgement of the same number (RFC 9768 appendix A.1).
            return Marked::NONE;
        }
        let packets = if is_confirmed { self.confirm(told) } else { self.estimate(told) };
        self.packets += packets;
        self.arrived = 0;
        let bytes = if is_confirmed { grown[1] } else { self.bytes_of(packets, arrived) };
        Marked { packets, bytes }
    }

    /// Takes the counters of an option in and returns by how many bytes those of ECT(0), CE and
    /// ECT(1) have grown; `None` if it is older than what is known (RFC 9768 appendix A.1).
    fn note_option(&mut self, option: &EcnBytes) -> Option<[u64; 3]> {
        if self.options == Options::Missing {
            // RFC 9768 §3.2.3.2.4: those of ECT begin at one.
            let is_zeroed = [0, 2].iter().any(|&place| option.count(place) == Some(0));
            self.options = if is_zeroed { Options::Zeroed } else { Options::Seen };
        }
        if self.options == Options::Zeroed {
            return Some([0; 3]);
        }
        let told = [Ecn::Capable, Ecn::Experienced, Ecn::L4s]
            .map(|ecn| option.count(place(option.order, ecn)?));
        let grown: [u32; 3] = std::array::from_fn(|of| {
            told[of].map_or(0, |count| count.wrapping_sub(self.counters[of]) & LOW_BITS)
        });
        if grown.iter().any(|&grown| grown > LOW_BITS / 2) {
            return None;
        }
        for (counter, grown) in self.counters.iter_mut().zip(grown) {
            *counter = counter.wrapping_add(grown) & LOW_BITS;
        }
        self.bytes += u64::from(grown[1]);
        Some(grown.map(u64::from))
    }

    /// Packets marked, where an option says how many bytes: as many as carry these, if the ACE
    /// field has cycled meanwhile (RFC 9768 §3.2.2.5.2, §3.2.3.2.5).
    fn confirm(&mut self, told: u64) -> u64 {
        let carry = self.bytes.div_ceil(self.mss);
        let known = self.packets() + told;
        let cycles = carry.saturating_sub(known).div_ceil(CYCLE);
        if cycles > 0 && self.unconfirmed < CYCLE {
            // So few packets cannot have cycled it: something mangles one of both.
            self.distrusts = true;
        }
        self.unconfirmed = 0;
        told + cycles * CYCLE
    }

    /// Packets marked as far as the ACE field alone tells: where no option ever does, the most that
    /// can have been (RFC 9768 §3.2.2.5.2, appendix A.2.1).
    const fn estimate(&self, told: u64) -> u64 {
        if matches!(self.options, Options::Seen) || self.arrived <= told {
            return told;
        }
        self.arrived - (self.arrived - told) % CYCLE
    }

    /// The bytes of `packets` of those that arrived, as long as these are on average (RFC 9768
    /// appendix A.3).
    fn bytes_of(&self, packets: u64, arrived: &Arrived) -> u64 {
        (packets * arrived.bytes).checked_div(arrived.packets).unwrap_or(packets * self.mss)
    }
}

impl MarkReport {
    /// Report of a segment with these `flags`, no SYN (RFC 9768 §3.2.2).
    pub(crate) const fn of(flags: Flags, bytes: Option<EcnBytes>) -> Self {
        Self { ace: flags.ace(), bytes }
    }
}

#[cfg(test)]
mod tests {
    use base::EcnOrder;

    use super::*;

    const MSS: u64 = 1_000;

    fn counts() -> MarkCounts {
        MarkCounts { is_first: false, ..MarkCounts::new(MSS as u32) }
    }

    fn bare(ace: u8) -> MarkReport {
        MarkReport { ace, bytes: None }
    }

    fn with(ace: u8, bytes: [u32; 3]) -> MarkReport {
        MarkReport { ace, bytes: Some(EcnBytes::new(EcnOrder::Ect0First, 3, bytes)) }
    }

    const fn news(packets: u64) -> Arrived {
        Arrived { packets, bytes: packets * MSS, advances: true }
    }

    /// RFC 9768 appendix A.2.1 by hand: of `arrived` packets, the last three bits being `told`
    /// ahead.
    #[test]
    fn without_options_the_field_is_read_for_the_worst() {
        let check = |arrived, told: u8, expect| {
            let marked = counts().read(&bare((5 + told) & 7), &news(arrived));
            assert_eq!(marked, Marked { packets: expect, bytes: expect * MSS }, "{arrived} {told}");
        };
        check(1, 0, 0);
        check(1, 1, 1);
        check(7, 7, 7);
        check(7, 0, 0);
        check(8, 0, 8);
        check(9, 0, 8);
        check(9, 1, 9);
        check(9, 2, 2);
        check(10, 2, 10);
        check(20, 3, 19);
        // More than can have arrived: control packets (§3.2.2.5.2).
        check(2, 5, 5);
    }

    #[test]
    fn an_option_says_how_often_the_field_has_cycled() {
        let mut counts = counts();
        let mut check = |ace, bytes, arrived, expect| {
            assert_eq!(counts.read(&with(ace, bytes), &news(arrived)).packets, expect);
        };
        check(5, [20_001, 0, 1], 20, 0);
        check(6, [20_001, 9_000, 1], 9, 9);
        check(7, [20_001, 10_000, 1], 9, 1);
        check(6, [20_001, 17_000, 1], 7, 7);
        assert_eq!((counts.packets(), counts.distrusts), (17, false));
    }

    #[test]
    fn what_the_field_lost_an_option_finds() {
        let mut counts = counts();
        counts.read(&with(5, [1, 0, 1]), &news(0));
        assert_eq!(counts.read(&bare(6), &news(20)).packets, 1, "options come: no need to guess");
        assert_eq!(counts.read(&with(6, [1, 9_000, 1]), &news(1)).packets, 8);
        assert!(!counts.distrusts);
    }

    #[test]
    fn an_older_acknowledgement_says_nothing() {
        let mut counts = counts();
        let stale = Arrived::default();
        counts.read(&with(7, [1, 2_000, 1]), &news(2));
        assert_eq!(counts.read(&with(6, [1, 1_000, 1]), &stale), Marked::NONE);
        assert_eq!(counts.read(&bare(6), &stale), Marked::NONE);
        assert_eq!(counts.read(&bare(7), &stale), Marked::NONE);
        assert_eq!((counts.packets(), counts.bytes), (2, 2_000));
    }

    #[test]
    fn bytes_without_packets_are_mangled() {
        let mut counts = counts();
        assert_eq!(counts.read(&with(5, [1, 1_000, 1]), &news(2)).packets, 8);
        assert!(counts.distrusts && !counts.ignores);
    }

    #[test]
    fn zeros_at_the_start_are_not_believed() {
        let mut counts = MarkCounts::new(MSS as u32);
        counts.read(&bare(0), &news(1));
        assert!(counts.distrusts && counts.ignores);
        let mut counts = MarkCounts::new(MSS as u32);
        counts.read(&with(5, [0, 0, 0]), &news(1));
        assert!(counts.options == Options::Zeroed && !counts.distrusts);
        assert_eq!(counts.read(&with(6, [0, 5_000, 0]), &news(1)).packets, 1);
    }

    #[test]
    fn counters_of_24_bits_wrap() {
        let mut counts = counts();
        let half = 1 << 22;
        for nth in 1..=5_u32 {
            let ace = (5 + nth) as u8 & 7;
            let marked = counts.read(&with(ace, [1, nth * half, 1]), &news(1));
            assert_eq!(marked.bytes, u64::from(half));
        }
        assert_eq!(counts.bytes, 5 << 22);
    }
}
