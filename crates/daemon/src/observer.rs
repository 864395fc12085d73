//! The thread that serves metrics and status.

use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use base::{Duration, Time};
use rustix::event::PollFd;

use super::call::Caller;
use super::control::{Control, Question};
use super::log::Log;
use super::metrics::Metrics;
use super::observation::{Health, MOBILES, Observation};
use super::peers::Peers;
use super::poll_server::PollServer;
use os::Clock;
use os::readable;

/// The packet thread answers within microseconds, unless it hangs.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long an observation is reused, however many ask.
const FRESH: Duration = Duration::from_millis(100);

/// How often the log reports the lines that it dropped.
const SETTLING: Duration = Duration::from_secs(10);

/// The sockets at which a worker answers, opened before it gave up its privileges.
#[derive(Debug)]
pub(crate) struct Listeners {
    /// For metrics; `None` if they are off.
    pub(crate) metrics: Option<TcpListener>,
    /// The control socket.
    pub(crate) control: UnixListener,
}

/// Runs both servers until the process ends.
///
/// # Errors
/// The kernel's. Metrics and status end then; packets do not depend on them.
pub(crate) fn observe(
    listeners: Listeners,
    caller: &Caller,
    peers: &Peers,
    health: impl Fn() -> Health,
    log: &Log,
) -> io::Result<()> {
    let clock = Clock::start();
    let look = |mobiles| {
        let mut look = caller.look(mobiles, PATIENCE)?;
        peers.looks(mobiles).into_iter().for_each(|other| look.add(other));
        Some(Observation::new(health(), look))
    };
    let mut latest: Option<(Time, Observation)> = None;
    let scrape = Metrics {
        look: || {
            let now = clock.now();
            if latest.as_ref().is_none_or(|(then, _)| now.saturating_since(*then) > FRESH) {
                latest = look(0).map(|seen| (now, seen));
            }
            latest.as_ref().map(|(_, seen)| seen.clone())
        },
    };
    let control = Control {
        look: |question| {
            look(match question {
                Question::Status => 0,
                Question::Mobiles => MOBILES,
            })
        },
    };
    let mut scrapes =
        listeners.metrics.map(|listener| PollServer::new(listener, scrape)).transpose()?;
    let mut questions = PollServer::new(listeners.control, control)?;
    let mut settle = clock.now() + SETTLING;
    loop {
        let now = clock.now();
        if let Some(server) = &mut scrapes {
            server.serve(now);
        }
        questions.serve(now);
        if now >= settle {
            log.settle();
            settle = now + SETTLING;
        }
        let servers = scrapes.iter().flat_map(PollServer::awaited);
        let mut awaited: Vec<_> = servers
            .chain(questions.awaited())
            .map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags))
            .collect();
        let deadlines = [scrapes.as_ref().and_then(PollServer::deadline), questions.deadline()];
        let deadline = deadlines.into_iter().flatten().fold(settle, Ord::min);
        readable(&mut awaited, deadline.saturating_since(clock.now()))?;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::super::call::{Calls, calls};
    use super::super::peers::Mailbox;
    use super::super::shared_status::SharedStatus;
    use super::super::status::status;
    use super::super::summary::Summary;
    use super::*;
    use os::Waker;

    /// An observer of a packet thread that answers as the example does, or never.
    struct Daemon {
        config: proxy::Config,
        metrics: std::net::SocketAddr,
        calls: Option<Calls>,
        is_over: Arc<AtomicBool>,
    }

    impl Daemon {
        fn start(name: &str) -> Self {
            let metrics = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = metrics.local_addr().expect("its address");
            let socket = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
            std::fs::remove_file(&socket).ok();
            let control = UnixListener::bind(&socket).expect("a socket");
            let (caller, calls) = calls(Arc::new(Waker::new().expect("a waker")));
            thread::spawn(move || {
                let log = Log::new(&proxy::Log::default());
                let health = || Observation::example(0).health;
                let mailbox = Mailbox::new().expect("sockets");
                let status = SharedStatus::new(Time::ZERO, 1).expect("memory");
                let peers = Peers::new(0, Arc::from([mailbox]), Arc::new(status));
                let listeners = Listeners { metrics: Some(metrics), control };
                observe(listeners, &caller, &peers, health, &log)
            });
            let mut config = proxy::Config::default();
            config.control.socket = socket.to_str().expect("a plain name").to_owned();
            Self { config, metrics: address, calls: Some(calls), is_over: Arc::default() }
        }

        /// The packet thread answers from now on.
        fn answering(mut self) -> Self {
            let calls = self.calls.take().expect("once");
            let is_over = Arc::clone(&self.is_over);
            thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let look = |most: usize| Ok(Observation::example(most.min(5) as u64).look);
                    calls.answer(look).expect("an answer");
                    thread::yield_now();
                }
            });
            self
        }

        fn scrape(&self) -> String {
            let mut stream = TcpStream::connect(self.metrics).expect("a connection");
            stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").expect("a question");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer");
            answer
        }
    }

    impl Drop for Daemon {
        fn drop(&mut self) {
            self.is_over.store(true, Ordering::Relaxed);
            std::fs::remove_file(&self.config.control.socket).ok();
        }
    }

    #[test]
    fn metrics_and_status_are_served_side_by_side() {
        let daemon = Daemon::start("thinpipe-observer").answering();
        assert!(daemon.scrape().contains("thinpipe_worker_restarts_total 3\n"));
        let answer = status(&daemon.config, Question::Mobiles).expect("an answer");
        let summary = Summary::of(&answer).expect("a summary");
        assert_eq!(summary.tables[1].rows.len(), 5);
        let answer = status(&daemon.config, Question::Status).expect("an answer");
        assert_eq!(Summary::of(&answer).expect("a summary").tables.len(), 1);
    }

    #[test]
    fn the_hostile_keep_nobody_out() {
        let daemon = Daemon::start("thinpipe-hostile").answering();
        let mut hostile = Vec::new();
        for number in 0..300 {
            let mut stream = TcpStream::connect(daemon.metrics).expect("a connection");
            let said: &[u8] = match number % 4 {
                0 => b"",
                1 => b"GET /met",
                2 => b"\x16\x03\x01\0\0",
                _ => b"GET /metrics HTTP/1.1\r\n\r\n",
            };
            stream.write_all(said).expect("something");
            hostile.push(stream);
            let socket = UnixStream::connect(&daemon.config.control.socket).expect("a connection");
            hostile.extend(TcpStream::connect(daemon.metrics));
            drop(socket);
            if number % 50 == 0 {
                assert!(daemon.scrape().starts_with("HTTP/1.1 200 OK"));
                status(&daemon.config, Question::Status).expect("an answer");
            }
        }
    }

    #[test]
    fn a_packet_thread_that_hangs_is_told_of() {
        let daemon = Daemon::start("thinpipe-hung");
        assert!(daemon.scrape().starts_with("HTTP/1.1 503 "));
        let error = status(&daemon.config, Question::Status).expect_err("none can be").to_string();
        let socket = &daemon.config.control.socket;
        assert_eq!(error, format!("{socket}: packets are not handled in time"));
    }

    #[test]
    fn no_daemon_is_told_of() {
        let mut config = proxy::Config::default();
        config.control.socket = "/nowhere/control".to_owned();
        let error = status(&config, Question::Status).expect_err("none runs").to_string();
        assert_eq!(error, "/nowhere/control: no proxy runs with this configuration");
    }
}
