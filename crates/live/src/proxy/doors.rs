//! Where a daemon can be asked.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use scenario::Proxy;

use super::host::Identity;
use super::observer::Doors;
use crate::Trouble;

/// The user of the daemon and its group may ask.
const MODE: u32 = 0o660;

/// Anybody may look for the socket.
const DIRECTORY_MODE: u32 = 0o755;

impl Doors {
    /// Opens what `config` names, for a daemon that becomes `identity`.
    ///
    /// # Errors
    /// An address or a path that is not to be had.
    pub(super) fn open(config: &Proxy, identity: Option<&Identity>) -> Result<Self, Trouble> {
        let listen = |address| {
            TcpListener::bind(address).map_err(|error| {
                Trouble::new(format!(
                    "metrics.listen = \"{address}\": {error}: name a free port, or \"off\""
                ))
            })
        };
        let metrics = config.metrics.listen.map(listen).transpose()?;
        let path = &config.control.socket;
        let control = control(Path::new(path), identity).map_err(|error| {
            Trouble::new(match error.kind() {
                ErrorKind::AddrInUse => {
                    format!("control.socket = \"{path}\": another proxy answers there")
                }
                _ => format!("control.socket = \"{path}\": {error}"),
            })
        })?;
        Ok(Self { metrics, control })
    }

    /// The same, for another process.
    ///
    /// # Errors
    /// The kernel's: too many open files.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        let metrics = self.metrics.as_ref().map(TcpListener::try_clone).transpose()?;
        Ok(Self { metrics, control: self.control.try_clone()? })
    }

    /// Takes the socket out of its directory, if its user may. The next daemon takes away what is
    /// left.
    pub(super) fn remove(&self) {
        if let Ok(address) = self.control.local_addr()
            && let Some(path) = address.as_pathname()
        {
            fs::remove_file(path).ok();
        }
    }
}

fn control(path: &Path, identity: Option<&Identity>) -> io::Result<UnixListener> {
    let own = |path: &Path| identity.map_or(Ok(()), |identity| identity.own(path));
    if let Some(directory) = path.parent().filter(|directory| !directory.exists()) {
        DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory)?;
        own(directory)?;
    }
    let listener = match UnixListener::bind(path) {
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_left_behind(path) => {
            fs::remove_file(path)?;
            UnixListener::bind(path)?
        }
        listener => listener?,
    };
    fs::set_permissions(path, Permissions::from_mode(MODE))?;
    own(path)?;
    Ok(listener)
}

/// Whether nobody listens at a socket.
fn is_left_behind(path: &Path) -> bool {
    UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_that_was_left_behind_is_taken_over() {
        let name = format!("thinpipe-doors-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let path = directory.join("control");
        let first = control(&path, None).expect("nobody is there");
        let taken = control(&path, None).unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AddrInUse);
        drop(first);
        let next = control(&path, None).expect("nobody is there any more");
        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, MODE);
        Doors { metrics: None, control: next }.remove();
        assert!(!path.exists());
        fs::remove_dir(&directory).expect("it is empty");
    }
}
