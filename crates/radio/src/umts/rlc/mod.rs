//! Radio link control (TS 25.322).

pub mod am;
mod bits;
mod block;
mod config;
mod entity;
mod next_expected;
mod segmentation;
mod sn;
#[cfg(test)]
mod testing;
mod timers;
mod tm;
mod um;

pub(crate) use block::{Control, DataKind, Run};
pub use config::{Arq, Mode, RlcConfig};
pub(crate) use entity::{Entity, Health, PeerChannel, Traffic};
pub(crate) use segmentation::{Outcome, Sdus};
pub(crate) use sn::Sn;
