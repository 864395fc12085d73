//! Forms that go with scenarios alone.

mod ends;
mod file;

pub(crate) use ends::Ends;
pub use file::CaptureFile;
