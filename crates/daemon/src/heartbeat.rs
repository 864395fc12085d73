//! Whether a worker is alive.

use base::{Duration, Time};

use super::child::Activity;

/// The supervisor's view of the heartbeats of a worker.
#[derive(Debug)]
pub(super) struct Watchdog {
    limit: Duration,
    started: Time,
    /// When to check again.
    pub(super) due: Time,
    has_beaten: bool,
    /// Processor time that it had had when it was first found to be late, if it is.
    late_at: Option<Duration>,
}

/// The state of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Liveness {
    /// It has not beaten yet.
    Starting,
    /// A worker whose last beat was recent enough, or that was said to be starved.
    Alive,
    /// A worker that is late from now on, since others have the processor.
    Starved,
    /// It has not beaten for too long.
    Hung,
}

/// How long a worker may take until its first beat: it makes its tables before.
const STARTUP: Duration = Duration::from_secs(10);

/// A check that is late by more than this part of the limit shows a stall of the supervisor itself.
const STALL: u64 = 4;

/// The part of the limit that a late worker may run without a beat: a batch takes milliseconds.
const SPIN: u64 = 2;

impl Watchdog {
    /// Of a worker that was started at `started`, and has to beat within `limit` once it works.
    pub(super) fn new(started: Time, limit: Duration) -> Self {
        Self { limit, started, due: started + STARTUP, has_beaten: false, late_at: None }
    }

    /// From the next beat on, each has to come within `limit` of the one before.
    pub(super) const fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Checks at `now`, when the last beat was at `beat`. A late worker is asked for `activity`.
    ///
    /// If the check comes much later than it is due, the supervisor itself was kept from running,
    /// perhaps by what also stopped the worker: a suspended machine, a debugger. The worker then
    /// gets one more `limit`. One that waits for a processor hangs no more than others do: it
    /// counts as hung only once it has run for long without a beat.
    pub(super) fn check(
        &mut self,
        now: Time,
        beat: Time,
        activity: impl FnOnce() -> Option<Activity>,
    ) -> Liveness {
        let is_new = !self.has_beaten || beat + self.limit > self.due;
        if is_new && beat > self.started {
            self.due = beat + self.limit;
            self.has_beaten = true;
            self.late_at = None;
        }
        let limit = if self.has_beaten { self.limit } else { STARTUP };
        if now.saturating_since(self.due) > self.limit / STALL {
            self.due = now + self.limit;
        } else if now >= self.due {
            let Some(Activity { is_runnable: true, ran }) = activity() else {
                return Liveness::Hung;
            };
            let is_first = self.late_at.is_none();
            let before = *self.late_at.get_or_insert(ran);
            if ran.saturating_sub(before) >= limit / SPIN {
                return Liveness::Hung;
            }
            self.due = now + limit / SPIN;
            if is_first {
                return Liveness::Starved;
            }
        }
        if self.has_beaten { Liveness::Alive } else { Liveness::Starting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(500);

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn watchdog() -> Watchdog {
        let mut watchdog = Watchdog::new(at(0), LIMIT);
        assert_eq!(watchdog.check(at(20), at(10), unasked), Liveness::Alive);
        watchdog
    }

    fn unasked() -> Option<Activity> {
        panic!("it is not late")
    }

    #[expect(clippy::unnecessary_wraps, reason = "what a check asks may not be known")]
    fn asleep() -> Option<Activity> {
        Some(Activity { is_runnable: false, ran: Duration::ZERO })
    }

    /// Runnable, after so many milliseconds on a processor.
    fn after(ran: u64) -> impl FnOnce() -> Option<Activity> {
        move || Some(Activity { is_runnable: true, ran: Duration::from_millis(ran) })
    }

    #[test]
    fn a_worker_that_stops_is_found_within_the_limit() {
        let mut watchdog = watchdog();
        assert_eq!(watchdog.due, at(510));
        assert_eq!(watchdog.check(at(510), at(480), unasked), Liveness::Alive);
        assert_eq!(watchdog.due, at(980));
        assert_eq!(watchdog.check(at(979), at(480), unasked), Liveness::Alive);
        assert_eq!(watchdog.check(at(980), at(480), asleep), Liveness::Hung);
        assert_eq!(watchdog.check(at(980), at(480), || None), Liveness::Hung, "nothing is known");
    }

    /// However long it waits for a processor, and however slowly it then runs.
    #[test]
    fn a_starved_worker_is_not_hung() {
        let mut watchdog = watchdog();
        assert_eq!(watchdog.check(at(510), at(10), after(70)), Liveness::Starved);
        let mut now = 510;
        for ran in [70, 70, 70, 90, 200, 310] {
            now += 250;
            assert_eq!(watchdog.due, at(now));
            assert_eq!(watchdog.check(at(now), at(10), after(ran)), Liveness::Alive, "{ran} ms");
        }
        assert_eq!(watchdog.check(at(now + 10), at(now + 5), unasked), Liveness::Alive);
        assert_eq!(watchdog.due, at(now + 505));
        let starved = watchdog.check(at(now + 505), at(now + 5), after(400));
        assert_eq!(starved, Liveness::Starved, "what it ran before counts no more");
    }

    #[test]
    fn a_worker_that_spins_is_hung() {
        let mut watchdog = watchdog();
        assert_eq!(watchdog.check(at(510), at(10), after(500)), Liveness::Starved);
        assert_eq!(watchdog.check(at(760), at(10), after(740)), Liveness::Alive);
        assert_eq!(watchdog.check(at(1010), at(10), after(750)), Liveness::Hung);
    }

    #[test]
    fn a_starved_worker_that_then_stops_is_hung() {
        let mut watchdog = watchdog();
        assert_eq!(watchdog.check(at(510), at(10), after(70)), Liveness::Starved);
        assert_eq!(watchdog.check(at(760), at(10), asleep), Liveness::Hung);
    }

    #[test]
    fn a_stall_of_its_own_does_not_count() {
        let mut watchdog = watchdog();
        // Both were stopped for an hour.
        assert_eq!(watchdog.check(at(3_600_000), at(480), unasked), Liveness::Alive);
        assert_eq!(watchdog.due, at(3_600_500));
        assert_eq!(watchdog.check(at(3_600_499), at(480), unasked), Liveness::Alive);
        let still = watchdog.check(at(3_600_510), at(480), asleep);
        assert_eq!(still, Liveness::Hung, "the worker still is");
    }

    #[test]
    fn a_worker_has_time_to_be_born() {
        let mut watchdog = Watchdog::new(at(1000), LIMIT);
        let early = watchdog.check(at(1001), at(990), unasked);
        assert_eq!(early, Liveness::Starting, "the beat of the one before");
        assert_eq!(watchdog.check(at(9000), at(990), unasked), Liveness::Starting);
        assert_eq!(watchdog.check(at(11_000), at(990), asleep), Liveness::Hung);
        assert_eq!(watchdog.check(at(11_000), at(990), after(9_000)), Liveness::Starved);
        assert_eq!(watchdog.due, at(16_000));
        assert_eq!(watchdog.check(at(16_000), at(990), after(9_900)), Liveness::Starting);
        assert_eq!(watchdog.check(at(16_001), at(16_000), unasked), Liveness::Alive);
    }
}
