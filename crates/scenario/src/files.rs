//! The files that a scenario names.

use std::fmt::Display;
use std::path::Path;

use base::Direction;
use link::Trace;
use radio::channel::{Drive, Driven};
use radio::satellite::Recording;
use settings::{Fault, File, Item, Origin, Table, join};

use crate::form::Capture;
use crate::shipped::shipped_trace;
use crate::{Flow, Scenario, endpoints};

/// Reads the files that `scenario` names by `open`. A path that stands in the scenario's own file,
/// `name`, starts from that file.
pub(crate) fn read(
    scenario: &mut Scenario,
    tree: &Table,
    name: &str,
    open: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<(), Fault> {
    let reader = Reader { tree, name, open };
    if let Some(radio) = &mut scenario.radio {
        if let Some(file) = radio.trace_mut() {
            reader.read(file, "radio.trace", Recording::parse)?;
        }
        let needed = Direction::BOTH.map(|way| radio.keys().needed(way));
        for Driven { key, direction, file } in radio.keys_mut().drives_mut() {
            let mcs = &needed[direction as usize];
            reader.read(file, &join("radio", &key), |drive| Drive::parse(drive, mcs))?;
        }
    }
    let Some(link) = &mut scenario.link else { return Ok(()) };
    for (file, key) in
        [(&mut link.trace.down, "link.trace.down"), (&mut link.trace.up, "link.trace.up")]
    {
        if let Some(file) = file {
            reader.read(file, key, Trace::parse)?;
        }
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
    let reader = Reader { tree, name, open };
    let Flow { arrivals, group, .. } = &mut scenario.flow;
    let first = (arrivals, "flow.arrivals".to_owned());
    let further = group.iter_mut().map(|group| {
        let key = format!("{}.arrivals", endpoints::group(&group.name));
        (&mut group.arrivals, key)
    });
    for (file, key) in std::iter::once(first).chain(further) {
        if let Some(file) = file {
            reader.read(file, &key, |capture| wire::arrivals(capture).map(Capture))?;
        }
    }
    Ok(())
}

/// Reads files that keys of `tree` name, which is that of the scenario `name`.
struct Reader<'a> {
    tree: &'a Table,
    name: &'a str,
    open: &'a dyn Fn(&str) -> Result<Vec<u8>, String>,
}

impl Reader<'_> {
    /// Reads `file`, which stands under `key`.
    fn read<C, E: Display>(
        &self,
        file: &mut File<C>,
        key: &str,
        parse: impl Fn(&[u8]) -> Result<C, E>,
    ) -> Result<(), Fault> {
        let Some(item) = self.tree.find(key) else { return Ok(()) };
        let shipped = file.path.strip_prefix(File::<C>::SHIPPED);
        let path = match shipped {
            Some(_) => file.path.clone(),
            None => seen_from(self.name, item, &file.path),
        };
        let (name, bytes) = match shipped {
            Some(name) => (name, shipped_trace(name)),
            None => (&*path, (self.open)(&path)),
        };
        let content = bytes
            .map_err(|error| format!("cannot read {name}: {error}"))
            .and_then(|bytes| parse(&bytes).map_err(|error| format!("{name}: {error}")));
        *file = File::new(path, content.map_err(|error| item.fault(key, error))?);
        Ok(())
    }
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
