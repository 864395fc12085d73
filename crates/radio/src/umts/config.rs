//! A dedicated channel's parameters.

use std::fmt;

use base::{Duration, Rate, Schedule, Time};

use super::pdcp::PdcpConfig;
use super::{BlockErrorRate, Blocks, BufferManager, Coverage, Dpcch, Interruption, Limit, rlc};

/// A bearer over a dedicated channel (DCH) of both directions.
#[derive(Clone, PartialEq, Debug)]
pub struct DchConfig {
    /// Towards the mobile.
    pub downlink: Channel,
    /// From the mobile.
    pub uplink: Channel,
    /// What decides whether a block arrives, in either direction.
    pub dpcch: Dpcch,
    /// How many DPDCHs go under one DPCCH, downlink and uplink: as many blocks are on the air side
    /// by side, and where the DPCCH fails on its own they are lost together.
    pub dpdchs: [u32; 2],
    /// Whether the mobile is reached at all.
    pub coverage: Schedule<Coverage>,
    /// When nothing is sent in either direction.
    pub interruptions: Vec<Interruption>,
    /// What gives each flow its room in the queue, within the limits of the channels.
    pub buffer: Option<BufferManager>,
    /// The convergence protocol, alike in both directions.
    pub pdcp: PdcpConfig,
    /// The link control, alike in both directions.
    pub rlc: rlc::Config,
}

impl DchConfig {
    /// A bearer of two channels that are there at all times.
    pub fn new(downlink: Channel, uplink: Channel, pdcp: PdcpConfig, rlc: rlc::Config) -> Self {
        Self {
            downlink,
            uplink,
            dpcch: Dpcch::WithData,
            dpdchs: [1; 2],
            coverage: Coverage::There.into(),
            interruptions: Vec::new(),
            buffer: None,
            pdcp,
            rlc,
        }
    }

    /// Refuses what no bearer can work with.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.pdcp.header_bytes > PdcpConfig::MAX_HEADER {
            return Err(ConfigError::PdcpHeader(self.pdcp.header_bytes));
        }
        for channel in [&self.downlink, &self.uplink] {
            channel.check()?;
        }
        if let Some(dpdchs) = self.dpdchs.iter().find(|dpdchs| !(1..=8).contains(*dpdchs)) {
            return Err(ConfigError::Dpdchs(*dpdchs));
        }
        if let Some(gap) = self.interruptions.iter().find(|gap| gap.from >= gap.to) {
            return Err(ConfigError::Interruption(*gap));
        }
        Ok(self.rlc.check()?)
    }
}

/// The transport channel of one direction.
#[derive(Clone, PartialEq, Debug)]
pub struct Channel {
    /// RLC payload per time, without RLC headers.
    pub rate: Schedule<Rate>,
    /// The transmission time interval: 10, 20, 40 or 80 ms (TS 25.302 §7.1.6).
    pub tti: Duration,
    /// The transport block error rate.
    pub tbler: Schedule<BlockErrorRate>,
    /// What may wait for the end of its first transmission; an SDU beyond it is dropped.
    pub limit: Limit,
}

impl Channel {
    /// What a TTI has room for at `time`, in blocks of `pdu_payload` bytes.
    pub(crate) fn blocks_at(&self, time: Time, pdu_payload: u32) -> Result<Blocks, ConfigError> {
        let rate = self.rate.at(time);
        Blocks::of_rate(rate, self.tti, pdu_payload).ok_or(ConfigError::Rate(rate))
    }

    fn check(&self) -> Result<(), ConfigError> {
        if !TTIS.contains(&self.tti) {
            return Err(ConfigError::Tti(self.tti));
        }
        let reversed = |rate: &BlockErrorRate| match rate {
            BlockErrorRate::Constant(_) => false,
            BlockErrorRate::Drawn { low, high } => low > high,
        };
        match self.tbler.values().find(reversed) {
            Some(rate) => Err(ConfigError::Limits(rate)),
            None => Ok(()),
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
    /// More blocks in a TTI than can be counted.
    Rate(Rate),
    /// Limits of an error rate of which the lower is the higher.
    Limits(BlockErrorRate),
    /// No DPDCH, or more than any direction has.
    Dpdchs(u32),
    /// An interruption that ends before it has begun.
    Interruption(Interruption),
    /// A header of the convergence protocol longer than any.
    PdcpHeader(u32),
    /// The link control's parameters.
    Rlc(rlc::ConfigError),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tti(tti) => write!(f, "TTI {tti:?}: must be 10 ms, 20 ms, 40 ms or 80 ms"),
            Self::Rate(rate) => write!(f, "rate {} bit/s: too high", rate.as_bps()),
            Self::Limits(_) => write!(f, "limits of the block error rate: reversed"),
            Self::Dpdchs(dpdchs) => write!(f, "{dpdchs} DPDCHs: must be 1 to 8"),
            Self::Interruption(Interruption { from, to, .. }) => {
                write!(f, "interruption from {from:?} to {to:?}: must end after it begins")
            }
            Self::PdcpHeader(bytes) => {
                write!(f, "PDCP header {bytes} B: must be at most {} B", PdcpConfig::MAX_HEADER)
            }
            Self::Rlc(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConfigError {}

impl From<rlc::ConfigError> for ConfigError {
    fn from(error: rlc::ConfigError) -> Self {
        Self::Rlc(error)
    }
}
