//! A segment: a header and what it carries.

use base::{Ecn, Flags, TcpHeader};

use crate::Payload;

/// A TCP segment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Segment<P> {
    /// The header.
    pub header: TcpHeader,
    /// The payload.
    pub payload: P,
    /// What the IP header around it says of congestion.
    pub ecn: Ecn,
}

impl<P: Payload> Segment<P> {
    /// True if every bit of `flags` is set.
    pub fn has(&self, flags: Flags) -> bool {
        self.header.flags.contains(flags)
    }

    /// Sequence numbers that the segment occupies: its payload, a SYN and a FIN.
    pub fn numbers(&self) -> u32 {
        self.payload.length() as u32
            + u32::from(self.has(Flags::SYN))
            + u32::from(self.has(Flags::FIN))
    }
}
