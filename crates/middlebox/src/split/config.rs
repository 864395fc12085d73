//! What a splitting box can be told to do.

use base::Duration;

/// How connections are split, whatever the radio leg does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitConfig {
    /// The largest MSS option in bytes that a SYN may carry, either way; `None` leaves it.
    pub mss: Option<u16>,
    /// The most bytes that a window advertised to a mobile lets it send to a fixed host; `None` is
    /// what the host says.
    pub uplink_clamp: Option<u32>,
    /// How long an acknowledgement to a sender may wait for a second segment (RFC 9293 §3.8.6.3).
    pub delayed_ack: Option<Duration>,
    /// A connection without a packet for so long is forgotten (RFC 5382 REQ-5: at least 2 h 4 min).
    pub idle: Duration,
    /// The same for one that opens, or that is over (RFC 5382 REQ-5: at least 4 min).
    pub transitory: Duration,
    /// How many connections the box takes part in at once; further ones pass untouched.
    pub flows: u32,
}

impl SplitConfig {
    /// Everything off that can be, with the times of RFC 5382 and room for any number of flows.
    pub const PLAIN: Self = Self {
        mss: None,
        uplink_clamp: None,
        delayed_ack: None,
        idle: Duration::from_secs(2 * 3_600 + 4 * 60),
        transitory: Duration::from_secs(4 * 60),
        flows: u32::MAX,
    };
}
