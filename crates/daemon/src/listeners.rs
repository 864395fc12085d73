//! The sockets at which a daemon answers.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use proxy::Config;
use rustix::fs::{Mode, fchmod};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, listen, socket_with};
use rustix::process::umask;

use super::host::Identity;
use super::observer::Listeners;
use os::{SetupError, setup_error};

/// The user that starts the daemon and the group of the daemon's user may connect.
const MODE: Mode = Mode::from_bits_retain(0o660);

/// Anybody may search the directory.
const DIRECTORY_MODE: u32 = 0o755;

impl Listeners {
    /// Opens what `config` names, for a daemon that becomes `identity`.
    ///
    /// # Errors
    /// An address or a path that cannot be used.
    pub(super) fn open(config: &Config, identity: Option<&Identity>) -> Result<Self, SetupError> {
        let listen = |address| {
            TcpListener::bind(address).map_err(|error| {
                setup_error!(
                    "metrics.listen = \"{address}\": {error}: name a free port, or \"off\""
                )
            })
        };
        let metrics = config.metrics.listen.map(listen).transpose()?;
        let path = &config.control.socket;
        let control = control(Path::new(path), identity).map_err(|error| {
            SetupError::new(match error.kind() {
                ErrorKind::AddrInUse => {
                    format!("control.socket = \"{path}\": another proxy answers there")
                }
                _ => format!("control.socket = \"{path}\": {error}"),
            })
        })?;
        Ok(Self { metrics, control })
    }

    /// The same sockets, for another process.
    ///
    /// # Errors
    /// The kernel's: too many open files.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        let metrics = self.metrics.as_ref().map(TcpListener::try_clone).transpose()?;
        Ok(Self { metrics, control: self.control.try_clone()? })
    }
}

/// Binds and listens. The socket has its mode and its group from the beginning: nothing is changed
/// by name afterwards, since the owner of the directory may have put something else there. A
/// directory that has to be made belongs to its maker.
fn control(path: &Path, identity: Option<&Identity>) -> io::Result<UnixListener> {
    if let Some(directory) = path.parent().filter(|directory| !directory.exists()) {
        unmasked(|| DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory))?;
    }
    let bind = || {
        let bind = || unmasked(|| bind(path));
        identity.map_or_else(bind, |identity| identity.with_group(bind))
    };
    match bind() {
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_left_behind(path) => {
            fs::remove_file(path)?;
            bind()
        }
        listener => listener,
    }
}

/// A file of a socket has the mode that the socket has (`unix(7)`).
fn bind(path: &Path) -> io::Result<UnixListener> {
    let cloexec = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, cloexec, None)?;
    fchmod(&socket, MODE)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

/// How many clients may wait to be accepted.
const BACKLOG: i32 = 128;

/// The mask is the whole process's: one thread at a time may change it.
static MASK: Mutex<()> = Mutex::new(());

/// Runs `make` without the mask of this process, so that files get exactly the modes that are asked
/// for.
fn unmasked<T>(make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let _alone = MASK.lock().unwrap_or_else(PoisonError::into_inner);
    let mask = umask(Mode::empty());
    let done = make();
    umask(mask);
    done
}

/// Whether there is a socket, not a link to one, at which nobody listens.
fn is_left_behind(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket());
    let refused = |error: &io::Error| error.kind() == ErrorKind::ConnectionRefused;
    is_socket && UnixStream::connect(path).is_err_and(|error| refused(&error))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::super::host;
    use super::*;
    use crate::fixtures::skip;

    /// Tests run in threads of one process.
    fn directory(of: &str) -> PathBuf {
        let name = format!("thinpipe-doors-{}-{of}", std::process::id());
        std::env::temp_dir().join(name)
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn a_socket_that_was_left_behind_is_taken_over() {
        let directory = directory("left");
        let path = directory.join("control");
        let first = control(&path, None).expect("nobody is there");
        let taken = control(&path, None).unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AddrInUse);
        drop(first);
        let next = control(&path, None).expect("nobody is there any more");
        assert_eq!((mode(&path), mode(&directory)), (0o660, DIRECTORY_MODE));
        drop(next);
        fs::remove_dir_all(&directory).expect("it is ours");
    }

    /// Root gives the socket to a group, but not the directory.
    #[test]
    fn only_the_group_is_another() {
        // A user that every Linux has (LSB 5.0, core, 23.2), of a group of its own.
        let identity = host::identity(Some("daemon"));
        let Ok(Some(identity)) = identity else { return skip("needs root") };
        let directory = directory("group");
        let path = directory.join("control");
        let own = fs::metadata("/proc/self").expect("this process");
        let listener = control(&path, Some(&identity)).expect("nobody is there");
        let [socket, made] = [&path, &directory].map(|at| fs::metadata(at).expect("it is there"));
        assert_eq!((socket.uid(), made.uid(), made.gid()), (own.uid(), own.uid(), own.gid()));
        assert_ne!(socket.gid(), own.gid());
        assert_eq!((mode(&path), mode(&directory)), (0o660, DIRECTORY_MODE));
        drop(listener);
        fs::remove_dir_all(&directory).expect("it is ours");
    }

    /// A user without a group of its own is in `nogroup`.
    #[test]
    fn the_group_of_nobody_gets_nothing() {
        let Ok(Some(identity)) = host::identity(None) else {
            return skip("needs root");
        };
        let directory = directory("nobody");
        let path = directory.join("control");
        let own = fs::metadata("/proc/self").expect("this process");
        let listener = control(&path, Some(&identity)).expect("nobody is there");
        assert_eq!(fs::metadata(&path).expect("it is there").gid(), own.gid());
        drop(listener);
        fs::remove_dir_all(&directory).expect("it is ours");
    }

    #[test]
    fn what_is_no_socket_is_left_as_it_is() {
        let directory = directory("other");
        fs::create_dir(&directory).expect("it is new");
        let (file, link) = (directory.join("file"), directory.join("link"));
        fs::write(&file, "kept").expect("it is ours");
        symlink(&file, &link).expect("it is ours");
        for path in [&file, &link] {
            assert_eq!(control(path, None).unwrap_err().kind(), ErrorKind::AddrInUse);
        }
        assert_eq!(fs::metadata(&link).expect("both are there").len(), 4);
        fs::remove_dir_all(&directory).expect("it is ours");
    }

    /// The owner of the directory may put a link in the socket's place at any moment.
    #[test]
    fn links_are_not_followed() {
        let directory = directory("links");
        fs::create_dir(&directory).expect("it is new");
        let (path, secret) = (directory.join("control"), directory.join("secret"));
        fs::write(&secret, "secret").expect("it is ours");
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).expect("it is ours");
        let owner = fs::metadata(&secret).expect("it is there").gid();
        let identity = host::identity(None).ok().flatten();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    fs::remove_file(&path).ok();
                    symlink(&secret, &path).ok();
                    fs::remove_file(&path).ok();
                }
            });
            for _ in 0..2_000 {
                drop(control(&path, identity.as_ref()));
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let after = fs::metadata(&secret).expect("it is there").gid();
        assert_eq!((mode(&secret), after), (0o600, owner));
        fs::remove_dir_all(&directory).expect("it is ours");
    }
}
