//! Whether the listening addresses are free, and who can reach them.

use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;

use proxy::Config;

use super::Report;

/// The metrics can be read by all who can reach them.
pub(super) fn reach(config: &Config, report: &mut Report) {
    if let Some(listen) = config.metrics.listen.filter(is_everywhere) {
        report.warning(format!(
            "metrics.listen: {listen} is every address of this machine, so that mobiles and the \
             rest of the world may read the metrics: name one of a management network, or 127.0.0.1"
        ));
    }
}

const fn is_everywhere(listen: &SocketAddr) -> bool {
    listen.ip().is_unspecified()
}

pub(super) fn check(config: &Config, report: &mut Report) {
    if let Some(listen) = config.metrics.listen {
        match TcpListener::bind(listen) {
            Ok(_) => report.ok(format!("metrics.listen: {listen} is free")),
            Err(error) => {
                report.error(format!(
                    "metrics.listen: {listen}: {}",
                    os::SetupError::new(error.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::config;

    #[test]
    fn metrics_for_everybody_are_told() {
        let warnings = |listen: &str| {
            let config = config(&format!("metrics.listen = '{listen}'"), "");
            Report::lines_of(|report| reach(&config, report)).len()
        };
        assert_eq!(["0.0.0.0:9464", "[::]:9464"].map(warnings), [1, 1]);
        assert_eq!(["127.0.0.1:9464", "192.0.2.1:9464", "off"].map(warnings), [0, 0, 0]);
    }
}
