//! Downlink and uplink.

/// The two directions of a radio bearer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Towards the mobile.
    Downlink,
    /// From the mobile.
    Uplink,
}
