//! The file that says what a daemon shall do.

#![expect(
    clippy::disallowed_methods,
    reason = "a configuration is a file; this module talks to the system"
)]

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use proxy::Config;

use os::{SetupError, setup_error};

/// A configuration, and the text that it was read from.
#[derive(Debug)]
pub(super) struct Configuration {
    pub(super) config: Config,
    pub(super) text: String,
}

/// What `file` says.
///
/// # Errors
/// The first thing that is wrong, in one line.
pub fn configuration(file: &Path) -> Result<Config, SetupError> {
    read(file).map(|read| read.config)
}

/// Reads `file`.
pub(super) fn read(file: &Path) -> Result<Configuration, SetupError> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => setup_error!("{name}: not a UTF-8 text file"),
        _ => setup_error!("{name}: cannot be read: {error}"),
    })?;
    let config = Config::parse(&text, &name).map_err(|error| SetupError::new(error.to_string()))?;
    Ok(Configuration { config, text })
}

/// Whether a daemon that runs with `before` can go on with `after`.
///
/// # Errors
/// The first key that counts only when a daemon starts.
pub(super) fn may_follow(before: &Config, after: &Config) -> Result<(), SetupError> {
    let fixed = [
        ("user", before.user == after.user),
        ("workers", before.workers == after.workers),
        ("routing.table", before.routing.table == after.routing.table),
        ("routing.priority", before.routing.priority == after.routing.priority),
        ("routing.device", before.routing.device == after.routing.device),
        ("routing.queue", before.routing.queue == after.routing.queue),
        ("tun.offload", before.tun.offload == after.tun.offload),
        ("limits.flows", before.limits.flows == after.limits.flows),
        ("metrics.listen", before.metrics.listen == after.metrics.listen),
        ("control.socket", before.control.socket == after.control.socket),
    ];
    for (key, before, after) in [
        ("radio.interfaces", &before.radio.interfaces, &after.radio.interfaces),
        ("wired.interfaces", &before.wired.interfaces, &after.wired.interfaces),
    ] {
        if let Some(gone) = before.iter().find(|name| !after.contains(name)) {
            // Of connections over that interface the proxy would see only one direction.
            return Err(setup_error!(
                "{key}: {gone} cannot be taken out while the daemon runs: restart it"
            ));
        }
    }
    match fixed.iter().find(|(_, is_same)| !is_same) {
        None => Ok(()),
        Some((key, _)) => {
            Err(setup_error!("{key}: cannot change while the daemon runs: restart it"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::config;

    #[test]
    fn what_counts_only_at_the_start_cannot_change() {
        let before = config("", "");
        let check = |text: &str, key: Option<&str>| {
            let line =
                may_follow(&before, &config(text, "")).err().map(|trouble| trouble.to_string());
            let expected =
                key.map(|key| format!("{key}: cannot change while the daemon runs: restart it"));
            assert_eq!(line, expected, "{text}");
        };
        check("", None);
        check("drain = \"5 s\"\non_failure = \"block\"\n", None);
        check("log.level = \"error\"\n", None);
        check("user = \"www-data\"\n", Some("user"));
        check("workers = 2\n", Some("workers"));
        check("routing.table = 7\n", Some("routing.table"));
        check("routing.device = \"other0\"\n", Some("routing.device"));
        check("tun.offload = false\n", Some("tun.offload"));
        check("limits.flows = 7\n", Some("limits.flows"));
        check("metrics.listen = \"off\"\n", Some("metrics.listen"));
        check("control.socket = \"/run/other\"\n", Some("control.socket"));
    }

    #[test]
    fn interfaces_may_be_added() {
        let one = config("", "");
        let mut two = one.clone();
        two.radio.interfaces.insert(0, "wl1".to_owned());
        may_follow(&one, &two).expect("nothing is gone");
        let line = may_follow(&two, &one).expect_err("an interface is gone").to_string();
        let expected =
            "radio.interfaces: wl1 cannot be taken out while the daemon runs: restart it";
        assert_eq!(line, expected);
    }
}
