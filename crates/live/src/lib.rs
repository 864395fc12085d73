//! The operating system: the room where machines meet a real clock and real packets.
//!
//! Nothing is modelled here. A [`Machine`] is told the time by a [`Clock`] and exchanges packets
//! with [`Tun`] devices, each opened [`within`] a network namespace; [`run`] is the loop between
//! them. A [`Peer`] is such a machine: one TCP endpoint on a wire that, if told so, loses, repeats
//! and disorders.

mod application;
mod capture;
mod clock;
mod disturbance;
mod driver;
mod namespace;
mod peer;
mod report;
mod tun;

pub use application::{Application, Close, Pause};
pub use capture::Captures;
pub use clock::Clock;
pub use disturbance::{Counters, Disturbance, Mishaps};
pub use driver::{Machine, run};
pub use namespace::within;
pub use peer::{Ends, Opening, Peer};
pub use report::Report;
pub use tun::{Tun, TunConfig};
