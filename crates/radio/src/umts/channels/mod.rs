//! Physical channels of the radio interface: which codes they have, and what these carry.
//!
//! As of release 99, FDD mode.

pub mod codes;
mod dedicated;
pub mod spreading;

pub use codes::{Code, CodeState, CodeTree, NoCode};
pub use dedicated::{DedicatedChannels, DedicatedError};
pub use spreading::{SlotFormat, SpreadingError, SpreadingFactor, SpreadingTable};
