//! The convergence protocol's parameters.

use settings::{Bytes, Flag, section};

section! {
    /// `[radio.pdcp]`: the convergence protocol (TS 25.323).
    pub struct PdcpConfig {
        // No header is longer than 3 bytes with a sequence number (TS 25.323 §8.2.3).
        /// Bytes in front of each packet. Default: lo2005 §4, a packet of 552 B makes 553 B.
        pub header_bytes: u32 as Bytes<u32, 0, 3> = 1;
        /// Compression of TCP/IP headers after RFC 2507.
        pub header_compression: bool as Flag = false;
    }
}
