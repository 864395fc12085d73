//! Which mobile is next.

use base::{Direction, Time};

use super::bearer::BearerConfig;
use super::cell::ScheduledCell;
use crate::Sdu;

/// A block that somebody may get.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) direction: Direction,
    /// When that is decided, and for which slot.
    pub(super) now: Time,
    pub(super) slot: u64,
    /// How many resource blocks it takes at most.
    pub(super) left: u16,
}

impl<T: Sdu> ScheduledCell<T> {
    /// Ranks those of `active` that `can` get a block.
    pub(super) fn rank_all(
        &mut self,
        offer: Offer,
        active: &[u32],
        can: impl Fn(&mut Self, u32) -> bool,
    ) {
        self.scheduler.clear();
        if offer.left == 0 {
            return;
        }
        for ue in active {
            if can(self, *ue) {
                let is_alone = active.len() == 1;
                let (priority, rank) = if is_alone {
                    (0, 0.0)
                } else {
                    (self.priority(offer, *ue), self.rank(offer, *ue))
                };
                self.scheduler.add(*ue, priority, rank);
            }
        }
    }

    /// The priority of what `ue` has to send first, as the base station knows it.
    fn priority(&self, offer: Offer, ue: u32) -> u8 {
        let mobile = &self.mobiles[ue as usize];
        match offer.direction {
            _ if self.config.bearers.len() == 1 => BearerConfig::DEFAULT_PRIORITY,
            Direction::Downlink => mobile.wanted_first(offer.now, offer.direction, offer.slot).0,
            Direction::Uplink => mobile.known_priority,
        }
    }

    fn rank(&mut self, offer: Offer, ue: u32) -> f64 {
        match offer.direction {
            Direction::Downlink => self.rank_downlink(offer, ue),
            Direction::Uplink => self.rank_uplink(offer, ue),
        }
    }

    fn rank_uplink(&mut self, offer: Offer, ue: u32) -> f64 {
        let Offer { direction, now, slot, left } = offer;
        let part = self.config.frame.part(direction, slot);
        let lane = self.mobiles[ue as usize].lane(direction);
        let bytes = lane.assign(now, &self.config.carriers[1], part, u64::MAX, left).bytes;
        let snr = lane.quality.reported(now);
        self.scheduler.rank(&lane.past, slot, bytes, snr)
    }
}
