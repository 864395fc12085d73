//! Duplicate reports (DSACK, RFC 2883), and which retransmissions they show to be spurious (after
//! RFC 3708).

use base::{SackBlocks, Seq};

use super::SpuriousDetector;

/// RFC 2883 §4: the first block reports what arrived twice if it lies below the acknowledgement,
/// or within the second block.
#[inline]
pub(crate) fn reported(blocks: &SackBlocks, ack: Seq) -> Option<[Seq; 2]> {
    let (&[from, to], rest) = blocks.as_slice().split_first()?;
    let old = from.before(ack) && to.before_or_at(ack);
    let within = rest
        .first()
        .is_some_and(|&[left, right]| left.before_or_at(from) && to.before_or_at(right));
    (from.before(to) && (old || within)).then_some([from, to])
}

impl SpuriousDetector {
    /// The peer reports that `from..to` arrived twice. True if by now every retransmission that was
    /// in flight since the last loss was found has: nothing had been lost.
    pub(crate) fn on_reported(&mut self, [from, to]: [u64; 2]) -> bool {
        if self.episode.is_none() {
            return false;
        }
        let before = self.unreported.len();
        let mut at = from;
        while let Some(index) = self.unreported.iter().position(|it| (at..to).contains(it)) {
            at = self.unreported.swap_remove(index) + 1;
        }
        let none_lost = before > 0 && self.unreported.is_empty();
        if none_lost {
            self.episode = None;
        }
        none_lost
    }
}

#[cfg(test)]
mod tests {
    use base::Time;

    use super::*;
    use crate::scoreboard::Scoreboard;
    use crate::spurious::{Cause, SpuriousTimeouts};

    /// RFC 2883 §4.1: examples, in thousands.
    #[test]
    fn duplicates_are_told_from_selections() {
        let check = |ack, blocks: &[[u32; 2]], expect: Option<[u32; 2]>| {
            let mut sack = SackBlocks::NONE;
            for [from, to] in blocks {
                sack.push(Seq::new(*from), Seq::new(*to));
            }
            let expect = expect.map(|block| block.map(Seq::new));
            assert_eq!(reported(&sack, Seq::new(ack)), expect, "{ack} {blocks:?}");
        };
        check(4, &[], None);
        check(4, &[[3, 4]], Some([3, 4]));
        check(4, &[[5, 6]], None);
        check(4, &[[5, 6], [5, 9]], Some([5, 6]));
        check(4, &[[5, 6], [7, 9]], None);
        check(4, &[[3, 4], [5, 9]], Some([3, 4]));
        check(4, &[[3, 3]], None);
        check(2, &[[u32::MAX, 1]], Some([u32::MAX, 1]));
    }

    /// What is in flight again as a loss is found may have been lost before, and must be reported
    /// as well.
    #[test]
    fn a_loss_stands_while_an_earlier_repeat_is_unreported() {
        let mut board = Scoreboard::of_lengths(&[1_000, 1_000]);
        board.sent_again(Time::ZERO, 1_000, 1_000);
        let mut spurious = SpuriousDetector::new(SpuriousTimeouts::Eifel).expect("it detects");
        spurious.begin(Cause::Acknowledgements, [0, 2_000], &board);
        spurious.on_resent(Time::ZERO, &board.sent_again(Time::ZERO, 0, 1_000));
        assert!(!spurious.on_reported([0, 1_000]));
        assert!(spurious.on_reported([1_000, 2_000]));
    }
}
