//! Whether this user may do what a proxy has to.

use std::fs::OpenOptions;

use scenario::Proxy;

use super::super::{no_device, privileges};
use super::Report;

pub(super) fn check(config: &Proxy, report: &mut Report) {
    match privileges::may_serve() {
        Ok(()) => report.ok("rights: CAP_NET_ADMIN and CAP_NET_RAW"),
        Err(trouble) => report.error(trouble.to_string()),
    }
    match privileges::identity(config.user.as_deref()) {
        Ok(Some(identity)) => report.ok(format!("user: becomes {identity}")),
        Ok(None) => report.ok("user: stays who it is"),
        Err(trouble) => report.error(trouble.to_string()),
    }
    match OpenOptions::new().read(true).write(true).open("/dev/net/tun") {
        Ok(_) => report.ok("/dev/net/tun can be used"),
        Err(error) => report.error(no_device(&config.routing.device, &error).to_string()),
    }
}
