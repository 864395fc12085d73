//! Whether the places to listen are free.

use std::net::TcpListener;
use std::os::unix::net::UnixStream;

use scenario::Proxy;

use super::Report;

pub(super) fn check(config: &Proxy, report: &mut Report) {
    if let Some(listen) = config.metrics.listen {
        match TcpListener::bind(listen) {
            Ok(_) => report.ok(format!("metrics.listen: {listen} is free")),
            Err(error) => {
                report.error(format!(
                    "metrics.listen: {listen}: {}",
                    crate::Trouble::new(error.to_string())
                ));
            }
        }
    }
    let socket = &config.control.socket;
    if UnixStream::connect(socket).is_ok() {
        report.error(format!("control.socket: somebody answers at {socket}: a proxy runs"));
    } else {
        report.ok(format!("control.socket: {socket} is free"));
    }
}
