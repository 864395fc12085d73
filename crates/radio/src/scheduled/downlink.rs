//! Who gets the downlink of a slot.

use base::{Direction, Time};
use observe::Observe;

use super::cell::ScheduledCell;
use super::choice::Offer;
use super::mobile::ScheduledMobile;
use crate::Sdu;
use crate::channel::Part;
use crate::kit::moment::Moment;

const DOWN: Direction = Direction::Downlink;

impl<T: Sdu> ScheduledCell<T> {
    /// Shares the resource blocks of a slot: first for blocks that failed, then by rank.
    pub(super) fn schedule_downlink(&mut self, moment: &mut Moment<'_, impl Observe>) {
        if self.mobiles.active(DOWN).is_empty()
            || self.config.frame.part(DOWN, moment.slot) == Part::None
        {
            return;
        }
        let active = self.mobiles.take_active(DOWN);
        let mut left = self.repeat_downlink(moment, &active, self.width(DOWN, moment.slot));
        let offer = Offer { direction: DOWN, now: moment.now, slot: moment.slot, left };
        self.rank_all(offer, &active, |cell, ue| cell.can_serve(offer, ue));
        while left > 0
            && let Some(ue) = self.scheduler.pop()
        {
            let width = self.serve_downlink(moment, ue, left);
            if width == 0 {
                break;
            }
            left -= width;
        }
        self.leave_idle(moment, active);
    }

    /// Sends again what failed. Returns how many of `left` resource blocks remain.
    fn repeat_downlink(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        active: &[u32],
        mut left: u16,
    ) -> u16 {
        let part = self.config.frame.part(DOWN, moment.slot);
        for ue in active {
            if !self.look(moment.now, *ue).repeats {
                continue;
            }
            let mobile = &self.mobiles[*ue as usize];
            let Some(process) = mobile.lanes[0].harq.failed() else { continue };
            let Some(block) = mobile.lanes[0].harq.block(process) else { continue };
            let width = block.width;
            let fits = width <= left && block.part.is_within(part);
            if !fits || !self.listens(moment.slot, *ue) {
                continue;
            }
            let mobile = &mut self.mobiles[*ue as usize];
            if let Some(block) = mobile.lanes[0].harq.repeat(process, moment.slot) {
                left -= width;
                self.transmit(moment, (*ue, DOWN), process, &block);
            }
        }
        left
    }

    /// Sends a new block to `ue`. Returns how many resource blocks it takes; none if not even a
    /// header fits.
    fn serve_downlink(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32, left: u16) -> u16 {
        let mobile = &mut self.mobiles[ue as usize];
        // What is first alone, where others wait for the rest of the slot.
        let wanted = if self.scheduler.is_empty() {
            mobile.wanted(moment.now, DOWN)
        } else {
            mobile.wanted_first(moment.now, DOWN, moment.slot).1
        };
        let lane = &mut mobile.lanes[0];
        let part = self.config.frame.part(DOWN, moment.slot);
        let assigned = lane.assign(moment.now, &self.config.carriers[0], part, wanted, left);
        let Some(process) = lane.harq.idle().filter(|_| lane.room(assigned) > 0) else { return 0 };
        let block = mobile.build(moment, DOWN, process, assigned);
        let lane = &mut mobile.lanes[0];
        if block.label.label.is_empty() {
            // Nothing fits, or what waited was too old.
            self.mobiles[ue as usize].served[0] = moment.slot + 1;
            self.mobiles.touch(ue);
            return 0;
        }
        self.scheduler.serve(&mut lane.past, moment.slot, block.bytes);
        lane.harq.send(process, &block);
        self.transmit(moment, (ue, DOWN), process, &block);
        assigned.width
    }

    /// The base station looks no longer at those that have nothing to send or do not listen in the
    /// next slot.
    fn leave_idle(&mut self, moment: &Moment<'_, impl Observe>, mut active: Vec<u32>) {
        let next = moment.slot + 1;
        active.retain(|ue| {
            let standing = &self.standings[*ue as usize];
            let waits = !self.mobiles.has_changed(*ue) && (standing.wants || standing.repeats);
            let stays = waits && standing.listens.contains(&next)
                || self.listens_from(moment.now, next, *ue) == Some(next);
            if !stays {
                self.mobiles.deactivate(*ue, DOWN);
                self.mobiles.touch(*ue);
            }
            stays
        });
        self.mobiles.put_active(DOWN, active);
    }

    /// The first slot from `slot` on in which `ue` listens, if there is something to send to it.
    pub(super) fn listens_from(&self, now: Time, slot: u64, ue: u32) -> Option<u64> {
        let mobile = &self.mobiles[ue as usize];
        let wants = mobile.lanes[0].harq.failed().is_some() || mobile.wanted(now, DOWN) > 0;
        if wants { self.hears_from(slot, mobile) } else { None }
    }

    /// The first slot from `slot` on in which `mobile` listens.
    pub(super) fn hears_from(&self, slot: u64, mobile: &ScheduledMobile<T>) -> Option<u64> {
        mobile.listens_from(self.drx.as_ref(), self.config.half_duplex.as_ref(), slot)
    }
}
