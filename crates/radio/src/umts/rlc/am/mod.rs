//! Acknowledged mode: selective repeat with polls and status reports.
//!
//! One [`RlcConfig`](super::RlcConfig) holds every trigger and limit as a switch. An entity is a
//! transmitter for one direction and a receiver for the other; both work on whole
//! TTIs, with one bit for each PDU.

mod bitstream;
mod config;
mod discard;
mod entity;
pub mod pdu;
mod poll;
mod receiver;
mod reset;
mod retransmissions;
mod status;
mod superfield;
#[cfg(test)]
pub(super) mod tests;
mod transmitter;

pub use config::{OnLimit, Poll, Repetition, Status};
pub(crate) use config::{pdu_bytes, segmentation};
pub(crate) use entity::Entity;
pub(crate) use status::StatusReport;
