//! Physical channels of the radio interface: which codes they have, and what these carry.
//!
//! As of release 99, FDD mode.

mod codes;
mod dedicated;
pub(super) mod spreading;

pub(super) use codes::Code;
pub use codes::CodeTree;
pub(super) use dedicated::{DedicatedChannels, DedicatedError};
pub use spreading::{SpreadingError, SpreadingFactor, SpreadingTable};
