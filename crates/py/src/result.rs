//! What a run gives back.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use pyo3::exceptions::{PyIndexError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use sim::{NodeCapture, Outcome, Summary, Trace};

use crate::tables;

/// Settings by key, as text; of a key that was set twice, the last.
pub(crate) type Settings = BTreeMap<String, String>;

/// A finished run: its numbers, series and, if recorded, its traces.
#[pyclass(frozen, module = "thinpipe._core")]
pub(crate) struct Run {
    outcome: Outcome,
    settings: Settings,
    /// How long it took.
    #[pyo3(get)]
    wall_s: f64,
}

/// [`Printed::schema`] of what is printed now.
const SCHEMA: u32 = 1;

/// All figures of a run. Equal runs have equal ones.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Result")]
struct Printed<'a> {
    /// The layout of these figures: it grows by one where a field goes or changes its meaning.
    schema: u32,
    /// The version of thinpipe.
    version: &'static str,
    /// What was set beside the scenario's text, as text by key.
    settings: &'a Settings,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// JSON schemas by name: of what `Run.json` and `Emulation.finish` return, and of the records that
/// these hold.
#[pyfunction]
pub(crate) fn schemas() -> String {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.subschema_for::<Printed<'_>>();
    generator.subschema_for::<emulator::Record>();
    serde_json::Value::Object(generator.take_definitions(true)).to_string()
}

impl Run {
    pub(crate) const fn new(outcome: Outcome, settings: Settings, wall_s: f64) -> Self {
        Self { outcome, settings, wall_s }
    }

    fn print(&self, summary: &Summary) -> PyResult<String> {
        let (version, settings) = (env!("CARGO_PKG_VERSION"), &self.settings);
        to_json(&Printed { schema: SCHEMA, version, settings, summary })
    }
}

#[pymethods]
impl Run {
    /// The numbers of the run as a JSON object: times in seconds, rates in bit/s, sizes in bytes.
    fn json(&self) -> PyResult<String> {
        self.print(&self.outcome.summary)
    }

    /// The same without flows.
    fn json_without_flows(&self) -> PyResult<String> {
        self.print(&self.outcome.summary.without_flows())
    }

    /// Flows number `first` to below `end` as a JSON array; there are as many as `flow_count`.
    fn flows_json(&self, first: usize, end: usize) -> PyResult<String> {
        let flows = self.outcome.summary.flows.get(first..end);
        let flows = flows.ok_or_else(|| PyIndexError::new_err("no such flows"))?;
        to_json(&flows)
    }

    #[getter]
    fn flow_count(&self) -> usize {
        self.outcome.summary.flows.len()
    }

    /// Tables as dicts of numpy arrays: `rtt`, `cwnd`, `events`, and of a recorded run also
    /// `segments`, `blocks` and `hops`.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = tables::series(py, &self.outcome)?;
        if let Some(trace) = &self.outcome.trace {
            tables::recorded(&tables, trace, &self.outcome.metrics)?;
        }
        Ok(tables)
    }

    /// The names of links, bearers and endpoints by their number.
    fn machines(&self) -> Vec<String> {
        self.outcome.machines.clone()
    }

    /// The first of these, among which are all that may drop packets: the same with and without a
    /// trace.
    fn droppers(&self) -> Vec<String> {
        self.outcome.machines[..self.outcome.droppers].to_vec()
    }

    /// Writes one capture for each node with endpoints or a middlebox, or for every node of a
    /// mobile network, into `directory` and says their paths. Of each packet it keeps the first
    /// `snap` bytes, or all.
    #[pyo3(signature = (directory, snap = None))]
    fn write_pcapng(
        &self,
        py: Python<'_>,
        directory: &str,
        snap: Option<u32>,
    ) -> PyResult<Vec<String>> {
        let Some(trace) = &self.outcome.trace else {
            return Err(PyValueError::new_err("only a recorded run (trace=True) has captures"));
        };
        let write = |capture: &NodeCapture<'_>| {
            py.check_signals()?;
            let name = format!("{}.pcapng", capture.name());
            write(py, directory, &name, |file| capture.write(file, snap))
        };
        sim::captures(trace, &self.outcome.metrics, &self.outcome.vantages)
            .iter()
            .map(write)
            .collect()
    }

    /// Writes `ns2.tr`, a trace file of ns-2, and `ns2.nodes`, the names of its nodes, into
    /// `directory` and says their paths.
    fn write_ns2(&self, py: Python<'_>, directory: &str) -> PyResult<[String; 2]> {
        if !self.has_ns2() {
            return Err(PyValueError::new_err("only a run with trace='ns2' has a trace of ns-2"));
        }
        let outcome = &self.outcome;
        let trace = write(py, directory, "ns2.tr", |file| sim::write_ns2(outcome, file))?;
        let nodes = write(py, directory, "ns2.nodes", |file| sim::write_ns2_nodes(outcome, file))?;
        Ok([trace, nodes])
    }

    /// Whether it was recorded with what `write_ns2` needs.
    fn has_ns2(&self) -> bool {
        self.outcome.trace.as_ref().is_some_and(Trace::has_ns2)
    }
}

fn to_json(of: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(of).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Writes the file `name` in `directory`, and says its path.
fn write(
    py: Python<'_>,
    directory: &str,
    name: &str,
    write: impl FnOnce(BufWriter<File>) -> io::Result<()>,
) -> PyResult<String> {
    let path = Path::new(directory).join(name);
    let name = path.display().to_string();
    #[expect(clippy::disallowed_methods, reason = "this is the crate that writes files")]
    let written = File::create(&path).and_then(|file| write(BufWriter::new(file)));
    written.map_err(|error| os_error(py, &error, &name)).map(|()| name)
}

/// The error as Python's own functions raise it: with errno, its text and the file's name.
pub(crate) fn os_error(py: Python<'_>, error: &io::Error, path: &str) -> PyErr {
    let Some(errno) = error.raw_os_error() else {
        return PyOSError::new_err(format!("{path}: {error}"));
    };
    let text = py
        .import("os")
        .and_then(|os| os.call_method1("strerror", (errno,))?.extract::<String>())
        .unwrap_or_else(|_| error.to_string());
    PyOSError::new_err((errno, text, path.to_owned()))
}
