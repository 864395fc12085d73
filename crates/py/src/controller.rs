//! Congestion controllers that are written in Python.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use base::{Rate, Time};
use cc::{Controller, Custom};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyRuntimeError, PySystemExit, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::facts::{Ack, Limits, Loss, LostSegment};

/// The name of an algorithm, and what answers [`Limits`] with a controller of it, whether that
/// wants delivery rates, and whether it wants to know of each lost segment.
pub(crate) type Algorithm = (String, Py<PyAny>);

/// The first exception in a controller: it ends the run.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    is_there: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Failure {
    /// True once there is an exception.
    pub(crate) fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Relaxed)
    }

    /// The exception, if there was one.
    pub(crate) fn check(&self) -> PyResult<()> {
        self.error.lock().expect("no thread panics with the lock").take().map_or(Ok(()), Err)
    }

    /// Keeps an exception, unless there is one already.
    pub(crate) fn note(&self, error: PyErr) {
        let error = Python::attach(|py| no_exit(py, error));
        self.error.lock().expect("no thread panics with the lock").get_or_insert(error);
        self.is_there.store(true, Ordering::Relaxed);
    }
}

/// `error`, or if it would end the program without a word, one that says so from the same place.
fn no_exit(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PySystemExit>(py) {
        return error;
    }
    let said = PyRuntimeError::new_err("SystemExit in a congestion control, which ends the run");
    said.set_traceback(py, error.traceback(py));
    said
}

/// `algorithms` for a scenario to choose from.
pub(crate) fn customs(algorithms: Vec<Algorithm>, failure: &Arc<Failure>) -> Vec<Custom> {
    let custom = |(name, begin): Algorithm| {
        let failure = Arc::clone(failure);
        Custom::new(&name, move |limits| Box::new(InPython::new(limits, &begin, &failure)))
    };
    algorithms.into_iter().map(custom).collect()
}

/// A controller whose decisions an object in Python makes. After an exception it makes none.
#[derive(Debug)]
struct InPython {
    controller: Option<Py<PyAny>>,
    wants_rate: bool,
    wants_lost_segments: bool,
    failure: Arc<Failure>,
    answer: Answer,
    /// The answer before the last loss.
    before: Answer,
    /// The least and the largest window that counts, in bytes: a segment and the most in flight.
    bounds: [u64; 2],
}

/// What the object decided: bytes and bit/s.
#[derive(Clone, Copy, Debug)]
struct Answer {
    window: f64,
    ssthresh: f64,
    pacing_rate: Option<Rate>,
}

/// The name of a method, made once.
type Method = for<'py> fn(Python<'py>) -> &'py Bound<'py, PyString>;

impl InPython {
    fn new(limits: &cc::Limits, begin: &Py<PyAny>, failure: &Arc<Failure>) -> Self {
        let bytes = |segments: u32| u64::from(segments) * u64::from(limits.mss);
        let answer = Answer {
            window: bytes(limits.initial_window) as f64,
            ssthresh: bytes(limits.initial_ssthresh) as f64,
            pacing_rate: None,
        };
        let mut made = Self {
            controller: None,
            wants_rate: false,
            wants_lost_segments: false,
            failure: Arc::clone(failure),
            answer,
            before: answer,
            bounds: [1, limits.maximum_window].map(bytes),
        };
        if !failure.is_there()
            && let Err(error) = Python::attach(|py| made.begin(py, limits, begin))
        {
            failure.note(error);
        }
        made
    }

    fn begin(&mut self, py: Python<'_>, limits: &cc::Limits, begin: &Py<PyAny>) -> PyResult<()> {
        let made = begin.bind(py).call1((Limits(*limits),))?;
        let controller: Py<PyAny>;
        (controller, self.wants_rate, self.wants_lost_segments) = made.extract()?;
        self.answer.read(controller.bind(py))?;
        self.controller = Some(controller);
        Ok(())
    }

    /// Calls `method` with `arguments`, and reads what the object then decides.
    fn tell<A>(&mut self, method: Method, arguments: A)
    where
        A: for<'py> PyCallArgs<'py>,
    {
        let Some(controller) = &self.controller else { return };
        if self.failure.is_there() {
            return;
        }
        let answer = &mut self.answer;
        let outcome = Python::attach(|py| {
            let controller = controller.bind(py);
            controller.call_method1(method(py), arguments)?;
            answer.read(controller)
        });
        if let Err(error) = outcome {
            self.failure.note(error);
        }
    }
}

impl Answer {
    fn read(&mut self, controller: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = controller.py();
        self.window = number(controller, intern!(py, "window"))?;
        self.ssthresh = number(controller, intern!(py, "ssthresh"))?;
        let rate = intern!(py, "pacing_rate");
        self.pacing_rate = if controller.getattr(rate)?.is_none() {
            None
        } else {
            Some(Rate::from_bps((number(controller, rate)? as u64).max(1)))
        };
        Ok(())
    }
}

/// The number that `attribute` of `controller` has to be.
fn number(controller: &Bound<'_, PyAny>, attribute: &Bound<'_, PyString>) -> PyResult<f64> {
    let value = controller.getattr(attribute)?;
    let paces = attribute == "pacing_rate";
    let is_fit =
        |number: &f64| if paces { (1.0..f64::INFINITY).contains(number) } else { *number >= 0.0 };
    if let Some(number) = value.extract::<f64>().ok().filter(is_fit) {
        return Ok(number);
    }
    let fit = if paces {
        "finite number of bit/s, at least 1, or None"
    } else {
        "number of bytes, not below zero"
    };
    Err(PyValueError::new_err(format!(
        "{}.{attribute} = {}: must be a {fit}",
        controller.get_type().name()?,
        value.repr()?
    )))
}

impl Controller for InPython {
    fn on_ack(&mut self, ack: &cc::Ack) {
        self.tell(|py| intern!(py, "on_ack"), (Ack(*ack),));
    }

    fn on_loss(&mut self, loss: &cc::Loss) {
        self.before = self.answer;
        self.tell(|py| intern!(py, "on_loss"), (Loss(*loss),));
    }

    fn on_lost_segment(&mut self, lost: &cc::LostSegment) {
        if self.wants_lost_segments {
            self.tell(|py| intern!(py, "on_lost_segment"), (LostSegment(*lost),));
        }
    }

    fn on_restart(&mut self, now: Time) {
        self.tell(|py| intern!(py, "on_idle"), (now.as_secs_f64(),));
    }

    fn on_undo(&mut self, now: Time) {
        let Answer { window, ssthresh, .. } = self.before;
        self.tell(|py| intern!(py, "on_undo"), (now.as_secs_f64(), window, ssthresh));
    }

    fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
        self.tell(|py| intern!(py, "on_resume"), (cwnd, ssthresh));
    }

    fn window(&self) -> u64 {
        let [least, most] = self.bounds;
        (self.answer.window as u64).clamp(least, most)
    }

    fn ssthresh(&self) -> u64 {
        (self.answer.ssthresh as u64).min(HIGHEST)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.answer.pacing_rate
    }

    fn wants_rate(&self) -> bool {
        self.wants_rate
    }
}

/// A threshold in bytes that is above every window.
const HIGHEST: u64 = 1 << 40;
