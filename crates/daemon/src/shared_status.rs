//! The history of a daemon, for the status that its worker reports.

use std::io;
use std::sync::atomic::Ordering;

use base::Time;

use super::memory::SharedWords;
use super::observation::Health;

/// In memory that the supervisor shares with its workers: it writes everything but the beats, which
/// they write. All use one clock.
#[derive(Debug)]
pub(crate) struct SharedStatus(SharedWords);

/// What each word says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// When the daemon started.
    Started,
    /// When its worker did.
    WorkerStarted,
    /// When that last worked.
    Beat,
    /// Workers that died or hung.
    Restarts,
    /// Configurations that were read again, and took effect.
    Reloads,
    /// Those that could not be used.
    Refused,
}

impl SharedStatus {
    /// Of a daemon that starts `now`.
    pub(crate) fn new(now: Time) -> io::Result<Self> {
        let status = Self(SharedWords::new(Word::Refused as usize + 1)?);
        status.note(Word::Started, now);
        Ok(status)
    }

    /// When a worker last worked.
    pub(crate) fn last_beat(&self) -> Time {
        Time::from_nanos(self.get(Word::Beat))
    }

    /// All of it at `now`.
    pub(crate) fn health(&self, now: Time) -> Health {
        let since = |word| now.saturating_since(Time::from_nanos(self.get(word))).as_secs_f64();
        Health {
            uptime_seconds: since(Word::Started),
            worker_uptime_seconds: since(Word::WorkerStarted),
            heartbeat_age_seconds: since(Word::Beat),
            worker_restarts: self.get(Word::Restarts),
            reloads: self.get(Word::Reloads),
            reloads_refused: self.get(Word::Refused),
        }
    }

    /// It is so at `now`.
    pub(crate) fn note(&self, word: Word, now: Time) {
        self.0[word as usize].store(now.as_nanos(), Ordering::Release);
    }

    /// There is one more.
    pub(crate) fn count(&self, word: Word) {
        self.0[word as usize].fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self, word: Word) -> u64 {
        self.0[word as usize].load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_what_was_noted() {
        let at = |seconds: u64| Time::from_nanos(seconds * 1_000_000_000);
        let status = SharedStatus::new(at(10)).expect("memory");
        status.note(Word::WorkerStarted, at(15));
        status.count(Word::Reloads);
        status.count(Word::Reloads);
        status.count(Word::Refused);
        status.count(Word::Restarts);
        status.note(Word::Beat, at(19));
        let health = status.health(at(20));
        let expect = Health {
            uptime_seconds: 10.0,
            worker_uptime_seconds: 5.0,
            heartbeat_age_seconds: 1.0,
            worker_restarts: 1,
            reloads: 2,
            reloads_refused: 1,
        };
        assert_eq!(health, expect);
    }
}
