//! How a cell is set up.

use link::queue;

use super::formats::Formats;
use crate::PowerModel;
use crate::channel::{UeConfig, scheduler};
use crate::umts::pdcp::PdcpConfig;
use crate::umts::rlc;

/// A cell and its mobiles. Times are in TTIs of HS-DSCH.
#[derive(Clone, PartialEq, Debug)]
pub struct HsConfig {
    /// The blocks downlink.
    pub formats: Formats,
    /// How many PDUs a block uplink carries at most.
    pub grant: u32,
    /// Hybrid ARQ downlink and uplink.
    pub timings: [Timing; 2],
    /// For how long a gap of blocks is waited for (T1, TS 25.321 §11.6.2).
    pub(super) reordering: u64,
    /// Between RNC and `NodeB`.
    pub iub: Iub,
    /// Who gets a TTI.
    pub(super) scheduler: scheduler::SchedulerConfig,
    /// What waits ahead of link control for each mobile, downlink and uplink.
    pub(super) queues: [queue::Config; 2],
    /// Link control of both directions.
    pub(super) rlc: rlc::RlcConfig,
    /// Convergence of both directions.
    pub(super) pdcp: PdcpConfig,
    /// What the radio of a mobile draws.
    pub(super) power: PowerModel<1>,
    /// The mobiles.
    pub ues: Vec<UeConfig>,
}

/// Hybrid ARQ of one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// How long a block is on the air.
    pub(super) tti: u64,
    /// How many blocks may be in flight.
    pub processes: u32,
    /// How often a block is sent at most.
    pub(super) transmissions: u32,
    /// From the beginning of a block to when the same process sends again.
    pub round_trip: u64,
    /// From the end of a block to when its contents are there.
    pub(super) decoding: u64,
}

/// Between RNC and `NodeB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iub {
    /// One way.
    pub(super) delay: u64,
    /// How often the `NodeB` grants.
    pub(super) period: u64,
    /// How much is to wait in the `NodeB`, as the time that its radio takes for it.
    pub target: u64,
}
