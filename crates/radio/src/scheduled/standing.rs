//! The standing of mobiles with the scheduler: looked up again only when something has happened to
//! one, since in a full cell most mobiles wait in most slots.

use std::ops::Range;

use base::{Direction, Time};

use super::cell::ScheduledCell;
use super::choice::Offer;
use crate::Sdu;
use crate::channel::Part;
use crate::channel::scheduler::Past;

const DOWN: Direction = Direction::Downlink;

/// The downlink of a mobile since something has happened to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    /// True if a block is to be sent again.
    pub(super) repeats: bool,
    /// True if there is something to send for the first time.
    pub(super) wants: bool,
    /// True if there is a process for it.
    has_process: bool,
    /// The slot before which it was served last.
    served: u64,
    /// Slots in which it listens. It may listen in others, too.
    pub(super) listens: Range<u64>,
    past: Past,
    offered: Option<Offered>,
}

/// The most that a block can bring to a mobile, until its radio is measured again.
#[derive(Clone, Copy, Debug)]
struct Offered {
    until: Time,
    part: Part,
    left: u16,
    bytes: u32,
    snr: f64,
}

impl Standing {
    /// True if `other` says the same, whatever is offered.
    fn is_of(&self, other: &Self) -> bool {
        let key = |of: &Self| {
            let listens = (of.listens.start, of.listens.end);
            (of.repeats, of.wants, of.has_process, of.served, listens, of.past)
        };
        key(self) == key(other)
    }
}

impl<T: Sdu> ScheduledCell<T> {
    /// Looks at what has happened to `ue`.
    pub(super) fn look(&mut self, now: Time, ue: u32) -> &Standing {
        if self.mobiles.take_change(ue) {
            self.standings[ue as usize] = self.seen(now, ue);
        }
        let standing = &self.standings[ue as usize];
        debug_assert!(standing.is_of(&self.seen(now, ue)), "something happened to {ue} unseen");
        standing
    }

    /// The standing of `ue` now.
    fn seen(&self, now: Time, ue: u32) -> Standing {
        let mobile = &self.mobiles[ue as usize];
        let lane = &mobile.lanes[0];
        Standing {
            repeats: lane.harq.failed().is_some(),
            wants: mobile.wanted(now, DOWN) > 0,
            has_process: lane.harq.idle().is_some(),
            served: mobile.served[0],
            listens: mobile.listens_in(self.drx.as_ref(), self.config.half_duplex.as_ref()),
            past: lane.past,
            offered: None,
        }
    }

    /// True if a new block can be sent to `ue`: there is something to send, it listens, and has a
    /// process and no other block in this slot.
    pub(super) fn can_serve(&mut self, offer: Offer, ue: u32) -> bool {
        let standing = self.look(offer.now, ue);
        standing.wants
            && standing.has_process
            && standing.served <= offer.slot
            && self.listens(offer.slot, ue)
    }

    /// True if `ue`, which has been looked at, listens in `slot`.
    pub(super) fn listens(&self, slot: u64, ue: u32) -> bool {
        self.standings[ue as usize].listens.contains(&slot)
            || self.hears_from(slot, &self.mobiles[ue as usize]) == Some(slot)
    }

    /// The rank of `ue`, which has been looked at, for a block downlink.
    pub(super) fn rank_downlink(&mut self, offer: Offer, ue: u32) -> f64 {
        let Offer { now, slot, left, .. } = offer;
        let part = self.config.frame.part(DOWN, slot);
        let standing = &mut self.standings[ue as usize];
        let known = standing
            .offered
            .filter(|known| now < known.until && (known.part, known.left) == (part, left));
        let offered = known.unwrap_or_else(|| {
            let lane = &mut self.mobiles[ue as usize].lanes[0];
            let bytes = lane.assign(now, &self.config.carriers[0], part, u64::MAX, left).bytes;
            let (snr, until) = (lane.quality.reported(now), lane.quality.measured_next(now));
            Offered { until, part, left, bytes, snr }
        });
        standing.offered = Some(offered);
        self.scheduler.rank(&standing.past, slot, offered.bytes, offered.snr)
    }
}
