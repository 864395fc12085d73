//! Whether this user may do what a proxy has to.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use proxy::Config;

use super::super::privileges::{READ, WRITE};
use super::super::{Identity, no_device, privileges};
use super::Report;

pub(super) fn check(file: &Path, config: &Config, report: &mut Report) {
    match privileges::may_serve() {
        Ok(()) => report.ok("rights: CAP_NET_ADMIN and CAP_NET_RAW"),
        Err(trouble) => report.error(trouble.to_string()),
    }
    let identity = privileges::identity(config.user.as_deref());
    match &identity {
        Ok(Some(identity)) => report.ok(format!("user: becomes {identity}")),
        Ok(None) => stays(config.user.as_deref(), privileges::is_root(), report),
        Err(trouble) => report.error(trouble.to_string()),
    }
    if let Ok(Some(identity)) = identity {
        reload(file, identity, report);
    }
    let device = &config.routing.device;
    let opened = OpenOptions::new().read(true).write(true).open("/dev/net/tun");
    match opened.and_then(|file| file.metadata()) {
        Ok(metadata) => {
            report.ok("/dev/net/tun can be used");
            if let Ok(Some(identity)) = identity {
                let of = [metadata.uid(), metadata.gid(), metadata.mode() & 0o777];
                again(device, identity, of, report);
            }
        }
        // A start makes that file, where a container lets it.
        Err(error) if error.kind() == io::ErrorKind::NotFound && privileges::may_make_nodes() => {
            report.warning(no_device(device, &error).to_string());
        }
        Err(error) => report.error(no_device(device, &error).to_string()),
    }
}

/// It stays the user that starts it.
fn stays(user: Option<&str>, is_root: bool, report: &mut Report) {
    match user {
        Some(user) if is_root => report.warning(format!(
            "user = \"{user}\": stays root, whose files it could read if it were broken into: \
             leave user out, or name one of its own"
        )),
        Some(_) | None => report.ok("user: stays who it is"),
    }
}

/// Root reads the file at the start; at a reload the user that the proxy has become does.
fn reload(file: &Path, identity: Identity, report: &mut Report) {
    if !identity.may_read(file).unwrap_or(false) {
        let file = file.display();
        report.warning(format!(
            "{file}: {identity} cannot read it, so that no reload would work: let that user read \
             the file and search the directories above"
        ));
    }
}

/// Root makes the device. If it is deleted later, the user that the proxy has become must be able
/// to make it; a service that is not started as root must be able to from the beginning.
fn again(device: &str, identity: Identity, of: [u32; 3], report: &mut Report) {
    if !identity.may(READ | WRITE, of) {
        report.warning(format!(
            "/dev/net/tun is of mode {:o}: {identity} cannot make {device} again if somebody \
             deletes it, and a service with DynamicUser does not start: say `chmod 666 \
             /dev/net/tun`",
            of[2]
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stays_root_by_name_is_told() {
        let told = |user, is_root| Report::lines_of(|report| stays(user, is_root, report));
        let stays = ["ok: user: stays who it is"];
        assert!(told(Some("root"), true)[0].starts_with("warning: user = \"root\": stays root"));
        // Root of a namespace that knows nobody else is an ordinary user outside.
        assert_eq!(told(None, true), stays);
        assert_eq!(told(Some("thinpipe"), false), stays);
    }
}
