//! Times at which a controller looks at its queue.

use base::{Duration, Time};

/// One time after another, a period apart, the first a period after the beginning. They cause no
/// events: who has them looks at what is due before anything changes.
#[derive(Debug)]
pub(super) struct Ticks {
    period: Duration,
    next: Time,
}

impl Ticks {
    /// Ticks a `period` apart, which is not zero.
    pub(super) fn new(period: Duration) -> Self {
        Self { period, next: Time::ZERO + period }
    }

    /// The next that is due by `now`, once.
    pub(super) fn due(&mut self, now: Time) -> Option<Time> {
        let tick = self.next;
        if tick > now {
            return None;
        }
        self.next = tick + self.period;
        Some(tick)
    }

    /// The last that is due by `now`, if there is one; those ahead of it are passed over.
    pub(super) fn skip(&mut self, now: Time) -> Option<Time> {
        if self.next > now {
            return None;
        }
        let more = (now - self.next).whole(self.period);
        self.next += self.period * more;
        self.due(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn each_is_due_once() {
        let mut ticks = Ticks::new(Duration::from_millis(15));
        assert_eq!(ticks.due(at(14)), None);
        assert_eq!([(); 3].map(|()| ticks.due(at(30))), [Some(at(15)), Some(at(30)), None]);
        assert_eq!(ticks.skip(at(44)), None);
        assert_eq!(ticks.skip(at(3_014)), Some(at(3_000)));
        assert_eq!((ticks.due(at(3_014)), ticks.due(at(3_015))), (None, Some(at(3_015))));
    }
}
