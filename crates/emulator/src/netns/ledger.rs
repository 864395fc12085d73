//! What is written down about a running emulator, so that the next one can remove what is left of
//! one that was killed.

#![expect(
    clippy::disallowed_methods,
    reason = "what is left behind is found in files; this module talks to the system"
)]
#![expect(clippy::disallowed_types, reason = "a lock is waited for in real time")]

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::processes::{self, Mark, Tenure};
use super::{SetupError, uplink};
use os::namespace;
use os::setup_error;

/// The file of a running emulator, locked while it lives.
#[derive(Debug)]
pub(super) struct Ledger {
    path: PathBuf,
    _lock: File,
}

/// What is written down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    #[serde(flatten)]
    pub mark: Mark,
    /// The number of the network side's network namespace.
    pub network: u64,
    /// The nftables table that is made there.
    pub table: Option<String>,
}

impl Ledger {
    /// Writes `entry` down in `directory`.
    pub(super) fn open(directory: &Path, entry: &Entry) -> io::Result<Self> {
        let path = directory.join(&entry.mark.token);
        let hidden = directory.join(format!(".{}", entry.mark.token));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&hidden)?;
        // It gets its name when it is locked and whole: without a lock it is nobody's.
        file.try_lock()?;
        serde_json::to_writer(&file, entry)?;
        fs::rename(&hidden, &path)?;
        Ok(Self { path, _lock: file })
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // Without a lock, the next emulator removes it.
        drop(fs::remove_file(&self.path));
    }
}

/// The directory of the ledgers: of root in `/run`, of others where they may have such files. It is
/// nobody else's: `/run/thinpipe` is the proxy's, and comes and goes with it.
pub(super) fn directory() -> Result<PathBuf, SetupError> {
    let user = rustix::process::geteuid().as_raw();
    let candidates = [
        Some(PathBuf::from("/run/thinpipe-emulate")),
        env::var_os("XDG_RUNTIME_DIR").map(|run| Path::new(&run).join("thinpipe-emulate")),
        Some(env::temp_dir().join(format!("thinpipe-emulate-{}", user_outside()))),
    ];
    let usable = candidates.into_iter().flatten().find(|path| is_usable(path, user));
    usable.ok_or_else(|| {
        SetupError::new(
            "no place for the state file: neither /run nor XDG_RUNTIME_DIR can be written",
        )
    })
}

/// The number by which this user is known outside a user namespace: `0 1000 1` maps root to it.
fn user_outside() -> String {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().nth(1).unwrap_or("user").to_owned()
}

/// True if `path` is a directory of this user's alone, made if it is missing.
fn is_usable(path: &Path, user: u32) -> bool {
    // It may be there already.
    drop(fs::DirBuilder::new().mode(0o700).create(path));
    let probe = path.join(format!(".probe-{}", rustix::thread::gettid().as_raw_nonzero()));
    let is_own = fs::symlink_metadata(path).is_ok_and(|path| path.is_dir() && path.uid() == user);
    is_own && fs::write(&probe, "").is_ok() && fs::remove_file(&probe).is_ok()
}

/// Tries to get the lock.
const TRIES: u32 = 1000;

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// A lock to hold while addresses and names are chosen, so that two that start at once choose
/// different ones: waits until no other emulator has it.
pub(super) fn lock(directory: &Path) -> Result<File, SetupError> {
    let path = directory.join(".turn");
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(SetupError::at(format!("open {}", path.display())))?;
    for _ in 0..TRIES {
        if file.try_lock().is_ok() {
            return Ok(file);
        }
        thread::sleep(PAUSE);
    }
    let path = path.display();
    Err(setup_error!("another emulator has been starting for 10 s and holds {path}"))
}

/// Removes what is left of emulators that were killed.
pub(super) fn clear(directory: &Path) {
    let Ok(here) = namespace::own_number() else { return };
    for path in fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| !name.starts_with('.'))
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            clear_one(&path, here);
        }
    }
}

/// Removes what is left of the emulator that nobody holds the ledger of.
fn clear_one(path: &Path, here: u64) {
    let entry =
        fs::read_to_string(path).ok().and_then(|text| serde_json::from_str::<Entry>(&text).ok());
    if let Some(entry) = entry {
        processes::end(&entry.mark, Tenure::Over);
        if let Some(table) = &entry.table {
            if entry.network == here {
                uplink::remove_table(table);
            } else if namespace::exists(entry.network, processes::all()) {
                // Only from there can the table be removed.
                return;
            }
        }
    }
    drop(fs::remove_file(path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_written() {
        for (mobile, table) in [(Some(4_026_532_000), Some("thinpipe_7".to_owned())), (None, None)]
        {
            let mark = Mark { token: "ab12".into(), mobile };
            let entry = Entry { mark, network: 4_026_531_840, table };
            let text = serde_json::to_string(&entry).expect("words and numbers");
            assert_eq!(serde_json::from_str::<Entry>(&text).expect("as written"), entry);
        }
        for text in ["", "{}", "[1]", r#"{"token": 1, "network": 2}"#] {
            assert!(serde_json::from_str::<Entry>(text).is_err(), "{text}");
        }
    }
}
