//! What may be known of a radio.

use base::{Duration, Rate};

/// What whoever runs a box says of its radio, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RadioLink {
    /// What it carries towards a mobile.
    pub rate: Option<Rate>,
    /// What it carries from a mobile.
    pub uplink_rate: Option<Rate>,
    /// The round-trip time of a full segment while nothing waits.
    pub round_trip: Option<Duration>,
    /// The product of both, in bytes.
    pub bdp: Option<u64>,
}
