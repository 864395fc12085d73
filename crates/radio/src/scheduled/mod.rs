//! Cells whose base station decides for every slot who sends, as that of LTE does.
//!
//! * `network`: the machine, one slot at a time; `downlink` and `uplink`: who sends in a slot;
//!   `choice`: who is next.
//! * `mobile`, `lane`: a mobile, and one direction of its bearer.
//! * [`harq`], [`scheduler`], `curve`, `quality`: blocks in flight, the choice between mobiles, how
//!   often blocks err, and how good the radio is.
//! * [`rlc`]: link control over stretches of a stream.
//! * `connection`: how connections begin, move and fail.
//! * [`drx`], [`rrc`], [`power`]: when a mobile listens, when it is connected, and what it draws.

mod choice;
mod config;
mod connection;
pub(crate) mod curve;
mod downlink;
pub mod drx;
pub mod harq;
mod lane;
mod mobile;
mod network;
pub mod power;
pub(crate) mod quality;
pub mod rlc;
pub mod rrc;
pub mod scheduler;
mod sizes;
mod uplink;

pub use config::{Access, Carrier, Config, Handover, Headers, UeConfig};
pub use network::Network;
pub(crate) use quality::Quality;
pub use quality::{Fading, Radio};
pub use sizes::Sizes;
