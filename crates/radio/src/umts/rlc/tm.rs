//! Transparent mode (TS 25.322 §11.1): no header, so no number and no padding. An SDU is cut into
//! the blocks of one TTI, which carries nothing else; what arrives in error is discarded.

use super::segmentation::{Sdus, Segmentation};
use super::{RlcConfig, Sn};
use crate::umts::mac::TransportBlocks;

/// How SDUs are cut and delivered.
pub(super) const fn segmentation(config: &RlcConfig) -> Segmentation {
    Segmentation {
        payload: config.pdu_payload,
        length_indicator: 0,
        concatenation: false,
        max_ends: 1,
        in_order: true,
    }
}

/// Puts the next SDU that fits into the TTI. One that is larger than its TTI holds can never be
/// sent and is discarded when its turn comes. (Where a rate is no whole number of blocks a TTI,
/// some TTIs hold one less.) `next` is the next block's number, which is not transmitted: the model
/// numbers blocks to distinguish SDUs.
pub(super) fn fill(next: &mut Sn, own: &mut Sdus, blocks: &mut TransportBlocks) {
    let now = blocks.start;
    while own.has_data() && own.next_pdus() > blocks.room() {
        own.drop_next(now);
    }
    let mut left = if own.has_data() { own.next_pdus() } else { 0 };
    while left > 0 {
        let cut = own.segment(now, *next, left.min(64), 1);
        blocks.push_new(*next, cut.pdus, false);
        *next = *next + u64::from(cut.pdus);
        left -= cut.pdus;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, testing, um};
    use super::*;

    /// Each TTI of 3 blocks of 40 bytes for SDUs of `sizes`: its blocks, and what became of SDUs.
    fn ttis(sizes: &[u32], lost: &[u64]) -> Vec<String> {
        let config = RlcConfig { mode: Mode::Tm, ..RlcConfig::default() };
        let mut sdus = testing::sdus(&config, sizes.iter().copied());
        let mut next = Sn::ZERO;
        let mut lines = Vec::new();
        while !sdus.is_settled() {
            let mut blocks = testing::tti(lines.len() as u64 * 10, 3);
            fill(&mut next, &mut sdus, &mut blocks);
            testing::lose(&mut blocks, lost);
            um::receive(&blocks, &mut sdus);
            lines.push(testing::show(&blocks) + &testing::outcomes(&mut sdus));
        }
        lines
    }

    #[test]
    fn an_sdu_has_its_tti_to_itself() {
        assert_eq!(ttis(&[9, 41, 120, 40], &[]), ["0 +0", "1-2 +1", "3-5 +2", "6 +3"]);
    }

    #[test]
    fn what_a_tti_cannot_hold_is_discarded() {
        assert_eq!(ttis(&[9, 121, 9], &[]), ["0 +0", "1 -1 +2"]);
        assert_eq!(ttis(&[1500], &[]), [" -0"]);
    }

    #[test]
    fn an_erroneous_block_discards_its_sdu_alone() {
        assert_eq!(ttis(&[80, 80, 80], &[1, 4]), ["0-1 -0", "2-3 +1", "4-5 -2"]);
    }
}
