//! The files that a scenario names.

use std::path::Path;

use link::Trace;

use crate::Scenario;
use crate::error::Fault;
use crate::form::TraceFile;
use crate::tree::{Origin, Table};

/// Reads the files that `scenario` names by `open`. A path that stands in the scenario's own file,
/// `name`, starts from that file.
pub(crate) fn read(
    scenario: &mut Scenario,
    tree: &Table,
    name: &str,
    open: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<(), Fault> {
    let Some(link) = &mut scenario.link else { return Ok(()) };
    for (file, key) in
        [(&mut link.trace.down, "link.trace.down"), (&mut link.trace.up, "link.trace.up")]
    {
        let (Some(file), Some(item)) = (file, tree.find(key)) else { continue };
        let path = match &item.origin {
            Origin::Setting(_) => file.path.clone(),
            Origin::File | Origin::Line(_) => beside(name, &file.path),
        };
        let trace = read_trace(&path, open).map_err(|message| item.fault(key, message))?;
        *file = TraceFile { path, trace: Some(trace) };
    }
    Ok(())
}

fn read_trace(path: &str, open: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<Trace, String> {
    let text = open(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    Trace::parse(&text).map_err(|error| format!("{path}: {error}"))
}

/// `path`, seen from the file `name`.
fn beside(name: &str, path: &str) -> String {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    folder.join(path).to_string_lossy().into_owned()
}
