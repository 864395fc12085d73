//! Who gets the uplink: requests, grants and what mobiles send.

use base::Direction;
use observe::Observe;

use super::cell::{Granted, ScheduledCell};
use super::choice::Offer;
use super::lane::{Assignment, SentTold};
use super::mobile::Grants;
use super::rrc::Phase;
use crate::Sdu;
use crate::channel::Part;
use crate::channel::harq::{Block, Feedback};
use crate::kit::moment::Moment;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

impl<T: Sdu> ScheduledCell<T> {
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
        let place = mobile.request_phase;
        let occasion = place
            + from.saturating_sub(place).div_ceil(access.request_every) * access.request_every;
        let occasion = self.config.frame.next(UP, occasion);
        let occasion = mobile.turn(self.config.half_duplex.as_ref(), UP, occasion);
        mobile.request = Some(occasion + 1 + u64::from(self.config.harq.decoding));
    }

    /// The base station reads how much a mobile has to send, of which some is granted already
    /// (buffer status report, TS 36.321 §5.4.5).
    pub(super) fn take_report(&mut self, slot: u64, ue: u32, block: &SentTold) {
        let until = slot + self.reach();
        let mobile = &mut self.mobiles[ue as usize];
        if block.built < mobile.read {
            return;
        }
        mobile.read = block.built;
        let granted = mobile.grants.since(block.built, until);
        mobile.known = block.label.backlog.saturating_sub(granted);
        mobile.known_priority = block.label.priority;
        if mobile.known > 0 {
            self.mobiles.activate(ue, UP);
        }
    }

    /// How many slots ahead a grant may be.
    pub(super) const fn reach(&self) -> u64 {
        self.config.access.grant_delay + self.config.frame.period() - 1
    }

    /// Shares the uplink of slots to come: of those that are too near for the next slot of the
    /// downlink, which carries grants.
    pub(super) fn grant_uplink(&mut self, moment: &Moment<'_, impl Observe>) {
        let (frame, delay) = (&self.config.frame, self.config.access.grant_delay);
        if self.mobiles.active(UP).is_empty() || frame.part(DOWN, moment.slot) == Part::None {
            return;
        }
        let mut active = self.mobiles.take_active(UP);
        let next = frame.next(DOWN, moment.slot + 1);
        for slot in moment.slot + delay..next + delay {
            if self.config.frame.part(UP, slot) != Part::None {
                if matches!(self.config.harq.feedback, Feedback::Granted { .. }) {
                    self.grant_repeats(moment, slot, &active);
                }
                self.grant_new(moment, slot, &active);
            }
        }
        active.retain(|ue| {
            let mobile = &self.mobiles[*ue as usize];
            let wants = mobile.known > 0 || mobile.lanes[1].harq.failed().is_some();
            let stays = wants && mobile.phase == Phase::Connected;
            if !stays {
                self.mobiles.deactivate(*ue, UP);
            }
            stays
        });
        self.mobiles.put_active(UP, active);
    }

    /// Those of `active` whose blocks failed send them again in `slot`, in as many resource blocks.
    fn grant_repeats(&mut self, moment: &Moment<'_, impl Observe>, slot: u64, active: &[u32]) {
        let place = (slot % Grants::AHEAD) as usize;
        let (width, part) = (self.width(UP, slot), self.config.frame.part(UP, slot));
        for ue in active {
            let mobile = &mut self.mobiles[*ue as usize];
            let is_free = mobile.can_send(self.config.half_duplex.as_ref(), moment.slot, slot);
            let harq = &mut mobile.lanes[1].harq;
            let Some(process) = harq.failed() else { continue };
            let Some(block) = harq.block(process).copied() else { continue };
            let fits = self.taken[place] + block.width <= width && block.part.is_within(part);
            if !is_free || !fits {
                continue;
            }
            harq.expect(process);
            mobile.grants.add(slot, 0);
            self.taken[place] += block.width;
            let Block { scheme, width, bytes, part, .. } = block;
            let assigned = Assignment { scheme, width, bytes, part };
            let repeat = Some((process, block.slot));
            self.granted.push_back(Granted { slot, ue: *ue, assigned, repeat });
            self.mobiles.touch(*ue);
        }
    }

    /// Shares what is left of `slot` between those of `active` that have something new to send.
    fn grant_new(&mut self, moment: &Moment<'_, impl Observe>, slot: u64, active: &[u32]) {
        let place = (slot % Grants::AHEAD) as usize;
        let width = self.width(UP, slot);
        let part = self.config.frame.part(UP, slot);
        // Repeats of fixed slots take back their processes in time.
        let counts = matches!(self.config.harq.feedback, Feedback::Granted { .. });
        let mut left = width.saturating_sub(self.taken[place]);
        let offer = Offer { direction: UP, now: moment.now, slot, left };
        self.rank_all(offer, active, |cell, ue| {
            let mobile = &cell.mobiles[ue as usize];
            let half_duplex = cell.config.half_duplex.as_ref();
            let is_free = mobile.can_send(half_duplex, moment.slot, slot);
            let has_process =
                || !counts || mobile.lanes[1].harq.idle_count() > mobile.grants.fresh();
            mobile.known > 0 && is_free && has_process()
        });
        while left > 0
            && let Some(ue) = self.scheduler.pop()
        {
            let mobile = &mut self.mobiles[ue as usize];
            let (known, lane) = (mobile.known, &mut mobile.lanes[1]);
            let assigned = lane.assign(moment.now, &self.config.carriers[1], part, known, left);
            let room = lane.room(assigned);
            if room == 0 {
                break;
            }
            self.scheduler.serve(&mut lane.past, slot, assigned.bytes);
            mobile.known = known.saturating_sub(room);
            mobile.grants.add(slot, assigned.bytes);
            self.taken[place] += assigned.width;
            left = left.saturating_sub(assigned.width);
            self.granted.push_back(Granted { slot, ue, assigned, repeat: None });
            self.mobiles.touch(ue);
        }
    }

    /// Mobiles send what they were granted.
    pub(super) fn send_uplink(&mut self, moment: &mut Moment<'_, impl Observe>) {
        let slot = moment.slot;
        while let Some(Granted { ue, assigned, repeat, .. }) =
            self.granted.front().copied().filter(|granted| granted.slot <= slot)
        {
            self.granted.pop_front();
            let mobile = &mut self.mobiles[ue as usize];
            // A handover has taken it back.
            if !mobile.grants.has(slot) {
                continue;
            }
            mobile.grants.pass(slot);
            if let Some((process, sent)) = repeat {
                // Nor a handover since, nor another block in its place.
                let harq = &mobile.lanes[1].harq;
                if harq.block(process).is_some_and(|block| block.slot == sent) {
                    self.repeat_uplink(moment, ue, process);
                }
                continue;
            }
            let Some(process) = mobile.lanes[1].harq.idle() else { continue };
            let block = mobile.build(moment, UP, process, assigned);
            mobile.lanes[1].harq.send(process, &block);
            mobile.told = block.label.backlog;
            self.transmit(moment, (ue, UP), process, &block);
        }
    }

    /// A block that failed is sent again in as many resource blocks (TS 36.321 §5.4.2.2).
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
