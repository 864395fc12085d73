//! The network as one machine: nodes and routes, pipes, radio bearers and TCP endpoints.
//!
//! A [`World`] is assembled by [`World::add_node`], [`World::add_pipe`], [`World::add_radio`],
//! [`World::add_connection`] and [`World::set_route`], and then advanced by [`World::step`] under
//! its owner's clock. It is generic over the packet's [`Body`]: a typed TCP segment with a length
//! for a payload in a simulation, bytes on a real network.

mod application;
mod datagram;
mod disconnection;
mod fragmentation;
mod header_compression;
mod host;
mod ipv4;
mod ipv6;
mod machine;
mod node;
mod packet;
mod path_mtu;
mod reassembly;
mod world;

pub use application::*;
pub use datagram::Datagram;
pub use disconnection::Disconnection;
pub use fragmentation::Fragmentation;
pub use host::{Connection, Host, Side};
pub use ipv4::{Echo, Ipv4};
pub use ipv6::{FRAGMENT_HEADER_BYTES, IPV6_HEADER_BYTES, Ipv6, MOST_WRAPS, Piece, Transport};
pub use machine::{Hop, Machine, MachineId, RadioHop};
pub use node::{Node, NodeId};
pub use packet::{Body, Ends, IPV4_HEADER_BYTES, Packet};
pub use path_mtu::{IPV6_MTU_MIN, Quote, TooBig};
pub use reassembly::{MOST_PIECES, Reassembly};
pub use world::{Delivery, Directory, WlanNodes, World};
