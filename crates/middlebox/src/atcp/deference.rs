//! Lower priorities give way on the radio too (§IV.B has priorities in the box alone).
//!
//! A clamp above rate × round-trip time, and acknowledgements that come in groups, leave segments
//! waiting before the radio, where no priority counts. While something of a higher priority is
//! active, lower ones leave no faster than a part of the radio's rate: what waits then waits in the
//! box, and the rest of the rate drains what waits before the radio.

use base::{Duration, Time};

use super::config::AtcpConfig;

/// For how many round trips after a segment its priority counts as active.
const ROUND_TRIPS: u64 = 4;

/// Which priorities give way, and for how long.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deference {
    /// The highest priority above 0 that is active, and until when.
    active: Option<(u8, Time)>,
    /// When all that has left would be over at the rate of lower priorities.
    free_at: Time,
}

impl Deference {
    /// A packet of `bytes` left.
    pub(super) fn sent(&mut self, now: Time, config: &AtcpConfig, priority: u8, bytes: u64) {
        let Some(part) = config.deference else { return };
        if priority > 0 && self.higher(now, priority).is_none() {
            self.active = Some((priority, now + config.round_trip * ROUND_TRIPS));
        }
        let rate = config.rate.as_bps() as f64 / 8.0 * part;
        let span = Duration::from_nanos((bytes as f64 / rate * 1e9) as u64);
        self.free_at = self.free_at.max(now) + span;
    }

    /// Until when flows of `priority` have to wait; `None` if they need not.
    pub(super) fn holds(&self, now: Time, priority: u8) -> Option<Time> {
        let until = self.higher(now, priority)?.min(self.free_at);
        (until > now).then_some(until)
    }

    /// Until when a priority above `priority` is active.
    fn higher(&self, now: Time, priority: u8) -> Option<Time> {
        let (active, until) = self.active?;
        (active > priority && now < until).then_some(until)
    }
}

#[cfg(test)]
mod tests {
    use base::Rate;

    use super::*;
    use crate::atcp::tests::config;

    fn config_of(deference: Option<f64>) -> AtcpConfig {
        let round_trip = Duration::from_secs(2);
        AtcpConfig { rate: Rate::from_bps(8_000), round_trip, deference, ..config() }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn lower_priorities_leave_at_a_part_of_the_rate_for_four_round_trips() {
        let config = config_of(Some(0.5));
        let mut deference = Deference::default();
        deference.sent(at(0), &config, 0, 1_000);
        assert_eq!(deference.holds(at(0), 0), None, "nothing of a higher priority");
        deference.sent(at(0), &config, 3, 500);
        // 1500 bytes at 500 a second.
        let check = |millis, priority, until: Option<u64>| {
            let holds = deference.holds(at(millis), priority);
            assert_eq!(holds, until.map(at), "{millis} {priority}");
        };
        check(0, 0, Some(3_000));
        check(0, 2, Some(3_000));
        check(0, 3, None);
        check(0, 4, None);
        check(2_999, 0, Some(3_000));
        check(3_000, 0, None);
        let mut later = deference;
        later.sent(at(7_900), &config, 0, 1_000);
        assert_eq!(later.holds(at(7_900), 0), Some(at(8_000)), "no longer than that");
        assert_eq!(later.holds(at(8_000), 0), None);
    }

    #[test]
    fn the_highest_that_is_active_counts() {
        let config = config_of(Some(0.5));
        let mut deference = Deference::default();
        deference.sent(at(0), &config, 2, 500);
        deference.sent(at(0), &config, 1, 500);
        assert_eq!(deference.holds(at(0), 1), Some(at(2_000)));
        deference.sent(at(9_000), &config, 1, 500);
        assert_eq!(deference.holds(at(9_000), 1), None, "the higher one is quiet");
        assert_eq!(deference.holds(at(9_000), 0), Some(at(10_000)));
    }

    #[test]
    fn it_may_be_off() {
        let config = config_of(None);
        let mut deference = Deference::default();
        deference.sent(at(0), &config, 1, 5_000);
        assert_eq!(deference.holds(at(0), 0), None);
    }
}
