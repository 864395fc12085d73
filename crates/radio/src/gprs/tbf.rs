//! The temporary block flow of one direction (TS 44.060 §7, §9.3, §9.5).

use base::{Direction, Duration, Time};

use super::keys::TbfTimes;

/// The state of a temporary block flow (TBF).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tbf {
    /// None.
    Absent,
    /// Uplink: the mobile will request one in its next Packet Downlink Ack/Nack (§8.1.2.5).
    Requesting,
    /// Requested; it can be used from `ready` on.
    SettingUp {
        /// From then on.
        ready: Time,
    },
    /// Blocks are being sent.
    Open,
    /// The countdown runs (uplink, §9.3.1) or the final block has been sent (downlink, §9.3.2.3):
    /// new packets wait for the next TBF.
    Closing,
    /// Nothing is left to send, and the TBF is kept: delayed release (R99) downlink, extended
    /// uplink TBF (R4, §9.5).
    Kept {
        /// Until then.
        until: Time,
    },
    /// Downlink: released, but the mobile still listens to the channel (T3192, §8.1.2.4a).
    Listening {
        /// Until then.
        until: Time,
    },
}

/// What happens to a TBF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// There is something to send, and a TBF could be ready at a time.
    Wanted(Time),
    /// There is something to send, and the next Ack/Nack can request a TBF.
    Piggybacked,
    /// No new packet is admitted any more.
    LastBlocks,
    /// All has been acknowledged and nothing waits, or it waits for the next TBF.
    Drained(Time),
    /// Time has passed.
    Elapsed(Time),
    /// The other end is lost: the TBF is released abnormally (§8.7).
    Lost,
}

/// For how long a TBF outlives its last block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Release {
    /// Kept with nothing to send; zero releases it at once (R97).
    pub(super) keep: Duration,
    /// The mobile listens after the release: T3192 downlink, zero uplink.
    pub(super) listen: Duration,
}

impl Release {
    pub(crate) const fn of(times: &TbfTimes, direction: Direction) -> Self {
        match direction {
            Direction::Downlink => Self { keep: times.delayed_release, listen: times.t3192 },
            Direction::Uplink => Self { keep: times.extended_uplink, listen: Duration::ZERO },
        }
    }
}

impl Tbf {
    /// The state after `event`.
    #[must_use]
    pub(super) fn after(self, event: Event, release: Release) -> Self {
        match (self, event) {
            (_, Event::Lost) => Self::Absent,
            (Self::Absent | Self::Requesting | Self::Listening { .. }, Event::Wanted(ready)) => {
                Self::SettingUp { ready }
            }
            (Self::Absent | Self::Listening { .. }, Event::Piggybacked) => Self::Requesting,
            (Self::Kept { .. }, Event::Wanted(_) | Event::Piggybacked) => Self::Open,
            (Self::Open, Event::LastBlocks) => Self::Closing,
            (Self::Open | Self::Closing, Event::Drained(now)) => {
                if release.keep > Duration::ZERO {
                    Self::Kept { until: now + release.keep }
                } else {
                    Self::released(now, release)
                }
            }
            (Self::SettingUp { ready }, Event::Elapsed(now)) if now >= ready => Self::Open,
            (Self::Kept { until }, Event::Elapsed(now)) if now >= until => {
                Self::released(until, release).after(event, release)
            }
            (Self::Listening { until }, Event::Elapsed(now)) if now >= until => Self::Absent,
            (
                Self::Absent
                | Self::Requesting
                | Self::SettingUp { .. }
                | Self::Open
                | Self::Closing
                | Self::Kept { .. }
                | Self::Listening { .. },
                Event::Wanted(_)
                | Event::Piggybacked
                | Event::LastBlocks
                | Event::Drained(_)
                | Event::Elapsed(_),
            ) => self,
        }
    }

    /// Released at `now`.
    fn released(now: Time, release: Release) -> Self {
        if release.listen > Duration::ZERO {
            Self::Listening { until: now + release.listen }
        } else {
            Self::Absent
        }
    }

    /// True while its channel can carry messages of the other direction (PACCH).
    pub(super) const fn has_channel(self) -> bool {
        match self {
            Self::Open | Self::Closing | Self::Kept { .. } => true,
            Self::Absent | Self::Requesting | Self::SettingUp { .. } | Self::Listening { .. } => {
                false
            }
        }
    }

    /// The time until which the mobile listens to its channel, as things are at `now`.
    pub(super) fn listens_until(self, now: Time, release: Release) -> Option<Time> {
        match self {
            Self::Absent => None,
            Self::Requesting | Self::SettingUp { .. } | Self::Open | Self::Closing => Some(now),
            Self::Kept { until } => Some(until + release.listen),
            Self::Listening { until } => Some(until),
        }
    }

    /// True while blocks are sent.
    pub(super) const fn is_sending(self) -> bool {
        match self {
            Self::Open | Self::Closing => true,
            Self::Absent
            | Self::Requesting
            | Self::SettingUp { .. }
            | Self::Kept { .. }
            | Self::Listening { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    const R97: Release = Release { keep: Duration::ZERO, listen: Duration::from_millis(500) };
    const R99: Release = Release { keep: Duration::from_secs(2), listen: R97.listen };
    const BARE: Release = Release { keep: Duration::ZERO, listen: Duration::ZERO };

    const STATES: [Tbf; 7] = [
        Tbf::Absent,
        Tbf::Requesting,
        Tbf::SettingUp { ready: at(1100) },
        Tbf::Open,
        Tbf::Closing,
        Tbf::Kept { until: at(1100) },
        Tbf::Listening { until: at(1100) },
    ];

    /// After one event, in the order of [`STATES`].
    fn check(event: Event, release: Release, expect: [Tbf; 7]) {
        for (state, expect) in STATES.into_iter().zip(expect) {
            assert_eq!(state.after(event, release), expect, "{state:?} after {event:?}");
        }
    }

    #[test]
    fn every_state_and_every_event() {
        let [absent, asked, setup, open, closing, kept, idle] = STATES;
        let new = Tbf::SettingUp { ready: at(1300) };
        check(Event::Wanted(at(1300)), R97, [new, new, setup, open, closing, open, new]);
        check(Event::Piggybacked, R97, [asked, asked, setup, open, closing, open, asked]);
        check(Event::LastBlocks, R97, [absent, asked, setup, closing, closing, kept, idle]);
        let heard = Tbf::Listening { until: at(1500) };
        check(Event::Drained(at(1000)), R97, [absent, asked, setup, heard, heard, kept, idle]);
        let held = Tbf::Kept { until: at(3000) };
        check(Event::Drained(at(1000)), R99, [absent, asked, setup, held, held, kept, idle]);
        check(Event::Drained(at(1000)), BARE, [absent, asked, setup, absent, absent, kept, idle]);
        check(Event::Elapsed(at(1099)), R97, STATES);
        let late = Tbf::Listening { until: at(1600) };
        check(Event::Elapsed(at(1100)), R97, [absent, asked, open, open, closing, late, absent]);
        check(Event::Elapsed(at(1600)), R97, [absent, asked, open, open, closing, absent, absent]);
        check(Event::Lost, R97, [absent; 7]);
    }

    #[test]
    fn a_channel_is_there_while_blocks_go_or_could() {
        let channels = STATES.map(Tbf::has_channel);
        assert_eq!(channels, [false, false, false, true, true, true, false]);
        let sending = STATES.map(Tbf::is_sending);
        assert_eq!(sending, [false, false, false, true, true, false, false]);
    }
}
