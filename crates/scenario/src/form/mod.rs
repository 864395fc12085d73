//! Forms that go with scenarios alone.

mod capture;
mod ends;

pub use capture::Capture;
pub(crate) use ends::Ends;
