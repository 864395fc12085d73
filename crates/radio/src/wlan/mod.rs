//! An access network like 802.11b: access points, and stations that move from one to the next.
//!
//! ```text
//!   downlink queue ─┐
//!                   ├─ medium of an access point (turns, airtime, losses) ─ far end
//!   uplink queues ──┘
//!   places ─ levels ─ mobility::handover ─ who is where
//! ```
//!
//! Access points have channels that do not overlap, so that each has a medium of its own.
//! Simplifications are listed in `docs/models/wlan.md`.

mod airtime;
mod counters;
mod errors;
mod keys;
mod machine;
mod medium;
mod sender;
mod turns;

pub use airtime::{ACK_BYTES, DIFS, DataRate, OVERHEAD_BYTES, Preamble, SIFS, SLOT, frame_time};
pub use keys::{Access, AccessPoint, Loss, WlanKeys};
pub use machine::{End, Output, Wlan};
