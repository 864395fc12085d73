//! Files that a scenario names.

use std::sync::Arc;

use wire::Arrival;

use settings::{Leaf, Scalar, Takes, path};

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

    fn takes() -> Takes {
        Takes::other()
    }

    fn parse(scalar: &Scalar) -> Result<Self, String> {
        Ok(Self { path: path(scalar, &Self::expected())?, arrivals: None })
    }

    fn show(value: &Self) -> String {
        value.path.clone()
    }
}
