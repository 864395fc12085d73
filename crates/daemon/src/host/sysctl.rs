//! What the kernel is set to, below `/proc/sys/net`.

#![expect(
    clippy::disallowed_methods,
    reason = "what the kernel is set to stands in files; this module talks to the system"
)]

use std::fs;

use os::{SetupError, setup_error};

/// The number at `key`, as in `ipv4/conf/all/rp_filter`; `None` if there is none.
pub(super) fn get(key: &str) -> Option<i64> {
    fs::read_to_string(path(key)).ok()?.trim().parse().ok()
}

/// Sets `key` to `value`, if it has another.
pub(super) fn set(key: &str, value: i64) -> Result<(), SetupError> {
    if get(key) == Some(value) {
        return Ok(());
    }
    let path = path(key);
    fs::write(&path, value.to_string())
        .map_err(|error| setup_error!("cannot set {path} to {value}: {error}"))
}

fn path(key: &str) -> String {
    format!("/proc/sys/net/{key}")
}
