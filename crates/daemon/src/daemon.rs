//! From a configuration to a daemon that serves, and back.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use middlebox::Exposure;
use proxy::Config;
use proxy::Gateway;
use serde_json::json;

use super::configuration::{self, Configuration};
use super::event::Event;
use super::host::{self, Finding, Host, Legs, Severity};
use super::journal::Journal;
use super::journal_file;
use super::log::Log;
use super::observer::Listeners;
use super::resets::Resets;
use super::signals::Signals;
use super::supervisor::{Prepared, Supervisor};
use super::system_calls;
use os::{Port, SetupError, setup_error};

/// Serves as `file` says until it is told to stop by a signal. There must be no other thread yet.
///
/// # Errors
/// One line: what is wrong with the file, or what the system refuses. Whatever was set up is gone
/// then.
pub fn serve(file: &Path) -> Result<(), SetupError> {
    let Configuration { config, .. } = configuration::read(file)?;
    is_alone()?;
    host::may_serve()?;
    let identity = host::identity(config.user.as_deref())?;
    let log = Arc::new(Log::new(&config.log));
    let signals = Signals::new()?;
    let legs = Legs::read(&config)?;
    let findings = host::check(&config);
    let device = host::device(&config, &legs)?;
    let listeners = Listeners::open(&config, identity.as_ref())?;
    let (left, journal) = take_up_journal(&config, &log)?;
    let host = Host::set_up(&config, legs.largest())?;
    host::drop_to_two(identity)?;
    system_calls::confine_supervisor()?;
    drop(Resets::open().map_err(|error| setup_error!("no raw sockets: {error}"))?);
    log.tell(
        Event::Started,
        &json!({
            "version": env!("CARGO_PKG_VERSION"),
            "process": std::process::id(),
            "config": file.display().to_string(),
        }),
    );
    for Finding { severity, line } in findings {
        if severity > Severity::Ok {
            log.tell(Event::Host, &json!({ "gravity": severity.to_string(), "why": line }));
        }
    }
    if config.tun.offload && !device.is_offloading() {
        let why = "the kernel refuses tun.offload: packets are read and written one by one";
        log.tell(Event::Host, &json!({ "gravity": Severity::Warning.to_string(), "why": why }));
    }
    let prepared = Prepared {
        file: file.to_owned(),
        config,
        device,
        host,
        legs,
        listeners,
        journal,
        log: log.clone(),
        signals,
    };
    let file = journal_file::path(&prepared.config.control.socket);
    let mut supervisor = Supervisor::new(prepared, left)?;
    let outcome = supervisor.run();
    let (mut host, listeners) = supervisor.into_host();
    listeners.remove();
    // An empty file stays where the user may not remove it.
    fs::remove_file(file).ok();
    if let Err(trouble) = host.take_away() {
        log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
    }
    log.tell(Event::Stopped, &json!({}));
    log.settle();
    outcome
}

/// The connections that a killed daemon has left, and an empty journal in place of its own.
fn take_up_journal(config: &Config, log: &Log) -> Result<(Vec<Exposure>, Journal), SetupError> {
    let path = journal_file::path(&config.control.socket);
    let left = journal_file::left(&path).unwrap_or_else(|refusal| {
        let fields = json!({ "path": path.display().to_string(), "why": refusal.to_string() });
        log.tell(Event::JournalRefused, &fields);
        Vec::new()
    });
    let places = Gateway::new(config, [u16::MAX; 2], 0).journal_places();
    let journal = journal_file::create(&path, places)
        .map_err(|error| setup_error!("no journal at {}: {error}", path.display()))?;
    Ok((left, journal))
}

/// Locks that other threads hold when a process forks stay locked in the new one.
fn is_alone() -> Result<(), SetupError> {
    let threads = fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads == 1 {
        return Ok(());
    }
    Err(setup_error!("a proxy must be started before any thread: there are {threads}"))
}
