//! When the TTIs of a direction begin.

use base::{Duration, Time};

/// TTIs of one length, which begin at its whole multiples.
///
/// It follows the time, since nearly every question is about the next TTI: the answer takes no
/// division.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// The length of a TTI.
    pub(crate) tti: Duration,
    /// The first TTI that begins after the time that it has come to.
    next: Time,
}

impl Grid {
    /// TTIs of length `tti`, at time 0.
    pub(crate) fn new(tti: Duration) -> Self {
        Self { tti, next: Time::ZERO + tti }
    }

    /// Time has come to `now`. True if a TTI begins.
    pub(crate) fn advance(&mut self, now: Time) -> bool {
        if now < self.next {
            return false;
        }
        let begins = now == self.next || now.is_multiple_of(self.tti);
        self.next = self.after(now);
        begins
    }

    /// The first TTI that begins after `time`, which is no earlier than the time that it has come
    /// to.
    pub(crate) fn after(&self, time: Time) -> Time {
        if time < self.next {
            return self.next;
        }
        let second = self.next + self.tti;
        if time < second { second } else { time.next_multiple(self.tti) }
    }

    /// The first TTI that begins after `now` and not before `time`.
    pub(crate) fn after_and_from(&self, now: Time, time: Time) -> Time {
        let next = self.after(now);
        if time <= next || time.is_multiple_of(self.tti) {
            time.max(next)
        } else {
            time.next_multiple(self.tti)
        }
    }

    /// The number of the first TTI that begins at or after `time`.
    pub(crate) fn number(&self, time: Time) -> u64 {
        let past = time.saturating_since(Time::ZERO);
        past.whole(self.tti) + u64::from(!time.is_multiple_of(self.tti))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// However time passes, it says what a division says.
        #[test]
        fn agrees_with_a_division(steps in prop::collection::vec((0_u64..40, 0_u64..40), 1..60)) {
            let tti = Duration::from_nanos(10);
            let (mut grid, mut now) = (Grid::new(tti), 0);
            for (step, ahead) in steps {
                let later = |from: u64| Time::from_nanos((from / 10 + 1) * 10);
                let time = Time::from_nanos(now + ahead);
                prop_assert_eq!(grid.after(time), later(now + ahead));
                let not_before = Time::from_nanos((now + ahead).div_ceil(10) * 10);
                let next = grid.after_and_from(Time::from_nanos(now), time);
                prop_assert_eq!(next, not_before.max(later(now)));
                now += step;
                let begins = grid.advance(Time::from_nanos(now));
                prop_assert_eq!(begins, step > 0 && now % 10 == 0);
            }
        }
    }
}
