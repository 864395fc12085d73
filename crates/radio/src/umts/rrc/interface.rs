//! The inputs and actions of an RRC entity.

use base::Direction;
use observe::{RrcEvent, RrcState};

#[cfg(doc)]
use super::Entity;
use crate::umts::channels::spreading::SpreadingFactor;

/// Dedicated channels: always of both directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dedicated {
    /// Spreading factor downlink.
    pub downlink: SpreadingFactor,
    /// Spreading factor uplink.
    pub uplink: SpreadingFactor,
}

/// What carries a UE's bearer. One value for both directions: they open and close together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channels {
    /// Nothing: what is to be sent waits.
    None,
    /// FACH down, RACH up.
    Shared,
    /// DCH down and up.
    Dedicated(Dedicated),
}

/// An input of an [`Entity`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// SDUs came from above for `direction`.
    Arrived {
        /// Where they go.
        direction: Direction,
        /// Bytes that now wait in RLC, for a first transmission or another.
        waiting: u64,
    },
    /// RLC sent PDUs of any kind.
    Sent {
        /// Where they went.
        direction: Direction,
        /// Bytes that still wait.
        waiting: u64,
    },
    /// The channels that [`Action::Admit`] asked for are reserved, or cheaper ones in their place.
    Admitted(Dedicated),
    /// The request was refused.
    Refused,
    /// The UE chose another cell. (On dedicated channels it chooses none: illegal.)
    CellReselected,
    /// The UE chose another cell, in another registration area. (The same.)
    UraReselected,
    /// The radio links of the dedicated channels are lost. (Illegal without them.)
    RadioLinkFailure,
    /// There is no cell for the UE any more. (Dedicated channels go on until they fail.)
    CoverageLost,
    /// There is one again.
    CoverageFound,
    /// The connection is to be released. (Illegal without one.)
    Release,
}

/// An action that an [`Entity`] requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Reserve these, or cheaper ones, and answer.
    Admit(Dedicated),
    /// The reservation is not needed after all.
    Cancel(Dedicated),
    /// From now on these carry the bearer. Dedicated channels that are no longer named are free.
    Use(Channels),
    /// The state changed.
    Changed {
        /// The state left.
        from: RrcState,
        /// The state entered.
        to: RrcState,
        /// Why.
        event: RrcEvent,
    },
}
