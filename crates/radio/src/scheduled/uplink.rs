//! Who gets the uplink: requests, grants and what mobiles send.

use base::Direction;
use observe::Observe;

use super::choice::Offer;
use super::harq::Block;
use super::lane::Moment;
use super::mobile::{Grants, Mobile};
use super::network::{Granted, Network};
use super::rrc::Phase;
use crate::Sdu;

const UP: Direction = Direction::Uplink;

impl<T: Sdu> Network<T> {
    /// A mobile that has something to send of which the base station does not know requests a grant
    /// at its next occasion (TS 36.321 §5.4.4).
    pub(super) fn request_if_needed(&mut self, slot: u64, ue: u32) {
        let now = base::Time::ZERO + self.config.slot * slot;
        let access = self.config.access;
        let mobile = &mut self.mobiles[ue as usize];
        let is_known = mobile.known > 0
            || !mobile.grants.is_empty()
            || mobile.told > 0 && !mobile.lanes[1].harq.is_quiet();
        if mobile.request.is_some()
            || is_known
            || mobile.phase != Phase::Connected
            || mobile.wanted(now, UP) == 0
        {
            return;
        }
        let from = (slot + 1).max(mobile.open_from);
        let place = u64::from(ue) % access.request_every;
        let occasion = place
            + from.saturating_sub(place).div_ceil(access.request_every) * access.request_every;
        mobile.request = Some(occasion + 1 + u64::from(self.config.harq.decoding));
    }

    /// The base station reads how much a mobile has to send, of which some is granted already
    /// (buffer status report, TS 36.321 §5.4.5).
    pub(super) fn learn(&mut self, slot: u64, ue: u32, block: &Block) {
        let until = slot + self.config.access.grant_delay;
        let mobile = &mut self.mobiles[ue as usize];
        if block.built < mobile.read {
            return;
        }
        mobile.read = block.built;
        let granted = mobile.grants.since(block.built, until);
        mobile.known = block.backlog.saturating_sub(granted);
        if mobile.known > 0 {
            self.activate(ue, UP);
        }
    }

    /// Shares the uplink of a slot to come.
    pub(super) fn grant_uplink(&mut self, moment: &mut Moment<'_, impl Observe>) {
        if self.active[1].is_empty() {
            return;
        }
        let slot = moment.slot + self.config.access.grant_delay;
        let place = (slot % Grants::AHEAD) as usize;
        let width = self.carrier(UP).sizes.width();
        let active = std::mem::take(&mut self.active[1]);
        loop {
            let left = width.saturating_sub(self.taken[place]);
            let offer = Offer { direction: UP, now: moment.now, slot, left };
            let can = |_: &Self, mobile: &Mobile<T>| {
                let is_free = !mobile.grants.has(slot) && mobile.open_from <= moment.slot;
                left > 0 && mobile.known > 0 && is_free
            };
            let Some(ue) = self.best_of(offer, &active, can) else { break };
            let mobile = &mut self.mobiles[ue as usize];
            let (known, lane) = (mobile.known, &mut mobile.lanes[1]);
            let assigned = lane.assign(moment.now, &self.config.carriers[1], known, left);
            let room = lane.room(assigned);
            if room == 0 {
                break;
            }
            lane.past.serve(self.config.scheduler, slot, assigned.bytes);
            mobile.known = known.saturating_sub(room);
            mobile.grants.add(slot, assigned.bytes);
            self.taken[place] += assigned.width;
            self.granted.push_back(Granted { slot, ue, assigned });
            self.touch(ue);
        }
        self.active[1] = active;
        let mobiles = &mut self.mobiles;
        self.active[1].retain(|ue| {
            let mobile = &mut mobiles[*ue as usize];
            mobile.lanes[1].is_active = mobile.known > 0 && mobile.phase == Phase::Connected;
            mobile.lanes[1].is_active
        });
    }

    /// Mobiles send what they were granted.
    pub(super) fn send_uplink(&mut self, moment: &mut Moment<'_, impl Observe>) {
        let slot = moment.slot;
        while let Some(Granted { ue, assigned, .. }) =
            self.granted.front().copied().filter(|granted| granted.slot <= slot)
        {
            self.granted.pop_front();
            let mobile = &mut self.mobiles[ue as usize];
            // A handover has taken it back.
            if !mobile.grants.has(slot) {
                continue;
            }
            mobile.grants.pass(slot);
            let [lane, other] = mobile.pair(UP);
            let Some(process) = lane.harq.idle() else { continue };
            let status = other.receiver.report(moment.now, lane.room(assigned));
            let block = lane.build(moment, assigned, status);
            lane.harq.send(process, &block);
            mobile.told = block.backlog;
            self.transmit(moment, (ue, UP), process, &block);
        }
    }

    /// A block that failed is sent again in the same resource blocks (TS 36.321 §5.4.2.2).
    pub(super) fn repeat_uplink(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        ue: u32,
        process: u32,
    ) {
        let mobile = &mut self.mobiles[ue as usize];
        mobile.grants.pass(moment.slot);
        if let Some(block) = mobile.lanes[1].harq.repeat(process, moment.slot) {
            self.transmit(moment, (ue, UP), process, &block);
        }
    }
}
