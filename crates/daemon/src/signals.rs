//! Signals, one after the other, as something to poll for.

#![expect(unsafe_code, reason = "no safe library of ours has sets of signals and signalfd(2)")]

use std::fmt;
use std::io;
use std::mem::zeroed;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;

use rustix::io::{Errno, read};

/// What a daemon is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
}

/// Signals that wait to be read instead of interrupting, as long as it lives: in this thread and in
/// processes that it forks meanwhile.
pub(super) struct Signals {
    descriptor: OwnedFd,
    before: libc::sigset_t,
}

impl Signals {
    /// Those of [`Request`].
    ///
    /// # Errors
    /// The kernel's.
    pub(super) fn new() -> io::Result<Self> {
        // SAFETY: a set of signals is plain data, of which `sigemptyset` makes an empty one; all
        // pointers are to locals.
        let (set, before) = unsafe {
            let (mut set, mut before) = (zeroed(), zeroed());
            libc::sigemptyset(&raw mut set);
            for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
                libc::sigaddset(&raw mut set, signal);
            }
            let error = libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before);
            if error != 0 {
                return Err(io::Error::from_raw_os_error(error));
            }
            (set, before)
        };
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        // SAFETY: the call reads `set` only.
        let descriptor = unsafe { libc::signalfd(-1, &raw const set, flags) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was made just now and is nobody else's.
        Ok(Self { descriptor: unsafe { OwnedFd::from_raw_fd(descriptor) }, before })
    }

    /// The next one, if there is any.
    ///
    /// # Errors
    /// The kernel's.
    pub(super) fn next(&self) -> io::Result<Option<Request>> {
        let mut information = [0; size_of::<libc::signalfd_siginfo>()];
        match read(&self.descriptor, &mut information) {
            Ok(_) => {
                // The number of the signal stands first (signalfd(2)).
                let number = u32::from_ne_bytes([0, 1, 2, 3].map(|at| information[at]));
                let is_reload = number == libc::SIGHUP as u32;
                Ok(Some(if is_reload { Request::Reload } else { Request::Stop }))
            }
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // SAFETY: the call reads `before`, which it once wrote.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, null_mut()) };
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl fmt::Debug for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signals").field("descriptor", &self.descriptor).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use rustix::thread::gettid;

    use super::*;

    #[test]
    fn signals_are_read_one_by_one() {
        let signals = Signals::new().expect("a descriptor");
        assert_eq!(signals.next().expect("none yet"), None);
        for signal in [libc::SIGHUP, libc::SIGTERM] {
            // SAFETY: the signal is blocked in this thread, to which alone it is sent.
            let outcome = unsafe {
                let thread = gettid().as_raw_nonzero().get();
                libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, signal)
            };
            assert_eq!(outcome, 0);
        }
        let mut requests = [signals.next(), signals.next()].map(|next| next.expect("readable"));
        requests.sort_by_key(|request| *request == Some(Request::Stop));
        assert_eq!(requests, [Some(Request::Reload), Some(Request::Stop)]);
        assert_eq!(signals.next().expect("no more"), None);
    }
}
