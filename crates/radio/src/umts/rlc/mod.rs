//! Radio link control (TS 25.322).

pub mod am;
mod sn;

pub use sn::Sn;
