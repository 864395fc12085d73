//! The convergence protocol's parameters.

/// The convergence protocol of one bearer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PdcpConfig {
    /// Bytes in front of each SDU: 1 with a PDU header, 0 without (TS 25.323 §8.2).
    pub header_bytes: u32,
    /// Whether headers are compressed, by the protocol of the SDUs.
    pub header_compression: bool,
}

impl PdcpConfig {
    /// No header is longer: 3 bytes with a sequence number (TS 25.323 §8.2.3).
    pub const MAX_HEADER: u32 = 3;
}
