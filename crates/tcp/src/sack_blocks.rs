//! What acknowledgements report selectively (RFC 2018; RFC 2883).

use base::{SackBlocks, Seq};

use crate::{Payload, Receiver};

/// The most blocks beside timestamps (RFC 2018 §3).
const BESIDE_TIMESTAMPS: usize = 3;

/// What acknowledgements report beside the next number expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reports {
    /// Nothing.
    Nothing,
    /// What arrived beyond it (RFC 2018).
    Blocks,
    /// The same, and what arrived twice (RFC 2883).
    BlocksAndDuplicates,
}

impl<P: Payload> Receiver<P> {
    /// Selective acknowledgements were agreed upon.
    pub const fn agree_on_sack(&mut self, reports: Reports) {
        self.reports = reports;
    }

    /// The blocks for an acknowledgement that leaves now. First comes, once, what the newest
    /// segment brought again (RFC 2883 §4); then what waits behind gaps, the stretch that grew
    /// last at the front (RFC 2018 §4), as far as there is room.
    pub fn blocks(&mut self) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        if let Some([left, right]) = self.twice.take() {
            blocks.push(left, right);
        }
        if self.reports == Reports::Nothing || self.early.is_empty() {
            return blocks;
        }
        let most = if self.peer_clock.is_some() { BESIDE_TIMESTAMPS } else { SackBlocks::MAX };
        let room = most - blocks.as_slice().len();
        for stretch in self.early.newest().take(room) {
            blocks.push(self.first + stretch.from as u32, self.first + stretch.to as u32);
        }
        blocks
    }

    /// True if [`Receiver::blocks`] has something to report.
    pub(crate) fn has_blocks(&self) -> bool {
        let beyond = self.reports != Reports::Nothing && !self.early.is_empty();
        beyond || self.twice.is_some()
    }

    /// Of a segment from offset `start` up to `end` that is about to be taken in: the first part
    /// that had come before, if that is to be reported.
    pub(crate) fn duplicate(&self, start: i64, end: i64) -> Option<[Seq; 2]> {
        if self.reports != Reports::BlocksAndDuplicates {
            return None;
        }
        let next = self.next() as i64;
        let [left, right] = if start < next {
            [start, end.min(next)]
        } else {
            self.early.first_held(start as u64, end as u64)?.map(|edge| edge as i64)
        };
        (left < right).then(|| [left, right].map(|edge| self.first + edge as u32))
    }
}
