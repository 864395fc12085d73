//! Running one scenario or many, with the GIL released.

#![expect(clippy::needless_pass_by_value, reason = "pyo3 hands arguments over by value")]

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use base::Duration;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use scenario::{Outside, Scenario};
use sim::{CallSummary, Recording, Threads, Unfinished};

use crate::ScenarioError;
use crate::controller::{self, Algorithm, Failure};
use crate::result::{Run, Settings};
use crate::wall::{self, Stopwatch};

/// Source text, its name in messages, settings, and more values of `tcp.congestion_control`.
type Point = (String, String, Vec<(String, String)>, Vec<Algorithm>);

/// What is recorded beside the series.
#[derive(FromPyObject)]
pub(crate) enum Trace {
    /// Nothing, or all that there are tables and captures of.
    Tables(bool),
    /// That, and what a trace file of this format tells.
    Format(String),
}

impl Trace {
    fn recording(&self) -> PyResult<Recording> {
        match self {
            Self::Tables(false) => Ok(Recording::Series),
            Self::Tables(true) => Ok(Recording::Everything),
            Self::Format(name) if name == "ns2" => Ok(Recording::Ns2),
            Self::Format(name) => {
                let error = format!("trace: must be True, False or 'ns2', not {name:?}");
                Err(PyValueError::new_err(error))
            }
        }
    }
}

/// Runs one scenario to its end, on as many `threads` unless an algorithm is written in Python.
/// `algorithms` are more values of `tcp.congestion_control`; an exception in one ends the run.
/// `progress(simulated_s, duration_s)` is called about ten times a second; an exception in it, or
/// Ctrl-C, ends the run as well.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
#[pyo3(signature = (
    source, name, settings, algorithms, *, threads, trace = Trace::Tables(false), progress = None
))]
pub(crate) fn run(
    py: Python<'_>,
    source: String,
    name: String,
    settings: Vec<(String, String)>,
    algorithms: Vec<Algorithm>,
    threads: Threads,
    trace: Trace,
    progress: Option<Py<PyAny>>,
) -> PyResult<Run> {
    let recording = trace.recording()?;
    let wrong = Arc::new(Failure::default());
    let (scenario, settings) = parse((source, name, settings, algorithms), &wrong)?;
    let threads = if scenario.has_custom() { Threads::MIN } else { threads };
    let duration = scenario.duration.as_secs_f64();
    let mut failure = None;
    let mut stopwatch = Stopwatch::start();
    let outcome = py.detach(|| {
        sim::simulate(&scenario, recording, threads, &mut |now| {
            if wrong.is_there() {
                return ControlFlow::Break(());
            }
            if !stopwatch.a_tenth_passed() {
                return ControlFlow::Continue(());
            }
            let told = Python::attach(|py| {
                py.check_signals()?;
                match &progress {
                    Some(progress) => progress.call1(py, (now.as_secs_f64(), duration)).map(drop),
                    None => Ok(()),
                }
            });
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        })
    });
    wrong.check()?;
    match (outcome, failure) {
        (Ok(outcome), _) => Ok(Run::new(outcome, settings, stopwatch.elapsed_s())),
        (Err(Unfinished::Interrupted), Some(error)) => Err(error),
        (Err(Unfinished::Interrupted), None) => Err(PyKeyboardInterrupt::new_err(())),
        (Err(why @ Unfinished::Standstill(_)), _) => Err(unfinished(&scenario, why)),
    }
}

/// Runs every point on `jobs` threads: one after the other, if an algorithm is written in Python.
/// `each(index, run)` is handed every run as it is done, one at a time. An exception in it or in an
/// algorithm, or Ctrl-C, ends all.
#[pyfunction]
#[pyo3(signature = (points, each, *, jobs, trace = Trace::Tables(false)))]
pub(crate) fn run_each(
    py: Python<'_>,
    points: Vec<Point>,
    each: Py<PyAny>,
    jobs: usize,
    trace: Trace,
) -> PyResult<()> {
    let recording = trace.recording()?;
    let wrong = Arc::new(Failure::default());
    let scenarios =
        points.into_iter().map(|point| parse(point, &wrong)).collect::<PyResult<Vec<_>>>()?;
    let in_python = scenarios.iter().any(|(scenario, _)| scenario.has_custom());
    let jobs = if in_python { 1 } else { jobs.clamp(1, scenarios.len().max(1)) };
    let stop = AtomicBool::new(false);
    py.detach(|| {
        let (stop, next) = (&stop, AtomicUsize::new(0));
        let work = Work { scenarios: &scenarios, recording, stop, wrong: &wrong, next };
        std::thread::scope(|scope| {
            // As many runs wait to be handed over as are made meanwhile, and no more.
            let (done, inbox) = mpsc::sync_channel(jobs);
            for _ in 0..jobs {
                let (done, work) = (done.clone(), &work);
                scope.spawn(move || work.run(&done));
            }
            drop(done);
            let handed = hand_over(inbox, &each);
            stop.store(handed.is_err(), Ordering::Relaxed);
            handed
        })
    })?;
    wrong.check()
}

/// Hands each finished run to Python until none is left.
fn hand_over(inbox: mpsc::Receiver<(usize, Run)>, each: &Py<PyAny>) -> PyResult<()> {
    loop {
        let message = inbox.recv_timeout(wall::A_TENTH);
        if matches!(message, Err(mpsc::RecvTimeoutError::Disconnected)) {
            return Ok(());
        }
        Python::attach(|py| {
            py.check_signals()?;
            message.map_or(Ok(()), |finished| each.call1(py, finished).map(drop))
        })?;
    }
}

/// A list of scenarios that threads take from.
struct Work<'a> {
    scenarios: &'a [(Scenario, Settings)],
    recording: Recording,
    stop: &'a AtomicBool,
    wrong: &'a Failure,
    next: AtomicUsize,
}

impl Work<'_> {
    /// Takes scenarios until none is left or all is to stop.
    fn run(&self, done: &mpsc::SyncSender<(usize, Run)>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((scenario, settings)) = self.scenarios.get(index) else { return };
            if self.is_over() {
                return;
            }
            let stopwatch = Stopwatch::start();
            let outcome = sim::simulate(scenario, self.recording, Threads::MIN, &mut |_| {
                if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(Unfinished::Interrupted) => return,
                Err(why @ Unfinished::Standstill(_)) => {
                    return self.wrong.note(unfinished(scenario, why));
                }
            };
            let run = Run::new(outcome, settings.clone(), stopwatch.elapsed_s());
            if done.send((index, run)).is_err() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.wrong.is_there()
    }
}

/// Every key of a scenario under `settings`, defaults included, with its value. `customs` are names
/// of algorithms in Python.
#[pyfunction]
#[pyo3(signature = (source, name, settings = Vec::new(), customs = Vec::new()))]
pub(crate) fn values(
    source: &str,
    name: &str,
    settings: Vec<(String, String)>,
    customs: Vec<String>,
) -> PyResult<Vec<(String, String)>> {
    let scenario = scenario(source, name, &settings, &customs)?;
    Ok(scenario.values().into_iter().map(|key| (key.name, key.value)).collect())
}

/// A line for each group of flows that a setting makes, as results have them.
#[pyfunction]
#[pyo3(signature = (source, name, settings = Vec::new(), customs = Vec::new()))]
pub(crate) fn made(
    source: &str,
    name: &str,
    settings: Vec<(String, String)>,
    customs: Vec<String>,
) -> PyResult<Vec<String>> {
    Ok(scenario(source, name, &settings, &customs)?.made)
}

/// Quality at the receiver of a call that was carried elsewhere, as JSON, by the keys of `group`:
/// frames took these times; `None` were lost.
#[pyfunction]
pub(crate) fn rate_call(
    source: &str,
    name: &str,
    settings: Vec<(String, String)>,
    customs: Vec<String>,
    group: &str,
    delays_s: Vec<Option<f64>>,
) -> PyResult<String> {
    let scenario = scenario(source, name, &settings, &customs)?;
    let taken = |delay_s: Option<f64>| delay_s.map(Duration::from_secs_f64);
    let delays: Vec<_> = delays_s.into_iter().map(taken).collect();
    let call = CallSummary::of_delays(&scenario, group, &delays).ok_or_else(|| {
        ScenarioError::new_err(format!("{name} has no call in a group {group:?}"))
    })?;
    serde_json::to_string(&call).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Reads a scenario that nothing runs: algorithms called by `customs` are names alone.
pub(crate) fn scenario(
    source: &str,
    name: &str,
    settings: &[(String, String)],
    customs: &[String],
) -> PyResult<Scenario> {
    let named = |name: &String| {
        cc::Custom::new(name, |limits| {
            cc::Algorithm::Reno.controller(limits, &cc::Parameters::default())
        })
    };
    let customs: Vec<_> = customs.iter().map(named).collect();
    read(source, name, settings, &Outside { customs: &customs, read: &read_file })
}

fn parse(point: Point, wrong: &Arc<Failure>) -> PyResult<(Scenario, Settings)> {
    let (source, name, settings, algorithms) = point;
    let customs = controller::customs(algorithms, wrong);
    let outside = Outside { customs: &customs, read: &read_file };
    let scenario = read(&source, &name, &settings, &outside)?;
    let trimmed = |(key, value): (String, String)| (key.trim().to_owned(), value);
    Ok((scenario, settings.into_iter().map(trimmed).collect()))
}

/// Reads a scenario. What is wrong with a setting is said of `KEY=VALUE`: only the command line
/// knows by which option it came.
fn read(
    source: &str,
    name: &str,
    settings: &[(String, String)],
    outside: &Outside<'_>,
) -> PyResult<Scenario> {
    Scenario::parse_from(source, name, settings, outside).map_err(|error| refused(&error))
}

/// The exception for what is wrong with a scenario or a setting.
pub(crate) fn refused(error: &scenario::Error) -> PyErr {
    let text = error.to_string();
    ScenarioError::new_err(text.strip_prefix("--set ").unwrap_or(&text).to_owned())
}

/// The exception for a scenario whose run reaches no end.
fn unfinished(scenario: &Scenario, why: Unfinished) -> PyErr {
    ScenarioError::new_err(format!("{}: {why}", scenario.name))
}

/// The most bytes that a file of a scenario may have.
const MOST_BYTES: u64 = 200_000_000;

/// Reads a file that a scenario names: a regular one, since others may never end.
fn read_file(path: &str) -> Result<Vec<u8>, String> {
    let plain = |error: std::io::Error| {
        let text = error.to_string();
        text.split(" (os error").next().unwrap_or(&text).to_owned()
    };
    let about = std::fs::metadata(path).map_err(plain)?;
    if !about.is_file() && !about.is_dir() {
        return Err("is no regular file".to_owned());
    }
    if about.len() > MOST_BYTES {
        return Err(format!("has more than {} MB", MOST_BYTES / 1_000_000));
    }
    #[expect(clippy::disallowed_methods, reason = "this is the crate that reads files")]
    std::fs::read(path).map_err(plain)
}
