//! Files that a scenario names.

use std::sync::Arc;

use link::Trace;
use wire::Arrival;

use settings::Scalar;
use settings::{Leaf, Text};

/// A file that says when a link could send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceFile {
    /// As the scenario has it.
    pub path: String,
    /// What it says; there in every scenario that is parsed.
    pub(crate) trace: Option<Trace>,
}

impl TraceFile {
    /// What it says.
    ///
    /// # Panics
    /// If it was not read, which cannot be in a parsed scenario.
    pub fn trace(&self) -> &Trace {
        self.trace.as_ref().expect("the files of a scenario are read when it is parsed")
    }
}

impl Leaf for TraceFile {
    type Value = Self;

    fn expected() -> String {
        "the path of a file with a time in milliseconds a line".to_owned()
    }

    fn parse(scalar: &Scalar) -> Result<Self, String> {
        Ok(Self { path: path(scalar, &Self::expected())?, trace: None })
    }

    fn show(value: &Self) -> String {
        value.path.clone()
    }
}

/// A capture, whose connections are a workload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptureFile {
    /// As the scenario has it.
    pub path: String,
    /// Its connections; there in every scenario that is parsed.
    pub(crate) arrivals: Option<Arc<[Arrival]>>,
}

impl CaptureFile {
    /// Its connections.
    ///
    /// # Panics
    /// If it was not read, which cannot be in a parsed scenario.
    pub fn arrivals(&self) -> &[Arrival] {
        self.arrivals.as_ref().expect("the files of a scenario are read when it is parsed")
    }
}

impl Leaf for CaptureFile {
    type Value = Self;

    fn expected() -> String {
        "the path of a capture (pcap or pcapng)".to_owned()
    }

    fn parse(scalar: &Scalar) -> Result<Self, String> {
        Ok(Self { path: path(scalar, &Self::expected())?, arrivals: None })
    }

    fn show(value: &Self) -> String {
        value.path.clone()
    }
}

/// A path as text, which is to be `expected`.
fn path(scalar: &Scalar, expected: &str) -> Result<String, String> {
    let path = Text::parse(scalar).ok().filter(|path| !path.is_empty());
    path.ok_or_else(|| format!("expected {expected}, in quotes"))
}
