//! The proxy daemon for Python: a process that serves until it is told to stop, and questions to
//! one that does.

#![expect(clippy::needless_pass_by_value, reason = "pyo3 hands arguments over by value")]

use std::path::PathBuf;

use daemon::{Question, Summary};
use os::SetupError;
use pyo3::prelude::*;

use crate::ProxyError;

/// Serves as the file `config` says until a signal asks for the end. There may be no other thread.
#[pyfunction]
pub(crate) fn proxy_serve(py: Python<'_>, config: PathBuf) -> PyResult<()> {
    py.detach(|| daemon::serve(&config)).map_err(setup_error)
}

/// What stands in the way of a proxy on this machine: how much it matters, `"ok"`, `"warning"` or
/// `"error"`, and a line.
#[pyfunction]
pub(crate) fn proxy_check(py: Python<'_>, config: PathBuf) -> PyResult<Vec<(String, String)>> {
    let findings = py.detach(|| Ok(daemon::check(&config, &daemon::configuration(&config)?)));
    let findings = findings.map_err(setup_error)?;
    Ok(findings.into_iter().map(|each| (each.severity.to_string(), each.line)).collect())
}

/// What the daemon that serves by the file `config` tells of itself, as JSON.
#[pyfunction]
#[pyo3(signature = (config, *, mobiles = false))]
pub(crate) fn proxy_status(py: Python<'_>, config: PathBuf, mobiles: bool) -> PyResult<String> {
    let question = if mobiles { Question::Mobiles } else { Question::Status };
    py.detach(|| daemon::status(&daemon::configuration(&config)?, question)).map_err(setup_error)
}

/// A header and rows of as many cells.
type Table = (Vec<String>, Vec<Vec<String>>);

/// What such an answer comes to, for people: lines and tables.
#[pyfunction]
pub(crate) fn proxy_summary(answer: &str) -> PyResult<(Vec<String>, Vec<Table>)> {
    let summary = Summary::of(answer).map_err(setup_error)?;
    let tables = summary.tables.into_iter().map(|table| (table.header, table.rows)).collect();
    Ok((summary.lines, tables))
}

fn setup_error(error: SetupError) -> PyErr {
    ProxyError::new_err(error.to_string())
}
