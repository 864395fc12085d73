//! A packet of a simulated IPv4 network: a segment of TCP, a datagram of UDP or an echo.

use std::borrow::Cow;

use base::{Ecn, TcpHeader, UdpDatagram};
use tcp::{Payload, Segment};
use wire::rfc2507::Headers;

use crate::{Body, Ends, IPV4_HEADER_BYTES};

/// The content of an IPv4 packet.
#[derive(Clone, Debug)]
pub enum Ipv4<P> {
    /// A segment of TCP.
    Segment(Segment<P>),
    /// A datagram of UDP.
    Datagram(UdpDatagram),
    /// A message of ICMP (RFC 792).
    Echo(Echo),
}

/// A message of ICMP that is to come back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Echo {
    /// Number.
    pub number: u32,
    /// True if it has come back.
    pub is_reply: bool,
}

impl Echo {
    /// Bytes above the IP header: a header of eight, and the number.
    const BYTES: u32 = 12;
}

impl<P: Payload> Body for Ipv4<P> {
    type Payload = P;

    fn from_segment(segment: Segment<P>, _ends: Ends) -> Self {
        Self::Segment(segment)
    }

    fn segment(&self) -> Option<Cow<'_, Segment<P>>> {
        if let Self::Segment(segment) = self { segment.segment() } else { None }
    }

    fn from_udp(datagram: UdpDatagram) -> Option<Self> {
        Some(Self::Datagram(datagram))
    }

    fn udp(&self) -> Option<&UdpDatagram> {
        if let Self::Datagram(datagram) = self { Some(datagram) } else { None }
    }

    fn from_echo(echo: Echo) -> Option<Self> {
        Some(Self::Echo(echo))
    }

    fn echo(&self) -> Option<Echo> {
        if let Self::Echo(echo) = self { Some(*echo) } else { None }
    }

    fn header(&self) -> Option<&TcpHeader> {
        if let Self::Segment(segment) = self { segment.header() } else { None }
    }

    fn payload_bytes(&self) -> u32 {
        match self {
            Self::Segment(segment) => segment.payload_bytes(),
            Self::Datagram(datagram) => datagram.payload,
            Self::Echo(_) => 0,
        }
    }

    fn bytes(&self) -> u32 {
        match self {
            Self::Segment(segment) => segment.bytes(),
            Self::Datagram(datagram) => IPV4_HEADER_BYTES + datagram.bytes(),
            Self::Echo(_) => IPV4_HEADER_BYTES + Echo::BYTES,
        }
    }

    /// The compressors here do not handle UDP.
    fn headers(&self, ends: Ends, identification: u16) -> Option<Headers> {
        if let Self::Segment(segment) = self { segment.headers(ends, identification) } else { None }
    }

    fn ecn(&self) -> Ecn {
        if let Self::Segment(segment) = self { segment.ecn } else { Ecn::NotCapable }
    }

    /// No UDP application here reads it (RFC 8085 §3.1.7).
    fn mark(&mut self) -> bool {
        if let Self::Segment(segment) = self { segment.mark() } else { false }
    }
}
