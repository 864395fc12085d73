//! The operating system: the crate that gives machines a real clock and real packets.
//!
//! Nothing is modelled here. A [`Machine`] is told the time by a [`Clock`] and exchanges packets
//! with [`Tun`] devices, each opened [`within`] a network namespace; [`run`] is the loop between
//! them.

mod backlog;
mod clock;
mod device;
mod driver;
pub mod interface;
pub mod iproute;
pub mod namespace;
mod outbox;
mod packet_socket;
mod resident;
mod scheduling;
mod setup_error;
mod tun;
mod wait;
mod waker;

pub use clock::{Clock, timestamp, today};
pub use device::{Device, LARGEST_PACKET};
pub use driver::{Joining, Machine, Port, Written, run};
pub use namespace::within;
pub use packet_socket::PacketSocket;
pub use resident::Resident;
pub use scheduling::{Scheduling, hurry};
pub use setup_error::SetupError;
pub use tun::{Tun, TunConfig};
pub use wait::readable;
pub use waker::Waker;
