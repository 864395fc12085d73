//! A packet of a simulated IPv4 network: a segment of TCP or a datagram of UDP.

use base::{TcpHeader, UdpDatagram};
use tcp::{Payload, Segment};
use wire::rfc2507::Headers;

use crate::{Body, Ends, IPV4_HEADER_BYTES};

/// What stands behind an IPv4 header.
#[derive(Clone, Debug)]
pub enum Ipv4<P> {
    /// A segment of TCP.
    Segment(Segment<P>),
    /// A datagram of UDP.
    Datagram(UdpDatagram),
}

impl<P: Payload> Body for Ipv4<P> {
    type Payload = P;

    fn from_segment(segment: Segment<P>, _ends: Ends) -> Self {
        Self::Segment(segment)
    }

    fn into_segment(self) -> Option<Segment<P>> {
        match self {
            Self::Segment(segment) => Some(segment),
            Self::Datagram(_) => None,
        }
    }

    fn from_udp(datagram: UdpDatagram) -> Option<Self> {
        Some(Self::Datagram(datagram))
    }

    fn udp(&self) -> Option<&UdpDatagram> {
        match self {
            Self::Segment(_) => None,
            Self::Datagram(datagram) => Some(datagram),
        }
    }

    fn header(&self) -> Option<&TcpHeader> {
        match self {
            Self::Segment(segment) => segment.header(),
            Self::Datagram(_) => None,
        }
    }

    fn payload_bytes(&self) -> u32 {
        match self {
            Self::Segment(segment) => segment.payload_bytes(),
            Self::Datagram(datagram) => datagram.payload,
        }
    }

    fn bytes(&self) -> u32 {
        match self {
            Self::Segment(segment) => segment.bytes(),
            Self::Datagram(datagram) => IPV4_HEADER_BYTES + datagram.bytes(),
        }
    }

    /// No compressor of this house knows UDP.
    fn headers(&self, ends: Ends, identification: u16) -> Option<Headers> {
        match self {
            Self::Segment(segment) => segment.headers(ends, identification),
            Self::Datagram(_) => None,
        }
    }

    /// Nobody above UDP would read it (RFC 8085 §3.1.7).
    fn mark(&mut self) -> bool {
        match self {
            Self::Segment(segment) => segment.mark(),
            Self::Datagram(_) => false,
        }
    }
}
