//! Memory that a process shares with those that it forks.

use std::fmt;
use std::io;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::ptr::{NonNull, null_mut};
use std::slice;
use std::sync::atomic::AtomicU64;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

/// Words of 64 bits, all zero at first. Pages that were never touched take no memory. What a
/// process wrote last before it was killed is there for the others.
pub(super) struct SharedWords {
    start: NonNull<AtomicU64>,
    count: usize,
}

impl SharedWords {
    /// So many.
    ///
    /// # Errors
    /// The kernel's: not enough memory.
    #[expect(unsafe_code, reason = "a mapping is handed out as a bare pointer")]
    pub(super) fn new(count: usize) -> io::Result<Self> {
        let flags = MapFlags::SHARED | MapFlags::NORESERVE;
        let bytes = bytes(count);
        // SAFETY: a new mapping at a place of the kernel's choice overlaps nothing.
        let start = unsafe {
            mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, flags)?
        };
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, count })
    }

    /// So many, which are what an empty file becomes.
    ///
    /// # Errors
    /// The kernel's: no room for the file.
    #[expect(unsafe_code, reason = "a mapping is handed out as a bare pointer")]
    pub(super) fn of_file(file: &OwnedFd, count: usize) -> io::Result<Self> {
        let bytes = bytes(count);
        // Who writes where there is no room for a page would be killed (SIGBUS).
        fallocate(file, FallocateFlags::empty(), 0, bytes as u64)?;
        // SAFETY: a new mapping at a place of the kernel's choice overlaps nothing.
        let start = unsafe {
            mmap(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, file, 0)?
        };
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, count })
    }
}

const fn bytes(count: usize) -> usize {
    count * size_of::<AtomicU64>()
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    #[expect(unsafe_code, reason = "a mapping is handed out as a bare pointer")]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: the mapping has so many words, aligned to a page and zero at first, lasts as long
        // as `self`, and is only ever seen as atomics, here and in other processes.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

// SAFETY: all that can be reached through it are atomics.
#[expect(unsafe_code, reason = "atomics may be shared")]
unsafe impl Send for SharedWords {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "atomics may be shared")]
unsafe impl Sync for SharedWords {}

impl Drop for SharedWords {
    #[expect(unsafe_code, reason = "a mapping is handed out as a bare pointer")]
    fn drop(&mut self) {
        let bytes = bytes(self.count);
        // SAFETY: made by `new` or `of_file` with so many bytes, and nothing borrowed from it is
        // left. To fail it would have to be no mapping.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), bytes) };
    }
}

impl fmt::Debug for SharedWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedWords").field("count", &self.count).finish_non_exhaustive()
    }
}
