//! Cells whose base station decides for every slot who sends, as that of LTE does.
//!
//! * `network`: the machine, one slot at a time; `downlink` and `uplink`: who sends in a slot;
//!   `choice`: who is next.
//! * `frame`: which slots are of which direction.
//! * `mobile`, `lane`: a mobile, and one direction of its bearer.
//! * [`harq`], [`scheduler`], `curve`, `quality`, `blockage`: blocks in flight, the choice between
//!   mobiles, how often blocks err, and how good the radio is.
//! * [`rlc`], `reordering`: link control over stretches of a stream, and PDCP where it puts SDUs in
//!   order.
//! * `connection`: how connections begin, move and fail.
//! * [`drx`], [`rrc`], [`power`]: when a mobile listens, when it is connected, and what it draws.

mod blockage;
mod choice;
mod config;
mod connection;
pub(crate) mod curve;
mod downlink;
pub mod drx;
mod frame;
pub mod harq;
mod lane;
mod mobile;
mod network;
pub mod power;
pub(crate) mod quality;
mod reordering;
pub mod rlc;
pub mod rrc;
pub mod scheduler;
mod sizes;
mod uplink;

pub use blockage::Blockage;
pub use config::{Access, Carrier, Config, Handover, Headers, UeConfig, Wait};
pub use frame::{Frame, Part};
pub use network::Network;
pub(crate) use quality::Quality;
pub use quality::{Fading, Radio, Step};
pub use sizes::Sizes;
