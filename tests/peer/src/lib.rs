//! The other machine for tests against a kernel's TCP: one of our endpoints on a wire that, if told
//! so, loses, repeats and disorders.

mod application;
mod capture;
mod impairment;
mod peer;
mod report;

pub use application::{Application, Close, Pause};
pub use capture::Captures;
pub use impairment::{Counters, ImpairedWire, Impairments};
pub use peer::{Ends, Opening, Peer};
pub use report::Report;
