//! Which mobile is next.

use base::{Direction, Time};

use super::mobile::Mobile;
use super::network::Network;
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

impl<T: Sdu> Network<T> {
    /// The mobile of `active` that gets a block, among those that `can`: the one of the highest
    /// rank, and the first of equals.
    pub(super) fn best_of(
        &mut self,
        offer: Offer,
        active: &[u32],
        can: impl Fn(&Self, &Mobile<T>) -> bool,
    ) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        for ue in active {
            if !can(self, &self.mobiles[*ue as usize]) {
                continue;
            }
            if active.len() == 1 {
                return Some(*ue);
            }
            let rank = self.rank(offer, *ue);
            let is_better =
                |(other, who): (f64, u32)| rank.total_cmp(&other).then(who.cmp(ue)).is_gt();
            if best.is_none_or(is_better) {
                best = Some((rank, *ue));
            }
        }
        best.map(|(_, ue)| ue)
    }

    fn rank(&mut self, offer: Offer, ue: u32) -> f64 {
        let Offer { direction, now, slot, left } = offer;
        let carrier = &self.config.carriers[direction as usize];
        let lane = self.mobiles[ue as usize].lane(direction);
        let scheme = lane.scheme(now, carrier);
        let sizes = carrier.sizes_of(self.config.frame.part(direction, slot));
        let (bytes, snr) = (sizes.bytes(scheme, left), lane.quality.reported(now));
        lane.past.rank(self.config.scheduler, slot, bytes, snr)
    }
}
