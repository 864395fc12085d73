//! Radio link control (TS 25.322).

pub mod am;
mod bits;
mod block;
mod config;
mod entity;
pub mod next_expected;
mod segmentation;
mod sn;
#[cfg(test)]
mod testing;
mod timers;
pub mod tm;
pub mod um;

pub(crate) use block::{Control, DataKind, Run};
pub use config::{Arq, Mode, RlcConfig};
pub(crate) use entity::{Entity, Health, PeerChannel, Traffic};
pub(crate) use segmentation::{Outcome, Sdus};
pub use sn::Sn;
