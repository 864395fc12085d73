//! HSDPA and HSUPA: packets over shared fast channels of UMTS.
//!
//! ```text
//!   RNC: queue ─ PDCP ─ RLC ── Iub, flow control ── NodeB: queue, scheduler, HARQ ── mobile
//! ```
//!
//! * `cell`: the machine, one TTI of 2 ms at a time; `downlink`, `uplink`: who sends in it.
//! * `mobile`, `lane`: a mobile, and what link control has of one direction.
//! * `channel`, `reordering`: hybrid ARQ of one direction, and what puts its blocks in order.
//! * `node_b`: the queue of a `NodeB` and what it grants its RNC.
//! * `pdus`: PDUs of link control on their way.
//! * [`formats`]: transport blocks by CQI.
//!
//! Link control is that of [`crate::umts`]; the curve of block errors, the radio over time, HARQ
//! processes and the choice between mobiles are those of [`crate::channel`].

mod cell;
mod channel;
mod config;
mod downlink;
pub mod formats;
mod keys;
mod lane;
mod mobile;
mod node_b;
mod pdus;
mod reordering;
mod uplink;

pub use cell::HsCell;
pub use config::HsConfig;
pub use keys::{HsKeys, UplinkTti};
