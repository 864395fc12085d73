//! The files that a daemon has while it runs, and their removal at a clean stop.

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use proxy::Config;
use rustix::fs::{AtFlags, Mode, OFlags, open, unlinkat};

use super::child::{Child, ExitStatus};
use super::host::privileges;
use super::journal_file;
use super::system_calls;
use os::SetupError;

/// The paths of the journals of all workers.
pub(super) fn journals(config: &Config) -> Vec<PathBuf> {
    let path = |number| journal_file::path(&config.control.socket, number);
    (0..config.workers).map(path).collect()
}

/// The control socket and the journals, each by the directory that it was made in, whatever that is
/// called later, and its name there.
#[derive(Debug)]
pub(super) struct RuntimeFiles(Vec<(OwnedFd, OsString)>);

impl RuntimeFiles {
    /// Files of a daemon that runs with `config`.
    pub(super) fn of(config: &Config) -> io::Result<Self> {
        let socket = PathBuf::from(&config.control.socket);
        let paths = [socket].into_iter().chain(journals(config));
        paths.map(|path| place(&path)).collect::<io::Result<_>>().map(Self)
    }

    /// Removes those that this process may remove.
    pub(super) fn remove(&self) {
        for (directory, name) in &self.0 {
            // The next daemon removes what is left.
            unlinkat(directory, name, AtFlags::empty()).ok();
        }
    }
}

fn place(path: &Path) -> io::Result<(OwnedFd, OsString)> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok((open(directory, flags, Mode::empty())?, name.to_owned()))
}

/// A process that stays the user who starts the daemon, without capabilities: it removes files at a
/// clean stop that the daemon, which becomes another user, may not.
#[derive(Debug)]
pub(super) struct Remover {
    child: Child,
    orders: Option<PipeWriter>,
}

impl Remover {
    /// Must be started before this process becomes another user.
    pub(super) fn start(files: &RuntimeFiles) -> io::Result<Self> {
        let (given, orders) = pipe()?;
        let mut orders = Some(orders);
        let child = Child::start(|| {
            // Its own copy would keep the pipe open when the daemon is gone.
            drop(orders.take());
            serve(&given, files).map_or(ExitStatus::FAILED, |()| ExitStatus::DONE)
        })?;
        Ok(Self { child, orders })
    }

    /// Has the files removed.
    pub(super) fn finish(self) {
        // It may have been killed: then they stay.
        self.orders.map(|mut orders| orders.write_all(b"!"));
        self.child.wait().ok();
    }
}

/// Removes the files once that is ordered, and does nothing if the daemon ends without that: its
/// user's signal at its end would not reach this one's.
fn serve(mut orders: &PipeReader, files: &RuntimeFiles) -> Result<(), SetupError> {
    privileges::drop_all()?;
    system_calls::confine_supervisor()?;
    let mut order = [0];
    if orders.read(&mut order)? > 0 {
        files.remove();
    }
    Ok(())
}
