//! The files that a scenario names.

use std::fmt::Display;
use std::path::Path;

use link::{Trace, TraceFile};
use radio::Radio;
use radio::satellite::{Recording, RecordingFile};

use crate::form::CaptureFile;
use crate::shipped::shipped_trace;
use crate::{Flow, Scenario};
use settings::Fault;
use settings::{Item, Origin, Table};

/// Reads the files that `scenario` names by `open`. A path that stands in the scenario's own file,
/// `name`, starts from that file.
pub(crate) fn read(
    scenario: &mut Scenario,
    tree: &Table,
    name: &str,
    open: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<(), Fault> {
    if let Some(file) = scenario.radio.as_mut().and_then(Radio::trace_mut)
        && let Some(item) = tree.find("radio.trace")
    {
        let path = seen_from(name, item, &file.path);
        let recording = read_file(&path, open, Recording::parse)
            .map_err(|error| item.fault("radio.trace", error))?;
        *file = RecordingFile { path, recording: Some(recording.into()) };
    }
    let Some(link) = &mut scenario.link else { return Ok(()) };
    for (file, key) in
        [(&mut link.trace.down, "link.trace.down"), (&mut link.trace.up, "link.trace.up")]
    {
        let (Some(file), Some(item)) = (file, tree.find(key)) else { continue };
        let (path, trace) = if let Some(shipped) = file.path.strip_prefix(TraceFile::SHIPPED) {
            (file.path.clone(), read_file(shipped, &shipped_trace, Trace::parse))
        } else {
            let path = seen_from(name, item, &file.path);
            let trace = read_file(&path, open, Trace::parse);
            (path, trace)
        };
        let trace = Some(trace.map_err(|error| item.fault(key, error))?);
        *file = TraceFile { path, trace };
    }
    Ok(())
}

/// Reads the captures that `scenario` names, likewise.
pub(crate) fn read_captures(
    scenario: &mut Scenario,
    tree: &Table,
    name: &str,
    open: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<(), Fault> {
    let Flow { arrivals, group, .. } = &mut scenario.flow;
    let first = (arrivals, "flow.arrivals".to_owned());
    let further = group.iter_mut().map(|group| {
        let key = format!("flow.group.{}.arrivals", group.name);
        (&mut group.arrivals, key)
    });
    for (file, key) in std::iter::once(first).chain(further) {
        let (Some(file), Some(item)) = (file, tree.find(&key)) else { continue };
        let path = seen_from(name, item, &file.path);
        let arrivals =
            read_file(&path, open, wire::arrivals).map_err(|error| item.fault(&key, error))?;
        *file = CaptureFile { path, arrivals: Some(arrivals.into()) };
    }
    Ok(())
}

fn read_file<T, E: Display>(
    path: &str,
    open: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    parse: fn(&[u8]) -> Result<T, E>,
) -> Result<T, String> {
    let content = open(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    parse(&content).map_err(|error| format!("{path}: {error}"))
}

/// The `path` that `item` has; what stands in the file `name` starts from there.
fn seen_from(name: &str, item: &Item, path: &str) -> String {
    match &item.origin {
        Origin::Setting(_) => path.to_owned(),
        Origin::File | Origin::Line(_) => beside(name, path),
    }
}

/// `path`, seen from the file `name`.
fn beside(name: &str, path: &str) -> String {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    folder.join(path).to_string_lossy().into_owned()
}
