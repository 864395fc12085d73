//! Files that a scenario names.

use link::Trace;

use super::{Leaf, Text};
use crate::tree::Scalar;

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
        let path = Text::parse(scalar)
            .ok()
            .filter(|path| !path.is_empty())
            .ok_or_else(|| format!("expected {}, in quotes", Self::expected()))?;
        Ok(Self { path, trace: None })
    }

    fn show(value: &Self) -> String {
        value.path.clone()
    }
}
