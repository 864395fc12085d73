//! What may be known of a radio.

use base::{Duration, Rate};

/// What the configuration says about a radio, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RadioLink {
    /// Its rate towards a mobile.
    pub rate: Option<Rate>,
    /// Its rate from a mobile.
    pub uplink_rate: Option<Rate>,
    /// The round-trip time of a full segment while nothing waits.
    pub round_trip: Option<Duration>,
    /// The product of both, in bytes.
    pub bdp: Option<u64>,
}

impl RadioLink {
    /// Bytes under way over it while it is busy and nothing waits.
    pub fn product(&self) -> Option<u64> {
        let (rate, round_trip) = (self.rate, self.round_trip);
        self.bdp.or_else(|| Some(rate?.bytes_in(round_trip?)))
    }
}
