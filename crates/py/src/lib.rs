//! `thinpipe._core`: conversions between Python and the Rust crates, and the wall clock.

mod batch;
mod controller;
mod emulation;
mod facts;
mod keys;
mod network;
mod proxy;
mod result;
mod tables;
mod wall;

use std::collections::BTreeMap;

use base::names;
use observe::{CodeEvent, DropReason, HandoverEvent, RrcEvent, RrcState};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    thinpipe,
    ScenarioError,
    PyValueError,
    "A scenario or setting that cannot be: one line that says what, where and what would be valid."
);

pyo3::create_exception!(
    thinpipe,
    EmulationError,
    PyRuntimeError,
    "An emulator that cannot be set up or has failed: one line that says what and how to allow it."
);

pyo3::create_exception!(
    thinpipe,
    ProxyError,
    PyRuntimeError,
    "A proxy that cannot be set up, has failed or does not answer: one line that says what."
);

/// The scenarios that ship: name to TOML text.
#[pyfunction]
fn shipped() -> BTreeMap<&'static str, &'static str> {
    scenario::shipped().iter().map(|shipped| (shipped.name, shipped.text)).collect()
}

/// The profiles: name to TOML text.
#[pyfunction]
fn profiles() -> Vec<(&'static str, &'static str)> {
    scenario::profiles()
}

/// The compiled part of thinpipe.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add("EmulationError", module.py().get_type::<EmulationError>())?;
    module.add("ProxyError", module.py().get_type::<ProxyError>())?;
    module.add("EVENTS", names::<sim::Event>())?;
    module.add("RRC_STATES", names::<RrcState>())?;
    module.add("RRC_EVENTS", names::<RrcEvent>())?;
    module.add("CODE_EVENTS", names::<CodeEvent>())?;
    module.add("HANDOVER_EVENTS", names::<HandoverEvent>())?;
    module.add("MIDDLEBOX_EVENTS", names::<sim::MiddleboxEvent>())?;
    module.add("MIDDLEBOX_RELEASES", names::<observe::Release>())?;
    module.add("DROP_REASONS", names::<DropReason>())?;
    module.add("MOBILITY_EVENTS", observe::MobilityFact::NAMES.to_vec())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<emulation::Emulation>()?;
    module.add_class::<result::Run>()?;
    module.add_class::<facts::Ack>()?;
    module.add_class::<facts::Limits>()?;
    module.add_class::<facts::Loss>()?;
    module.add_class::<facts::LostSegment>()?;
    module.add_class::<facts::RateSample>()?;
    module.add_function(wrap_pyfunction!(emulation::enter_own_namespaces, module)?)?;
    module.add_function(wrap_pyfunction!(proxy::proxy_check, module)?)?;
    module.add_function(wrap_pyfunction!(proxy::proxy_serve, module)?)?;
    module.add_function(wrap_pyfunction!(proxy::proxy_status, module)?)?;
    module.add_function(wrap_pyfunction!(proxy::proxy_summary, module)?)?;
    module.add_function(wrap_pyfunction!(result::schemas, module)?)?;
    module.add_function(wrap_pyfunction!(shipped, module)?)?;
    module.add_function(wrap_pyfunction!(profiles, module)?)?;
    module.add_function(wrap_pyfunction!(keys::keys, module)?)?;
    module.add_function(wrap_pyfunction!(keys::number, module)?)?;
    module.add_function(wrap_pyfunction!(keys::queue_packets, module)?)?;
    module.add_function(wrap_pyfunction!(batch::rate_call, module)?)?;
    module.add_function(wrap_pyfunction!(batch::values, module)?)?;
    module.add_function(wrap_pyfunction!(batch::made, module)?)?;
    module.add_function(wrap_pyfunction!(network::network, module)?)?;
    module.add_function(wrap_pyfunction!(batch::run, module)?)?;
    module.add_function(wrap_pyfunction!(batch::run_each, module)?)?;
    Ok(())
}
