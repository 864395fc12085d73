//! A packet of a real network: its bytes.

use std::borrow::Cow;
use std::net::Ipv4Addr;

use base::{Ecn, TcpHeader};
use bytes::{Bytes, BytesMut};
use tcp::Segment;
use wire::rfc2507::Headers;
use wire::{Addresses, Payload};

use crate::{Body, Ends};

/// The bytes of a frame and where in it the IP packet begins. What cannot be parsed is carried
/// unchanged.
#[derive(Clone, Debug)]
pub struct Datagram {
    frame: Bytes,
    offset: u16,
    protocol: Option<u8>,
    header: Option<TcpHeader>,
    payload_bytes: u32,
}

impl Datagram {
    /// The packet that begins behind the first `link_header_bytes` of `frame`.
    pub fn new(frame: Bytes, link_header_bytes: usize) -> Self {
        let offset = link_header_bytes.min(frame.len()).min(u16::MAX.into());
        let glance = wire::glance(&frame[offset..]);
        let (header, payload) = glance.and_then(|glance| glance.tcp).unzip();
        Self {
            offset: offset as u16,
            protocol: glance.map(|glance| glance.protocol),
            header,
            payload_bytes: payload.unwrap_or(0) as u32,
            frame,
        }
    }

    /// The frame, as it goes out again.
    pub const fn frame(&self) -> &Bytes {
        &self.frame
    }

    /// The IP packet's protocol, by the numbers that IANA assigns; `None` if it is no IP packet.
    pub const fn protocol(&self) -> Option<u8> {
        self.protocol
    }

    /// The bytes from the IP header on.
    pub fn packet(&self) -> &[u8] {
        &self.frame[usize::from(self.offset)..]
    }
}

impl Body for Datagram {
    type Payload = Bytes;

    /// # Panics
    /// If the segment is longer than IP allows, which no MSS does.
    fn from_segment(segment: Segment<Bytes>, ends: Ends) -> Self {
        let mut packet = Vec::new();
        let payload = Payload::Bytes(&segment.payload);
        wire::emit(&segment.header, segment.ecn, &addresses(ends), payload, &mut packet)
            .expect("an endpoint's segments fit in IP packets");
        Self::new(packet.into(), 0)
    }

    fn segment(&self) -> Option<Cow<'_, Segment<Bytes>>> {
        let packet = self.frame.slice(usize::from(self.offset)..);
        let wire::Segment { header, payload, ip, .. } = wire::parse(&packet).ok()?;
        let payload = packet.slice_ref(payload);
        Some(Cow::Owned(Segment { header, payload, ecn: ip.ecn }))
    }

    fn header(&self) -> Option<&TcpHeader> {
        self.header.as_ref()
    }

    fn payload_bytes(&self) -> u32 {
        self.payload_bytes
    }

    /// The bytes behind the link header, but at least 1: links carry no empty packets.
    fn bytes(&self) -> u32 {
        (self.packet().len() as u32).max(1)
    }

    /// Those of TCP over IPv4 with nothing in between, the only ones that are compressed.
    fn headers(&self, _ends: Ends, _identification: u16) -> Option<Headers> {
        let (header, ip) = (self.header?, self.packet());
        if ip[0] != IPV4_WITHOUT_OPTIONS || ip[9] != TCP {
            return None;
        }
        let half = |at: usize| u16::from_be_bytes([ip[at], ip[at + 1]]);
        let word = |at: usize| u32::from(half(at)) << 16 | u32::from(half(at + 2));
        Some(Headers {
            source: word(12),
            destination: word(16),
            type_of_service: ip[1],
            time_to_live: ip[8],
            identification: half(4),
            source_port: header.source_port,
            destination_port: header.destination_port,
            seq: header.seq.to_u32(),
            ack: header.ack.to_u32(),
            flags: header.flags,
            window: header.window,
            checksum: half(36),
            urgent: half(38),
            option_bytes: (ip[32] >> 4) * 4 - 20,
            payload: self.payload_bytes as u16,
        })
    }

    fn dscp(&self) -> u8 {
        wire::dscp(self.packet())
    }

    fn ecn(&self) -> Ecn {
        wire::ecn(self.packet())
    }

    /// Copies the frame as well. What has no bytes above its IP header stays whole.
    fn corrupt(&mut self, draw: u32) -> bool {
        let mut frame = BytesMut::from(&self.frame[..]);
        let offset = usize::from(self.offset);
        wire::corrupt(&mut frame[offset..], draw);
        *self = Self::new(frame.freeze(), offset);
        true
    }

    /// Marking copies the frame: its bytes may be shared.
    fn mark(&mut self) -> bool {
        match self.ecn() {
            Ecn::NotCapable => false,
            Ecn::Experienced => true,
            Ecn::Capable | Ecn::L4s => {
                let mut frame = BytesMut::from(&self.frame[..]);
                let is_marked = wire::mark(&mut frame[usize::from(self.offset)..]);
                self.frame = frame.freeze();
                is_marked
            }
        }
    }
}

/// Version 4, a header of five words (RFC 791 §3.1).
const IPV4_WITHOUT_OPTIONS: u8 = 0x45;

/// TCP's number in the header of IPv4; behind an authentication header it is not there.
const TCP: u8 = 6;

/// The addresses of endpoints in a world of their own: 10.0.0.1 is its first node.
fn addresses(ends: Ends) -> Addresses {
    let [source, destination] = [ends.source, ends.destination]
        .map(|node| Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 1).to_bits() + node.0));
    Addresses::V4 { source, destination }
}
