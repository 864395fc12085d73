//! What passes a box.

use tcp::{Payload, Segment};

use crate::{Address, IpFields};

/// A TCP segment on its way from one host to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packet<P> {
    /// Where it comes from.
    pub source: Address,
    /// Where it goes.
    pub destination: Address,
    /// What a box sends in the name of a host has the fields that it last received of that flow.
    pub ip: IpFields,
    /// The segment.
    pub segment: Segment<P>,
}

/// The two ends of a connection, as packets in one direction name them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Connection {
    /// Where packets come from.
    pub source: Address,
    /// Where they go.
    pub destination: Address,
    /// The port that they come from.
    pub source_port: u16,
    /// The port where they go.
    pub destination_port: u16,
}

impl Connection {
    /// The same connection, as packets the other way name it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            source: self.destination,
            destination: self.source,
            source_port: self.destination_port,
            destination_port: self.source_port,
        }
    }
}

impl<P: Payload> Packet<P> {
    /// The connection that it belongs to.
    pub const fn connection(&self) -> Connection {
        let header = &self.segment.header;
        Connection {
            source: self.source,
            destination: self.destination,
            source_port: header.source_port,
            destination_port: header.destination_port,
        }
    }
}
