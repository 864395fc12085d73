//! How a bearer's link control behaves.

use std::fmt;

use base::Duration;

use super::segmentation::Segmentation;
use super::{am, next_expected, tm, um};

/// The link control of a bearer, alike at both ends and in both directions.
#[derive(Clone, PartialEq, Debug)]
pub enum Config {
    /// Acknowledged mode with selective repeat (TS 25.322 §11.3).
    Acknowledged(am::Config),
    /// Acknowledged mode with the recovery of Hynderick and Raes 2004.
    NextExpected(next_expected::Config),
    /// Unacknowledged mode (TS 25.322 §11.2).
    Unacknowledged(um::Config),
    /// Transparent mode (TS 25.322 §11.1).
    Transparent(tm::Config),
}

/// Whether one PDU may carry parts of several SDUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Concatenation {
    /// An SDU may begin in the space that the one before left, if at least 3 bytes fit.
    Allowed,
    /// Each SDU begins in a PDU of its own: segmentation only.
    Forbidden,
}

/// What stands in front of a PDU's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Header {
    /// That of TS 25.322 §9.2, which the channel's rate does not count; where an SDU ends is told
    /// by a length indicator among the data.
    Standard,
    /// So many bytes, which the channel's rate has to carry too, and which tell where an SDU ends.
    Counted(u32),
}

impl Header {
    /// The bytes that the channel's rate counts.
    pub(crate) const fn counted(self) -> u32 {
        match self {
            Self::Standard => 0,
            Self::Counted(bytes) => bytes,
        }
    }
}

impl Config {
    /// Bytes of the channel's rate that a block takes: those after the PDU's header, and the
    /// header where the rate has to carry it too.
    pub const fn block_bytes(&self) -> u32 {
        match self {
            Self::Acknowledged(config) => config.pdu_payload,
            Self::NextExpected(config) => config.pdu_payload + config.header.counted(),
            Self::Unacknowledged(config) => config.pdu_payload + config.header.counted(),
            Self::Transparent(config) => config.pdu_payload,
        }
    }

    /// Refuses what no entity can work with.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        match self {
            Self::Acknowledged(config) => config.check(),
            Self::NextExpected(config) => config.check(),
            Self::Unacknowledged(config) => config.check(),
            Self::Transparent(config) => config.check(),
        }
    }

    /// How SDUs are cut and delivered.
    pub(crate) fn segmentation(&self) -> Segmentation {
        match self {
            Self::Acknowledged(config) => config.segmentation(),
            Self::NextExpected(config) => config.segmentation(),
            Self::Unacknowledged(config) => config.segmentation(),
            Self::Transparent(config) => config.segmentation(),
        }
    }
}

impl From<am::Config> for Config {
    fn from(config: am::Config) -> Self {
        Self::Acknowledged(config)
    }
}

impl From<next_expected::Config> for Config {
    fn from(config: next_expected::Config) -> Self {
        Self::NextExpected(config)
    }
}

impl From<um::Config> for Config {
    fn from(config: um::Config) -> Self {
        Self::Unacknowledged(config)
    }
}

impl From<tm::Config> for Config {
    fn from(config: tm::Config) -> Self {
        Self::Transparent(config)
    }
}

/// The least payload: a status report with a list of four gaps must fit.
const MIN_PAYLOAD: u32 = 10;

/// The largest payload: 15-bit length indicators must be able to point at each byte.
const MAX_PAYLOAD: u32 = 32_000;

/// Refuses a payload that cannot be coded.
pub(super) fn check_payload(bytes: u32) -> Result<(), ConfigError> {
    if (MIN_PAYLOAD..=MAX_PAYLOAD).contains(&bytes) {
        Ok(())
    } else {
        Err(ConfigError::PduPayload(bytes))
    }
}

/// Refuses a timer that would run out at once, for ever.
pub(super) fn check_times(times: &[(&'static str, Option<Duration>)]) -> Result<(), ConfigError> {
    match times.iter().find(|(_, time)| *time == Some(Duration::ZERO)) {
        Some((name, _)) => Err(ConfigError::ZeroTime(name)),
        None => Ok(()),
    }
}

/// What is wrong with a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConfigError {
    /// A window outside 1..=4095 PDUs.
    Window(u16),
    /// A PDU payload too small or too large to be coded.
    PduPayload(u32),
    /// A trigger on every 0 PDUs or SDUs.
    ZeroCount(&'static str),
    /// A timer that would never stop running out.
    ZeroTime(&'static str),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Window(window) => {
                write!(f, "RLC window {window}: must be 1 to 4095 PDUs (12-bit sequence numbers)")
            }
            Self::PduPayload(bytes) => {
                write!(f, "RLC PDU payload {bytes} B: must be {MIN_PAYLOAD} B to {MAX_PAYLOAD} B")
            }
            Self::ZeroCount(trigger) => write!(f, "RLC poll {trigger} 0: must be at least 1"),
            Self::ZeroTime(timer) => write!(f, "RLC {timer} 0 s: must be above zero"),
        }
    }
}

impl std::error::Error for ConfigError {}
