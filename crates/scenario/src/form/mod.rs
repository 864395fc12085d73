//! Forms that go with scenarios alone.

mod capture;
mod differing;
mod ends;
mod start;

pub use capture::Capture;
pub(crate) use differing::{Differing, OfAll, OfBoth};
pub(crate) use ends::Ends;
pub use start::Start;
pub(crate) use start::Starting;
