//! A dedicated channel's parameters.

use std::fmt;

use base::{Duration, Probability, Rate};

use super::pdcp::PdcpConfig;
use super::rlc::am;

/// A bearer over a dedicated channel (DCH) of both directions.
#[derive(Clone, PartialEq, Debug)]
pub struct DchConfig {
    /// Towards the mobile.
    pub downlink: Channel,
    /// From the mobile.
    pub uplink: Channel,
    /// The convergence protocol, alike in both directions.
    pub pdcp: PdcpConfig,
    /// The link control, alike in both directions.
    pub rlc: am::Config,
}

impl DchConfig {
    /// Refuses what no bearer can work with.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.pdcp.header_bytes > PdcpConfig::MAX_HEADER {
            return Err(ConfigError::PdcpHeader(self.pdcp.header_bytes));
        }
        Ok(self.rlc.check()?)
    }
}

/// The transport channel of one direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Channel {
    /// RLC payload per time, without RLC headers.
    pub rate: Rate,
    /// The transmission time interval: 10, 20, 40 or 80 ms (TS 25.302 §7.1.6).
    pub tti: Duration,
    /// The transport block error rate: each block is in error with this probability,
    /// independently of all others.
    pub tbler: Probability,
    /// How many SDUs may wait for the end of their first transmission; one more is dropped. `None`
    /// is without limit.
    pub queue_limit: Option<u32>,
}

impl Channel {
    /// How many transport blocks of `pdu_payload` bytes fit in a TTI.
    pub(crate) fn blocks_per_tti(&self, pdu_payload: u32) -> Result<u32, ConfigError> {
        if !TTIS.contains(&self.tti) {
            return Err(ConfigError::Tti(self.tti));
        }
        match self.rate.bytes_in(self.tti) / u64::from(pdu_payload) {
            0 => Err(ConfigError::NoBlock { channel: *self, pdu_payload }),
            blocks => u32::try_from(blocks).map_err(|_| ConfigError::Rate(self.rate)),
        }
    }
}

/// The TTIs that the standard knows.
const TTIS: [Duration; 4] = [
    Duration::from_millis(10),
    Duration::from_millis(20),
    Duration::from_millis(40),
    Duration::from_millis(80),
];

/// What is wrong with a configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ConfigError {
    /// A TTI that is not 10, 20, 40 or 80 ms.
    Tti(Duration),
    /// Not one block fits in a TTI.
    NoBlock {
        /// The channel.
        channel: Channel,
        /// Bytes of RLC payload in a block.
        pdu_payload: u32,
    },
    /// More blocks in a TTI than can be counted.
    Rate(Rate),
    /// A header of the convergence protocol longer than any.
    PdcpHeader(u32),
    /// The link control's parameters.
    Rlc(am::ConfigError),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tti(tti) => write!(f, "TTI {tti:?}: must be 10 ms, 20 ms, 40 ms or 80 ms"),
            Self::NoBlock { channel, pdu_payload } => write!(
                f,
                "at {} bit/s no block of {pdu_payload} B fits in a TTI of {:?}",
                channel.rate.as_bps(),
                channel.tti
            ),
            Self::Rate(rate) => write!(f, "rate {} bit/s: too high", rate.as_bps()),
            Self::PdcpHeader(bytes) => {
                write!(f, "PDCP header {bytes} B: must be at most {} B", PdcpConfig::MAX_HEADER)
            }
            Self::Rlc(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConfigError {}

impl From<am::ConfigError> for ConfigError {
    fn from(error: am::ConfigError) -> Self {
        Self::Rlc(error)
    }
}
