//! What a measurement sees of a radio network: connections, codes and handovers.

use base::{Direction, Duration, words};

use crate::{RrcEvent, RrcState};

/// The RRC connection of a mobile changed its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RrcFact {
    /// The number of the network's machine.
    pub machine: u32,
    /// The mobile, from 0.
    pub ue: u32,
    /// The state that it left.
    pub from: RrcState,
    /// The state that it is in.
    pub to: RrcState,
    /// Why.
    pub event: RrcEvent,
}

/// Something happened to a code of a downlink's tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeFact {
    /// The number of the network's machine.
    pub machine: u32,
    /// The cell, from 0.
    pub cell: u32,
    /// The mobile, from 0.
    pub ue: u32,
    /// Spreading factor.
    pub sf: u16,
    /// Its place among those of its spreading factor, from 0; where it was blocked, 0.
    pub code: u16,
    /// What happened.
    pub event: CodeEvent,
}

words! {
    /// What can happen to a code.
    pub enum CodeEvent {
        /// A mobile has it now.
        Allocated = "allocated",
        /// A mobile has given it back.
        Released = "released",
        /// A mobile asked and got none: no code was free.
        NoCode = "no-code",
        /// A mobile asked and got none: the downlink's power does not reach.
        NoPower = "no-power",
        /// A mobile asked and got none: the uplink has its full load.
        NoUplink = "no-uplink",
    }
}

/// A mobile's set of cells changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandoverFact {
    /// The number of the network's machine.
    pub machine: u32,
    /// The mobile, from 0.
    pub ue: u32,
    /// The cell that was added, removed or changed to; where the radio link failed, the last.
    pub cell: u32,
    /// What happened.
    pub event: HandoverEvent,
}

words! {
    /// What can happen to a mobile's set of cells.
    pub enum HandoverEvent {
        /// Soft: a cell of another `NodeB` was added.
        Soft = "soft",
        /// Softer: another cell of the same `NodeB` was added.
        Softer = "softer",
        /// A cell was removed.
        Removed = "removed",
        /// Hard: one cell took the place of another.
        Hard = "hard",
        /// The role of the serving RNC moved, and RLC began anew.
        Relocated = "relocated",
        /// The radio link failed: no cell was heard any more.
        Failed = "failed",
        /// It was found again in a cell.
        Found = "found",
    }
}

/// How many blocks a common channel carried in one of its TTIs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommonFact {
    /// The number of the network's machine.
    pub machine: u32,
    /// The cell, from 0.
    pub cell: u32,
    /// FACH downlink, RACH uplink.
    pub direction: Direction,
    /// Blocks sent in the TTI.
    pub used: u32,
    /// Blocks that it has room for in a second.
    pub capacity: u32,
}

/// A page of a browser has arrived whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageFact {
    /// Its bytes.
    pub bytes: u64,
    /// From the request to the last byte.
    pub response: Duration,
}
