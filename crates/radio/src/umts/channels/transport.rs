//! Transport channels: how data are carried (TS 25.211 §4.1).

use std::fmt;

use base::words;

use super::{Directions, Scope};

words! {
    /// A transport channel, between MAC and the physical layer.
    ///
    /// In the order of Hynderick and Raes 2004, Table II.3.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum TransportChannel {
        /// Broadcast: system information in the whole cell (§4.1.2.1).
        Bch = "BCH",
        /// Paging, in the whole cell (§4.1.2.3).
        Pch = "PCH",
        /// Random access: short bursts with a risk of collision (§4.1.2.4).
        Rach = "RACH",
        /// Common packets: like RACH, with fast power control and collision detection (§4.1.2.5).
        Cpch = "CPCH",
        /// Forward access: answers to random access, and little data (§4.1.2.2).
        Fach = "FACH",
        /// Downlink shared: several UEs in turn, each with a DCH beside it (§4.1.2.6).
        Dsch = "DSCH",
        /// Dedicated: one UE alone, in either direction (§4.1.1.1).
        Dch = "DCH",
    }
}

impl TransportChannel {
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
        f.pad(self.name())
    }
}
