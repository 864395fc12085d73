//! Transport channels: how data are carried (TS 25.211 §4.1).

use std::fmt;

use super::{Directions, Scope};

/// A transport channel, between MAC and the physical layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TransportChannel {
    /// Broadcast: system information in the whole cell (§4.1.2.1).
    Bch,
    /// Paging, in the whole cell (§4.1.2.3).
    Pch,
    /// Random access: short bursts with a risk of collision (§4.1.2.4).
    Rach,
    /// Common packets: like RACH, with fast power control and collision detection (§4.1.2.5).
    Cpch,
    /// Forward access: answers to random access, and little data (§4.1.2.2).
    Fach,
    /// Downlink shared: several UEs in turn, each with a DCH beside it (§4.1.2.6).
    Dsch,
    /// Dedicated: one UE alone, in either direction (§4.1.1.1).
    Dch,
}

impl TransportChannel {
    /// All of them, in the order of Hynderick and Raes 2004, Table II.3.
    pub const ALL: [Self; 7] =
        [Self::Bch, Self::Pch, Self::Rach, Self::Cpch, Self::Fach, Self::Dsch, Self::Dch];

    /// Where its kind exists. One channel always runs in one direction: a DCH uplink is another
    /// channel than the DCH downlink of the same UE.
    pub const fn directions(self) -> Directions {
        match self {
            Self::Bch | Self::Pch | Self::Fach | Self::Dsch => Directions::Downlink,
            Self::Rach | Self::Cpch => Directions::Uplink,
            Self::Dch => Directions::Both,
        }
    }

    /// Whether one UE has it alone.
    pub const fn scope(self) -> Scope {
        match self {
            Self::Bch | Self::Pch | Self::Rach | Self::Cpch | Self::Fach | Self::Dsch => {
                Scope::Common
            }
            Self::Dch => Scope::Dedicated,
        }
    }
}

impl fmt::Display for TransportChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bch => "BCH",
            Self::Pch => "PCH",
            Self::Rach => "RACH",
            Self::Cpch => "CPCH",
            Self::Fach => "FACH",
            Self::Dsch => "DSCH",
            Self::Dch => "DCH",
        })
    }
}
