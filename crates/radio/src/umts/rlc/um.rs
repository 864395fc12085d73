//! Unacknowledged mode (TS 25.322 §11.2): nothing is retransmitted. With a lost PDU all SDUs that
//! have a part in it are lost; delivery continues with the next SDU that begins. The receiving half
//! needs no memory: a gap shows in the sequence numbers.
//!
//! The model settles a lost SDU at the end of the TTI that lost it, where the standard's receiver
//! learns of it from the next PDU. It also assumes that a PDU indicates whether an SDU begins with
//! it (§9.2.2.8, a length indicator of its own, whose byte is not counted).

use super::bits::low_bits;
use super::segmentation::{Sdus, Segmentation};
use super::{RlcConfig, Sn};
use crate::umts::mac::TransportBlocks;

/// How SDUs are cut and delivered.
pub(super) const fn segmentation(config: &RlcConfig) -> Segmentation {
    Segmentation {
        payload: config.pdu_payload,
        length_indicator: match config.header {
            None if config.pdu_payload + HEADER_BYTES <= 125 => 1,
            None => 2,
            Some(_) => 0,
        },
        concatenation: config.concatenation,
        max_ends: u32::MAX,
        in_order: true,
    }
}

/// Bytes of an unacknowledged-mode PDU's header, with a sequence number of 7 bits (§9.2.1.3).
const HEADER_BYTES: u32 = 1;

/// Fills a TTI with new data; `next` is the next PDU (`VT(US)`).
pub(super) fn fill(next: &mut Sn, own: &mut Sdus, blocks: &mut TransportBlocks) {
    while blocks.room() > 0 && own.has_data() {
        let cut = own.segment(blocks.start, *next, blocks.room().min(64), u32::MAX);
        blocks.push_new(*next, cut.pdus, false);
        *next = *next + u64::from(cut.pdus);
    }
}

/// Takes in a TTI: what it has of each SDU is all that will ever arrive.
pub(super) fn receive(blocks: &TransportBlocks, peer: &mut Sdus) {
    for (place, run) in blocks.runs() {
        let mut lost = blocks.errors.from(place) & low_bits(run.pdus);
        while lost != 0 {
            let sn = run.sn + u64::from(lost.trailing_zeros());
            peer.deliver_in_order(sn);
            peer.lose(sn);
            lost &= lost - 1;
        }
        let end = run.sn + u64::from(run.pdus);
        peer.deliver_in_order(end);
        peer.acknowledge(end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, testing};
    use super::*;

    /// Sends SDUs of `sizes` in PDUs of 40 bytes, 4 a TTI, and loses the PDUs `lost`: what becomes
    /// of each SDU, in the order of its fate, `+` delivered and `-` discarded.
    fn fates(concatenation: bool, sizes: &[u32], lost: &[u64]) -> String {
        let config = RlcConfig { mode: Mode::Um, concatenation, ..RlcConfig::default() };
        let mut sdus = testing::sdus(&config, sizes.iter().copied());
        let mut next = Sn::ZERO;
        for tti in 0.. {
            let mut blocks = testing::tti(tti * 10, 4);
            fill(&mut next, &mut sdus, &mut blocks);
            if blocks.used() == 0 {
                break;
            }
            testing::lose(&mut blocks, lost);
            receive(&blocks, &mut sdus);
        }
        assert!(sdus.is_settled(), "each SDU has a fate");
        testing::outcomes(&mut sdus).trim_start().to_owned()
    }

    #[test]
    fn a_loss_discards_up_to_the_next_boundary() {
        let check = |sizes: &[u32], lost: &[u64], expect| {
            assert_eq!(fates(false, sizes, lost), expect, "{sizes:?} {lost:?}");
        };
        check(&[100, 100, 100], &[], "+0 +1 +2");
        check(&[100, 100, 100], &[0], "-0 +1 +2");
        check(&[100, 100, 100], &[2], "-0 +1 +2");
        check(&[100, 100, 100], &[3, 5], "+0 -1 +2");
        check(&[100, 100, 100], &[2, 3], "-0 -1 +2");
        check(&[100, 100, 100], &[8], "+0 +1 -2");
        check(&[9; 5], &[0, 2, 4], "-0 +1 -2 +3 -4");
    }

    /// 0: [0..40], 1: [40..73] and six bytes of the next, 2: [6..46], 3: [46..73] and twelve.
    #[test]
    fn a_pdu_with_two_sdus_takes_both_with_it() {
        let check = |lost: &[u64], expect| {
            assert_eq!(fates(true, &[73, 73, 73], lost), expect, "{lost:?}");
        };
        check(&[0], "-0 +1 +2");
        check(&[1], "-0 -1 +2");
        check(&[2], "+0 -1 +2");
        check(&[3], "+0 -1 -2");
    }

    /// An SDU that fills its PDUs ends with the next one's length indicator; if that is lost, no
    /// one knows where it ended.
    #[test]
    fn an_end_that_is_told_later_can_be_lost() {
        assert_eq!(fates(true, &[80, 9], &[]), "+0 +1");
        assert_eq!(fates(true, &[80, 9], &[2]), "-0 -1");
        assert_eq!(fates(false, &[40], &[1]), "-0");
    }
}
