//! What a daemon has been through, for whoever asks its worker.

use std::io;
use std::sync::atomic::Ordering;

use base::Time;

use super::memory::SharedWords;
use super::observation::Health;

/// Kept by the supervisor in memory that it shares with its workers; all go by one clock.
#[derive(Debug)]
pub(crate) struct SharedStatus(SharedWords);

const STARTED: usize = 0;
const WORKER_STARTED: usize = 1;
const RELOADS: usize = 2;
const REFUSED: usize = 3;

impl SharedStatus {
    /// Of a daemon that starts `now`.
    ///
    /// # Errors
    /// The kernel's.
    pub(crate) fn new(now: Time) -> io::Result<Self> {
        let words = SharedWords::new(4)?;
        words[STARTED].store(now.as_nanos(), Ordering::Relaxed);
        Ok(Self(words))
    }

    /// Another worker starts `now`.
    pub(crate) fn note_worker(&self, now: Time) {
        self.0[WORKER_STARTED].store(now.as_nanos(), Ordering::Relaxed);
    }

    /// A configuration was read again, and took effect.
    pub(crate) fn note_reload(&self) {
        self.0[RELOADS].fetch_add(1, Ordering::Relaxed);
    }

    /// A configuration was read again, and could not be used.
    pub(crate) fn note_refused(&self) {
        self.0[REFUSED].fetch_add(1, Ordering::Relaxed);
    }

    /// All of it at `now`, when the worker last beat at `beat`.
    pub(crate) fn health(&self, now: Time, beat: Time) -> Health {
        let word = |at: usize| self.0[at].load(Ordering::Relaxed);
        let since = |then| now.saturating_since(then).as_secs_f64();
        Health {
            uptime_seconds: since(Time::from_nanos(word(STARTED))),
            worker_uptime_seconds: since(Time::from_nanos(word(WORKER_STARTED))),
            heartbeat_age_seconds: since(beat),
            reloads: word(RELOADS),
            reloads_refused: word(REFUSED),
        }
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
        let health = status.health(at(20), at(19));
        let expect = Health {
            uptime_seconds: 10.0,
            worker_uptime_seconds: 5.0,
            heartbeat_age_seconds: 1.0,
            reloads: 2,
            reloads_refused: 1,
        };
        assert_eq!(health, expect);
    }
}
