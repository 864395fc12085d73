//! IPv6 packets, written from the inside out.

mod discovery;
mod mobility;

use std::net::Ipv6Addr;

use base::{Ecn, TcpHeader, UdpDatagram};
use etherparse::{IpNumber, Ipv6Header};

use crate::checksum::of_message;
use crate::emit::put_ipv6;
use crate::{Addresses, IpFields, Payload, TooLong, emit, emit_udp};

pub use discovery::{Icmpv6, LinkLayerAddress, Map, Prefix64, RouterRole};
pub use mobility::{Keeper, MobilityMessage, MobilityOption, Test};

/// Says that nothing follows (RFC 8200 §4.7).
const NO_NEXT_HEADER: u8 = IpNumber::IPV6_NO_NEXT_HEADER.0;

/// A destination options header (RFC 8200 §4.6), a routing header (§4.4), a fragment header (§4.5).
const DESTINATION_OPTIONS: u8 = IpNumber::IPV6_DESTINATION_OPTIONS.0;
const ROUTING: u8 = IpNumber::IPV6_ROUTE_HEADER.0;
const FRAGMENT: u8 = IpNumber::IPV6_FRAGMENTATION_HEADER.0;

/// The home address option (RFC 6275 §6.3), and the type of its routing header (§6.4.1).
const HOME_ADDRESS: u8 = 0xC9;
const ROUTING_TYPE: u8 = 2;

/// Padding, an option of any length (RFC 8200 §4.2, RFC 6275 §6.2.3).
const PAD_N: u8 = 1;

/// Where a message of IPv6 comes from and where it goes, for its checksum: the final addresses,
/// whatever a routing header or a home address option says on the way (RFC 8200 §8.1, RFC 6275
/// §6.1.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ipv6Ends {
    /// Where it comes from.
    pub source: Ipv6Addr,
    /// Where it goes.
    pub destination: Ipv6Addr,
}

/// A packet that is written from the inside out: first what it carries, then one header after the
/// other in front of that, the IPv6 header last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ipv6Packet {
    bytes: Vec<u8>,
    /// The next header value of what comes first.
    kind: u8,
}

/// The content of a packet of which only the length is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unseen {
    /// A TCP segment.
    Segment,
    /// A UDP datagram.
    Datagram,
    /// A packet within a tunnel.
    Packet,
    /// What follows a routing header.
    Routing,
    /// What follows a destination options header.
    DestinationOptions,
    /// Unknown.
    Unknown,
}

impl Unseen {
    const fn kind(self) -> u8 {
        match self {
            Self::Segment => IpNumber::TCP.0,
            Self::Datagram => IpNumber::UDP.0,
            Self::Packet => IpNumber::IPV6.0,
            Self::Routing => ROUTING,
            Self::DestinationOptions => DESTINATION_OPTIONS,
            Self::Unknown => NO_NEXT_HEADER,
        }
    }
}

/// A piece of a packet (RFC 8200 §4.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ipv6Piece {
    /// The same for all pieces of a packet.
    pub identification: u32,
    /// From which byte on: a multiple of 8, of which the rest is lost.
    pub offset: u16,
    /// How many bytes at most.
    pub bytes: u16,
    /// Whether others follow.
    pub place: PieceOrder,
}

/// Whether a piece is the last of its packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceOrder {
    /// Others follow.
    More,
    /// It is.
    Last,
}

impl Ipv6Packet {
    /// A TCP segment with so many zeros for payload.
    ///
    /// # Errors
    /// [`TooLong`] if IP or the TCP header cannot carry that much.
    pub fn tcp(header: &TcpHeader, ends: Ipv6Ends, payload: usize) -> Result<Self, TooLong> {
        let Ipv6Ends { source, destination } = ends;
        let addresses = Addresses::V6 { source, destination };
        let mut bytes = Vec::new();
        emit(header, Ecn::NotCapable, &addresses, Payload::Zeros(payload), &mut bytes)?;
        bytes.drain(..Ipv6Header::LEN);
        Ok(Self { bytes, kind: IpNumber::TCP.0 })
    }

    /// A UDP datagram with zeros for payload.
    ///
    /// # Errors
    /// [`TooLong`] if IP cannot carry that much.
    pub fn udp(datagram: &UdpDatagram, ends: Ipv6Ends) -> Result<Self, TooLong> {
        let Ipv6Ends { source, destination } = ends;
        let addresses = Addresses::V6 { source, destination };
        let mut bytes = Vec::new();
        emit_udp(datagram, Ecn::NotCapable, &addresses, &mut bytes)?;
        bytes.drain(..Ipv6Header::LEN);
        Ok(Self { bytes, kind: IpNumber::UDP.0 })
    }

    /// A message of `ICMPv6` with its checksum (RFC 4443 §2.3).
    pub fn icmp(message: &Icmpv6<'_>, ends: Ipv6Ends) -> Self {
        Self::message(message.bytes(), IpNumber::IPV6_ICMP.0, 2, ends)
    }

    /// A mobility header with its checksum (RFC 6275 §6.1.1).
    pub fn mobility(message: &MobilityMessage<'_>, ends: Ipv6Ends) -> Self {
        Self::message(message.bytes(), IpNumber::MOBILITY_HEADER.0, 4, ends)
    }

    fn message(mut bytes: Vec<u8>, kind: u8, checksum_at: usize, ends: Ipv6Ends) -> Self {
        let checksum = of_message(&ends.source, &ends.destination, kind, &bytes);
        bytes[checksum_at..checksum_at + 2].copy_from_slice(&checksum);
        Self { bytes, kind }
    }

    /// So many zeros in place of unknown bytes.
    pub fn unseen(what: Unseen, bytes: usize) -> Self {
        Self { bytes: vec![0; bytes], kind: what.kind() }
    }

    /// Adds a home address option in a header of its own, which must begin at 8n + 6 (RFC 6275
    /// §6.3).
    #[must_use]
    pub fn behind_home_address(self, home: Ipv6Addr) -> Self {
        let fixed = [self.kind, 2, PAD_N, 2, 0, 0, HOME_ADDRESS, 16];
        self.behind(&fixed, &home.octets(), DESTINATION_OPTIONS)
    }

    /// Adds a type 2 routing header (RFC 6275 §6.4.1).
    #[must_use]
    pub fn behind_routing(self, home: Ipv6Addr) -> Self {
        let fixed = [self.kind, 2, ROUTING_TYPE, 1, 0, 0, 0, 0];
        self.behind(&fixed, &home.octets(), ROUTING)
    }

    /// Makes it the fragment `piece`, behind a fragment header (RFC 8200 §4.5).
    #[must_use]
    pub fn cut(mut self, piece: Ipv6Piece) -> Self {
        self.bytes.truncate(piece.bytes.into());
        let follows = match piece.place {
            PieceOrder::More => 1,
            PieceOrder::Last => 0,
        };
        let [high, low] = (piece.offset & !7 | follows).to_be_bytes();
        let fixed = [self.kind, 0, high, low];
        self.behind(&fixed, &piece.identification.to_be_bytes(), FRAGMENT)
    }

    /// Adds an IPv6 header (RFC 8200 §3): a packet, which is tunnelled if more headers follow (RFC
    /// 2473 §3).
    ///
    /// # Errors
    /// [`TooLong`] if it cannot carry that much.
    pub fn behind_ip(self, ends: Ipv6Ends, fields: IpFields) -> Result<Self, TooLong> {
        let too_long = |_| TooLong::Packet { payload: self.bytes.len() };
        let length = u16::try_from(self.bytes.len()).map_err(too_long)?;
        let mut header = [0; Ipv6Header::LEN];
        put_ipv6([&ends.source, &ends.destination], fields, (length, self.kind), &mut header);
        Ok(self.behind(&header, &[], IpNumber::IPV6.0))
    }

    /// The bytes so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn behind(mut self, fixed: &[u8], address: &[u8], kind: u8) -> Self {
        self.bytes.splice(..0, fixed.iter().chain(address).copied());
        Self { bytes: self.bytes, kind }
    }
}
