//! The channels of the radio interface, and which may carry which.
//!
//! A logical channel says *what* is carried, a transport channel *how*, a physical channel *over
//! which codes*. As of release 99, FDD mode.

use std::fmt;

use base::Direction;

pub mod codes;
mod dedicated;
pub mod formats;
pub mod header;
mod kinds;
pub mod mapping;
pub mod spreading;

pub use codes::{Code, CodeState, CodeTree, NoCode};
pub use dedicated::{DedicatedChannels, DedicatedError};
pub use formats::{
    Coding, CombinationSet, FormatError, Priority, SemiStatic, TransportFormat, TransportFormatSet,
    Waiting,
};
pub use header::{HeaderError, MacHeader, Multiplexed, UeId};
#[cfg(test)]
use kinds::Plane;
pub use kinds::{Content, LogicalChannel, PhysicalChannel, TransportChannel};
pub use mapping::IllegalMapping;
pub use spreading::{SlotFormat, SpreadingError, SpreadingFactor, SpreadingTable};

/// Where a kind of channel exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directions {
    /// Towards the mobile.
    Downlink,
    /// From the mobile.
    Uplink,
    /// Either way.
    Both,
}

impl Directions {
    /// Whether `direction` is one of them.
    pub const fn include(self, direction: Direction) -> bool {
        match direction {
            Direction::Downlink => matches!(self, Self::Downlink | Self::Both),
            Direction::Uplink => matches!(self, Self::Uplink | Self::Both),
        }
    }

    /// Whether both have a direction in common.
    pub const fn meet(self, other: Self) -> bool {
        self.include(Direction::Downlink) && other.include(Direction::Downlink)
            || self.include(Direction::Uplink) && other.include(Direction::Uplink)
    }
}

impl fmt::Display for Directions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Downlink => Direction::Downlink.name(),
            Self::Uplink => Direction::Uplink.name(),
            Self::Both => "uplink and downlink",
        })
    }
}

/// Which UEs a channel belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Of all UEs of a cell.
    Common,
    /// Of one UE.
    Dedicated,
}
