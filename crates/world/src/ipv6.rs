//! A packet of a simulated IPv6 network: what it carries, its encapsulation, and whether it is a
//! fragment.

use std::borrow::Cow;

use base::{Ecn, TcpHeader, UdpDatagram};
use mobility::binding::{Message, Wrap};
use tcp::{Payload, Segment};

use crate::{Body, Ends, Quote, TooBig};

/// Bytes of an IPv6 header (RFC 8200 §3).
pub const IPV6_HEADER_BYTES: u32 = 40;

/// Bytes of a fragment header (RFC 8200 §4.5).
pub const FRAGMENT_HEADER_BYTES: u32 = 8;

/// The most headers around a packet: the Tunnel Encapsulation Limit (RFC 2473 §6.6).
pub const MOST_WRAPS: usize = 4;

/// A packet above its outermost addresses.
#[derive(Clone, Debug)]
pub struct Ipv6<P> {
    content: Content<P>,
    wraps: Wraps,
    /// Which piece of which packets it is, the innermost first: tunnels fragment fragments again.
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Content<P> {
    Segment(Segment<P>),
    Datagram(UdpDatagram),
    Message(Message),
    /// Boxed, since it is rare and large.
    TooBig(Box<TooBig>),
    /// A piece that is not the first; the first has the content.
    Rest(Transport),
}

/// What a piece belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transport {
    /// A segment of TCP.
    Tcp,
    /// A datagram of UDP.
    Udp,
}

/// The encapsulation of a packet: its addresses within each header, the innermost first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wraps {
    depth: u8,
    within: [(Ends, Wrap); MOST_WRAPS],
}

impl Default for Wraps {
    fn default() -> Self {
        let nobody = crate::NodeId(0);
        let ends = Ends { source: nobody, destination: nobody };
        Self { depth: 0, within: [(ends, Wrap::Tunnel); MOST_WRAPS] }
    }
}

impl Wraps {
    pub(crate) fn standing(&self) -> &[(Ends, Wrap)] {
        &self.within[..usize::from(self.depth)]
    }

    /// Removes the outermost.
    pub(crate) fn pop(&mut self) -> Option<(Ends, Wrap)> {
        let outermost = *self.standing().last()?;
        self.depth -= 1;
        Some(outermost)
    }
}

/// Which piece of a packet it is. Headers around a piece are not part of the packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The packet's number.
    pub of: u64,
    /// From 0.
    pub number: u8,
    /// How many there are.
    pub count: u8,
    /// How many of the packet's bytes above its IPv6 header it has.
    pub bytes: u32,
    /// The offset of the first of them.
    pub offset: u32,
    /// Headers around the packet when it was cut.
    pub depth: u8,
}

impl<P: Payload> Ipv6<P> {
    fn new(content: Content<P>) -> Self {
        Self { content, wraps: Wraps::default(), pieces: Vec::new() }
    }

    /// Its encapsulation, the innermost first, each with the addresses within.
    pub fn wraps(&self) -> &[(Ends, Wrap)] {
        self.wraps.standing()
    }

    /// Which piece it is of which packets, the innermost first.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn above_header(&self) -> u32 {
        match &self.content {
            Content::Segment(segment) => segment.header.bytes() + segment.payload.length() as u32,
            Content::Datagram(datagram) => datagram.bytes(),
            Content::Message(message) => message.bytes() - IPV6_HEADER_BYTES,
            Content::TooBig(too_big) => too_big.above_header(),
            Content::Rest(_) => 0,
        }
    }

    /// What its pieces belong to.
    pub const fn transport(&self) -> Transport {
        match &self.content {
            Content::Datagram(_) => Transport::Udp,
            Content::Rest(transport) => *transport,
            Content::Segment(_) | Content::Message(_) | Content::TooBig(_) => Transport::Tcp,
        }
    }
}

impl<P: Payload> Body for Ipv6<P> {
    type Payload = P;

    fn from_segment(segment: Segment<P>, _ends: Ends) -> Self {
        Self::new(Content::Segment(segment))
    }

    fn segment(&self) -> Option<Cow<'_, Segment<P>>> {
        if let Content::Segment(segment) = &self.content { segment.segment() } else { None }
    }

    fn from_udp(datagram: UdpDatagram) -> Option<Self> {
        Some(Self::new(Content::Datagram(datagram)))
    }

    fn udp(&self) -> Option<&UdpDatagram> {
        if let Content::Datagram(datagram) = &self.content { Some(datagram) } else { None }
    }

    fn header(&self) -> Option<&TcpHeader> {
        if let Content::Segment(segment) = &self.content { Some(&segment.header) } else { None }
    }

    fn payload_bytes(&self) -> u32 {
        match &self.content {
            Content::Segment(segment) => segment.payload.length() as u32,
            Content::Datagram(datagram) => datagram.payload,
            Content::Message(_) | Content::TooBig(_) | Content::Rest(_) => 0,
        }
    }

    fn bytes(&self) -> u32 {
        let around = |from: u8| -> u32 {
            self.wraps.standing()[usize::from(from)..].iter().map(|(_, wrap)| wrap.bytes()).sum()
        };
        match self.pieces.last() {
            Some(piece) => {
                IPV6_HEADER_BYTES + FRAGMENT_HEADER_BYTES + piece.bytes + around(piece.depth)
            }
            None => IPV6_HEADER_BYTES + self.above_header() + around(0),
        }
    }

    fn ecn(&self) -> Ecn {
        match &self.content {
            Content::Segment(segment) => segment.ecn,
            Content::Datagram(_) | Content::Message(_) | Content::TooBig(_) | Content::Rest(_) => {
                Ecn::NotCapable
            }
        }
    }

    fn mark(&mut self) -> bool {
        if let Content::Segment(segment) = &mut self.content { segment.ecn.mark() } else { false }
    }

    fn from_message(message: Message) -> Option<Self> {
        Some(Self::new(Content::Message(message)))
    }

    fn message(&self) -> Option<Message> {
        if let Content::Message(message) = self.content { Some(message) } else { None }
    }

    fn from_too_big(too_big: TooBig) -> Option<Self> {
        Some(Self::new(Content::TooBig(Box::new(too_big))))
    }

    fn too_big(&self) -> Option<TooBig> {
        if let Content::TooBig(too_big) = &self.content { Some(**too_big) } else { None }
    }

    /// A later piece has nothing else: only the first has the content.
    fn quote(&self, ends: Ends) -> Quote {
        let wraps = if self.piece().is_some() { Wraps::default() } else { self.wraps };
        let piece = self.piece().or(self.pieces.first().copied());
        let (header, udp) = (self.header().copied(), self.udp().copied());
        let transport = self.transport();
        let quote = Quote::new(ends, self.bytes(), wraps);
        Quote { header, udp, transport, piece, ..quote }
    }

    fn wrap(&self) -> Option<Wrap> {
        self.wraps.standing().last().map(|(_, wrap)| *wrap)
    }

    fn encapsulate(&mut self, ends: Ends, wrap: Wrap) -> bool {
        let Some(place) = self.wraps.within.get_mut(usize::from(self.wraps.depth)) else {
            return false;
        };
        *place = (ends, wrap);
        self.wraps.depth += 1;
        true
    }

    fn decapsulate(&mut self) -> Option<Ends> {
        self.wraps.pop().map(|(ends, _)| ends)
    }

    fn piece(&self) -> Option<Piece> {
        self.pieces.last().copied().filter(|piece| piece.depth == self.wraps.depth)
    }

    fn cut(&mut self, of: u64, sizes: &[u32]) -> Vec<Self> {
        let (count, depth, transport) = (sizes.len() as u8, self.wraps.depth, self.transport());
        let piece = |number: usize| {
            let offset = sizes[..number].iter().sum();
            Piece { of, number: number as u8, count, bytes: sizes[number], offset, depth }
        };
        self.pieces.push(piece(0));
        let rest = |number| {
            let (content, wraps) = (Content::Rest(transport), self.wraps);
            Self { content, wraps, pieces: vec![piece(number)] }
        };
        (1..sizes.len()).map(rest).collect()
    }

    fn join(&mut self) {
        self.pieces.pop();
    }
}
