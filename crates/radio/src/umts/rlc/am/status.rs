//! Status reports between their typed form and their super-fields.

use base::Time;

use crate::umts::rlc::Sn;
use crate::umts::rlc::bits::Bits;

/// A status PDU with the super-fields ACK and BITMAP. A report too long for one PDU is split;
/// each part acknowledges only what lies below the receiver's first gap and what its own bitmap
/// shows, so a part that is lost takes nothing with it (TS 25.322 §9.2.2.11.2).
#[derive(Clone, Debug)]
pub(crate) struct StatusReport {
    /// When it was built. The peer derives it from the fixed delay of the channel.
    pub(crate) built: Time,
    /// Every PDU below has arrived (LSN).
    pub(crate) ack: Sn,
    /// The first PDU that is reported on.
    pub(crate) first: Sn,
    /// The first PDU after those.
    pub(crate) end: Sn,
    /// A set bit is a PDU of `first..end` that has arrived.
    pub(super) received: Bits,
}

/// How many PDUs a status PDU of `pdu_bytes` bytes can report on beside its ACK.
pub(crate) const fn report_span(pdu_bytes: u32) -> u32 {
    let mut bits = pdu_bytes * 8 - HEADER_BITS - ACK_BITS - LAST_BITMAP_BITS;
    let mut span = 0;
    while bits >= BITMAP_BITS + 8 && span < MAX_SPAN {
        let octets = (bits - BITMAP_BITS) / 8;
        let octets = if octets > MAX_OCTETS { MAX_OCTETS } else { octets };
        span += octets * 8;
        bits -= BITMAP_BITS + octets * 8;
    }
    span
}

/// Bits of a status PDU's header, an ACK, and a bitmap without its octets.
const HEADER_BITS: u32 = 4;
const ACK_BITS: u32 = 16;
const BITMAP_BITS: u32 = 20;

/// Bits of the bitmap of one octet that may end a report.
const LAST_BITMAP_BITS: u32 = BITMAP_BITS + 8;

/// Octets of one bitmap.
const MAX_OCTETS: u32 = 16;

/// No report needs to be longer than half the number space.
const MAX_SPAN: u32 = 2048;

#[cfg(test)]
mod tests {
    use super::super::pdu::ControlPdu;
    use super::super::superfield::{Gap, SuperField};
    use super::*;

    impl StatusReport {
        /// As super-fields. Bitmaps are whole octets and must not cover PDUs beyond the highest
        /// received; so the last one covers the last 8 PDUs, some of them for the second time. A
        /// report on fewer is a list of gaps.
        fn superfields(&self) -> Vec<SuperField> {
            let mut fields = Vec::new();
            let length = self.end - self.first;
            let (whole, mut next) = (self.first + length / 8 * 8, self.first);
            while next < whole {
                let past = whole.min(next + u64::from(MAX_OCTETS * 8));
                fields.push(self.bitmap(next, past));
                next = past;
            }
            if length >= 8 && whole < self.end {
                fields.push(self.bitmap(self.end - 8, self.end));
            }
            if length < 8 {
                let gaps = self.gaps();
                fields.extend((!gaps.is_empty()).then_some(SuperField::List(gaps)));
            }
            fields.push(SuperField::Ack { lsn: self.ack.wire() });
            fields
        }

        /// The bitmap of `from..to`, whole octets.
        fn bitmap(&self, from: Sn, to: Sn) -> SuperField {
            let octet = |index: u64| (self.received.chunk(from + index * 8) as u8).reverse_bits();
            SuperField::Bitmap {
                fsn: from.wire(),
                octets: (0..(to - from) / 8).map(octet).collect(),
            }
        }

        /// The runs of missing PDUs of a report on fewer than 8.
        fn gaps(&self) -> Vec<Gap> {
            let (mut gaps, mut next) = (Vec::new(), self.first);
            loop {
                let sn = self.received.first_clear(next, self.end);
                if sn == self.end {
                    return gaps;
                }
                next = self.received.first_set(sn, self.end).unwrap_or(self.end);
                gaps.push(Gap { sn: sn.wire(), more: (next - sn) as u8 - 1 });
            }
        }
    }

    /// A report on `first..first + length`, of which the offsets `missing` have not arrived.
    fn report(first: u64, length: u64, missing: &[u64]) -> StatusReport {
        let (first, mut received) = (Sn::new(first), Bits::new());
        (0..length).filter(|i| !missing.contains(i)).for_each(|i| received.set(first + i, 1));
        StatusReport { built: Time::ZERO, ack: first, first, end: first + length, received }
    }

    #[test]
    fn a_bitmap_ends_with_the_report() {
        let bitmap = |fsn, octets: &[u8]| SuperField::Bitmap { fsn, octets: octets.to_vec() };
        let check = |report: StatusReport, expect: &[SuperField]| {
            let (last, fields) = expect.split_last().expect("an ACK at least");
            assert_eq!(report.superfields().split_last(), Some((last, fields)));
        };
        let ack = |lsn| SuperField::Ack { lsn };
        check(report(7, 0, &[]), &[ack(7)]);
        check(report(7, 8, &[0, 6]), &[bitmap(7, &[0b0111_1101]), ack(7)]);
        let bitmaps = [bitmap(4090, &[0b0111_1110]), bitmap(4094, &[0b1110_1110]), ack(4090)];
        check(report(4090, 12, &[0, 7, 11]), &bitmaps);
        let missing = SuperField::List(vec![Gap { sn: 4095, more: 1 }, Gap { sn: 3, more: 0 }]);
        check(report(4095, 6, &[0, 1, 4]), &[missing, ack(4095)]);
    }

    /// What a peer learns of each number from the PDU: missing or arrived.
    fn read(report: &StatusReport, octets: usize) -> Vec<(u16, bool)> {
        let pdu = ControlPdu::Status(report.superfields()).encode(octets).expect("fits");
        let Some(ControlPdu::Status(fields)) = ControlPdu::decode(&pdu) else {
            panic!("a status PDU");
        };
        let mut news = Vec::new();
        for field in fields {
            match field {
                SuperField::Bitmap { fsn, octets } => {
                    let bits = octets.iter().flat_map(|o| (0..8).map(move |i| o << i & 0x80 > 0));
                    news.extend((0..).zip(bits).map(|(i, bit)| ((fsn + i) % 4096, bit)));
                }
                SuperField::List(gaps) => {
                    let all = gaps.iter().flat_map(|gap| {
                        (0..=u16::from(gap.more)).map(|more| ((gap.sn + more) % 4096, false))
                    });
                    news.extend(all);
                }
                SuperField::Ack { lsn } => assert_eq!(lsn, report.ack.wire()),
                other => panic!("unexpected {other:?}"),
            }
        }
        news
    }

    /// Every length that a status PDU of 42 bytes takes, across the wrap of the numbers: it fits,
    /// names each missing PDU, calls none missing that is not, and reports nothing beyond its ends.
    #[test]
    fn a_report_says_what_it_should_and_no_more() {
        assert_eq!(report_span(42), 248);
        for length in 1..=248 {
            let missing: Vec<_> = (0..length).filter(|i| i % 3 == 0 || i % 7 == 5).collect();
            let news = read(&report(3990, length, &missing), 42);
            for i in 0..length {
                let sn = Sn::new(3990 + i).wire();
                let is_missing = missing.contains(&i);
                let said: Vec<_> = news.iter().filter(|(number, _)| *number == sn).collect();
                assert!(said.iter().all(|(_, bit)| *bit != is_missing), "{length} {i}");
                assert!(!is_missing || !said.is_empty(), "{length} {i}");
            }
            let inside = |sn| Sn::new(3990).unwrap(sn) < Sn::new(3990 + length);
            assert!(news.iter().all(|(sn, _)| inside(*sn)), "{length}");
        }
    }

    #[test]
    fn larger_pdus_report_on_more() {
        let check = |bytes, expect| assert_eq!(report_span(bytes), expect);
        check(12, 24);
        check(20, 88);
        check(82, 512);
        check(1502, 2048);
    }
}
