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

const STARTED: usize = 0;
const WORKER_STARTED: usize = 1;
const BEAT: usize = 2;
const RESTARTS: usize = 3;
const RELOADS: usize = 4;
const REFUSED: usize = 5;

impl SharedStatus {
    /// Of a daemon that starts `now`.
    ///
    /// # Errors
    /// The kernel's.
    pub(crate) fn new(now: Time) -> io::Result<Self> {
        let status = Self(SharedWords::new(6)?);
        status.note(STARTED, now);
        Ok(status)
    }

    /// Another worker starts `now`.
    pub(crate) fn note_worker(&self, now: Time) {
        self.note(WORKER_STARTED, now);
    }

    /// The worker works at `now`.
    pub(crate) fn beat(&self, now: Time) {
        self.note(BEAT, now);
    }

    /// When a worker last did.
    pub(crate) fn last_beat(&self) -> Time {
        Time::from_nanos(self.word(BEAT))
    }

    /// A worker died or hung.
    pub(crate) fn note_restart(&self) {
        self.count(RESTARTS);
    }

    /// A configuration was read again, and took effect.
    pub(crate) fn note_reload(&self) {
        self.count(RELOADS);
    }

    /// A configuration was read again, and could not be used.
    pub(crate) fn note_refused(&self) {
        self.count(REFUSED);
    }

    /// All of it at `now`.
    pub(crate) fn health(&self, now: Time) -> Health {
        let since = |at| now.saturating_since(Time::from_nanos(self.word(at))).as_secs_f64();
        Health {
            uptime_seconds: since(STARTED),
            worker_uptime_seconds: since(WORKER_STARTED),
            heartbeat_age_seconds: since(BEAT),
            worker_restarts: self.word(RESTARTS),
            reloads: self.word(RELOADS),
            reloads_refused: self.word(REFUSED),
        }
    }

    fn note(&self, at: usize, time: Time) {
        self.0[at].store(time.as_nanos(), Ordering::Release);
    }

    fn count(&self, at: usize) {
        self.0[at].fetch_add(1, Ordering::Relaxed);
    }

    fn word(&self, at: usize) -> u64 {
        self.0[at].load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_what_was_noted() {
        let at = |seconds: u64| Time::from_nanos(seconds * 1_000_000_000);
        let status = SharedStatus::new(at(10)).expect("memory");
        status.note_worker(at(15));
        status.note_reload();
        status.note_reload();
        status.note_refused();
        status.note_restart();
        status.beat(at(19));
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
