//! The two ends of a packet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use etherparse::IpSlice;

/// Where a packet comes from and where it goes, in one version of IP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addresses {
    /// RFC 791.
    V4 {
        /// Where it comes from.
        source: Ipv4Addr,
        /// Where it goes.
        destination: Ipv4Addr,
    },
    /// RFC 8200.
    V6 {
        /// Where it comes from.
        source: Ipv6Addr,
        /// Where it goes.
        destination: Ipv6Addr,
    },
}

impl Addresses {
    /// From `source` to `destination`; `None` if they are of two families.
    pub const fn between(source: IpAddr, destination: IpAddr) -> Option<Self> {
        match (source, destination) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => Some(Self::V4 { source, destination }),
            (IpAddr::V6(source), IpAddr::V6(destination)) => Some(Self::V6 { source, destination }),
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => None,
        }
    }

    /// Addresses of a packet.
    pub(crate) fn of(ip: &IpSlice<'_>) -> Self {
        match ip {
            IpSlice::Ipv4(ip) => {
                let (source, destination) =
                    (ip.header().source_addr(), ip.header().destination_addr());
                Self::V4 { source, destination }
            }
            IpSlice::Ipv6(ip) => {
                let (source, destination) =
                    (ip.header().source_addr(), ip.header().destination_addr());
                Self::V6 { source, destination }
            }
        }
    }

    /// Where it comes from.
    pub const fn source(&self) -> IpAddr {
        match *self {
            Self::V4 { source, .. } => IpAddr::V4(source),
            Self::V6 { source, .. } => IpAddr::V6(source),
        }
    }

    /// Where it goes.
    pub const fn destination(&self) -> IpAddr {
        match *self {
            Self::V4 { destination, .. } => IpAddr::V4(destination),
            Self::V6 { destination, .. } => IpAddr::V6(destination),
        }
    }

    /// Those of the way back.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        match *self {
            Self::V4 { source, destination } => {
                Self::V4 { source: destination, destination: source }
            }
            Self::V6 { source, destination } => {
                Self::V6 { source: destination, destination: source }
            }
        }
    }
}
