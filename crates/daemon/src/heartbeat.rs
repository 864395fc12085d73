//! Whether a worker is alive.

use base::{Duration, Time};

/// The supervisor's view of the heartbeats of a worker.
#[derive(Debug)]
pub(super) struct Watchdog {
    limit: Duration,
    started: Time,
    /// When to check again.
    pub(super) due: Time,
    liveness: Liveness,
}

/// The state of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Liveness {
    /// It has not beaten yet.
    Starting,
    /// Its last beat was recent enough.
    Alive,
    /// It has not beaten for too long.
    Hung,
}

/// How long a worker may take until its first beat: it makes its tables before.
const STARTUP: Duration = Duration::from_secs(10);

impl Watchdog {
    /// Of a worker that was started at `started`, and has to beat within `limit` once it works.
    pub(super) fn new(started: Time, limit: Duration) -> Self {
        Self { limit, started, due: started + STARTUP, liveness: Liveness::Starting }
    }

    /// From the next beat on, each has to come within `limit` of the one before.
    pub(super) const fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Checks at `now`, when the last beat was at `beat`.
    ///
    /// If the check comes much later than it is due, the supervisor itself was kept from running,
    /// perhaps by what also stopped the worker: a suspended machine, a debugger. The worker then
    /// gets one more `limit`.
    pub(super) fn check(&mut self, now: Time, beat: Time) -> Liveness {
        let is_new = self.liveness == Liveness::Starting || beat + self.limit > self.due;
        if is_new && beat > self.started {
            self.due = beat + self.limit;
            self.liveness = Liveness::Alive;
        }
        if now.saturating_since(self.due) > self.limit / STALL {
            self.due = now + self.limit;
        } else if now >= self.due {
            self.liveness = Liveness::Hung;
        }
        self.liveness
    }
}

/// A check that is late by more than this part of the limit shows a stall of the supervisor itself.
const STALL: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(500);

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn watchdog() -> Watchdog {
        let mut watchdog = Watchdog::new(at(0), LIMIT);
        assert_eq!(watchdog.check(at(20), at(10)), Liveness::Alive);
        watchdog
    }

    #[test]
    fn a_worker_that_stops_is_found_within_the_limit() {
        let mut watchdog = watchdog();
        assert_eq!(watchdog.due, at(510));
        assert_eq!(watchdog.check(at(510), at(480)), Liveness::Alive);
        assert_eq!(watchdog.due, at(980));
        assert_eq!(watchdog.check(at(979), at(480)), Liveness::Alive);
        assert_eq!(watchdog.check(at(980), at(480)), Liveness::Hung);
    }

    #[test]
    fn a_stall_of_its_own_does_not_count() {
        let mut watchdog = watchdog();
        // Both were stopped for an hour.
        assert_eq!(watchdog.check(at(3_600_000), at(480)), Liveness::Alive);
        assert_eq!(watchdog.due, at(3_600_500));
        assert_eq!(watchdog.check(at(3_600_499), at(480)), Liveness::Alive);
        assert_eq!(watchdog.check(at(3_600_510), at(480)), Liveness::Hung, "the worker still is");
    }

    #[test]
    fn a_worker_has_time_to_be_born() {
        let mut watchdog = Watchdog::new(at(1000), LIMIT);
        assert_eq!(
            watchdog.check(at(1001), at(990)),
            Liveness::Starting,
            "the beat of the one before"
        );
        assert_eq!(watchdog.check(at(9000), at(990)), Liveness::Starting);
        assert_eq!(watchdog.check(at(11_000), at(990)), Liveness::Hung);
        assert_eq!(watchdog.check(at(11_000), at(10_999)), Liveness::Alive);
    }
}
