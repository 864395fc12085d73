//! What all kinds of radio are made of.
//!
//! * `intake`, `output`, `sdu`: where packets wait, what comes out, and what a packet is.
//! * `counters`: what is counted of a direction; `moment`: what a slot needs of its cell.
//! * `roster`: the mobiles of a cell, and which of them ask for something; `slots`: how its time
//!   passes.
//! * `power`: what a mobile's radio draws.
//! * [`paging`]: when a mobile without a connection listens.
//! * `decibel`: levels and ratios; `csv`: tables in files.

mod counters;
pub(crate) mod csv;
pub(crate) mod decibel;
pub(crate) mod intake;
pub(crate) mod moment;
mod output;
pub(crate) mod paging;
mod power;
pub(crate) mod propagation;
pub(crate) mod roster;
mod sdu;
pub(crate) mod slots;

pub use counters::Counters;
pub use output::Output;
pub(crate) use output::RateReport;
pub use paging::{EdrxKeys, PsmKeys};
pub use power::{EnergyUse, StateUse};
pub(crate) use power::{Meter, PowerModel};
pub use sdu::{HeaderCompression, Sdu};
