//! The operating system: the room where machines meet a real clock and real packets.
//!
//! Nothing is modelled here. A [`Machine`] is told the time by a [`Clock`] and exchanges packets
//! with [`Tun`] devices, each opened [`within`] a network namespace; [`run`] is the loop between
//! them. A [`Peer`] is such a machine: one TCP endpoint on a wire that, if told so, loses, repeats
//! and disorders. An [`Emulator`] is another: the world of a scenario, with packets of the kernel
//! in place of endpoints. An [`Emulation`] joins it with its [`Site`], what is made in the system
//! for it, and with the [`Record`] of what became of all packets.

mod application;
mod backlog;
mod bell;
mod books;
mod capture;
mod clock;
mod device;
mod disturbance;
mod driver;
mod emulation;
mod emulator;
mod interface;
mod iproute;
mod namespace;
mod packet_socket;
mod peer;
pub mod proxy;
mod record;
mod recorder;
mod report;
mod scheduling;
mod site;
#[cfg(test)]
mod skip;
mod tun;
mod wait;

pub use application::{Application, Close, Pause};
pub use bell::Bell;
pub use books::{Reading, Traffic};
pub use capture::Captures;
pub use clock::Clock;
pub use device::Device;
pub use disturbance::{Counters, Disturbance, Mishaps};
pub use driver::{Machine, Port, Written, run};
pub use emulation::{Emulation, EmulationConfig};
pub use emulator::Emulator;
pub use namespace::within;
pub use packet_socket::PacketSocket;
pub use peer::{Ends, Opening, Peer};
pub use record::{DirectionRecord, Directions, Dropped, Lateness, Moment, Percentiles, Record};
pub use recorder::Recording;
pub use report::Report;
pub use scheduling::Scheduling;
pub use site::{Closing, Side, Site, SiteConfig, Trouble, become_root_of_own_namespaces};
pub use tun::{Tun, TunConfig};
