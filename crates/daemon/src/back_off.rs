//! When to start the next worker.

use base::{Duration, Time};

/// Exponential back-off: a worker that fails repeatedly is restarted ever more rarely.
#[derive(Debug)]
pub(super) struct BackOff {
    failures: u32,
}

/// The wait after the first failure; each further one doubles it.
const FIRST: Duration = Duration::from_millis(100);

/// The longest wait. A worker that lived for longer has not failed at once.
const LONGEST: Duration = Duration::from_secs(10);

impl BackOff {
    /// Nothing has failed yet.
    pub(super) const fn new() -> Self {
        Self { failures: 0 }
    }

    /// A worker that was started at `started` is gone at `now`: returns when to start the next.
    pub(super) fn fail(&mut self, started: Time, now: Time) -> Time {
        if now.saturating_since(started) > LONGEST {
            self.failures = 0;
        }
        let wait = FIRST.doubled(self.failures, LONGEST);
        self.failures = self.failures.saturating_add(1);
        now + wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_start_over_after_a_long_life() {
        let mut back_off = BackOff::new();
        let mut now = Time::ZERO;
        let mut wait = |life: Duration| {
            let started = now;
            now += life;
            let next = back_off.fail(started, now);
            let wait = next.saturating_since(now);
            now = next;
            wait.as_nanos() / 1_000_000
        };
        let waits: Vec<_> = (0..9).map(|_| wait(Duration::from_millis(1))).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
        assert_eq!(wait(Duration::from_secs(10)), 10_000, "as often as it may");
        assert_eq!(wait(Duration::from_secs(11)), 100);
    }
}
