//! The process that handles packets.

use std::any::Any;
use std::io;
use std::panic;
use std::sync::Arc;
use std::thread;

use proxy::Config;
use proxy::Gateway;
use rustix::process::Pid;
use serde_json::json;

use super::call::calls;
use super::child::{ExitStatus, dies_with, exit};
use super::event::Event;
use super::host::privileges;
use super::log::Log;
use super::machine::{Relay, Shared};
use super::message::MessageSocket;
use super::observer::{Listeners, observe};
use super::peers::{Mailbox, Peers};
use super::system_calls;
use os::run;
use os::{Clock, Scheduling, SetupError, Waker};

/// What a worker is started with.
pub(super) struct Worker<'a> {
    pub(super) supervisor: Pid,
    pub(super) config: &'a Config,
    pub(super) mtu: [u16; 2],
    pub(super) clock: Clock,
    pub(super) line: MessageSocket,
    pub(super) listeners: Listeners,
    pub(super) mailboxes: Arc<[Mailbox]>,
    pub(super) log: Arc<Log>,
    pub(super) shared: Shared<'a>,
}

impl Worker<'_> {
    /// Handles packets until it is told to exit.
    pub(super) fn work(self) -> ExitStatus {
        let log = Arc::clone(&self.log);
        if self.config.workers > 1 {
            log.name_worker(self.shared.number);
        }
        end_at_panic(Arc::clone(&log));
        match self.serve() {
            Ok(()) => ExitStatus::DONE,
            Err(trouble) => {
                log.tell(Event::WorkerFailed, &json!({ "why": trouble.to_string() }));
                ExitStatus::FAILED
            }
        }
    }

    fn serve(self) -> Result<(), SetupError> {
        privileges::drop_all()?;
        dies_with(self.supervisor)?;
        let Self { config, mtu, clock, line, listeners, mailboxes, log, shared, .. } = self;
        let workers = config.workers;
        let gateway = Gateway::new(&config.of_worker(shared.number), mtu, seed()?);
        let waker = Arc::new(Waker::new()?);
        let (caller, calls) = calls(Arc::clone(&waker));
        let device = shared.device;
        let status = Arc::clone(&shared.status);
        let peers = Peers::new(shared.number, mailboxes, Arc::clone(&status));
        let health = move || status.health(clock.now());
        if peers.are_any() {
            let (peers, caller) = (peers.clone(), caller.clone());
            watch("peers", workers, &log, move |_| peers.answer(&caller))?;
        }
        watch("observer", workers, &log, move |log| {
            observe(listeners, &caller, &peers, health, log)
        })?;
        let mut relay = Relay::new(gateway, config, shared, calls, log)?;
        system_calls::confine_worker(workers)?;
        Ok(run(&clock, &[device, &line], &waker, Scheduling::Normal, &mut relay)?)
    }
}

/// Starts a thread for those who ask, confined like one of so many workers. Packets do not depend
/// on it.
fn watch(
    name: &str,
    workers: u32,
    log: &Arc<Log>,
    work: impl FnOnce(&Log) -> io::Result<()> + Send + 'static,
) -> io::Result<()> {
    let log = Arc::clone(log);
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        let outcome = system_calls::confine_worker(workers).and_then(|()| Ok(work(&log)?));
        if let Err(trouble) = outcome {
            log.tell(Event::Unobservable, &json!({ "why": trouble.to_string() }));
        }
    })?;
    Ok(())
}

/// Whatever thread panics, the supervisor takes over at once.
fn end_at_panic(log: Arc<Log>) {
    panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string);
        let message = message(panic.payload()).lines().next();
        log.tell(Event::WorkerFailed, &json!({ "why": message, "place": place }));
        exit(ExitStatus::PANICKED);
    }));
}

/// The message of a panic: a static or a formatted text.
fn message(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref().map(String::as_str)).unwrap_or_default()
}

/// The seed, different each time.
fn seed() -> io::Result<u64> {
    let mut seed = [0; 8];
    rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty())?;
    Ok(u64::from_ne_bytes(seed))
}
