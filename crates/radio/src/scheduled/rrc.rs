//! Connections: when a mobile has one (TS 36.331 §4.2.1, TS 38.331 §4.2.1).

use base::Duration;
use settings::{OfTime, Off, Or, section};

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

section! {
    /// `[radio.inactive]`: RRC_INACTIVE. After the tail the connection is suspended, and both ends
    /// remember it (TS 38.331 §5.3.8.3).
    #[derive(Copy)]
    pub struct InactiveKeys {
        /// From inactive to connected. Default: our choice, within the 11 to 20 ms of the control
        /// plane of NR (TR 37.910 §5.7.2).
        pub resume: Duration as OfTime = Duration::from_millis(15);
        /// How often an inactive mobile listens for a page (ran-PagingCycle, TS 38.331 §6.3.2: 320
        /// ms to 2.56 s).
        pub paging_cycle: Duration as OfTime<1_000_000> = Duration::from_millis(1280);
        /// For how long a connection is remembered; then the mobile is idle. `off` is for ever.
        pub release: Option<Duration> as Or<Off, OfTime<1_000_000>> = None;
    }
}

/// The keys in slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Times {
    /// From the last block to the end of the connection.
    pub(crate) tail: u64,
    /// The way of an idle mobile to a connection.
    pub(crate) idle: Resting,
    /// The way of an inactive one; `None` if there are none.
    pub(crate) inactive: Option<Suspension>,
}

/// The way of a mobile without a connection in use to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Resting {
    /// The time that it takes to connect.
    pub(crate) promotion: u64,
    /// The times when it listens, and when it connects by itself.
    pub(crate) paging: Paging,
}

/// A connection that is suspended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Suspension {
    /// The way to resume it.
    resting: Resting,
    /// The time for which it is remembered; `None` is for ever.
    release: Option<u64>,
}

impl Keys {
    /// The keys, and those of what a mobile without a connection does, in slots of length `slot`.
    pub(crate) fn in_slots(
        self,
        slot: Duration,
        (edrx, psm): (Option<EdrxKeys>, Option<PsmKeys>),
        inactive: Option<InactiveKeys>,
    ) -> Times {
        let slots = |time: Duration| time.ceil_to(slot).whole(slot);
        let suspension = |keys: InactiveKeys| Suspension {
            resting: Resting {
                promotion: slots(keys.resume),
                paging: Paging::new(slot, keys.paging_cycle, None, None),
            },
            release: keys.release.map(slots),
        };
        Times {
            tail: slots(self.tail),
            idle: Resting {
                promotion: slots(self.promotion),
                paging: Paging::new(slot, self.paging_cycle, edrx, psm),
            },
            inactive: inactive.map(suspension),
        }
    }
}

impl Times {
    /// The way to a connection of a mobile that has none in use, for the reason that `rest` says.
    pub(crate) fn of(&self, rest: Rest) -> &Resting {
        match (rest, &self.inactive) {
            (Rest::Inactive, Some(suspension)) => &suspension.resting,
            (Rest::Inactive, None) | (Rest::Idle, _) => &self.idle,
        }
    }
}

/// The reason for which a mobile has no connection in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    /// No connection.
    Idle,
    /// A connection that is suspended.
    Inactive,
}

/// Where a mobile is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Without a connection in use.
    Resting(Rest),
    /// It connects until this slot.
    Connecting(Rest, u64),
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
    /// The connection is released (TS 36.331 §5.3.8).
    Release,
    /// The connection is suspended (TS 38.331 §5.3.8.3).
    Suspend,
    /// Link control has failed: the connection is re-established (TS 36.331 §5.3.7).
    LinkFailure,
    /// Another cell takes it over (TS 36.331 §5.3.5.4).
    Handover,
}

impl Phase {
    /// The phase after `event`; `None` if a mobile in this phase ignores that.
    pub(crate) fn after(self, event: Event) -> Option<Self> {
        match (self, event) {
            (Self::Resting(rest), Event::Uplink(at) | Event::Page(at) | Event::Update(at)) => {
                Some(Self::Connecting(rest, at))
            }
            (Self::Connecting(rest, before), Event::Uplink(at) | Event::Page(at)) => {
                Some(Self::Connecting(rest, before.min(at)))
            }
            (Self::Connecting(..), Event::PromotionOver)
            | (Self::Connected, Event::LinkFailure | Event::Handover) => Some(Self::Connected),
            (Self::Connected | Self::Resting(Rest::Inactive), Event::Release) => {
                Some(Self::Resting(Rest::Idle))
            }
            (Self::Connected, Event::Suspend) => Some(Self::Resting(Rest::Inactive)),
            _ => None,
        }
    }

    /// The slot in which time alone can end this phase of a mobile whose last new block was in slot
    /// `last`, or whose connection began or ended there; `u64::MAX` if it cannot.
    #[inline]
    pub(crate) fn ends(self, times: &Times, last: u64) -> u64 {
        match self {
            Self::Resting(Rest::Idle) => times.idle.paging.update_from(last).unwrap_or(u64::MAX),
            Self::Resting(Rest::Inactive) => {
                let release = times.inactive.and_then(|suspension| suspension.release);
                release.map_or(u64::MAX, |after| last + after)
            }
            Self::Connecting(_, until) => until,
            Self::Connected => last + times.tail,
        }
    }

    /// What happens to a mobile whose phase ends in `slot`.
    pub(crate) const fn event_at_end(self, times: &Times, slot: u64) -> Event {
        match self {
            Self::Resting(Rest::Idle) => Event::Update(slot + 1 + times.idle.promotion),
            Self::Connecting(..) => Event::PromotionOver,
            Self::Connected if times.inactive.is_some() => Event::Suspend,
            Self::Connected | Self::Resting(Rest::Inactive) => Event::Release,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each phase with all that can happen to a mobile in it.
    #[test]
    fn phases_follow_each_other() {
        let rests = [Rest::Idle, Rest::Inactive];
        let events = [
            Event::Uplink(310),
            Event::Page(310),
            Event::Update(310),
            Event::PromotionOver,
            Event::Release,
            Event::Suspend,
            Event::LinkFailure,
            Event::Handover,
        ];
        let connected = [None, None, None, None]
            .into_iter()
            .chain(rests.map(|rest| Some(Phase::Resting(rest))))
            .chain([Some(Phase::Connected); 2]);
        let mut table = vec![(Phase::Connected, connected.collect::<Vec<_>>())];
        for rest in rests {
            let begins = Some(Phase::Connecting(rest, 310));
            let released = (rest == Rest::Inactive).then_some(Phase::Resting(Rest::Idle));
            let resting = vec![begins, begins, begins, None, released, None, None, None];
            table.push((Phase::Resting(rest), resting));
            // The earlier of two slots counts.
            for (until, sooner) in [(300, 300), (320, 310)] {
                let sooner = Some(Phase::Connecting(rest, sooner));
                let over = Some(Phase::Connected);
                let connecting = vec![sooner, sooner, None, over, None, None, None, None];
                table.push((Phase::Connecting(rest, until), connecting));
            }
        }
        for (phase, nexts) in table {
            assert_eq!(nexts.len(), events.len());
            for (event, next) in events.into_iter().zip(nexts) {
                assert_eq!(phase.after(event), next, "{phase:?} {event:?}");
            }
        }
    }

    /// Each phase with its end.
    #[test]
    fn time_ends_each_phase() {
        let slot = Duration::from_millis(1);
        let times = |psm, inactive| Keys::default().in_slots(slot, (None, psm), inactive);
        let usual = times(None, None);
        let saving = times(Some(PsmKeys::default()), None);
        let release = Some(Duration::from_secs(60));
        let suspending = times(None, Some(InactiveKeys { release, ..InactiveKeys::default() }));
        let for_ever = times(None, Some(InactiveKeys::default()));
        let (idle, inactive) = (Phase::Resting(Rest::Idle), Phase::Resting(Rest::Inactive));
        let connecting = Phase::Connecting(Rest::Idle, 1300);
        let table = [
            (idle, usual, u64::MAX, None),
            (idle, saving, 3_241_000, Some(Event::Update(3_241_000 + 261))),
            (inactive, suspending, 61_000, Some(Event::Release)),
            (inactive, for_ever, u64::MAX, None),
            (connecting, usual, 1300, Some(Event::PromotionOver)),
            (connecting, saving, 1300, Some(Event::PromotionOver)),
            (Phase::Connected, usual, 11_000, Some(Event::Release)),
            (Phase::Connected, saving, 11_000, Some(Event::Release)),
            (Phase::Connected, suspending, 11_000, Some(Event::Suspend)),
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
