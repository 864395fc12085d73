//! A scenario's network, without a run.

#![expect(clippy::needless_pass_by_value, reason = "pyo3 hands arguments over by value")]

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sim::Layout;

use crate::batch;

/// Nodes, links and places of a scenario under `settings` as a dict, with the fields of
/// [`sim::Layout`]. `customs` are names of algorithms in Python.
#[pyfunction]
#[pyo3(signature = (source, name, settings = Vec::new(), customs = Vec::new()))]
pub(crate) fn network<'py>(
    py: Python<'py>,
    source: &str,
    name: &str,
    settings: Vec<(String, String)>,
    customs: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let scenario = batch::scenario(source, name, &settings, &customs)?;
    let layout = py.detach(|| serde_json::to_string(&Layout::of(&scenario)));
    let text = layout.map_err(|error| PyValueError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}
