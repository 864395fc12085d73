//! What is counted of the blocks of a run's radio.

use base::Direction;
use schemars::JsonSchema;
use serde::Serialize;
use world::{Body, Machine};

/// The radio's blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Radio")]
pub struct RadioSummary {
    /// Both directions together.
    #[serde(flatten)]
    pub total: DirectionSummary,
    /// Towards the mobile.
    pub downlink: DirectionSummary,
    /// From the mobile.
    pub uplink: DirectionSummary,
}

/// The radio blocks of one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RadioBlocks")]
pub struct DirectionSummary {
    /// Blocks sent, of any kind.
    pub blocks_sent: u64,
    /// Those that arrived in error.
    pub blocks_in_error: u64,
    /// Blocks that hybrid ARQ sent again.
    pub harq_repeats: u64,
    /// Blocks that erred in their last transmission, so that hybrid ARQ gave them up.
    pub harq_given_up: u64,
    /// Data blocks retransmitted.
    pub retransmitted_blocks: u64,
    /// Status reports sent.
    pub status_pdus: u64,
    /// RLC resets begun, or radio links that failed and began anew.
    pub rlc_resets: u64,
    /// Packets that RLC gave up.
    pub discarded_sdus: u64,
    /// Channel bytes that the blocks sent took: data, padding and control, retransmissions
    /// included. Divided by `bytes_delivered` it is the effort of a delivery.
    pub bytes_sent: u64,
    /// Packets delivered, in bytes at the IP layer.
    pub bytes_delivered: u64,
}

impl RadioSummary {
    /// The summary of the bearers and networks of cells among `machines`, all together.
    pub fn of<'a, B: Body + 'a>(machines: impl Iterator<Item = &'a Machine<B>>) -> Option<Self> {
        Self::blocks(machines).map(Self::from)
    }

    /// What these have counted, down and up.
    pub(crate) fn blocks<'a, B: Body + 'a>(
        machines: impl Iterator<Item = &'a Machine<B>>,
    ) -> Option<[radio::Counters; 2]> {
        let counters = machines.filter_map(|machine| {
            let radio = machine.radio()?;
            Some(Direction::BOTH.map(|direction| radio.cell.total(direction)))
        });
        counters.reduce(|[a, b], [c, d]| [a + c, b + d])
    }
}

impl From<[radio::Counters; 2]> for RadioSummary {
    fn from([down, up]: [radio::Counters; 2]) -> Self {
        Self { total: (down + up).into(), downlink: down.into(), uplink: up.into() }
    }
}

impl From<radio::Counters> for DirectionSummary {
    fn from(counters: radio::Counters) -> Self {
        Self {
            blocks_sent: counters.blocks_sent,
            blocks_in_error: counters.blocks_in_error,
            harq_repeats: counters.harq_repeats,
            harq_given_up: counters.harq_given_up,
            retransmitted_blocks: counters.retransmitted_blocks,
            status_pdus: counters.status_pdus,
            rlc_resets: counters.resets,
            discarded_sdus: counters.discarded,
            bytes_sent: counters.bytes_sent,
            bytes_delivered: counters.bytes_delivered,
        }
    }
}
