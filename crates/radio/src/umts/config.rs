//! A dedicated channel's parameters.

use base::{Duration, Rate, Schedule, Time};

use super::pdcp::PdcpConfig;
use super::{BlockErrorRate, Blocks, BufferManager, Coverage, Dpcch, Interruption, Limit, rlc};
use crate::PowerModel;

/// A bearer over a dedicated channel (DCH) of both directions.
#[derive(Clone, PartialEq, Debug)]
pub struct DchConfig {
    /// Towards the mobile.
    pub downlink: Channel,
    /// From the mobile.
    pub uplink: Channel,
    /// What decides whether a block arrives, in either direction.
    pub dpcch: Dpcch,
    /// How many DPDCHs go under one DPCCH, downlink and uplink: as many blocks are on the air in
    /// parallel, and if the DPCCH fails on its own they are lost together.
    pub dpdchs: [u32; 2],
    /// Whether the mobile is reached at all.
    pub coverage: Schedule<Coverage>,
    /// When nothing is sent in either direction.
    pub interruptions: Vec<Interruption>,
    /// The manager that gives each flow its buffer space, within the limits of the channels.
    pub buffer: Option<BufferManager>,
    /// What the mobile's radio draws, where it is on these channels at all times.
    pub power: PowerModel<1>,
    /// The convergence protocol, alike in both directions.
    pub pdcp: PdcpConfig,
    /// The link control, alike in both directions.
    pub rlc: rlc::RlcConfig,
}

impl DchConfig {
    /// A bearer of two channels that exist at all times.
    pub fn new(downlink: Channel, uplink: Channel, pdcp: PdcpConfig, rlc: rlc::RlcConfig) -> Self {
        Self {
            downlink,
            uplink,
            dpcch: Dpcch::WithData,
            dpdchs: [1; 2],
            coverage: Coverage::There.into(),
            interruptions: Vec::new(),
            buffer: None,
            power: PowerModel::default(),
            pdcp,
            rlc,
        }
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
    /// The limit of what waits for the end of its first transmission; an SDU beyond it is dropped.
    pub limit: Limit,
}

impl Channel {
    /// How many blocks of `pdu_payload` bytes a TTI carries at `time`.
    ///
    /// # Panics
    /// If that is more than can be counted.
    pub(crate) fn blocks_at(&self, time: Time, pdu_payload: u32) -> Blocks {
        let rate = self.rate.at(time);
        Blocks::of_rate(rate, self.tti, pdu_payload).expect("a rate whose blocks can be counted")
    }
}
