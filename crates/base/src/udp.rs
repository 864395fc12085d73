//! A UDP datagram of a simulation as a value. `wire` turns it into bytes.

/// A UDP datagram (RFC 768), of whose payload only the length is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UdpDatagram {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
    /// Bytes of payload.
    pub payload: u32,
    /// The number of the machine that sent it.
    pub sender: u32,
    /// Its number among those of that machine, from 0.
    pub number: u64,
}

impl UdpDatagram {
    /// Bytes of a header (RFC 768).
    pub const HEADER_BYTES: u32 = 8;

    /// Bytes of header and payload.
    pub const fn bytes(&self) -> u32 {
        Self::HEADER_BYTES + self.payload
    }
}
