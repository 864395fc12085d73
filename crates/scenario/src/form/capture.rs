//! Captures that a scenario names.

use settings::Content;
use wire::Arrival;

/// A capture, whose connections are a workload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Capture(pub(crate) Vec<Arrival>);

impl Content for Capture {
    const EXPECTED: &'static str = "the path of a capture (pcap or pcapng)";
}
