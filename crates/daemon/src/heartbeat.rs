//! Whether a worker still works.

use base::{Duration, Time};

/// The supervisor's view of a worker's beats.
#[derive(Debug)]
pub(super) struct Watch {
    limit: Duration,
    started: Time,
    due: Time,
    verdict: Verdict,
}

/// How a worker fares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// It has not worked yet.
    Unborn,
    /// It worked not too long ago.
    Alive,
    /// It has not for too long.
    Hung,
}

/// How long a worker may take until it first beats: it makes its tables then.
const BIRTH: Duration = Duration::from_secs(10);

impl Watch {
    /// Over a worker that was started at `started`, and once it works shall beat within `limit`.
    pub(super) fn new(started: Time, limit: Duration) -> Self {
        Self { limit, started, due: started + BIRTH, verdict: Verdict::Unborn }
    }

    /// From the next beat on, the one after shall come within `limit`.
    pub(super) const fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// When to look again.
    pub(super) const fn due(&self) -> Time {
        self.due
    }

    /// Looks at `now`, when the worker last worked at `beat`.
    ///
    /// Whoever looks much later than it is due was kept from running itself, by what may have kept
    /// the worker as well: a stopped machine, a debugger. Then the worker has one more `limit`.
    pub(super) fn look(&mut self, now: Time, beat: Time) -> Verdict {
        let is_new = self.verdict == Verdict::Unborn || beat + self.limit > self.due;
        if is_new && beat > self.started {
            self.due = beat + self.limit;
            self.verdict = Verdict::Alive;
        }
        if now.saturating_since(self.due) > self.limit / STALL {
            self.due = now + self.limit;
        } else if now >= self.due {
            self.verdict = Verdict::Hung;
        }
        self.verdict
    }
}

/// To be late by more than one part in so many of the limit is a stall of one's own.
const STALL: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(500);

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn watch() -> Watch {
        let mut watch = Watch::new(at(0), LIMIT);
        assert_eq!(watch.look(at(20), at(10)), Verdict::Alive);
        watch
    }

    #[test]
    fn a_worker_that_stops_is_found_within_the_limit() {
        let mut watch = watch();
        assert_eq!(watch.due(), at(510));
        assert_eq!(watch.look(at(510), at(480)), Verdict::Alive);
        assert_eq!(watch.due(), at(980));
        assert_eq!(watch.look(at(979), at(480)), Verdict::Alive);
        assert_eq!(watch.look(at(980), at(480)), Verdict::Hung);
    }

    #[test]
    fn a_stall_of_its_own_does_not_count() {
        let mut watch = watch();
        // Both were stopped for an hour.
        assert_eq!(watch.look(at(3_600_000), at(480)), Verdict::Alive);
        assert_eq!(watch.due(), at(3_600_500));
        assert_eq!(watch.look(at(3_600_499), at(480)), Verdict::Alive);
        assert_eq!(watch.look(at(3_600_510), at(480)), Verdict::Hung, "the worker still is");
    }

    #[test]
    fn a_worker_has_time_to_be_born() {
        let mut watch = Watch::new(at(1000), LIMIT);
        assert_eq!(watch.look(at(1001), at(990)), Verdict::Unborn, "the beat of the one before");
        assert_eq!(watch.look(at(9000), at(990)), Verdict::Unborn);
        assert_eq!(watch.look(at(11_000), at(990)), Verdict::Hung);
        assert_eq!(watch.look(at(11_000), at(10_999)), Verdict::Alive);
    }
}
