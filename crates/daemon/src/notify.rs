//! Notifications to a service manager (`sd_notify(3)`).

#![expect(
    clippy::disallowed_methods,
    reason = "where to tell it stands in the environment; this module talks to the system"
)]

use std::env;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use base::{Duration, Time};

/// The manager, if there is one.
#[derive(Debug, Default)]
pub(super) struct Manager {
    socket: Option<UnixDatagram>,
    /// The longest time between signs of life (`WATCHDOG_USEC`).
    watchdog: Option<Duration>,
    last: Option<Time>,
}

impl Manager {
    /// The one that the environment names.
    pub(super) fn of_environment() -> Self {
        let socket = env::var("NOTIFY_SOCKET").ok().and_then(|name| connect(&name).ok());
        let micros = env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
        let is_ours = env::var("WATCHDOG_PID")
            .map_or(true, |process| process == std::process::id().to_string());
        let watchdog = micros.filter(|_| is_ours && socket.is_some()).map(Duration::from_micros);
        Self { socket, watchdog, last: None }
    }

    /// Sends it `state`, such as `READY=1`, without waiting for a manager that does not read.
    pub(super) fn tell(&self, state: &str) {
        if let Some(socket) = &self.socket {
            socket.send(state.as_bytes()).ok();
        }
    }

    /// Asks it for so much time from now on, if it would give less.
    pub(super) fn ask_for(&self, time: Duration) {
        self.tell(&format!("EXTEND_TIMEOUT_USEC={}", time.as_nanos() / 1_000));
    }

    /// When to call [`Manager::show_life`] next; `None` if nobody wants it.
    pub(super) fn due(&self) -> Option<Time> {
        let watchdog = self.watchdog?;
        Some(self.last.map_or(Time::ZERO, |last| last + watchdog / 2))
    }

    /// Shows that the service works at `now`.
    pub(super) fn show_life(&mut self, now: Time) {
        self.last = Some(now);
        self.tell("WATCHDOG=1");
    }
}

/// A name that begins with `@` is of the abstract namespace (unix(7)).
fn connect(name: &str) -> io::Result<UnixDatagram> {
    let address = match name.strip_prefix('@') {
        Some(abstract_name) => SocketAddr::from_abstract_name(abstract_name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    socket.connect_addr(&address)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_is_told() {
        let name = format!("thinpipe-notify-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let heard = UnixDatagram::bind_addr(&address).expect("it is free");
        let socket = connect(&format!("@{name}")).expect("somebody is there");
        let watchdog = Some(Duration::from_secs(10));
        let mut manager = Manager { socket: Some(socket), watchdog, last: None };
        manager.tell("READY=1");
        assert_eq!(manager.due(), Some(Time::ZERO));
        let now = Time::ZERO + Duration::from_secs(1);
        manager.show_life(now);
        manager.ask_for(Duration::from_millis(1500));
        assert_eq!(manager.due(), Some(now + Duration::from_secs(5)));
        let mut told = [0; 64];
        for expected in ["READY=1", "WATCHDOG=1", "EXTEND_TIMEOUT_USEC=1500000"] {
            let bytes = heard.recv(&mut told).expect("a message");
            assert_eq!(&told[..bytes], expected.as_bytes());
        }
        assert_eq!(Manager::default().due(), None);
        Manager::default().tell("nobody hears this");
    }
}
