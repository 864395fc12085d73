//! What a splitting box can be told to do.

use base::Duration;

use crate::{Leg, MiddleboxLimits};

/// How connections are split, whatever the radio leg does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitConfig {
    /// What becomes of data towards a fixed host.
    pub uplink: Uplink,
    /// The most bytes that all uploads of a mobile may have under way over the radio, by the
    /// windows that it is told; `None` is what the hosts say.
    pub uplink_clamp: Option<u32>,
    /// An end whose SYN names less is sent segments of this size all the same, in bytes, options
    /// included: or it could have a packet sent for each byte.
    pub min_mss: u32,
    /// How long an acknowledgement to a sender may wait for a second segment (RFC 9293 §3.8.6.3).
    pub delayed_ack: Option<Duration>,
    /// How much the box takes upon itself.
    pub limits: MiddleboxLimits,
    /// Whether paths may drop large packets without an ICMP message.
    pub large_packets: LargePackets,
    /// Whether a journal is kept of what [`crate::Managed::poll_exposure`] returns.
    pub journal: Journal,
}

/// What becomes of data towards a fixed host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uplink {
    /// They are passed through: the host acknowledges them, and their sender retransmits what is
    /// lost.
    Rides,
    /// They are acknowledged as they come in and sent on, as data towards a mobile are.
    Split,
}

/// Whether a journal is kept of connections that would not outlive the box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Journal {
    /// None is.
    Unkept,
    /// One is: each exposure is polled.
    Kept,
}

/// What becomes of packets that a path does not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LargePackets {
    /// An ICMP message tells their sender (RFC 1191, RFC 8201).
    Reported,
    /// They may also vanish: after two timeouts in a row segments become smaller (RFC 4821).
    Vanish,
}

impl SplitConfig {
    /// Every option off, without limits.
    pub const PLAIN: Self = Self {
        uplink: Uplink::Rides,
        uplink_clamp: None,
        min_mss: 1,
        delayed_ack: None,
        limits: MiddleboxLimits::NONE,
        large_packets: LargePackets::Reported,
        journal: Journal::Unkept,
    };

    /// The largest segment, options included, to an end whose SYN named `mss`.
    pub(super) fn segment_to(&self, mss: u16) -> u32 {
        u32::from(mss).max(self.min_mss)
    }

    /// Whether data to a host on `leg` are split on their way.
    pub(super) fn splits_toward(&self, leg: Leg) -> bool {
        match (leg, self.uplink) {
            (Leg::Radio, _) | (Leg::Wired, Uplink::Split) => true,
            (Leg::Wired, Uplink::Rides) => false,
        }
    }
}
