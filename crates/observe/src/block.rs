//! What a bearer reports of its radio blocks.

use base::Direction;

/// What a radio block carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// A data PDU sent for the first time.
    Data,
    /// A retransmitted data PDU.
    Retransmission,
    /// Control: a status report, a window move or a reset.
    Control,
}

/// A radio block on the air. It was sent in the TTI that starts at the time of the fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockFact {
    /// The number of the bearer's machine.
    pub machine: u32,
    /// Its direction.
    pub direction: Direction,
    /// RLC sequence number; 0 for control.
    pub sn: u16,
    /// What it carried.
    pub kind: BlockKind,
    /// True if the poll bit was set.
    pub poll: bool,
    /// True if the block arrived in error.
    pub error: bool,
}
