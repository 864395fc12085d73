//! From a configuration to a daemon that serves, and back.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use middlebox::Exposure;
use proxy::{Config, Gateway, MOST_WORKERS};
use serde_json::json;

use super::configuration::{self, Configuration};
use super::event::Event;
use super::host::{self, Finding, Host, Legs, Severity};
use super::journal::Journal;
use super::journal_file;
use super::log::Log;
use super::observer::Listeners;
use super::resets::Resets;
use super::runtime_files::{self, Remover, RuntimeFiles};
use super::signals::Signals;
use super::supervisor::{Lane, Prepared, Supervisor};
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
    let findings = host::check(file, &config);
    let workers = 0..config.workers;
    let devices = workers.clone().map(|number| host::device(&config, number, &legs));
    let devices = devices.collect::<Result<Vec<_>, _>>()?;
    let listeners = Listeners::open(&config, identity.as_ref())?;
    let (left, journals) = take_up_journals(&config, &log)?;
    let no_files = SetupError::at(format!("use the directory of {}", config.control.socket));
    let files = RuntimeFiles::of(&config).map_err(no_files)?;
    let is_offloading = devices.iter().all(Port::is_offloading);
    let lanes = workers.zip(devices).zip(journals).map(|((number, device), journal)| {
        let host = Host::set_up(&config, number, legs.largest())?;
        Ok(Lane::new(number, device, host, journal))
    });
    let lanes = lanes.collect::<Result<Vec<_>, SetupError>>()?;
    let remover = identity.map(|_| Remover::start(&files)).transpose();
    let remover = remover.map_err(SetupError::at("start a process"))?;
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
    if config.tun.offload && !is_offloading {
        let why = "the kernel refuses tun.offload: packets are read and written one by one";
        log.tell(Event::Host, &json!({ "gravity": Severity::Warning.to_string(), "why": why }));
    }
    let prepared = Prepared {
        file: file.to_owned(),
        config,
        lanes,
        legs,
        listeners,
        log: log.clone(),
        signals,
    };
    let mut supervisor = Supervisor::new(prepared, left)?;
    let outcome = supervisor.run();
    files.remove();
    if let Some(remover) = remover {
        remover.finish();
    }
    for mut host in supervisor.into_hosts() {
        if let Err(trouble) = host.take_away() {
            log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
        }
    }
    log.tell(Event::Stopped, &json!({}));
    log.settle();
    outcome
}

/// The connections that a killed daemon has left, and empty journals in place of its own. If it had
/// more workers, their rules and journals are removed.
fn take_up_journals(
    config: &Config,
    log: &Log,
) -> Result<(Vec<Exposure>, Vec<Journal>), SetupError> {
    let mut left = Vec::new();
    for number in 0..MOST_WORKERS {
        let path = journal_file::path(&config.control.socket, number);
        match journal_file::left(&path) {
            Ok(exposures) => left.extend(exposures),
            Err(refusal) => {
                let path = path.display().to_string();
                let fields = json!({ "path": path, "why": refusal.to_string() });
                log.tell(Event::JournalRefused, &fields);
            }
        }
        if number >= config.workers && path.exists() {
            host::clear_left(config, number).unwrap_or_else(|trouble| {
                log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
            });
            fs::remove_file(path).ok();
        }
    }
    let places = Gateway::new(&config.of_worker(0), [u16::MAX; 2], 0).journal_places();
    let create = |path: PathBuf| {
        journal_file::create(&path, places)
            .map_err(|error| setup_error!("no journal at {}: {error}", path.display()))
    };
    let journals =
        runtime_files::journals(config).into_iter().map(create).collect::<Result<_, _>>()?;
    Ok((left, journals))
}

/// Locks that other threads hold when a process forks stay locked in the new one.
fn is_alone() -> Result<(), SetupError> {
    let threads = fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads == 1 {
        return Ok(());
    }
    Err(setup_error!("a proxy must be started before any thread: there are {threads}"))
}
