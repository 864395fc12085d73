//! What wakes a driver from another thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{Errno, read, write};

/// An eventfd. Once woken it is readable until it is drained.
#[derive(Debug)]
pub struct Waker(OwnedFd);

impl Waker {
    /// One that wakes nobody yet.
    ///
    /// # Errors
    /// The kernel's: too many open files.
    pub fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Wakes the driver; once more before it is drained makes no difference.
    ///
    /// # Errors
    /// The kernel's.
    pub fn wake(&self) -> io::Result<()> {
        match write(&self.0, &1_u64.to_ne_bytes()) {
            Ok(_) | Err(Errno::AGAIN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// True if it was woken since.
    ///
    /// # Errors
    /// The kernel's.
    pub fn drain(&self) -> io::Result<bool> {
        match read(&self.0, &mut [0; 8]) {
            Ok(_) => Ok(true),
            Err(Errno::AGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
