//! The history of a daemon, for the status that its workers report.

use std::io;
use std::sync::atomic::Ordering;

use base::Time;

use super::memory::SharedWords;
use super::observation::Health;

/// In memory that the supervisor shares with its workers: it writes everything but the beats, which
/// they write. All use one clock.
#[derive(Debug)]
pub(crate) struct SharedStatus {
    words: SharedWords,
    workers: u32,
}

/// What each word says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// When the daemon started.
    Started,
    /// Configurations that were read again, and took effect.
    Reloads,
    /// Those that could not be used.
    Refused,
    /// Of a worker by its number.
    Of(u32, WorkerWord),
}

/// What the words of a worker say.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WorkerWord {
    /// When it started; zero while there is none.
    Started,
    /// When it last worked.
    Beat,
    /// Workers of its number that died or hung.
    Restarts,
    /// 1 while packets are diverted to it.
    Serving,
}

/// Words of the daemon, and of each worker.
const OF_DAEMON: usize = 3;
const OF_WORKER: usize = 4;

impl Word {
    const fn at(self) -> usize {
        match self {
            Self::Started => 0,
            Self::Reloads => 1,
            Self::Refused => 2,
            Self::Of(number, word) => OF_DAEMON + number as usize * OF_WORKER + word as usize,
        }
    }
}

impl SharedStatus {
    /// Of a daemon with so many workers that starts `now`.
    pub(crate) fn new(now: Time, workers: u32) -> io::Result<Self> {
        let words = SharedWords::new(OF_DAEMON + workers as usize * OF_WORKER)?;
        let status = Self { words, workers };
        status.note(Word::Started, now);
        Ok(status)
    }

    /// When worker `number` last worked.
    pub(crate) fn last_beat(&self, number: u32) -> Time {
        self.time(Word::Of(number, WorkerWord::Beat))
    }

    /// Whether packets are diverted to worker `number`.
    pub(crate) fn is_serving(&self, number: u32) -> bool {
        self.get(Word::Of(number, WorkerWord::Serving)) > 0
    }

    /// There is no worker `number` any more.
    pub(crate) fn note_end(&self, number: u32) {
        self.note(Word::Of(number, WorkerWord::Started), Time::ZERO);
        self.set_serving(number, false);
    }

    /// Whether there is a worker `number`.
    pub(crate) fn is_there(&self, number: u32) -> bool {
        self.get(Word::Of(number, WorkerWord::Started)) > 0
    }

    /// Packets are diverted to worker `number` from now on, or no more.
    pub(crate) fn set_serving(&self, number: u32, is_serving: bool) {
        let word = Word::Of(number, WorkerWord::Serving);
        self.words[word.at()].store(is_serving.into(), Ordering::Release);
    }

    /// All of it at `now`.
    pub(crate) fn health(&self, now: Time) -> Health {
        let since = |time| now.saturating_since(time).as_secs_f64();
        let workers = || 0..self.workers;
        let of = |word| workers().map(move |number| Word::Of(number, word));
        let started = of(WorkerWord::Started).map(|word| self.time(word)).max();
        let beat = of(WorkerWord::Beat).map(|word| self.time(word)).min();
        Health {
            uptime_seconds: since(self.time(Word::Started)),
            workers: self.workers,
            workers_serving: workers().map(|number| u32::from(self.is_serving(number))).sum(),
            worker_uptime_seconds: since(started.unwrap_or(now)),
            heartbeat_age_seconds: since(beat.unwrap_or(now)),
            worker_restarts: of(WorkerWord::Restarts).map(|word| self.get(word)).sum(),
            reloads: self.get(Word::Reloads),
            reloads_refused: self.get(Word::Refused),
        }
    }

    /// It is so at `now`.
    pub(crate) fn note(&self, word: Word, now: Time) {
        self.words[word.at()].store(now.as_nanos(), Ordering::Release);
    }

    /// There is one more.
    pub(crate) fn count(&self, word: Word) {
        self.words[word.at()].fetch_add(1, Ordering::Relaxed);
    }

    fn time(&self, word: Word) -> Time {
        Time::from_nanos(self.get(word))
    }

    fn get(&self, word: Word) -> u64 {
        self.words[word.at()].load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_what_was_noted() {
        let at = |seconds: u64| Time::from_nanos(seconds * 1_000_000_000);
        let status = SharedStatus::new(at(10), 2).expect("memory");
        let word = |number, word| Word::Of(number, word);
        status.note(word(0, WorkerWord::Started), at(12));
        status.note(word(1, WorkerWord::Started), at(15));
        status.count(Word::Reloads);
        status.count(Word::Reloads);
        status.count(Word::Refused);
        status.count(word(0, WorkerWord::Restarts));
        status.count(word(1, WorkerWord::Restarts));
        status.note(word(0, WorkerWord::Beat), at(19));
        status.note(word(1, WorkerWord::Beat), at(18));
        status.set_serving(0, true);
        status.set_serving(1, true);
        status.set_serving(0, false);
        assert_eq!([0, 1].map(|number| status.is_serving(number)), [false, true]);
        assert_eq!([0, 1].map(|number| status.last_beat(number)), [at(19), at(18)]);
        let health = status.health(at(20));
        let expect = Health {
            uptime_seconds: 10.0,
            workers: 2,
            workers_serving: 1,
            worker_uptime_seconds: 5.0,
            heartbeat_age_seconds: 2.0,
            worker_restarts: 2,
            reloads: 2,
            reloads_refused: 1,
        };
        assert_eq!(health, expect);
        status.note_end(1);
        assert_eq!([0, 1].map(|number| status.is_there(number)), [true, false]);
        let health = status.health(at(20));
        assert_eq!((health.workers_serving, health.worker_uptime_seconds), (0, 8.0));
    }
}
