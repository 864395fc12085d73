//! Cells whose base station decides for every slot who sends, as that of LTE does.
//!
//! * `cell`: the machine, one slot at a time; `downlink` and `uplink`: who sends in a slot;
//!   `choice`: who is next, and `standing`: what the choice rests on.
//! * `mobile`, `lane`, `bearer`: a mobile, one direction of its radio, and its bearers.
//! * `connection`: how connections begin, move and fail; `handover`, `journey`: when they move.
//! * [`drx`], [`rrc`], `power`: when a mobile listens, when it is connected, and what it draws;
//!   `keys`: what LTE and NR have in common of that.
//!
//! The radio, hybrid ARQ and the choice between mobiles are those of [`crate::channel`], link
//! control that of [`crate::rlc36`].

mod bearer;
mod cell;
mod choice;
mod config;
mod connection;
mod downlink;
pub mod drx;
mod handover;
mod journey;
mod keys;
mod lane;
mod mobile;
pub(crate) mod power;
pub mod rrc;
mod shares;
mod standing;
mod uplink;

pub use bearer::BearerConfig;
pub use cell::ScheduledCell;
pub use config::ScheduledConfig;
pub(crate) use config::{Access, Background, Carrier, Headers};
pub use handover::Handover;
pub use journey::{Journey, Site};
pub(crate) use keys::of_cell;
pub use keys::{BaseStation, BearerKeys};
