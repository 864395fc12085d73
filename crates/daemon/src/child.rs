//! A process that is forked off.

#![expect(
    clippy::disallowed_methods,
    reason = "what a process does stands in a file; this module talks to the system"
)]

use std::fmt;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use base::Duration;
use os::readable;
use rustix::event::{PollFd, PollFlags};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, pidfd_open,
    set_parent_process_death_signal, waitpid,
};

/// A process of ours that was not waited for yet.
#[derive(Debug)]
pub(super) struct Child {
    process: Pid,
    /// Readable once it is over.
    descriptor: OwnedFd,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

/// The first thread of a process, as its scheduler sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Activity {
    /// True if it runs, or waits only for a processor.
    pub(super) is_runnable: bool,
    /// Processor time that it has had.
    pub(super) ran: Duration,
}

impl Child {
    /// Forks a process that does `work`, ends with the status that comes of it, and is killed when
    /// this one ends before. There must be no other thread: locks that it holds would stay locked
    /// in the child.
    pub(super) fn start(work: impl FnOnce() -> ExitStatus) -> io::Result<Self> {
        let parent = getpid();
        // SAFETY: there is one thread only, so that the child may do whatever this process may; it
        // never returns into what is the parent's to do, and ends without running its exit
        // handlers.
        #[expect(unsafe_code, reason = "no safe wrapper has this call")]
        let process = unsafe { libc::fork() };
        if process < 0 {
            return Err(io::Error::last_os_error());
        }
        let Some(process) = Pid::from_raw(process) else {
            let status = if dies_with(parent).is_ok() { work() } else { ExitStatus::FAILED };
            exit(status);
        };
        Ok(Self { process, descriptor: pidfd_open(process, PidfdFlags::empty())? })
    }

    /// Its number.
    pub(super) fn number(&self) -> i32 {
        self.process.as_raw_nonzero().get()
    }

    /// Activity of its first thread.
    ///
    /// # Errors
    /// The kernel's: where it hides processes, or this one is over.
    pub(super) fn activity(&self) -> io::Result<Activity> {
        let number = self.number();
        let stat = fs::read_to_string(format!("/proc/{number}/task/{number}/stat"))?;
        Activity::read(&stat).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Ends it at once, even if it is stopped.
    pub(super) fn kill(&self) {
        // It was not waited for, so its number was not reused.
        kill_process(self.process, Signal::KILL).ok();
    }

    /// Waits until it is over, or for `patience`.
    pub(super) fn await_end(&self, patience: Duration) -> io::Result<()> {
        readable(&mut [PollFd::new(self, PollFlags::IN)], patience).map(drop)
    }

    /// Waits until it is over.
    pub(super) fn wait(self) -> io::Result<End> {
        loop {
            match waitpid(Some(self.process), WaitOptions::empty()) {
                Ok(Some((_, status))) => return Ok(End::of(status)),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The time unit in that file: `USER_HZ` is 100 on every architecture of Linux.
const TICK: Duration = Duration::from_millis(10);

impl Activity {
    /// From `/proc/PID/task/TID/stat` (`proc_pid_stat(5)`): the name, in brackets, may contain
    /// anything.
    fn read(stat: &str) -> Option<Self> {
        let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let [user, system] = [ticks(11)?, ticks(12)?];
        Some(Self { is_runnable: *fields.first()? == "R", ran: TICK * (user + system) })
    }
}

impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// The status that a process ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ExitStatus(i32);

impl ExitStatus {
    /// It did what it should.
    pub(super) const DONE: Self = Self(0);
    /// It could not.
    pub(super) const FAILED: Self = Self(1);
    /// It panicked.
    pub(super) const PANICKED: Self = Self(101);
}

/// Has the calling process killed when `parent` ends, or has ended meanwhile. To be repeated after
/// privileges were given up: the kernel forgets it then (`PR_SET_PDEATHSIG`(2const)).
///
/// # Errors
/// The kernel's, and `NotFound` if `parent` is gone.
pub(super) fn dies_with(parent: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Ends the calling process without the exit handlers of its parent.
pub(super) fn exit(status: ExitStatus) -> ! {
    // SAFETY: it never returns, and runs nothing.
    #[expect(unsafe_code, reason = "no safe wrapper has this call")]
    unsafe {
        libc::_exit(status.0)
    }
}

impl End {
    fn of(status: WaitStatus) -> Self {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(status), _) => Self::Exited(status),
            (None, signal) => Self::Killed(signal.unwrap_or_default()),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "exit status {status}"),
            Self::Killed(signal) => write!(f, "signal {signal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forked from a thread of a test it may only exit, or be killed.
    #[test]
    fn ends_are_told_apart() {
        let end = |work: fn() -> ExitStatus| Child::start(work).and_then(Child::wait);
        assert_eq!(end(|| ExitStatus::DONE).expect("a child"), End::Exited(0));
        assert_eq!(end(|| ExitStatus::PANICKED).expect("a child").to_string(), "exit status 101");
        let child = Child::start(|| {
            loop {
                std::hint::spin_loop();
            }
        });
        let child = child.expect("a child");
        child.kill();
        assert_eq!(child.wait().expect("it is ours").to_string(), "signal 9");
    }

    /// A process that waits for a processor is told from one that waits for something else.
    #[test]
    fn what_a_child_does_is_seen() {
        let child = Child::start(|| {
            loop {
                std::hint::spin_loop();
            }
        });
        let child = child.expect("a child");
        let seen = || child.activity().expect("it is there");
        while seen().ran < TICK * 2 {
            assert!(seen().is_runnable);
        }
        kill_process(child.process, Signal::STOP).expect("it is ours");
        while seen().is_runnable {}
        let ran = seen().ran;
        assert_eq!(seen(), Activity { is_runnable: false, ran });
        child.kill();
        child.wait().expect("it is ours");
    }

    #[test]
    fn a_name_may_contain_anything() {
        let stat = "7 (a) R (b) S 1 7 7 0 -1 64 0 0 0 0 12 3 0 0 20 0 1";
        let expected = Activity { is_runnable: false, ran: TICK * 15 };
        assert_eq!(Activity::read(stat), Some(expected));
        assert_eq!(Activity::read("7 (a) R 1 7"), None);
    }
}
