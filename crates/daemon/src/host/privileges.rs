//! What the proxy may do: two capabilities as an ordinary user, and its worker nothing at all.

#![expect(
    clippy::disallowed_methods,
    reason = "users stand in a file; this module talks to the system"
)]

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::{Gid, Uid, getegid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
    clear_ambient_capability_set, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities, set_keep_capabilities, set_no_new_privs,
    set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use os::{SetupError, setup_error};

/// The capabilities needed: for rules, routes and devices, and for packets with foreign source
/// addresses.
const TWO: CapabilitySet = CapabilitySet::NET_ADMIN.union(CapabilitySet::NET_RAW);

/// The kernel has room for 64 capabilities.
const MOST: u32 = 64;

/// The user that root becomes by default.
const NOBODY: &str = "nobody";

/// The number of the user nobody where there is no such name, and of the group `nogroup` (the
/// kernel's `overflowuid` and `overflowgid`).
const NOBODY_ID: u32 = 65_534;

/// A user and its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    user: Uid,
    group: Gid,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "user {} of group {}", self.user.as_raw(), self.group.as_raw())
    }
}

impl Identity {
    /// Runs a function whose files will belong to its group, unless that is `nogroup`.
    pub(crate) fn with_group<T>(self, make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.group.as_raw() == NOBODY_ID {
            return make();
        }
        let own = getegid();
        set_thread_res_gid(None, self.group, None)?;
        let done = make();
        set_thread_res_gid(None, own, None)?;
        done
    }

    /// True if it may read `file` and search the directories above.
    pub(super) fn may_read(self, file: &Path) -> io::Result<bool> {
        let file = fs::canonicalize(file)?;
        let bits = |path: &Path| fs::metadata(path).map(|it| [it.uid(), it.gid(), it.mode()]);
        for directory in file.ancestors().skip(1) {
            if !self.may(SEARCH, bits(directory)?) {
                return Ok(false);
            }
        }
        Ok(self.may(READ, bits(&file)?))
    }

    /// True if it may do all of `wanted` with a file of such an owner, group and mode, without
    /// capabilities and in no other group (`path_resolution(7)`).
    pub(super) const fn may(self, wanted: u32, [owner, group, mode]: [u32; 3]) -> bool {
        let own = if owner == self.user.as_raw() {
            mode >> 6
        } else if group == self.group.as_raw() {
            mode >> 3
        } else {
            mode
        };
        own & wanted == wanted
    }
}

/// Bits of a file's mode for one kind of user.
pub(super) const READ: u32 = 0o4;
pub(super) const WRITE: u32 = 0o2;
const SEARCH: u32 = 0o1;

/// Whether this process may set up and serve.
///
/// # Errors
/// One line: which capability is missing, and how to get it.
pub(crate) fn may_serve() -> Result<(), SetupError> {
    let sets = capabilities(None).map_err(failed("ask for capabilities"))?;
    let is_missing = |(set, _): &(CapabilitySet, &str)| !sets.permitted.contains(*set);
    let both =
        [(CapabilitySet::NET_ADMIN, "CAP_NET_ADMIN"), (CapabilitySet::NET_RAW, "CAP_NET_RAW")];
    let missing: Vec<_> = both.into_iter().filter(is_missing).map(|(_, name)| name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(setup_error!(
        "{} missing: start as root, or with AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW of \
         systemd, or within `unshare -Urn`",
        missing.join(" and ")
    ))
}

/// Whether this process runs as root.
pub(super) fn is_root() -> bool {
    geteuid().is_root()
}

/// Whether this process may make the file of a device.
pub(super) fn may_make_nodes() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::MKNOD))
}

/// The user to become; `None` to stay the same.
///
/// # Errors
/// One line: there is no such user, or only root can become it.
pub(crate) fn identity(user: Option<&str>) -> Result<Option<Identity>, SetupError> {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    chosen(user, geteuid(), &passwd, &map)
}

fn chosen(
    user: Option<&str>,
    own: Uid,
    passwd: &str,
    map: &str,
) -> Result<Option<Identity>, SetupError> {
    if !own.is_root() && user.is_none() {
        return Ok(None);
    }
    let name = user.unwrap_or(NOBODY);
    let found = listed(name, passwd).or_else(|| {
        let (user, group) = (Uid::from_raw(NOBODY_ID), Gid::from_raw(NOBODY_ID));
        (name == NOBODY).then_some(Identity { user, group })
    });
    let Some(identity) = found else {
        return Err(setup_error!(
            "user = \"{name}\": no such user: say `useradd --system --no-create-home {name}`"
        ));
    };
    if identity.user == own {
        return Ok(None);
    }
    if !own.is_root() {
        return Err(setup_error!("user = \"{name}\": only root can become another user"));
    }
    if is_known(identity.user, map) {
        return Ok(Some(identity));
    }
    // Root of a namespace that knows nobody else is an ordinary user outside.
    match user {
        None => Ok(None),
        Some(name) => Err(setup_error!("user = \"{name}\": this user namespace does not know it")),
    }
}

/// The line of a user in `/etc/passwd`: `name:password:user:group:…`.
fn listed(name: &str, passwd: &str) -> Option<Identity> {
    let fields = |line: &str| -> Option<Identity> {
        let mut fields = line.split(':');
        let is_it = fields.next() == Some(name);
        let numbers = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
        is_it
            .then_some(Identity { user: Uid::from_raw(numbers.0), group: Gid::from_raw(numbers.1) })
    };
    passwd.lines().find_map(fields)
}

/// Whether a user namespace has `user`: `inside outside count` a line.
fn is_known(user: Uid, map: &str) -> bool {
    map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().flat_map(str::parse).collect();
        let [first, _, count] = numbers[..] else { return false };
        (first..first.saturating_add(count)).contains(&user.as_raw().into())
    })
}

/// This thread becomes `identity`, with only the capabilities needed to serve; so do programs that
/// it starts. Existing threads keep theirs.
pub(crate) fn drop_to_two(identity: Option<Identity>) -> Result<(), SetupError> {
    bound().map_err(SetupError::at("bound capabilities"))?;
    if let Some(Identity { user, group }) = identity {
        set_keep_capabilities(true).map_err(failed("keep capabilities"))?;
        set_thread_groups(&[]).map_err(failed("leave groups"))?;
        set_thread_res_gid(group, group, group).map_err(failed("change the group"))?;
        set_thread_res_uid(user, user, user).map_err(failed("change the user"))?;
        set_keep_capabilities(false).map_err(failed("keep capabilities"))?;
    }
    let sets = CapabilitySets { effective: TWO, permitted: TWO, inheritable: TWO };
    set_capabilities(None, sets).map_err(failed("drop capabilities"))?;
    clear_ambient_capability_set().map_err(failed("drop ambient capabilities"))?;
    for capability in [CapabilitySet::NET_ADMIN, CapabilitySet::NET_RAW] {
        configure_capability_in_ambient_set(capability, true)
            .map_err(failed("hand capabilities on"))?;
    }
    set_no_new_privs(true).map_err(failed("rule out new privileges"))
}

/// Drops all other capabilities from the bounding set, if that is allowed: otherwise this process
/// does not have them to pass on either.
fn bound() -> io::Result<()> {
    if !capabilities(None)?.effective.contains(CapabilitySet::SETPCAP) {
        return Ok(());
    }
    for number in 0..MOST {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        // Asking for one beyond the last of this kernel is an error.
        let is_there = capability_is_in_bounding_set(capability).unwrap_or(false);
        if is_there && !TWO.contains(capability) {
            remove_capability_from_bounding_set(capability)?;
        }
    }
    Ok(())
}

/// Drops all capabilities of this thread, and every way to regain one.
pub(crate) fn drop_all() -> Result<(), SetupError> {
    set_no_new_privs(true).map_err(failed("rule out new privileges"))?;
    clear_ambient_capability_set().map_err(failed("drop ambient capabilities"))?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).map_err(failed("drop capabilities"))
}

fn failed(what: &str) -> impl FnOnce(rustix::io::Errno) -> SetupError {
    move |error| SetupError::at(what)(error.into())
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;
    use crate::fixtures::skip;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nbroken\nthinpipe:x:990:980::/:/bin/false\n\
                          nobody:x:65534:65533:nobody:/:/usr/sbin/nologin\n";
    const ALL: &str = "         0          0 4294967295\n";
    const ALONE: &str = "         0       1000          1\n";

    #[test]
    fn whom_to_become() {
        let check = |user: Option<&str>, own: u32, map: &str, expect: Option<(u32, u32)>| {
            let chosen = chosen(user, Uid::from_raw(own), PASSWD, map).expect("an identity");
            let chosen = chosen.map(|who| (who.user.as_raw(), who.group.as_raw()));
            assert_eq!(chosen, expect, "{user:?} {own}");
        };
        check(None, 0, ALL, Some((65_534, 65_533)));
        check(Some("thinpipe"), 0, ALL, Some((990, 980)));
        check(Some("root"), 0, ALL, None);
        check(None, 1000, ALL, None);
        check(Some("thinpipe"), 990, ALL, None);
        check(None, 0, ALONE, None);
    }

    #[test]
    fn whom_one_cannot_become() {
        let check = |user: &str, own: u32, map: &str, expect: &str| {
            let refused = chosen(Some(user), Uid::from_raw(own), PASSWD, map).expect_err(user);
            assert!(refused.to_string().contains(expect), "{refused}");
        };
        check("thinpip", 0, ALL, "no such user: say `useradd");
        check("thinpipe", 1000, ALL, "only root can");
        check("thinpipe", 0, ALONE, "this user namespace does not know it");
    }

    #[test]
    fn what_it_may_use() {
        let own = Identity { user: Uid::from_raw(990), group: Gid::from_raw(980) };
        let check = |owner: u32, group: u32, mode: u32, expect: bool| {
            let may = own.may(READ | WRITE, [owner, group, mode]);
            assert_eq!(may, expect, "{owner} {group} {mode:o}");
        };
        check(0, 0, 0o666, true);
        check(0, 0, 0o600, false);
        check(0, 0, 0o664, false);
        check(0, 980, 0o660, true);
        check(0, 980, 0o606, false);
        check(990, 0, 0o600, true);
        check(990, 980, 0o466, false);
    }

    /// Others than the owner of a directory come to what is in it by one bit of its mode.
    #[test]
    fn what_it_may_read() {
        let who =
            |number: u32| Identity { user: Uid::from_raw(number), group: Gid::from_raw(number) };
        let (own, other) = (who(geteuid().as_raw()), who(geteuid().as_raw() + 1));
        let directory = env::temp_dir().join(format!("thinpipe-may-read-{}", std::process::id()));
        let file = directory.join("proxy.toml");
        fs::create_dir(&directory).expect("it is new");
        fs::write(&file, "").expect("it is ours");
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
        };
        for (modes, expect) in
            [([0o755, 0o644], true), ([0o755, 0o600], false), ([0o700, 0o644], false)]
        {
            set(&directory, modes[0]);
            set(&file, modes[1]);
            let may = [own, other].map(|who| who.may_read(&file).expect("it is there"));
            assert_eq!(may, [true, expect], "{modes:?}");
        }
        fs::remove_dir_all(&directory).expect("it is ours");
        own.may_read(&file).expect_err("it is gone");
    }

    #[test]
    fn nobody_needs_no_line() {
        let chosen = chosen(None, Uid::ROOT, "", ALL).expect("an identity").expect("another");
        assert_eq!((chosen.user.as_raw(), chosen.group.as_raw()), (NOBODY_ID, NOBODY_ID));
    }

    /// With this variable set, a process runs this very test as the child.
    const ROLE: &str = "THINPIPE_TEST_PRIVILEGES";

    const TEST: &str = "host::privileges::tests::just_two_are_kept_and_then_none";

    /// What a process and the programs it starts have: users, groups and capabilities.
    fn told(name: &str, status: &str) -> String {
        let is_told = |line: &&str| {
            ["Uid", "Groups", "Cap", "NoNewPrivs"].iter().any(|key| line.starts_with(key))
        };
        let lines = status.lines().filter(is_told).map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            format!("{name} {}\n", words.join(" "))
        });
        lines.collect()
    }

    /// Drops, and returns what is left.
    fn drop_and_tell() {
        let own = || fs::read_to_string("/proc/thread-self/status").expect("a status");
        let of_program = || {
            let output = Command::new("cat").arg("/proc/self/status").output().expect("a program");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        may_serve().expect("capabilities");
        drop_to_two(identity(None).expect("an identity")).expect("two are kept");
        print!("{}{}", told("two", &own()), told("two-program", &of_program()));
        drop_all().expect("none is kept");
        print!("{}{}", told("none", &own()), told("none-program", &of_program()));
    }

    /// The output of a process that is started by `prefix`; `None` if it cannot be started so.
    fn under(prefix: &[&str]) -> Option<String> {
        let own = env::current_exe().expect("a path");
        let (program, rest) = prefix.split_first().unwrap_or((&"env", &[]));
        let arguments = ["--exact", TEST, "--test-threads=1", "--nocapture"];
        let output = Command::new(program)
            .args(rest)
            .arg(own)
            .args(arguments)
            .env(ROLE, "child")
            .output()
            .expect("a program");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() && text.contains("two CapEff") {
            return Some(text);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!text.contains("panicked") && !said.contains("panicked"), "{text}{said}");
        let why = said.lines().next().unwrap_or("no reason");
        skip(&format!("needs `{}`: {why}", prefix.join(" ")));
        None
    }

    #[test]
    fn just_two_are_kept_and_then_none() {
        if env::var_os(ROLE).is_some() {
            return drop_and_tell();
        }
        if may_serve().is_err() {
            return skip("needs root");
        }
        let service = "--reuid=1234 --regid=1234 --clear-groups --inh-caps=+net_admin,+net_raw \
                       --ambient-caps=+net_admin,+net_raw";
        let service: Vec<_> = ["setpriv"].into_iter().chain(service.split_whitespace()).collect();
        for (prefix, user) in
            [(&["env"][..], NOBODY_ID), (&service, 1234), (&["unshare", "-Urn"], 0)]
        {
            let Some(text) = under(prefix) else { continue };
            let has = |line: &str| assert!(text.contains(line), "{line} of {prefix:?}:\n{text}");
            for who in ["two", "two-program", "none", "none-program"] {
                has(&format!("{who} Uid: {user} {user} {user} {user}"));
                has(&format!("{who} NoNewPrivs: 1"));
            }
            // CAP_NET_ADMIN is number 12, CAP_NET_RAW 13.
            let (two, none) = ("0000000000003000", "0000000000000000");
            for (who, left) in
                [("two", two), ("two-program", two), ("none", none), ("none-program", none)]
            {
                for set in ["Inh", "Prm", "Eff", "Amb"] {
                    has(&format!("{who} Cap{set}: {left}"));
                }
            }
            if user != 1234 {
                has(&format!("two-program CapBnd: {two}"));
            }
        }
    }
}
