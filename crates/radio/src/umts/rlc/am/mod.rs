//! Acknowledged mode: selective repeat with polls and status reports.
//!
//! One [`Config`] holds every trigger and limit as a switch. An entity is a transmitter for one
//! direction and a receiver for the other; both work on whole TTIs, with one bit for each PDU.

mod bits;
mod bitstream;
mod block;
mod config;
mod discard;
mod entity;
pub mod pdu;
mod poll;
mod receiver;
mod reset;
mod segmentation;
mod status;
pub mod superfield;
#[cfg(test)]
mod tests;
mod timers;
mod transmitter;

pub(crate) use block::{Control, DataKind, Run};
pub use config::{Concatenation, Config, ConfigError, OnLimit, Poll, Repetition, Status};
pub(crate) use entity::{Entity, Health, Traffic};
pub(crate) use receiver::PeerChannel;
pub(crate) use segmentation::{Outcome, Sdus};
