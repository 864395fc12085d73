//! What travels through a world.

use std::borrow::Cow;

use base::{Ecn, Flags, TcpHeader, Time, UdpDatagram};
use mobility::binding::{Message, Wrap};
use observe::{PacketEvent, PacketFact};
use radio::HeaderCompression;
use tcp::{Payload, Segment};
use wire::rfc2507::Headers;

use crate::header_compression::Rfc2507;
use crate::ipv6::Wraps;
use crate::{Echo, NodeId, Piece, Quote, TooBig};

/// Bytes of an IPv4 header without options (RFC 791 §3.1).
pub const IPV4_HEADER_BYTES: u32 = 20;

/// The content of a packet above IP. Only endpoints look inside; everything else passes it on.
pub trait Body: Clone + 'static {
    /// What the segments of TCP carry.
    type Payload: Payload;

    /// A body that carries `segment` from one node to another.
    fn from_segment(segment: Segment<Self::Payload>, ends: Ends) -> Self;

    /// The TCP segment, where it is one: as it lies here, or read from bytes.
    fn segment(&self) -> Option<Cow<'_, Segment<Self::Payload>>>;

    /// The TCP header, where it has one.
    fn header(&self) -> Option<&TcpHeader>;

    /// Bytes of TCP or UDP payload.
    fn payload_bytes(&self) -> u32;

    /// Size of the packet at the IP layer in bytes, above zero.
    fn bytes(&self) -> u32;

    /// The headers that a radio may compress, if there are any. `identification` is that of the
    /// packet around it, for a body without an IP header.
    fn headers(&self, _ends: Ends, _identification: u16) -> Option<Headers> {
        None
    }

    /// The code point of its service (DSCP), where its bytes have one.
    fn dscp(&self) -> u8 {
        0
    }

    /// Codepoint of the ECN field in its IP header.
    fn ecn(&self) -> Ecn;

    /// Sets Congestion Experienced (RFC 3168 §5), or says `false` where the ends cannot read it.
    fn mark(&mut self) -> bool;

    /// A body that carries `datagram`; `None` in networks without UDP sources.
    fn from_udp(_datagram: UdpDatagram) -> Option<Self> {
        None
    }

    /// The UDP datagram, where it is one.
    fn udp(&self) -> Option<&UdpDatagram> {
        None
    }

    /// A body that carries `echo`; `None` in networks without such messages.
    fn from_echo(_echo: Echo) -> Option<Self> {
        None
    }

    /// The message of ICMP that is to come back or has, where it is one.
    fn echo(&self) -> Option<Echo> {
        None
    }

    /// A body that carries `message`; `None` in networks without mobility.
    fn from_message(_message: Message) -> Option<Self> {
        None
    }

    /// The message of mobility, where it is one.
    fn message(&self) -> Option<Message> {
        None
    }

    /// A body that carries `too_big`; `None` in networks without such messages.
    fn from_too_big(_too_big: TooBig) -> Option<Self> {
        None
    }

    /// The Packet Too Big message, where it is one.
    fn too_big(&self) -> Option<TooBig> {
        None
    }

    /// What such a message quotes of this packet, whose addresses are `ends`.
    fn quote(&self, ends: Ends) -> Quote {
        Quote::new(ends, self.bytes(), Wraps::default())
    }

    /// The packet's outermost encapsulation.
    fn wrap(&self) -> Option<Wrap> {
        None
    }

    /// Encapsulates the packet: keeps its inner addresses `ends`. False if there are too many
    /// headers already.
    fn encapsulate(&mut self, _ends: Ends, _wrap: Wrap) -> bool {
        false
    }

    /// Removes the outermost encapsulation, and returns the addresses within.
    fn decapsulate(&mut self) -> Option<Ends> {
        None
    }

    /// Inverts the bit above the IP header that the uniform `draw` picks, or says `false` where
    /// there are no bytes.
    fn corrupt(&mut self, _draw: u32) -> bool {
        false
    }

    /// Which piece of a packet it is, if it has no encapsulation beyond that of the whole.
    fn piece(&self) -> Option<Piece> {
        None
    }

    /// Cuts packet number `of` into pieces of `sizes` bytes above the IPv6 header, of which it
    /// becomes the first, and gives the others. None if it cannot be cut.
    fn cut(&mut self, _of: u64, _sizes: &[u32]) -> Vec<Self> {
        Vec::new()
    }

    /// Makes a whole of the first piece.
    fn join(&mut self) {}
}

/// Source and destination of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ends {
    /// Where it comes from.
    pub source: NodeId,
    /// Where it goes.
    pub destination: NodeId,
}

impl<P: Payload> Body for Segment<P> {
    type Payload = P;

    fn from_segment(segment: Self, _ends: Ends) -> Self {
        segment
    }

    fn segment(&self) -> Option<Cow<'_, Self>> {
        Some(Cow::Borrowed(self))
    }

    fn header(&self) -> Option<&TcpHeader> {
        Some(&self.header)
    }

    fn payload_bytes(&self) -> u32 {
        self.payload.length() as u32
    }

    fn bytes(&self) -> u32 {
        IPV4_HEADER_BYTES + self.header.bytes() + self.payload_bytes()
    }

    fn headers(&self, ends: Ends, identification: u16) -> Option<Headers> {
        let header = &self.header;
        Some(Headers {
            source: ends.source.0,
            destination: ends.destination.0,
            type_of_service: 0,
            time_to_live: 64,
            identification,
            source_port: header.source_port,
            destination_port: header.destination_port,
            seq: header.seq.to_u32(),
            ack: header.ack.to_u32(),
            flags: header.flags,
            window: header.window,
            checksum: 0,
            urgent: 0,
            option_bytes: header.options.bytes() as u8,
            payload: self.payload_bytes() as u16,
        })
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) -> bool {
        self.ecn.mark()
    }
}

/// A packet: where it goes, how large it is at the IP layer, and its body.
#[derive(Clone, Debug)]
pub struct Packet<B> {
    /// Its number in this run; later packets have higher ones.
    pub uid: u64,
    /// Where it comes from and where it goes.
    pub ends: Ends,
    /// Size at the IP layer in bytes.
    pub bytes: u32,
    /// Identification in its IP header (RFC 791 §3.1): counted by its sender.
    pub identification: u16,
    /// The code point of its service (DSCP, RFC 2474 §3).
    pub dscp: u8,
    /// True if middleboxes cannot read what is above IP, but for the ports.
    pub is_encrypted: bool,
    /// True if a bit is wrong of a packet without bytes, which its receiver's checksum finds.
    pub is_corrupt: bool,
    /// When an endpoint sent it; `None` if something on the path made it.
    pub departed: Option<Time>,
    /// What it carries, which stays in one place while the packet moves from hop to hop.
    pub body: Box<B>,
}

impl<B: Body> Packet<B> {
    /// Its headers as a radio may compress them.
    pub(crate) fn headers(&self) -> Option<Headers> {
        if self.is_encrypted {
            return None;
        }
        self.body.headers(self.ends, self.identification)
    }

    /// The fact that `event` happened to this packet at `machine`.
    pub(crate) fn fact(&self, event: PacketEvent, machine: u32) -> PacketFact<'_> {
        PacketFact {
            event,
            machine,
            uid: self.uid,
            source: self.ends.source.0,
            destination: self.ends.destination.0,
            bytes: self.bytes,
            dscp: self.dscp,
            header: self.body.header(),
            udp: self.body.udp(),
            payload: self.body.payload_bytes(),
            departed: self.departed,
            node: None,
            body: &*self.body,
        }
    }

    /// The same of an interface of `node`.
    pub(crate) fn fact_at(&self, event: PacketEvent, machine: u32, node: NodeId) -> PacketFact<'_> {
        PacketFact { node: Some(node.0), ..self.fact(event, machine) }
    }

    /// The ports that it comes from and goes to, where it has some.
    pub(crate) fn ports(&self) -> Option<[u16; 2]> {
        let of_tcp = |header: &TcpHeader| [header.source_port, header.destination_port];
        let of_udp = |datagram: &UdpDatagram| [datagram.source_port, datagram.destination_port];
        self.body.header().map(of_tcp).or_else(|| self.body.udp().map(of_udp))
    }
}

/// Makes the packets of a world, which it numbers.
#[derive(Debug)]
pub(crate) struct Packets<B> {
    next_uid: u64,
    /// Places of bodies whose packets have arrived.
    spare: Vec<Box<B>>,
}

impl<B> Default for Packets<B> {
    fn default() -> Self {
        Self { next_uid: 0, spare: Vec::new() }
    }
}

impl<B: Body> Packets<B> {
    /// The number of the next packet.
    pub(crate) const fn next_uid(&self) -> u64 {
        self.next_uid
    }

    /// The next packet.
    pub(crate) fn make(&mut self, ends: Ends, identification: u16, body: B) -> Packet<B> {
        let (uid, bytes, dscp) = (self.number(), body.bytes(), body.dscp());
        let body = self.place(body);
        let (is_encrypted, is_corrupt, departed) = (false, false, None);
        Packet { uid, ends, bytes, identification, dscp, is_encrypted, is_corrupt, departed, body }
    }

    /// Another packet like `packet`.
    pub(crate) fn copy(&mut self, packet: &Packet<B>) -> Packet<B> {
        let body = self.place(B::clone(&packet.body));
        Packet { uid: self.number(), body, ..*packet }
    }

    /// `packet` has arrived: another may have its place.
    pub(crate) fn recycle(&mut self, packet: Packet<B>) {
        self.spare.push(packet.body);
    }

    /// Puts `body` in the place where it stays until its packet has arrived.
    #[expect(clippy::unnecessary_box_returns, reason = "the place is what is asked for")]
    fn place(&mut self, body: B) -> Box<B> {
        match self.spare.pop() {
            Some(mut place) => {
                *place = body;
                place
            }
            None => Box::new(body),
        }
    }

    const fn number(&mut self) -> u64 {
        self.next_uid += 1;
        self.next_uid - 1
    }
}

impl<B: Body> link::Load for Packet<B> {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn is_pure_ack(&self) -> bool {
        let is_syn = |header: &TcpHeader| header.flags.contains(Flags::SYN);
        self.body.header().is_some_and(|header| !is_syn(header) && self.body.payload_bytes() == 0)
    }

    fn mark(&mut self) -> bool {
        self.body.mark()
    }

    fn is_l4s(&self) -> bool {
        self.body.ecn().is_l4s()
    }

    /// By hosts and ports; what has no ports goes by hosts alone.
    fn flow(&self) -> u64 {
        let Ends { source, destination } = self.ends;
        let ports = self.ports().map_or(0, |[from, to]| u64::from(from) << 16 | u64::from(to));
        u64::from(source.0) << 48 ^ u64::from(destination.0) << 32 ^ ports
    }

    fn hosts(&self) -> [u32; 2] {
        [self.ends.source.0, self.ends.destination.0]
    }

    fn dscp(&self) -> u8 {
        self.dscp
    }
}

impl<B: Body> radio::Sdu for Packet<B> {
    fn uid(&self) -> u64 {
        self.uid
    }

    fn header_compression() -> Option<Box<dyn HeaderCompression<Self>>> {
        Some(Box::default() as Box<Rfc2507>)
    }
}
