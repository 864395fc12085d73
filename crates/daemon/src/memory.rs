//! Memory that a process shares with those that it forks.

use std::io;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::slice;
use std::sync::atomic::AtomicU64;

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{FallocateFlags, MemfdFlags, fallocate, memfd_create};

/// Words of 64 bits, all zero at first. What a process had written when it was killed is there for
/// the others.
#[derive(Debug)]
pub(super) struct SharedWords(MmapRaw);

impl SharedWords {
    /// So many.
    pub(super) fn new(count: usize) -> io::Result<Self> {
        Self::of_file(&memfd_create("shared", MemfdFlags::CLOEXEC)?, count)
    }

    /// So many, which are what an empty file becomes.
    pub(super) fn of_file(file: &OwnedFd, count: usize) -> io::Result<Self> {
        let bytes = count * size_of::<AtomicU64>();
        // Writing where there is no room for a page would be fatal (SIGBUS).
        fallocate(file, FallocateFlags::empty(), 0, bytes as u64)?;
        Ok(Self(MmapOptions::new().len(bytes).map_raw(file)?))
    }
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    #[expect(unsafe_code, reason = "a mapping is handed out as a bare pointer")]
    fn deref(&self) -> &[AtomicU64] {
        let count = self.0.len() / size_of::<AtomicU64>();
        // SAFETY: the mapping has so many words, aligned to a page and zero at first, lasts as long
        // as `self`, and is only ever seen as atomics, here and in other processes.
        unsafe { slice::from_raw_parts(self.0.as_ptr().cast(), count) }
    }
}
