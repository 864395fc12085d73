//! Packets that a box does not read: those that are no TCP, or whose contents are encrypted.

use base::Ecn;

use crate::Address;

/// A packet of which a box sees the headers alone. Its caller keeps it, under a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opaque {
    /// The number by which its caller knows it.
    pub number: u32,
    /// Where it comes from.
    pub source: Address,
    /// Where it goes.
    pub destination: Address,
    /// What tells its flow from others: addresses, protocol and ports, hashed.
    pub flow: u32,
    /// Its ports, where its protocol has some.
    pub ports: Option<[u16; 2]>,
    /// The code point of its service (RFC 2474).
    pub dscp: u8,
    /// Bytes of the packet with its IP header.
    pub bytes: u32,
    /// Its ECN field.
    pub ecn: Ecn,
}

/// What becomes of a packet that arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// It goes on at once, around the box.
    Passes,
    /// It waits for its turn, which [`crate::Middlebox::poll_aside`] tells.
    Waits,
}

/// What leaves a box beside its segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aside {
    /// The packet of this number waits no longer.
    Packet(u32, Release),
    /// An echo request (RFC 792, RFC 4443 §4.1) of this number to a mobile, in the name of a host.
    /// Its answer goes to [`crate::Middlebox::handle_echo`].
    Echo([Address; 2], u32),
}

/// What becomes of a packet that waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// It goes on.
    Sent,
    /// It goes on with a mark (RFC 3168 §5).
    Marked,
    /// It has waited too long, or there is no room for it.
    Dropped,
}
