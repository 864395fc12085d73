//! The journal as a file, which outlives the daemon that wrote it.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of a boot stands in a file; this module talks to the system"
)]

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use middlebox::Exposure;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::process::geteuid;

use super::journal::{Journal, left_in};
use super::memory::SharedWords;

/// The first word: magic number and version. In another byte order it is another word.
const KIND: u64 = u64::from_le_bytes(*b"thinp-j1");

/// Where the words of the header stand.
const KIND_AT: usize = 0;
const BOOT_AT: usize = 1;

/// Only the owner may read which hosts have connections.
const MODE: Mode = Mode::from_bits_retain(0o600);

/// The path of the journal of worker `number` of the daemon with the control socket `socket`: each
/// daemon has its own.
pub(super) fn path(socket: &str, number: u32) -> PathBuf {
    let of_worker = if number == 0 { String::new() } else { format!(".{number}") };
    format!("{socket}.journal{of_worker}").into()
}

/// Makes an empty journal with `places`, replacing one that is there.
pub(super) fn create(path: &Path, places: u32) -> io::Result<Journal> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let words = SharedWords::of_file(&open(path, flags, MODE)?, Journal::words(places))?;
    words[KIND_AT].store(KIND, Ordering::Relaxed);
    for (word, half) in words[BOOT_AT..].iter().zip(boot()?) {
        word.store(half, Ordering::Relaxed);
    }
    Ok(Journal::new(words))
}

/// What a daemon that was killed has left behind: the connections that its journal names.
///
/// # Errors
/// The journal that is there cannot be used.
pub(super) fn left(path: &Path) -> io::Result<Vec<Exposure>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match open(path, flags, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => return Ok(Vec::new()),
        file => file.map_err(unreadable)?,
    };
    is_own(&file)?;
    let mut bytes = Vec::new();
    File::from(file).read_to_end(&mut bytes).map_err(unreadable)?;
    let (words, rest) = bytes.as_chunks();
    let words: Vec<_> =
        words.iter().map(|&word| AtomicU64::new(u64::from_ne_bytes(word))).collect();
    let word = |at: usize| words.get(at).map(|word| word.load(Ordering::Relaxed));
    if word(KIND_AT) != Some(KIND) {
        return Err(io::Error::other("it is no journal, or one of another version"));
    }
    let boot = boot().map_err(unreadable)?;
    if [word(BOOT_AT), word(BOOT_AT + 1)] != boot.map(Some) {
        return Err(io::Error::other("it is of before the machine was booted"));
    }
    left_in(&words).filter(|_| rest.is_empty()).ok_or_else(|| io::Error::other("it is damaged"))
}

fn unreadable(error: impl Into<io::Error>) -> io::Error {
    io::Error::other(format!("it cannot be read: {}", error.into()))
}

/// A file that somebody else has put there could make us reset arbitrary connections.
fn is_own(file: &OwnedFd) -> io::Result<()> {
    let status = fstat(file).map_err(unreadable)?;
    let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
    let is_own = status.st_uid == geteuid().as_raw();
    let others = Mode::from_raw_mode(status.st_mode) & !MODE;
    if is_file && is_own && others.is_empty() {
        return Ok(());
    }
    Err(io::Error::other("it is no file of mode 600 of the user who starts the daemon"))
}

/// The number of this boot (`random(4)`), in two halves: connections do not outlive the machine.
fn boot() -> io::Result<[u64; 2]> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    let number = u128::from_str_radix(&digits, 16).map_err(io::Error::other)?;
    Ok([(number >> 64) as u64, number as u64])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileExt, PermissionsExt, symlink};

    use super::*;
    use crate::fixtures;

    /// Each test has its own journal: tests run in threads of one process.
    fn place(of: &str) -> PathBuf {
        let name = format!("thinpipe-journal-{}-{of}", std::process::id());
        std::env::temp_dir().join(name)
    }

    fn exposure() -> Exposure {
        fixtures::exposure(40_000, [1, 2, 3, 4])
    }

    #[test]
    fn what_a_killed_daemon_noted_is_left() {
        let path = place("left");
        assert_eq!(left(&path).expect("nothing is there"), []);
        let journal = create(&path, 8).expect("room");
        assert_eq!(left(&path).expect("it is whole"), []);
        journal.note(3, Some(&exposure()));
        drop(journal);
        assert_eq!(left(&path).expect("it is whole"), [exposure()]);
        let next = create(&path, 2).expect("it takes the place of the other");
        assert_eq!(left(&path).expect("it is whole"), []);
        drop(next);
        fs::remove_file(&path).expect("it is there");
    }

    #[test]
    fn what_is_none_is_refused() {
        let path = place("refused");
        let refused = |act: &dyn Fn(&File)| {
            let journal = create(&path, 2).expect("room");
            journal.note(0, Some(&exposure()));
            act(&File::options().write(true).open(&path).expect("it is there"));
            left(&path).expect_err("it is none").to_string()
        };
        let word = |at: u64| move |file: &File| file.write_all_at(b"x", at * 8).expect("room");
        assert!(refused(&word(0)).contains("version"));
        assert!(refused(&word(1)).contains("booted"));
        assert!(refused(&word(2)).contains("booted"));
        assert!(refused(&word(7)).contains("damaged"));
        assert!(refused(&word(8)).contains("damaged"));
        assert!(refused(&|file| file.set_len(130).expect("it can be")).contains("damaged"));
        assert!(refused(&|file| file.set_len(0).expect("it can be")).contains("version"));
        let open_to_all = |file: &File| {
            file.set_permissions(fs::Permissions::from_mode(0o644)).expect("it is ours");
        };
        assert!(refused(&open_to_all).contains("mode 600"));
        fs::remove_file(&path).expect("it is there");
        symlink("/dev/null", &path).expect("nothing is there");
        left(&path).expect_err("a link");
        drop(create(&path, 2).expect("the link goes"));
        assert_eq!(left(&path).expect("it is whole"), []);
        fs::remove_file(&path).expect("it is there");
        fs::create_dir(&path).expect("nothing is there");
        left(&path).expect_err("a directory");
        create(&path, 2).expect_err("a directory stays");
        fs::remove_dir(&path).expect("it is there");
    }
}
