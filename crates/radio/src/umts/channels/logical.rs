//! Logical channels: what is carried (TS 25.301 §5.3.1.1.1).

use std::fmt;

use base::words;

use super::{Directions, Scope};

words! {
    /// A logical channel, between RLC and MAC.
    ///
    /// In the order of the standard.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum LogicalChannel {
        /// Broadcast control: system information.
        Bcch = "BCCH",
        /// Paging control.
        Pcch = "PCCH",
        /// Dedicated control: between RRC and one UE that has a connection.
        Dcch = "DCCH",
        /// Common control: between RRC and UEs without a connection.
        Ccch = "CCCH",
        /// Dedicated traffic: a UE's user data.
        Dtch = "DTCH",
        /// Common traffic: user data for all of a group.
        Ctch = "CTCH",
    }
}

/// What a logical channel is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plane {
    /// Signalling.
    Control,
    /// User data.
    Traffic,
}

impl LogicalChannel {
    /// Where it runs.
    pub const fn directions(self) -> Directions {
        match self {
            Self::Bcch | Self::Pcch | Self::Ctch => Directions::Downlink,
            Self::Dcch | Self::Ccch | Self::Dtch => Directions::Both,
        }
    }

    /// Control or traffic.
    pub const fn plane(self) -> Plane {
        match self {
            Self::Bcch | Self::Pcch | Self::Dcch | Self::Ccch => Plane::Control,
            Self::Dtch | Self::Ctch => Plane::Traffic,
        }
    }

    /// Whether one UE has it alone.
    pub const fn scope(self) -> Scope {
        match self {
            Self::Dcch | Self::Dtch => Scope::Dedicated,
            Self::Bcch | Self::Pcch | Self::Ccch | Self::Ctch => Scope::Common,
        }
    }
}

impl fmt::Display for LogicalChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
