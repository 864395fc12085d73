//! Network namespaces.

#![expect(
    clippy::disallowed_methods,
    reason = "a namespace is opened as a file; this room talks to the system"
)]

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::thread;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Where `ip netns add` keeps its names.
const NAMES: &str = "/run/netns";

/// Does `work` in the network namespace called `name`, or here if that is `None`. What it opens
/// there (devices, sockets) stays there; the caller never leaves its own namespace.
///
/// # Errors
/// The namespace does not exist or may not be entered, or what `work` says.
///
/// # Panics
/// If `work` does.
pub fn within<T: Send>(
    name: Option<&str>,
    work: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    let Some(name) = name else { return work() };
    let namespace = File::open(Path::new(NAMES).join(name))?;
    // A namespace belongs to a thread: one of its own moves, works and ends.
    thread::scope(|scope| {
        let moved = scope.spawn(|| {
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
            work()
        });
        moved.join().expect("work in a namespace must not panic")
    })
}
