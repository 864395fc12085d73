//! What of an IP header goes along with a segment.

/// The fields of an IP header that what a box sends of a flow takes over from what it received of
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct IpFields {
    /// Differentiated services code point (RFC 2474).
    pub dscp: u8,
    /// Time to live or hop limit.
    pub hop_limit: u8,
    /// Of IPv6 (RFC 6437).
    pub flow_label: u32,
}
