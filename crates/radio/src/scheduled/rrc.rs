//! Whether a mobile is connected (TS 36.331 §4.2.1).

use base::Duration;
use settings::{OfTime, section};

use crate::kit::paging::{EdrxKeys, Paging, PsmKeys};

section! {
    /// `[radio.rrc]`: when a mobile is connected. Defaults: of an LTE network in the United States
    /// (Huang et al., MobiSys 2012, as the AT&T Application Resource Optimizer has them).
    #[derive(Copy)]
    pub struct Keys {
        /// From idle to connected.
        pub promotion: Duration as OfTime = Duration::from_millis(260);
        /// The connection is released so long after the last block.
        pub tail: Duration as OfTime<1_000_000> = Duration::from_secs(10);
        /// How often an idle mobile listens for a page.
        pub paging_cycle: Duration as OfTime<1_000_000> = Duration::from_millis(1280);
    }
}

/// The keys in slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Times {
    /// From idle to connected.
    pub(crate) promotion: u64,
    /// From the last block to idle.
    pub(crate) tail: u64,
    /// When an idle mobile listens, and when it connects by itself.
    pub(crate) paging: Paging,
}

impl Keys {
    /// The keys, and those of what an idle mobile does, in slots of length `slot`.
    pub(crate) fn in_slots(
        self,
        slot: Duration,
        edrx: Option<EdrxKeys>,
        psm: Option<PsmKeys>,
    ) -> Times {
        let slots = |time: Duration| time.ceil_to(slot).whole(slot);
        Times {
            promotion: slots(self.promotion),
            tail: slots(self.tail),
            paging: Paging::new(slot, self.paging_cycle, edrx, psm),
        }
    }
}

/// Where a mobile is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Not connected.
    Idle,
    /// It connects until this slot.
    Connecting(u64),
    /// Connected.
    Connected,
}

/// What happens to a mobile, and with what connects it the slot in which it would be connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// It has something to send.
    Uplink(u64),
    /// It hears a page: there is something for it.
    Page(u64),
    /// It is to say that it is there (TS 24.301 §5.3.5).
    Update(u64),
    /// It has connected.
    PromotionOver,
    /// Nothing was sent or received for a while.
    TailOver,
    /// Link control has failed: the connection is re-established (TS 36.331 §5.3.7).
    LinkFailure,
    /// Another cell takes it over (TS 36.331 §5.3.5.4).
    Handover,
}

impl Phase {
    /// The phase after `event`; `None` if a mobile in this phase ignores that.
    pub(crate) fn after(self, event: Event) -> Option<Self> {
        match (self, event) {
            (Self::Idle, Event::Uplink(at) | Event::Page(at) | Event::Update(at)) => {
                Some(Self::Connecting(at))
            }
            (Self::Connecting(before), Event::Uplink(at) | Event::Page(at)) => {
                Some(Self::Connecting(before.min(at)))
            }
            (Self::Connecting(_), Event::PromotionOver)
            | (Self::Connected, Event::LinkFailure | Event::Handover) => Some(Self::Connected),
            (Self::Connected, Event::TailOver) => Some(Self::Idle),
            _ => None,
        }
    }

    /// The slot in which time alone can end this phase of a mobile whose last new block was in slot
    /// `last`, or whose connection began or ended there; `u64::MAX` if it cannot.
    #[inline]
    pub(crate) fn ends(self, times: &Times, last: u64) -> u64 {
        match self {
            Self::Idle => times.paging.update_from(last).unwrap_or(u64::MAX),
            Self::Connecting(until) => until,
            Self::Connected => last + times.tail,
        }
    }

    /// What happens to a mobile whose phase ends in `slot`.
    pub(crate) const fn event_at_end(self, times: &Times, slot: u64) -> Event {
        match self {
            Self::Idle => Event::Update(slot + 1 + times.promotion),
            Self::Connecting(_) => Event::PromotionOver,
            Self::Connected => Event::TailOver,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each phase with all that can happen to a mobile in it.
    #[test]
    fn phases_follow_each_other() {
        let (idle, connecting, connected) = (Phase::Idle, Phase::Connecting(300), Phase::Connected);
        let table = [
            (idle, Event::Uplink(310), Some(Phase::Connecting(310))),
            (idle, Event::Page(310), Some(Phase::Connecting(310))),
            (idle, Event::Update(310), Some(Phase::Connecting(310))),
            (idle, Event::PromotionOver, None),
            (idle, Event::TailOver, None),
            (idle, Event::LinkFailure, None),
            (idle, Event::Handover, None),
            (connecting, Event::Uplink(310), Some(connecting)),
            (connecting, Event::Uplink(290), Some(Phase::Connecting(290))),
            (connecting, Event::Page(310), Some(connecting)),
            (connecting, Event::Page(290), Some(Phase::Connecting(290))),
            (connecting, Event::Update(310), None),
            (connecting, Event::PromotionOver, Some(connected)),
            (connecting, Event::TailOver, None),
            (connecting, Event::LinkFailure, None),
            (connecting, Event::Handover, None),
            (connected, Event::Uplink(310), None),
            (connected, Event::Page(310), None),
            (connected, Event::Update(310), None),
            (connected, Event::PromotionOver, None),
            (connected, Event::TailOver, Some(idle)),
            (connected, Event::LinkFailure, Some(connected)),
            (connected, Event::Handover, Some(connected)),
        ];
        for (phase, event, next) in table {
            assert_eq!(phase.after(event), next, "{phase:?} {event:?}");
        }
        // With two slots for what connects a mobile that does so already: no pair is left out.
        let kinds = |of: fn(&(Phase, Event, Option<Phase>)) -> String| {
            table.iter().map(of).collect::<std::collections::BTreeSet<_>>().len()
        };
        assert_eq!(kinds(|(phase, event, _)| format!("{phase:?} {event:?}")), 3 * 7 + 2);
    }

    /// Each phase with its end.
    #[test]
    fn time_ends_each_phase() {
        let slot = Duration::from_millis(1);
        let usual = Keys::default().in_slots(slot, None, None);
        let saving = Keys::default().in_slots(slot, None, Some(PsmKeys::default()));
        let table = [
            (Phase::Idle, usual, u64::MAX, None),
            (Phase::Idle, saving, 3_241_000, Some(Event::Update(3_241_000 + 261))),
            (Phase::Connecting(1300), usual, 1300, Some(Event::PromotionOver)),
            (Phase::Connecting(1300), saving, 1300, Some(Event::PromotionOver)),
            (Phase::Connected, usual, 11_000, Some(Event::TailOver)),
            (Phase::Connected, saving, 11_000, Some(Event::TailOver)),
        ];
        for (phase, times, ends, event) in table {
            assert_eq!(phase.ends(&times, 1000), ends, "{phase:?} {times:?}");
            assert!(
                event.is_none_or(|event| phase.event_at_end(&times, ends) == event),
                "{phase:?}"
            );
        }
    }
}
