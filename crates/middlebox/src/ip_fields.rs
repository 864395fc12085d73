//! The fields of an IP header that go along with a segment.

/// The fields of an IP header that a box copies from the packets it received of a flow to those
/// that it sends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct IpFields {
    /// Differentiated services code point (RFC 2474).
    pub dscp: u8,
    /// Time to live or hop limit.
    pub hop_limit: u8,
    /// Of IPv6 (RFC 6437).
    pub flow_label: u32,
}
