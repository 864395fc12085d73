//! Signals, one after the other, as something to poll for.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// The request of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
}

/// Signals that wait to be read instead of interrupting, as long as it lives: in this thread and in
/// processes that it forks meanwhile.
#[derive(Debug)]
pub(super) struct Signals {
    descriptor: SignalFd,
    before: SigSet,
}

impl Signals {
    /// Those of [`Request`].
    pub(super) fn new() -> io::Result<Self> {
        let set = SigSet::from_iter([Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP]);
        let before = set.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Self { descriptor: SignalFd::with_flags(&set, flags)?, before })
    }

    /// The next one, if there is any.
    pub(super) fn next(&self) -> io::Result<Option<Request>> {
        let reload = Signal::SIGHUP as u32;
        let request = |number| if number == reload { Request::Reload } else { Request::Stop };
        Ok(self.descriptor.read_signal()?.map(|signal| request(signal.ssi_signo)))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // The mask that the kernel returned before.
        self.before.thread_set_mask().ok();
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use nix::sys::signal::raise;

    use super::*;

    #[test]
    fn signals_are_read_one_by_one() {
        let signals = Signals::new().expect("a descriptor");
        assert_eq!(signals.next().expect("none yet"), None);
        for signal in [Signal::SIGHUP, Signal::SIGTERM] {
            raise(signal).expect("it is blocked in this thread");
        }
        let mut requests = [signals.next(), signals.next()].map(|next| next.expect("readable"));
        requests.sort_by_key(|request| *request == Some(Request::Stop));
        assert_eq!(requests, [Some(Request::Reload), Some(Request::Stop)]);
        assert_eq!(signals.next().expect("no more"), None);
    }
}
