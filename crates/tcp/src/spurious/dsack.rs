//! What arrived twice (RFC 2883), and what that tells of retransmissions (after RFC 3708).

use base::{SackBlocks, Seq, Time};
use observe::Observe;

use crate::ack_in::Acknowledgement;
use crate::recovery::Recovery;
use crate::{Payload, Sender};

/// RFC 2883 §4: the first block reports what arrived twice if it lies below the acknowledgement,
/// or within the second block.
fn reported(blocks: &SackBlocks, ack: Seq) -> Option<[Seq; 2]> {
    let (&[from, to], rest) = blocks.as_slice().split_first()?;
    let old = from.before(ack) && to.before_or_at(ack);
    let within = rest
        .first()
        .is_some_and(|&[left, right]| left.before_or_at(from) && to.before_or_at(right));
    (from.before(to) && (old || within)).then_some([from, to])
}

impl<P: Payload> Sender<P> {
    /// An acknowledgement of everything below `una` may report a duplicate.
    pub(crate) fn hear_of_duplicates<O: Observe>(
        &mut self,
        now: Time,
        una: u64,
        arrival: &Acknowledgement,
        observe: &mut O,
    ) {
        let twice = reported(&arrival.sack, arrival.ack).map(|block| {
            let base = arrival.ack;
            block.map(|edge| una.saturating_add_signed(i64::from(edge.distance(base))))
        });
        if let Some([from, _]) = twice {
            self.count_duplicate(now, from, observe);
        }
        if let Recovery::Rack(rack) = &mut self.recovery {
            rack.set_smoothed(self.rto.smoothed());
            if twice.is_some() {
                rack.on_duplicate_report(una, self.nxt);
            }
            self.hear_of_probe(now, una, arrival, twice);
        }
    }

    /// When every retransmission since the last loss arrived twice, nothing had been lost: the
    /// window becomes what it was.
    fn count_duplicate<O: Observe>(&mut self, now: Time, from: u64, observe: &mut O) {
        let Some(doubt) = &mut self.doubt else { return };
        let Some(episode) = &mut doubt.episode else { return };
        if from < episode.from || from >= episode.recover || episode.unreported == 0 {
            return;
        }
        episode.unreported -= 1;
        if episode.unreported == 0 {
            doubt.episode = None;
            self.prr = None;
            self.controller.on_undo(now);
            self.update_window(now, observe);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
