//! Waiting for packets until a deadline.

use std::io;

use base::{Duration, Time};
use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

use crate::{Clock, Scheduling};

/// How a thread waits. The kernel wakes it a little late; where it is let run, it asks to be woken
/// earlier by about as much, and looks at the clock itself for the rest.
#[derive(Debug)]
pub(crate) struct Wait {
    scheduling: Scheduling,
    /// By how much the kernel is late, more often than not at most.
    oversleep: Duration,
    /// When it last saw what could be read.
    looked: Time,
}

/// The longest time in which a thread looks at the clock itself: it keeps others from the core.
const LONGEST_SPIN: Duration = Duration::from_micros(200);

/// The longest time between two looks, if the kernel keeps its word: what comes later than it
/// should is noticed if it is late by more.
const LONGEST_SLEEP: Duration = Duration::from_millis(5);

/// A look that took less found what had been there before.
const AT_ONCE: Duration = Duration::from_micros(50);

impl Wait {
    /// For the calling thread, which is scheduled so, from `now` on.
    pub(crate) const fn new(scheduling: Scheduling, now: Time) -> Self {
        Self { scheduling, oversleep: LONGEST_SPIN, looked: now }
    }

    /// Waits until one of `fds` can be read, `deadline` has come, or it is time to look again.
    /// Tells for how long what can be read may have gone unseen: while the thread was at work, or
    /// was not let run.
    ///
    /// # Errors
    /// The kernel's.
    pub(crate) fn until(
        &mut self,
        deadline: Option<Time>,
        clock: &Clock,
        fds: &mut [PollFd<'_>],
    ) -> io::Result<Duration> {
        let start = clock.now();
        let soon = start + LONGEST_SLEEP + LONGEST_SPIN;
        let Some(deadline) = deadline.filter(|deadline| *deadline <= soon) else {
            return self.look(fds, LONGEST_SLEEP, clock).map(|look| look.unseen);
        };
        let ahead = match self.scheduling {
            Scheduling::Fifo => self.oversleep,
            Scheduling::Normal => Duration::ZERO,
        };
        let sleep = deadline.saturating_since(start).saturating_sub(ahead);
        let mut look = self.look(fds, sleep, clock)?;
        if look.found == 0 && sleep > Duration::ZERO {
            self.learn(self.looked.saturating_since(start + sleep));
        }
        while look.found == 0 && self.looked < deadline {
            let patience = match self.scheduling {
                Scheduling::Fifo => Duration::ZERO,
                Scheduling::Normal => deadline.saturating_since(self.looked),
            };
            look = self.look(fds, patience, clock)?;
        }
        Ok(look.unseen)
    }

    /// Looks, for at most `patience`.
    fn look(
        &mut self,
        fds: &mut [PollFd<'_>],
        patience: Duration,
        clock: &Clock,
    ) -> io::Result<Look> {
        let start = clock.now();
        let found = readable(fds, patience)?;
        let end = clock.now();
        let (worked, slept) = (start.saturating_since(self.looked), end.saturating_since(start));
        self.looked = end;
        let unseen = if slept < AT_ONCE { worked } else { slept.saturating_sub(patience) };
        Ok(Look { found, unseen })
    }

    /// Goes up quickly and down slowly, so that most wakes are in time.
    fn learn(&mut self, oversleep: Duration) {
        let (was, is) = (self.oversleep.as_nanos(), oversleep.min(LONGEST_SPIN).as_nanos());
        let next = if is > was { was + (is - was) / 2 } else { was - (was - is) / 16 };
        self.oversleep = Duration::from_nanos(next);
    }
}

/// What a look came to.
struct Look {
    /// How many can be read.
    found: usize,
    /// For how long that may have been so.
    unseen: Duration,
}

/// Says how many can be read, after at most `patience`.
fn readable(fds: &mut [PollFd<'_>], patience: Duration) -> io::Result<usize> {
    let nanos = patience.as_nanos();
    let patience = Timespec { tv_sec: (nanos / SECOND) as i64, tv_nsec: (nanos % SECOND) as i64 };
    match poll(fds, Some(&patience)) {
        Ok(ready) => Ok(ready),
        Err(Errno::INTR) => {
            fds.iter_mut().for_each(PollFd::clear_revents);
            Ok(0)
        }
        Err(error) => Err(error.into()),
    }
}

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_learns_how_late_the_kernel_is() {
        let mut wait = Wait::new(Scheduling::Fifo, Time::ZERO);
        let micros = Duration::from_micros;
        for _ in 0..100 {
            wait.learn(micros(20));
        }
        assert!(wait.oversleep >= micros(20) && wait.oversleep < micros(21));
        wait.learn(micros(80));
        assert!(wait.oversleep >= micros(50));
        wait.learn(Duration::from_secs(5));
        assert!(wait.oversleep < LONGEST_SPIN);
    }

    #[test]
    fn a_deadline_is_never_early() {
        for scheduling in [Scheduling::Fifo, Scheduling::Normal] {
            let (clock, mut wait) = (Clock::start(), Wait::new(scheduling, Time::ZERO));
            for number in 1..20 {
                let deadline = Time::ZERO + Duration::from_micros(700) * number;
                wait.until(Some(deadline), &clock, &mut []).expect("nothing is polled");
                assert!(clock.now() >= deadline);
            }
        }
    }

    #[test]
    fn it_looks_again_when_nothing_is_due_for_long() {
        for deadline in [None, Some(Time::ZERO + Duration::from_secs(9))] {
            let (clock, mut wait) = (Clock::start(), Wait::new(Scheduling::Normal, Time::ZERO));
            wait.until(deadline, &clock, &mut []).expect("nothing is polled");
            assert!(clock.now() >= Time::ZERO + LONGEST_SLEEP);
            assert!(clock.now() < Time::ZERO + Duration::from_secs(5));
        }
    }

    #[test]
    fn what_came_during_work_may_have_waited_that_long() {
        let (clock, mut wait) = (Clock::start(), Wait::new(Scheduling::Normal, Time::ZERO));
        let work = Duration::from_millis(3);
        while clock.now() < Time::ZERO + work {}
        let unseen = wait.until(Some(Time::ZERO), &clock, &mut []).expect("nothing is polled");
        assert!(unseen >= work, "{unseen:?}");
    }
}
