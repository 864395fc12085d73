//! Network namespaces.

#![expect(
    clippy::disallowed_methods,
    reason = "a namespace is opened as a file; this module talks to the system"
)]
#![expect(unsafe_code, reason = "unshare(2) may part threads from each other's files")]

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::thread;

use rustix::fs::{Mode, OFlags, StatVfsMountFlags, open, statvfs};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, unmount,
};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

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

/// Moves the calling thread into a fresh network namespace and a mount namespace that sees it.
pub fn enter_fresh() -> io::Result<()> {
    unshare(UnshareFlags::NEWNET | UnshareFlags::NEWNS)?;
    hide_mounts()?;
    // Programs do without what /sys tells of interfaces where it may not be mounted.
    drop(mount_sys());
    Ok(())
}

/// Moves the calling thread, which must be the only one if that includes the user namespace, into
/// fresh namespaces.
///
/// # Panics
/// If it should leave the others' files.
pub fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    assert!(!namespaces.contains(UnshareFlags::FILES), "threads must share their files");
    // SAFETY: without FILES, the thread goes on sharing its file descriptors with the others.
    Ok(unsafe { unshare_unsafe(namespaces) }?)
}

/// Keeps what is mounted from now on to this mount namespace.
pub fn hide_mounts() -> io::Result<()> {
    Ok(mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?)
}

/// Shows the interfaces of this namespace below `/sys`, and the control groups as before.
fn mount_sys() -> io::Result<()> {
    let path = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let groups = open("/sys/fs/cgroup", path, Mode::empty());
    let usual = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let is_read_only = statvfs("/sys")?.f_flag.contains(StatVfsMountFlags::RDONLY);
    let flags = if is_read_only { usual | MountFlags::RDONLY } else { usual };
    mount("sysfs", "/sys", "sysfs", flags, None)?;
    let groups = groups?;
    let groups = format!("/proc/thread-self/fd/{}", groups.as_raw_fd());
    Ok(mount_bind_recursive(groups, "/sys/fs/cgroup")?)
}

/// Puts `text` in the place of the file at `path` for this mount namespace, by way of a file in
/// memory, for which `directory` is hidden here meanwhile.
pub fn replace_file(path: &str, text: &str, directory: &Path) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("tmpfs", directory, "tmpfs", flags, None)?;
    let replaced = replace(path, text, &directory.join("file"));
    unmount(directory, UnmountFlags::DETACH)?;
    replaced
}

fn replace(path: &str, text: &str, instead: &Path) -> io::Result<()> {
    fs::write(instead, text)?;
    // Whatever the umask: everybody may read it.
    fs::set_permissions(instead, fs::Permissions::from_mode(0o644))?;
    Ok(mount_bind(instead, path)?)
}

/// The number by which the network namespace of the calling thread is known.
pub fn own_number() -> io::Result<u64> {
    Ok(fs::metadata("/proc/thread-self/ns/net")?.ino())
}

/// The number of the network namespace of a process.
pub fn number_of(process: i32) -> io::Result<u64> {
    Ok(fs::metadata(format!("/proc/{process}/ns/net"))?.ino())
}

/// True if a process or a name keeps the network namespace of that number.
pub fn exists(number: u64, processes: impl IntoIterator<Item = i32>) -> bool {
    let named = fs::read_dir(NAMES).into_iter().flatten().flatten();
    let mut named = named.filter_map(|entry| Some(fs::metadata(entry.path()).ok()?.ino()));
    named.any(|each| each == number)
        || processes.into_iter().any(|process| number_of(process).is_ok_and(|each| each == number))
}
