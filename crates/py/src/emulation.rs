//! The emulator for Python: started, asked, finished, with the GIL released.

#![expect(clippy::needless_pass_by_value, reason = "pyo3 hands arguments over by value")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::Duration;
use emulator::{EmulationConfig, Reader, Recording, Side};
use os::SetupError;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use scenario::{Change, Scenario};
use serde::Serialize;

use crate::result::os_error;
use crate::{EmulationError, ScenarioError, batch};

/// Real packets through a scenario, from here to `finish`.
#[pyclass(frozen, module = "thinpipe._core")]
pub(crate) struct Emulation {
    running: Mutex<Option<emulator::Emulation>>,
    /// What changes are read with.
    source: String,
    name: String,
    /// Those of the start and of all changes since.
    settings: Mutex<Vec<(String, String)>>,
    scenario: Scenario,
}

#[pymethods]
impl Emulation {
    /// Starts it. `between` names two interfaces to stand between; without, the mobile side is a
    /// fresh network namespace. `log` is a file of JSON lines, `pcap` a directory
    /// of captures, which keep `snap` bytes of a packet at most.
    #[new]
    #[pyo3(signature = (
        source, name, settings, *, mtu = 1500, between = None, log = None, pcap = None, snap = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
    fn new(
        py: Python<'_>,
        source: String,
        name: String,
        settings: Vec<(String, String)>,
        mtu: u16,
        between: Option<(String, String)>,
        log: Option<PathBuf>,
        pcap: Option<PathBuf>,
        snap: Option<u32>,
    ) -> PyResult<Self> {
        let scenario = batch::scenario(&source, &name, &settings, &[])?;
        let config = EmulationConfig {
            mtu,
            between: between.map(|(network, mobile)| [network, mobile]),
            recording: Recording { log, captures: pcap, snap },
        };
        let started =
            py.detach(|| emulator::Emulation::start(&scenario, &config)).map_err(setup_error)?;
        let (running, settings) = (Mutex::new(Some(started)), Mutex::new(settings));
        Ok(Self { running, source, name, settings, scenario })
    }

    /// What programs on either side may want to know.
    #[getter]
    fn environment(&self) -> PyResult<BTreeMap<String, String>> {
        self.with(|emulation| Ok(emulation.environment().into_iter().collect()))
    }

    /// Remarks of one line for the user.
    #[getter]
    fn notes(&self) -> PyResult<Vec<String>> {
        self.with(|emulation| Ok(emulation.notes().to_vec()))
    }

    /// Starts a command on the side `"network"` or `"mobile"`, with `environment` besides its own,
    /// and returns its process id, to be waited for.
    fn spawn(
        &self,
        py: Python<'_>,
        side: &str,
        command: Vec<OsString>,
        environment: BTreeMap<OsString, OsString>,
    ) -> PyResult<u32> {
        let side = match side {
            "network" => Side::Network,
            "mobile" => Side::Mobile,
            other => {
                let message = format!("side = {other:?}: must be \"network\" or \"mobile\"");
                return Err(PyValueError::new_err(message));
            }
        };
        let environment: Vec<_> = environment.into_iter().collect();
        let started =
            py.detach(|| self.with(|emulation| Ok(emulation.spawn(side, &command, &environment))))?;
        let program = command.first().map_or("", |program| program.to_str().unwrap_or_default());
        started.map_err(|error| os_error(py, &error, program))
    }

    /// How the link fares, as JSON; rates and delays are those since the last call of the same
    /// reader: `"run"`, `"page"` or `"guest"`.
    #[pyo3(signature = (*, reader = "run"))]
    fn meter(&self, py: Python<'_>, reader: &str) -> PyResult<String> {
        let reader = Reader::ALL.iter().copied().find(|known| known.name() == reader);
        let reader = reader.ok_or_else(|| PyValueError::new_err("reader: run, page or guest"))?;
        py.detach(|| self.with(|emulation| json(&emulation.meter(reader).map_err(setup_error)?)))
    }

    /// What can be changed while it runs, as `(key, value)`, and for how many seconds a black-out
    /// lasts yet.
    fn state(&self, py: Python<'_>) -> PyResult<(Vec<(&'static str, String)>, f64)> {
        let state = py.detach(|| self.with(|emulation| emulation.state().map_err(setup_error)))?;
        Ok((state.values, state.black_out.as_secs_f64()))
    }

    /// Changes keys at once: all of them, or none if one is wrong.
    fn change(&self, py: Python<'_>, settings: Vec<(String, String)>) -> PyResult<()> {
        let keys = self.scenario.live_keys_of(settings.iter().map(|(key, _)| key.as_str()));
        let keys = keys.map_err(ScenarioError::new_err)?;
        let is_kept = |(key, _): &&(String, String)| {
            settings.iter().all(|(changed, _)| changed.trim() != key.trim())
        };
        let mut now: Vec<_> = self.settings().iter().filter(is_kept).cloned().collect();
        now.extend(settings.iter().cloned());
        let wanted = batch::scenario(&self.source, &self.name, &now, &[])?;
        let change = Change::new(keys, wanted);
        py.detach(|| self.with(|emulation| emulation.change(change).map_err(setup_error)))?;
        *self.settings() = now;
        Ok(())
    }

    /// From now on nothing gets through for so many seconds; 0 ends a black-out.
    fn black_out(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        self.scenario.check_black_out().map_err(ScenarioError::new_err)?;
        if !(0.0..=LONGEST_BLACK_OUT_S).contains(&seconds) {
            return Err(ScenarioError::new_err(format!(
                "black-out = {seconds}: must be from 0 to {LONGEST_BLACK_OUT_S} seconds"
            )));
        }
        let lasts = Duration::from_secs_f64(seconds);
        py.detach(|| self.with(|emulation| emulation.black_out(lasts).map_err(setup_error)))
    }

    /// Whether packets are under way, or the mobile side has a TCP connection that is not over.
    fn is_busy(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.with(|emulation| emulation.is_busy().map_err(setup_error)))
    }

    /// Stops it, takes away what was set up and returns the record of the run as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let emulation = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let emulation = emulation.ok_or_else(over)?;
        py.detach(|| json(&emulation.finish().map_err(setup_error)?))
    }
}

impl Emulation {
    fn with<T>(&self, work: impl FnOnce(&emulator::Emulation) -> PyResult<T>) -> PyResult<T> {
        let emulation = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        work(emulation.as_ref().ok_or_else(over)?)
    }

    fn settings(&self) -> MutexGuard<'_, Vec<(String, String)>> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Becomes root of fresh user, network and mount namespaces, where the caller may not set up
/// network namespaces as it is. To be called before any thread starts.
#[pyfunction]
pub(crate) fn enter_own_namespaces() -> PyResult<()> {
    emulator::enter_own_namespaces().map_err(setup_error)
}

/// A day.
const LONGEST_BLACK_OUT_S: f64 = 86_400.0;

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyOSError::new_err(error.to_string()))
}

fn setup_error(error: SetupError) -> PyErr {
    EmulationError::new_err(error.to_string())
}

fn over() -> PyErr {
    EmulationError::new_err("the emulator is finished already")
}
