//! Processes that were started for an emulator, found by what they carry in their environment and
//! by where they live.

#![expect(
    clippy::disallowed_methods,
    reason = "processes are read below /proc; this module talks to the system"
)]
#![expect(clippy::disallowed_types, reason = "a grace is slept through in real time")]

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use serde::{Deserialize, Serialize};

use super::Side;
use os::namespace;

/// What processes of an emulator have in their environment, with its token behind.
pub(super) const VARIABLE: &str = "THINPIPE_TOKEN";

/// What the token of processes on the network side ends in.
const NETWORK: &str = "/network";

/// How to know the processes of one emulator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Mark {
    /// Random, so that nothing else has it.
    pub token: String,
    /// The number of the mobile side's network namespace, if it has one.
    pub mobile: Option<u64>,
}

/// Whether the mobile side's namespace is still held. The kernel gives its number away again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tenure {
    /// It is: a program in it is ours, even with another environment, as behind `sudo`.
    Held,
    /// It is not: only who has the token as well.
    Over,
}

impl Mark {
    /// The token for commands on the network side: they live in a namespace that is not ours, where
    /// only what was started by us may be ended.
    pub(super) fn network_token(&self) -> String {
        format!("{}{NETWORK}", self.token)
    }

    /// On which side a process of this emulator is.
    fn side(&self, process: i32, tenure: Tenure) -> Option<Side> {
        let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
        let token = token(&environment);
        if token == Some(self.network_token().as_bytes()) {
            return Some(Side::Network);
        }
        let is_ours = tenure == Tenure::Held || token == Some(self.token.as_bytes());
        let is_there =
            || self.mobile.is_some() && namespace::number_of(process).ok() == self.mobile;
        (is_ours && is_there()).then_some(Side::Mobile)
    }

    /// Its processes, without this one.
    fn marked(&self, tenure: Tenure) -> Vec<i32> {
        let own = std::process::id() as i32;
        all().filter(|&process| process != own && self.side(process, tenure).is_some()).collect()
    }
}

/// The token in an environment: variables that end with a zero each.
fn token(environment: &[u8]) -> Option<&[u8]> {
    environment
        .split(|&byte| byte == 0)
        .find_map(|variable| variable.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"="))
}

/// Every process that can be seen.
pub(super) fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// How often is looked whether processes have ended, first in peace, then killed.
const LOOKS: u32 = 100;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Asks the processes that bear `mark` to end, kills what still runs after a second, and tells how
/// many ran on the mobile side.
pub(super) fn end(mark: &Mark, tenure: Tenure) -> u32 {
    let found = mark.marked(tenure);
    let mobile = found.iter().filter(|&&process| mark.side(process, tenure) == Some(Side::Mobile));
    let mobile = mobile.count() as u32;
    for &process in &found {
        send(process, Signal::TERM, mark, tenure);
    }
    for look in 0..2 * LOOKS {
        let left = mark.marked(tenure);
        if left.is_empty() {
            break;
        }
        if look >= LOOKS {
            // What they start meanwhile, the next look sees.
            for process in left {
                send(process, Signal::KILL, mark, tenure);
            }
        }
        thread::sleep(PAUSE);
    }
    mobile
}

/// Sends a signal to a process if it still is the one that bears the mark.
fn send(process: i32, signal: Signal, mark: &Mark, tenure: Tenure) {
    let process_fd = Pid::from_raw(process).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
    if let Some(Ok(process_fd)) = process_fd
        && mark.side(process, tenure).is_some()
    {
        // It may have ended by itself.
        let _ = pidfd_send_signal(&process_fd, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_found_whole() {
        assert_eq!(token(b"A=1\0THINPIPE_TOKEN=ab12\0B=2\0"), Some(&b"ab12"[..]));
        assert_eq!(token(b"XTHINPIPE_TOKEN=ab12\0THINPIPE_TOKENS=x\0"), None);
        assert_eq!(token(b""), None);
    }

    #[test]
    fn nothing_bears_a_mark_of_nobody() {
        let mark = Mark { token: "no such token".into(), mobile: None };
        for tenure in [Tenure::Held, Tenure::Over] {
            assert_eq!(end(&mark, tenure), 0);
        }
    }
}
