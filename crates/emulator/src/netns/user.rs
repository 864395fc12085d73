//! Setting up without root: in a user namespace of one's own.

#![expect(
    clippy::disallowed_methods,
    reason = "what the kernel allows stands below /proc; this module talks to the system"
)]

use std::fs;
use std::io;

use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, capabilities, configure_capability_in_ambient_set,
    set_capabilities,
};

use super::SetupError;
use os::{iproute, namespace, setup_error};

/// Makes fresh user, network and mount namespaces where the caller may not set up network
/// namespaces as it is; does nothing where it may. Must come before any thread is started.
///
/// There it may do everything, and so may the programs that it starts, but it stays the user who it
/// is: many programs refuse to be root.
///
/// # Errors
/// One line: what is missing and how to allow it, or that the process has more than one thread.
pub fn enter_own_namespaces() -> Result<(), SetupError> {
    if may_set_up() {
        return Ok(());
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    namespace::unshare(UnshareFlags::NEWUSER).map_err(|error| refusal(&error))?;
    // Apparmor lets anybody make such a namespace, but nobody be root in it.
    let write = |file: &str, text: &str| {
        fs::write(format!("/proc/self/{file}"), text)
            .map_err(|error| setup_error!("cannot write {file}: {error}; {}", hint()))
    };
    write("setgroups", "deny")?;
    write("uid_map", &format!("{user} {user} 1"))?;
    write("gid_map", &format!("{group} {group} 1"))?;
    hand_capabilities_on().map_err(SetupError::at("hand capabilities on"))?;
    namespace::unshare(UnshareFlags::NEWNET | UnshareFlags::NEWNS)
        .map_err(|error| refusal(&error))?;
    namespace::hide_mounts().map_err(SetupError::at("keep mounts to a namespace"))?;
    iproute::batch(&["link set dev lo up".to_owned()])
}

/// Lets programs that this process starts have all that it may do: whoever is not root loses it
/// otherwise (`capabilities(7)`, ambient).
fn hand_capabilities_on() -> io::Result<()> {
    let CapabilitySets { permitted, .. } = capabilities(None)?;
    let sets = CapabilitySets { effective: permitted, permitted, inheritable: permitted };
    set_capabilities(None, sets)?;
    for capability in permitted.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// True for who may make network namespaces and set up what is in them.
fn may_set_up() -> bool {
    let needed = CapabilitySet::SYS_ADMIN | CapabilitySet::NET_ADMIN | CapabilitySet::NET_RAW;
    capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
}

fn refusal(error: &io::Error) -> SetupError {
    if error.kind() == io::ErrorKind::InvalidInput {
        return SetupError::new("own namespaces must be made before any thread is started");
    }
    setup_error!("no right to make namespaces ({error}); {}", hint())
}

/// What of the known obstacles is in the way, and how to allow it.
fn hint() -> String {
    let is = |path: &str, value: &str| {
        fs::read_to_string(format!("/proc/sys/{path}")).is_ok_and(|text| text.trim() == value)
    };
    let known = [
        ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
        ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ];
    match known.iter().find(|(path, value, _)| is(path, value)) {
        Some((_, _, command)) => format!("run as root, or have root allow it with `{command}`"),
        None => "run as root; in a container, with --privileged or CAP_SYS_ADMIN and CAP_NET_ADMIN"
            .into(),
    }
}

/// Says what is missing to who may not set up.
pub(super) fn check_rights() -> Result<(), SetupError> {
    if may_set_up() {
        return Ok(());
    }
    Err(setup_error!("no right to set up network namespaces; {}", hint()))
}

/// True inside a user namespace that knows one user only, such as one's own.
pub(super) fn is_alone() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mut words = map.split_whitespace();
    words.nth(2) == Some("1") && words.next().is_none()
}

/// What to say when a namespace cannot be made by who should be able to.
pub(super) fn no_namespace(error: &io::Error) -> SetupError {
    setup_error!("cannot make a network namespace: {error}; {}", hint())
}
