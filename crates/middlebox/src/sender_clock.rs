//! The clock behind a host's timestamps, as seen from the box.

use base::{Duration, Seq, Time};

/// How fast the clocks of hosts go, in ticks a second: those of today's and yesterday's systems,
/// within RFC 7323 §5.4 (1 ms to 1 s a tick).
const FREQUENCIES: [u64; 7] = [1, 2, 10, 100, 250, 500, 1_000];

/// How long a clock must be watched before its frequency is known.
const WATCHED: Duration = Duration::from_millis(500);

/// What is known of a host's clock: its first and its last value on segments that passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderClock {
    first: (Time, u32),
    newest: (Time, u32),
}

impl SenderClock {
    /// A segment showed `value`.
    pub(crate) const fn new(now: Time, value: u32) -> Self {
        Self { first: (now, value), newest: (now, value) }
    }

    /// Another segment showed `value`. A value older than the newest is ignored.
    pub(crate) fn show(&mut self, now: Time, value: u32) {
        if Seq::new(self.newest.1).before(Seq::new(value)) {
            self.newest = (now, value);
        }
    }

    /// The newest value that came by.
    pub(crate) const fn newest(&self) -> u32 {
        self.newest.1
    }

    /// What a segment that came by at `at` would show; `None` until the frequency is known.
    pub(crate) fn at(&self, at: Time) -> Option<u32> {
        let frequency = i128::from(self.frequency()?);
        let newest = self.newest.0;
        let since = i128::from(at.saturating_since(newest).as_nanos())
            - i128::from(newest.saturating_since(at).as_nanos());
        let ticks = (since * frequency).div_euclid(1_000_000_000);
        Some(self.newest.1.wrapping_add(ticks as u32))
    }

    /// Of the usual frequencies the nearest in proportion to what was seen.
    fn frequency(&self) -> Option<u64> {
        let watched = self.newest.0 - self.first.0;
        if watched < WATCHED {
            return None;
        }
        let seen = f64::from(self.newest.1.wrapping_sub(self.first.1)) / watched.as_secs_f64();
        let apart = |frequency: u64| (seen / frequency as f64).ln().abs();
        FREQUENCIES.into_iter().min_by(|&one, &other| apart(one).total_cmp(&apart(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn the_frequency_is_the_nearest_usual_one() {
        #[track_caller]
        fn check(millis: u64, ticks: u32, expected: Option<u32>) {
            let mut clock = SenderClock::new(at(1_000), u32::MAX - 1);
            let value = (u32::MAX - 1).wrapping_add(ticks);
            clock.show(at(1_000 + millis), value);
            let later = clock.at(at(1_000 + millis + 2_000));
            assert_eq!(later.map(|later| later.wrapping_sub(value)), expected);
        }
        check(1_000, 1_000, Some(2_000));
        check(1_000, 985, Some(2_000));
        check(1_000, 102, Some(200));
        check(1_000, 2, Some(4));
        check(700, 175, Some(500));
        check(400, 400, None);
    }

    #[test]
    fn an_old_value_moves_nothing() {
        let mut clock = SenderClock::new(at(0), 10);
        clock.show(at(1_000), 1_010);
        clock.show(at(2_000), 500);
        assert_eq!((clock.newest(), clock.at(at(1_500))), (1_010, Some(1_510)));
        assert_eq!(clock.at(at(250)), Some(260), "what it showed before");
    }
}
