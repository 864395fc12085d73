//! Logical, transport and physical channels: what is carried, how, and over which codes.

use std::fmt;

use base::words;

use super::{Directions, Scope};

/// Declares channels, each with its name, the directions in which it exists and whose it is.
macro_rules! channels {
    (
        $(#[$attribute:meta])*
        pub enum $kind:ident {
            $($(#[$doc:meta])* $channel:ident = $name:literal, $directions:ident, $scope:ident;)*
        }
    ) => {
        words! {
            $(#[$attribute])*
            #[derive(PartialOrd, Ord, Hash)]
            pub enum $kind {
                $($(#[$doc])* $channel = $name,)*
            }
        }

        impl $kind {
            /// Where its kind exists. One channel always runs in one direction: a DCH uplink is
            /// another channel than the DCH downlink of the same UE.
            pub const fn directions(self) -> Directions {
                match self {
                    $(Self::$channel => Directions::$directions,)*
                }
            }

            /// Whether one UE has it alone.
            pub const fn scope(self) -> Scope {
                match self {
                    $(Self::$channel => Scope::$scope,)*
                }
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

channels! {
    /// A logical channel, between RLC and MAC (TS 25.301 §5.3.1.1.1).
    ///
    /// In the order of the standard.
    pub enum LogicalChannel {
        /// Broadcast control: system information.
        Bcch = "BCCH", Downlink, Common;
        /// Paging control.
        Pcch = "PCCH", Downlink, Common;
        /// Dedicated control: between RRC and one UE that has a connection.
        Dcch = "DCCH", Both, Dedicated;
        /// Common control: between RRC and UEs without a connection.
        Ccch = "CCCH", Both, Common;
        /// Dedicated traffic: a UE's user data.
        Dtch = "DTCH", Both, Dedicated;
        /// Common traffic: user data for all of a group.
        Ctch = "CTCH", Downlink, Common;
    }
}

channels! {
    /// A transport channel, between MAC and the physical layer (TS 25.211 §4.1).
    ///
    /// In the order of Hynderick and Raes 2004, Table II.3.
    pub enum TransportChannel {
        /// Broadcast: system information in the whole cell (§4.1.2.1).
        Bch = "BCH", Downlink, Common;
        /// Paging, in the whole cell (§4.1.2.3).
        Pch = "PCH", Downlink, Common;
        /// Random access: short bursts with a risk of collision (§4.1.2.4).
        Rach = "RACH", Uplink, Common;
        /// Common packets: like RACH, with fast power control and collision detection (§4.1.2.5).
        Cpch = "CPCH", Uplink, Common;
        /// Forward access: answers to random access, and little data (§4.1.2.2).
        Fach = "FACH", Downlink, Common;
        /// Downlink shared: several UEs in turn, each with a DCH beside it (§4.1.2.6).
        Dsch = "DSCH", Downlink, Common;
        /// Dedicated: one UE alone, in either direction (§4.1.1.1).
        Dch = "DCH", Both, Dedicated;
    }
}

channels! {
    /// A physical channel that carries transport channels, or the control beside them
    /// (TS 25.211 §5).
    ///
    /// In the order of Hynderick and Raes 2004, Table II.4.
    pub enum PhysicalChannel {
        /// Primary common control (§5.3.3.3).
        PCcpch = "P-CCPCH", Downlink, Common;
        /// Secondary common control (§5.3.3.4).
        SCcpch = "S-CCPCH", Downlink, Common;
        /// Random access (§5.2.2.1).
        Prach = "PRACH", Uplink, Common;
        /// Dedicated data (§5.2.1 uplink, §5.3.2 downlink).
        Dpdch = "DPDCH", Both, Dedicated;
        /// Dedicated control: pilot, power control and format indicator (§5.2.1, §5.3.2).
        Dpcch = "DPCCH", Both, Dedicated;
        /// Downlink shared (§5.3.3.6).
        Pdsch = "PDSCH", Downlink, Common;
        /// Common packets (§5.2.2.2).
        Pcpch = "PCPCH", Uplink, Common;
    }
}

/// What a logical channel is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg(test)]
pub enum Plane {
    /// Signalling.
    Control,
    /// User data.
    Traffic,
}

#[cfg(test)]
impl LogicalChannel {
    /// Control or traffic.
    pub const fn plane(self) -> Plane {
        match self {
            Self::Bcch | Self::Pcch | Self::Dcch | Self::Ccch => Plane::Control,
            Self::Dtch | Self::Ctch => Plane::Traffic,
        }
    }
}

/// What a physical channel carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Transport channels, its own control included.
    TransportChannels,
    /// The physical layer's own control alone.
    Layer1Control,
}

impl PhysicalChannel {
    /// Transport channels or control.
    pub const fn content(self) -> Content {
        match self {
            Self::PCcpch | Self::SCcpch | Self::Prach | Self::Dpdch | Self::Pdsch | Self::Pcpch => {
                Content::TransportChannels
            }
            Self::Dpcch => Content::Layer1Control,
        }
    }
}
