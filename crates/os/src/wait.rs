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
    pub(crate) looked: Time,
    /// When its turn began, and for how long it has slept since.
    turn: Time,
    slept: Duration,
}

/// The longest time in which a thread looks at the clock itself: it keeps others from the core.
const LONGEST_SPIN: Duration = Duration::from_micros(200);

/// The kernel stops a thread ahead of others for 50 ms once it has run for 950 ms of a second
/// (sched(7), `sched_rt_runtime_us`). To sleep by itself for one part in so many makes it less
/// late, and lets others run sooner.
const SHARE_OF_SLEEP: u64 = 16;

/// After so long it makes up for the sleep that it lacks.
const TURN: Duration = Duration::from_millis(10);

/// A look that took less found what had been there before.
const AT_ONCE: Duration = Duration::from_micros(50);

impl Wait {
    /// For the calling thread, which is scheduled so, from `now` on.
    pub(crate) const fn new(scheduling: Scheduling, now: Time) -> Self {
        let (oversleep, slept) = (LONGEST_SPIN, Duration::ZERO);
        Self { scheduling, oversleep, looked: now, turn: now, slept }
    }

    /// Waits until one of `fds` can be read, `deadline` has come, or `longest` has passed.
    /// Tells until when none could be read; `None` if one could at once.
    ///
    /// # Errors
    /// The kernel's.
    pub(crate) fn until(
        &mut self,
        deadline: Option<Time>,
        longest: Duration,
        clock: &Clock,
        fds: &mut [PollFd<'_>],
    ) -> io::Result<Option<Time>> {
        if self.scheduling == Scheduling::Fifo {
            self.rest(clock)?;
        }
        let start = clock.now();
        let soon = start + longest + LONGEST_SPIN;
        let Some(deadline) = deadline.filter(|deadline| *deadline <= soon) else {
            return self.look(fds, longest, clock).map(|look| look.nothing);
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
            let next = self.look(fds, patience, clock)?;
            look = Look { nothing: next.nothing.or(look.nothing), ..next };
        }
        Ok(look.nothing)
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
        let slept = end.saturating_since(start);
        self.looked = end;
        if slept < AT_ONCE {
            return Ok(Look { found, nothing: (found == 0).then_some(end) });
        }
        self.slept += slept;
        // It slept since none could be read, and was woken when one could, but for what the kernel
        // let it sleep too long.
        let nothing = if found == 0 { end } else { end.min(start + patience) };
        Ok(Look { found, nothing: Some(nothing) })
    }

    /// At the end of a turn, sleeps for what it lacks.
    fn rest(&mut self, clock: &Clock) -> io::Result<()> {
        let elapsed = clock.now().saturating_since(self.turn);
        if elapsed < TURN {
            return Ok(());
        }
        // One that was stopped meanwhile lacks no more than others.
        let share = elapsed.min(TURN * 2) / SHARE_OF_SLEEP;
        let lacking = share.saturating_sub(self.slept);
        if lacking > Duration::ZERO {
            readable(&mut [], lacking)?;
        }
        self.turn = clock.now();
        self.slept = Duration::ZERO;
        Ok(())
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
    /// Until when none could, if that is known.
    nothing: Option<Time>,
}

/// Says how many can be read, after at most `patience`.
pub fn readable(fds: &mut [PollFd<'_>], patience: Duration) -> io::Result<usize> {
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
    use std::os::unix::net::UnixDatagram;

    use rustix::event::PollFlags;

    use super::*;

    const LONGEST: Duration = Duration::from_millis(5);

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
                wait.until(Some(deadline), LONGEST, &clock, &mut []).expect("nothing is polled");
                assert!(clock.now() >= deadline);
            }
        }
    }

    #[test]
    fn one_that_is_always_busy_sleeps_a_little() {
        let (clock, mut wait) = (Clock::start(), Wait::new(Scheduling::Fifo, Time::ZERO));
        let (mut turns, mut slept) = (0, Duration::ZERO);
        while turns < 20 {
            let (start, turn) = (clock.now(), wait.turn);
            wait.until(Some(Time::ZERO), LONGEST, &clock, &mut []).expect("nothing is polled");
            let took = clock.now().saturating_since(start);
            if took >= AT_ONCE {
                slept += took;
            }
            turns += u64::from(wait.turn != turn);
        }
        assert!(slept >= TURN * 20 / 20, "{slept:?}");
    }

    #[test]
    fn it_looks_again_when_nothing_is_due_for_long() {
        let in_an_hour = Time::ZERO + Duration::from_secs(3600);
        for deadline in [None, Some(in_an_hour)] {
            let (clock, mut wait) = (Clock::start(), Wait::new(Scheduling::Normal, Time::ZERO));
            wait.until(deadline, LONGEST, &clock, &mut []).expect("nothing is polled");
            assert!(clock.now() >= Time::ZERO + LONGEST);
            assert!(clock.now() < in_an_hour);
        }
    }

    #[test]
    fn it_tells_until_when_there_was_nothing() {
        let (clock, mut wait) = (Clock::start(), Wait::new(Scheduling::Normal, Time::ZERO));
        let deadline = Time::ZERO + Duration::from_millis(3);
        let nothing =
            wait.until(Some(deadline), LONGEST, &clock, &mut []).expect("nothing is polled");
        assert!(nothing.is_some_and(|time| deadline <= time && time <= clock.now()));
        assert_eq!(nothing, Some(wait.looked));
        let (near, far) = UnixDatagram::pair().expect("sockets");
        far.send(b"!").expect("there is room");
        let mut fds = [PollFd::new(&near, PollFlags::IN)];
        // One that is stopped meanwhile cannot know.
        let is_at_once = (0..1000).any(|_| {
            wait.until(None, LONGEST, &clock, &mut fds).expect("it can be polled").is_none()
        });
        assert!(is_at_once);
    }
}
