//! Whether a machine is fit for a proxy: what `--check` examines besides the configuration.

mod budgets;
mod filters;
mod forwarding;
mod interfaces;
mod others;
mod rights;
mod routes;
mod sockets;

use std::fmt;
use std::path::Path;

use proxy::Config;

use os::iproute::{self, Family};

/// A result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// What it is and, unless all is well, what to do.
    pub line: String,
}

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Not at all.
    Ok,
    /// Some packets may not be served.
    Warning,
    /// The proxy would not start, or would not work.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// As a line of a listing.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.line)
    }
}

/// Looks at everything that `config`, which came from `file`, needs of the machine. Nothing is
/// changed.
pub fn check(file: &Path, config: &Config) -> Vec<Finding> {
    let mut report = Report(Vec::new());
    rights::check(file, config, &mut report);
    interfaces::check(config, &mut report);
    budgets::check(config, &mut report);
    others::check(config, &mut report);
    forwarding::check(config, &mut report);
    let is_running = running(config, &mut report);
    routes::check(config, is_running, &mut report);
    filters::check(&mut report);
    sockets::reach(config, &mut report);
    if !is_running {
        sockets::check(config, &mut report);
    }
    report.0
}

/// Whether there is the device of a worker.
fn running(config: &Config, report: &mut Report) -> bool {
    let devices = (0..config.workers).map(|number| config.of_worker(number).routing.device);
    let is_there = |device: &String| iproute::link(device).is_ok_and(|link| link.is_some());
    let there: Vec<_> = devices.filter(is_there).collect();
    for device in &there {
        report.warning(format!(
            "{device} is there already: a proxy runs, or routing.device needs another name"
        ));
    }
    !there.is_empty()
}

/// What has been found so far.
#[derive(Debug)]
struct Report(Vec<Finding>);

impl Report {
    fn ok(&mut self, line: impl Into<String>) {
        self.0.push(Finding { severity: Severity::Ok, line: line.into() });
    }

    fn warning(&mut self, line: impl Into<String>) {
        self.0.push(Finding { severity: Severity::Warning, line: line.into() });
    }

    fn error(&mut self, line: impl Into<String>) {
        self.0.push(Finding { severity: Severity::Error, line: line.into() });
    }

    /// What `check` finds.
    #[cfg(test)]
    fn lines_of(check: impl FnOnce(&mut Self)) -> Vec<String> {
        let mut report = Self(Vec::new());
        check(&mut report);
        report.0.iter().map(ToString::to_string).collect()
    }
}

/// The versions of IP that mobiles of `config` have.
fn families(config: &Config) -> Vec<Family> {
    let prefixes = config.profile.iter().flat_map(|profile| &profile.mobiles);
    let mut families: Vec<_> = prefixes.map(Family::of).collect();
    families.sort_unstable();
    families.dedup();
    families
}

/// All interfaces of `config`.
fn interfaces(config: &Config) -> impl Iterator<Item = &String> {
    config.radio.interfaces.iter().chain(&config.wired.interfaces)
}
