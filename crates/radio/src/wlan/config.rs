//! What a WLAN is made of.

use base::Duration;
use link::queue;
use mobility::handover;
use mobility::motion::Motion;
use settings::words;

use super::airtime::{DataRate, Preamble};

/// The parameters of all access points and stations of a WLAN.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WlanConfig {
    /// At which rate data frames are sent. Usual: 11 Mbit/s.
    pub rate: DataRate,
    /// At which rate they are acknowledged. Usual: 1 or 2 Mbit/s.
    pub basic_rate: DataRate,
    /// Usual: long.
    pub preamble: Preamble,
    /// What a frame adds to a packet, in bytes: MAC header, FCS and LLC/SNAP. Usual: 36, with
    /// three addresses (IEEE 802.11-2012 §8.2.3: 24 + 4) and LLC/SNAP (8); 42 with four.
    pub overhead_bytes: u32,
    /// Who sends next.
    pub access: Access,
    /// How often a frame is sent in vain before it is dropped, above zero. Usual: 7
    /// (dot11ShortRetryLimit).
    pub retry_limit: u32,
    /// Which frames are in error.
    pub loss: Loss,
    /// How loud it is where.
    pub air: Air,
    /// What waits at an access point for all of its stations.
    pub downlink: queue::Config,
    /// What waits at a station for one access point.
    pub uplink: queue::Config,
    /// How many packets wait at an access point for a station that is awaited there
    /// ([`Wlan::hold`](super::Wlan::hold)).
    pub hold_limit: u32,
    /// How stations change their access point.
    pub handover: handover::Config,
    /// How often stations that move hear how loud each access point is, above zero. Usual: 100 ms.
    pub beacon_interval: Duration,
}

/// How the medium around an access point is shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// In the order of arrival, without back-off.
    ContentionFree,
    /// By carrier sense and back-off (DCF, IEEE 802.11-2012 §9.3.4).
    CsmaCa {
        /// The contention window at first, in slots. Usual: 31 (802.11b).
        cw_min: u32,
        /// The contention window at most, in slots. Usual: 1023.
        cw_max: u32,
    },
}

words! {
    /// Which frames are in error, where a frame is heard at all.
    pub enum Loss {
        /// None.
        None = "none",
        /// By chance, as the signal-to-noise ratio where the station is makes them.
        FromPlace = "from-place",
    }
}

/// Powers and free space. Access points have channels that do not overlap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Air {
    /// Of access points and stations alike, antenna gains included, in dBm. Usual: 15.
    pub power_dbm: f64,
    /// In GHz. Usual: 2.4.
    pub frequency_ghz: f64,
    /// Thermal noise in 22 MHz, which is −100.6 dBm, and the noise figure of the receiver.
    /// Usual: −94.
    pub noise_dbm: f64,
    /// Beyond it nothing is heard, in m. Usual: 100 indoors, 250 outdoors.
    pub range_m: f64,
}

/// A mobile.
#[derive(Clone, PartialEq, Debug)]
pub struct Station {
    /// Where it is when.
    pub motion: Motion,
}

impl Access {
    /// The contention window after `retries` in vain, in slots.
    pub(super) fn window(self, retries: u32) -> u32 {
        match self {
            Self::ContentionFree => 0,
            Self::CsmaCa { cw_min, cw_max } => {
                let doubled = (u64::from(cw_min) + 1) << retries.min(32);
                (doubled - 1).min(u64::from(cw_max.max(cw_min))) as u32
            }
        }
    }
}
