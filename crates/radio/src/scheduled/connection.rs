//! How connections begin, move and fail.

use base::{Direction, Time};
use observe::{HandoverEvent, HandoverFact, Observe};

use super::cell::ScheduledCell;
use super::handover::Reason;
use super::rrc::{Event, Phase, Resting};
use crate::Sdu;
use crate::rlc36::Dtch;

impl<T: Sdu> ScheduledCell<T> {
    /// Traffic in `direction` connects an idle mobile, downlink if it hears a page.
    pub(super) fn connect(&mut self, slot: u64, ue: u32, direction: Direction) {
        let Some(times) = &self.config.rrc else { return };
        let mobile = &mut self.mobiles[ue as usize];
        let (Phase::Resting(rest) | Phase::Connecting(rest, _)) = mobile.phase else { return };
        let Resting { promotion, paging } = times.of(rest);
        let event = match direction {
            Direction::Downlink => {
                let page = paging.heard_from(ue, mobile.last, slot + 1);
                page.map(|page| Event::Page(page + promotion))
            }
            Direction::Uplink => Some(Event::Uplink(slot + 1 + promotion)),
        };
        if let Some(event) = event {
            mobile.handle_event(slot, event);
        }
    }

    /// What time alone does to the connection of a mobile up to `slot`.
    pub(super) fn pass(&mut self, slot: u64, ue: u32) {
        let Some(times) = &self.config.rrc else { return };
        let mobile = &mut self.mobiles[ue as usize];
        // A tail is longer for one that has something under way.
        let ends = slot >= mobile.phase.ends(times, mobile.last)
            && (mobile.phase != Phase::Connected || mobile.is_quiet());
        if ends {
            let event = mobile.phase.event_at_end(times, slot);
            mobile.handle_event(slot, event);
        }
    }

    /// The handovers of a connected mobile until `slot`. Several that passed while there was no
    /// traffic are as one, but each is told with its own time.
    pub(super) fn catch_up(&mut self, slot: u64, ue: u32, observe: &mut impl Observe) {
        let Some(handovers) = &self.config.handover else { return };
        let machine = self.mobiles.machine;
        let mobile = &mut self.mobiles[ue as usize];
        let begun = handovers.begun(mobile.later, slot);
        let before = std::mem::replace(&mut mobile.handovers, begun);
        if before >= begun || mobile.phase != Phase::Connected {
            return;
        }
        for number in before..begun {
            let time = Time::ZERO + self.config.slot * handovers.next(mobile.later, number);
            let (cell, reason) = handovers.last(number + 1);
            let event = match reason {
                Reason::Handover => HandoverEvent::Hard,
                Reason::Failure => HandoverEvent::Failed,
            };
            observe.handover(time, HandoverFact { machine, ue, cell, event });
        }
        match handovers.last(begun).1 {
            Reason::Handover => {
                mobile.open_from = handovers.open_from(mobile.later, begun);
                mobile.handle_event(slot, Event::Handover);
                self.hand_over(slot, ue);
            }
            Reason::Failure => self.fail(slot, ue),
        }
    }

    /// The mobile goes to another cell: link control begins anew (TS 36.300 §10.1.2).
    fn hand_over(&mut self, slot: u64, ue: u32) {
        let forwards = self.config.handover.as_ref().is_none_or(|handovers| handovers.forwarding);
        let now = Time::ZERO + self.config.slot * slot;
        let mobile = &mut self.mobiles[ue as usize];
        mobile.detach();
        for lane in &mut mobile.lanes {
            let dtch = &mut lane.first().dtch;
            dtch.count_handover();
            if dtch.direction == Direction::Downlink && !forwards {
                lane.abandon(now);
            } else {
                lane.establish(now);
            }
        }
        self.mobiles.touch(ue);
    }

    /// Link control has sent a PDU as often as is allowed, or the radio was out of sync for too
    /// long: the radio link has failed, and is established anew (TS 36.331 §5.3.7).
    pub(super) fn fail(&mut self, slot: u64, ue: u32) {
        let now = Time::ZERO + self.config.slot * slot;
        let mobile = &mut self.mobiles[ue as usize];
        if !mobile.handle_event(slot, Event::LinkFailure) {
            return;
        }
        mobile.open_from = slot + self.config.failure_gap;
        mobile.detach();
        let is_of_link_control = mobile.all_dtchs().any(Dtch::has_failed);
        for lane in &mut mobile.lanes {
            // What is out of sync is the downlink.
            let has_failed = if is_of_link_control {
                lane.bearers.iter().any(|bearer| bearer.dtch.has_failed())
            } else {
                lane.first().dtch.direction == Direction::Downlink
            };
            if has_failed {
                lane.first().dtch.count_failure();
            }
            lane.establish(now);
        }
    }
}
