//! What an entity sends, as values.

use observe::BlockKind;

use super::Sn;
use super::am::StatusReport;
use super::next_expected::Expected;

/// Data PDUs with consecutive numbers, in consecutive blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// The first.
    pub(crate) sn: Sn,
    /// How many, at most 64.
    pub(crate) pdus: u32,
    /// Whether they are sent for the first time.
    pub(crate) kind: DataKind,
    /// Whether the last one carries the poll bit.
    pub(crate) poll: bool,
}

/// Whether a data PDU is sent for the first time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataKind {
    New,
    Again,
}

impl From<DataKind> for BlockKind {
    fn from(kind: DataKind) -> Self {
        match kind {
            DataKind::New => Self::Data,
            DataKind::Again => Self::Retransmission,
        }
    }
}

/// A control PDU.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "reports are most of them; no box, no allocation")]
pub(crate) enum Control {
    Status(StatusReport),
    MoveWindow(WindowMove),
    MoveWindowAck(WindowMoved),
    Reset(ResetNumber),
    ResetAck(ResetNumber),
    Expected(Expected),
}

impl Control {
    /// True for what tells the peer which PDUs have arrived.
    pub(crate) const fn is_report(&self) -> bool {
        match self {
            Self::Status(_) | Self::Expected(_) => true,
            Self::MoveWindow(_) | Self::MoveWindowAck(_) | Self::Reset(_) | Self::ResetAck(_) => {
                false
            }
        }
    }
}

/// The sequence number of a reset, one bit (RSN, TS 25.322 §9.2.2.13).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ResetNumber(pub(crate) bool);

/// How far to move the receiving window so that discarded SDUs are passed over: the MRW
/// super-field (TS 25.322 §9.2.2.11.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WindowMove {
    /// The first PDU that is still of use (`SN_MRW`).
    pub(crate) sn: Sn,
    /// How many of the length indicators in that PDU belong to discarded SDUs (`N`).
    pub(crate) ends: u8,
    /// The first SDU that is not discarded.
    pub(crate) sdu: u64,
}

/// The answer: the MRW ACK super-field (TS 25.322 §9.2.2.11.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WindowMoved {
    /// Where the receiving window begins now (`SN_ACK`).
    pub(crate) sn: Sn,
    /// The `N` of the window move, if the window begins where that asked for; else 0.
    pub(crate) ends: u8,
}
