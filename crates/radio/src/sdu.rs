//! What a bearer carries.

use crate::umts::pdcp::Headers;

/// A service data unit: a packet as the radio sees it.
pub trait Sdu {
    /// Size of the IP packet in bytes, above zero.
    fn bytes(&self) -> u32;

    /// The packet's number, by which observers know it.
    fn uid(&self) -> u64 {
        0
    }

    /// The flow that it belongs to, where queues tell flows apart.
    fn flow(&self) -> u64 {
        0
    }

    /// Sets Congestion Experienced (RFC 3168 §5), or says `false` where the ends cannot read it.
    fn mark(&mut self) -> bool {
        false
    }

    /// Its TCP/IP headers, where it has some that can be compressed.
    fn headers(&self) -> Option<Headers> {
        None
    }
}
