//! Packets that a box does not read: those that are no TCP, or whose contents are encrypted.

use base::Ecn;
pub use observe::Release;

use crate::Address;

/// A packet of which a box sees the headers alone. Its caller keeps it, under a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opaque {
    /// The number by which its caller knows it.
    pub number: u32,
    /// Source.
    pub source: Address,
    /// Destination.
    pub destination: Address,
    /// Hash of addresses, protocol and ports, which tell its flow from others.
    pub flow: u32,
    /// Ports, where its protocol has some.
    pub ports: Option<[u16; 2]>,
    /// The code point of its service (RFC 2474).
    pub dscp: u8,
    /// Bytes of the packet with its IP header.
    pub bytes: u32,
    /// ECN field.
    pub ecn: Ecn,
}

/// Answer to a packet that arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// Way around the box, at once.
    Passes,
    /// Wait for its turn, which [`crate::Middlebox::poll_aside`] tells.
    Waits,
}

/// Output of a box beside its segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aside {
    /// The packet of this number waits no longer.
    Packet(u32, Release),
    /// An echo request (RFC 792, RFC 4443 §4.1) of this number to a mobile, in the name of a host.
    /// Its answer goes to [`crate::Middlebox::handle_echo`].
    Echo([Address; 2], u32),
}
