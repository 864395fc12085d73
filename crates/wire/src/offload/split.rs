//! A frame from the kernel to packets as on the wire.

use base::Flags;
use etherparse::IpNumber;

use super::{
    IDENTIFICATION, OFFLOAD_HEADER, OffloadHeader, Version, get, get_seq, put, put_seq, tcp, udp,
};
use crate::Segment;
use crate::checksum::{of_bytes, of_transport};
use crate::parse::{Checksums, read};

/// The packets of a frame, complete with their checksums. They are made one after the other within
/// the frame: the headers of each are written ahead of its payload, over that of the one before.
///
/// A frame whose header does not fit what it carries comes out as one packet, as it is.
#[derive(Debug)]
pub struct Split<'a> {
    packet: &'a mut [u8],
    rest: Rest,
}

/// Segments of one flow that follow each other and differ in nothing else, as one that has the
/// payload of all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run<'a> {
    /// The first, with the payload of all and the flags of any.
    pub segment: Segment<'a>,
    /// How many they are.
    pub count: usize,
    /// Bytes of payload of each but the last, which may have less.
    pub size: usize,
    /// Bytes of all of them as packets on the wire.
    pub wire_bytes: usize,
}

/// What has not come out yet.
#[derive(Clone, Copy, Debug)]
enum Rest {
    Nothing,
    Whole,
    Segments(Segments),
}

/// How a packet is split, and how far that is.
#[derive(Clone, Copy, Debug)]
struct Segments {
    version: Version,
    transport: Transport,
    /// Bytes of the IP header.
    ip: usize,
    /// Bytes of both headers.
    headers: usize,
    /// Bytes of payload of each but the last.
    size: usize,
    /// Where the next begins, in bytes.
    at: usize,
}

#[derive(Clone, Copy, Debug)]
enum Transport {
    /// With the flags of all segments together.
    Tcp(u8),
    Udp,
}

impl<'a> Split<'a> {
    /// Of a frame.
    pub fn new(frame: &'a mut [u8]) -> Self {
        let Some((header, packet)) = frame.split_first_chunk_mut::<OFFLOAD_HEADER>() else {
            return Self { packet: &mut [], rest: Rest::Nothing };
        };
        let header = OffloadHeader::read(header);
        let rest = if header.kind == OffloadHeader::ONE {
            if header.flags & OffloadHeader::NEEDS_CHECKSUM != 0 {
                complete(packet, header.start.into(), header.field.into());
            }
            Rest::Whole
        } else {
            Segments::of(packet, header).map_or(Rest::Whole, Rest::Segments)
        };
        Self { packet, rest }
    }

    /// The frame as a run of segments; `None` if it is not one, or a packet has come out already.
    /// It needs no look at a checksum: the packets of a frame get new ones.
    pub fn run(&self) -> Option<Run<'_>> {
        let Rest::Segments(Segments { transport: Transport::Tcp(_), headers, size, at: 0, .. }) =
            self.rest
        else {
            return None;
        };
        let segment = read(self.packet, Checksums::Trusted).ok()?;
        let payload = segment.payload.len();
        let count = payload.div_ceil(size);
        // Nothing but the headers and the payload, or the packets would be others.
        let is_whole = count > 0 && headers + payload == self.packet.len();
        let wire_bytes = payload + count * headers;
        is_whole.then_some(Run { segment, count, size, wire_bytes })
    }

    /// The next packet; `None` if there is none.
    pub fn next_packet(&mut self) -> Option<&[u8]> {
        match &mut self.rest {
            Rest::Nothing => None,
            Rest::Whole => {
                self.rest = Rest::Nothing;
                Some(self.packet)
            }
            Rest::Segments(segments) => {
                let at = segments.at;
                let end = (at + segments.headers + segments.size).min(self.packet.len());
                let is_last = end == self.packet.len();
                segments.write(&mut self.packet[..end], is_last);
                segments.at += segments.size;
                if is_last {
                    self.rest = Rest::Nothing;
                }
                Some(&self.packet[at..end])
            }
        }
    }
}

/// Completes a checksum whose field holds the sum of the pseudo header.
fn complete(packet: &mut [u8], start: usize, field: usize) {
    let Some(summed) = packet.get_mut(start..).filter(|it| it.len() >= field + 2) else { return };
    let checksum = of_bytes(summed);
    put_checksum(summed, field, checksum);
}

/// In UDP zero would say that there is none (RFC 768).
fn put_checksum(segment: &mut [u8], field: usize, checksum: [u8; 2]) {
    let is_none = field == udp::CHECKSUM && checksum == [0; 2];
    segment[field..field + 2].copy_from_slice(if is_none { &[0xFF; 2] } else { &checksum });
}

impl Segments {
    /// The kernel's hint at the length of the headers is no help: it may count payload.
    fn of(packet: &[u8], header: OffloadHeader) -> Option<Self> {
        let version = Version::of(packet)?;
        let ip = usize::from(header.start);
        let (transport, bytes) = match (header.kind & !OffloadHeader::ECN, version) {
            (OffloadHeader::TCP_4, Version::V4) | (OffloadHeader::TCP_6, Version::V6) => {
                let flags = *packet.get(ip + tcp::FLAGS)?;
                (Transport::Tcp(flags), tcp::bytes(&packet[ip..])?)
            }
            (OffloadHeader::UDP, _) => (Transport::Udp, udp::BYTES),
            _ => return None,
        };
        let headers = ip + bytes;
        let fits = ip >= version.least() && headers <= packet.len();
        let size = usize::from(header.size);
        let segments = Self { version, transport, ip, headers, size, at: 0 };
        (fits && size > 0).then_some(segments)
    }

    /// Writes the headers of the packet at the end of `packet`, from those of the one before.
    fn write(&self, packet: &mut [u8], is_last: bool) {
        let is_first = self.at == 0;
        if !is_first {
            let before = self.at - self.size;
            packet.copy_within(before..before + self.headers, self.at);
        }
        let packet = &mut packet[self.at..];
        if !is_first && self.version == Version::V4 {
            // As the kernel numbers segments.
            put(packet, IDENTIFICATION, get(packet, IDENTIFICATION).wrapping_add(1));
        }
        self.version.put_length(packet, self.ip);
        let (head, body) = packet.split_at_mut(self.ip);
        let (protocol, field) = match self.transport {
            Transport::Tcp(flags) => {
                if !is_first {
                    put_seq(body, tcp::SEQ, get_seq(body, tcp::SEQ).wrapping_add(self.size as u32));
                }
                body[tcp::FLAGS] = flags_of_one(flags, is_first, is_last);
                (IpNumber::TCP, tcp::CHECKSUM)
            }
            Transport::Udp => {
                put(body, udp::LENGTH, body.len() as u16);
                (IpNumber::UDP, udp::CHECKSUM)
            }
        };
        put(body, field, 0);
        let checksum = of_transport(self.version.addresses(head), protocol, body);
        put_checksum(body, field, checksum);
    }
}

/// The first says that the window was reduced (RFC 3168 §6.1.2), the last that data end.
fn flags_of_one(all: u8, is_first: bool, is_last: bool) -> u8 {
    let end = (Flags::FIN | Flags::PSH).byte();
    let first = if is_first { all } else { all & !Flags::CWR.byte() };
    if is_last { first } else { first & !end }
}
