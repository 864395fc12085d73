//! Packets as on the wire to frames for the kernel.

use std::collections::VecDeque;

use base::Flags;
use etherparse::IpNumber;
use rustc_hash::FxHashMap;

use super::{IDENTIFICATION, OFFLOAD_HEADER, OffloadHeader, Version, get, get_seq, tcp};
use crate::checksum::{of_bytes, of_pseudo_header, of_transport};

/// Joins segments of TCP that follow each other and differ in nothing else, as a network interface
/// does that receives them, so that the kernel would split the frame into the same packets again;
/// only identifications of packets that may not be fragmented, which mean nothing (RFC 6864 §4.1),
/// may differ. All other packets pass, each in a frame of its own, and none leaves ahead of an
/// earlier one of its flow.
#[derive(Debug, Default)]
pub struct Coalescer {
    /// Frames that may grow.
    open: FxHashMap<Flow, Frame>,
    /// Frames to be sent, oldest first.
    closed: VecDeque<Frame>,
    /// Memory to use again.
    spare: Vec<Vec<u8>>,
}

/// Frames that may grow at a time: enough for the flows that a busy batch of packets has, at most
/// 8 MB.
const MOST: usize = 128;

/// Bytes of the largest frame: IP counts no more than 65,535 (RFC 791 §3.1).
const LARGEST: usize = OFFLOAD_HEADER + 65_535;

/// The ends of a connection, in the direction of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Flow {
    addresses: [u8; 32],
    ports: [u8; 4],
}

/// A frame, and what it takes to add to it.
#[derive(Debug)]
struct Frame {
    bytes: Vec<u8>,
    packets: usize,
    shape: Option<Shape>,
    /// Whether its last segment is shorter than the others, or pushes.
    has_end: bool,
}

/// Where the parts of a segment are.
#[derive(Clone, Copy, Debug)]
struct Shape {
    version: Version,
    /// Bytes of both headers.
    headers: usize,
    /// Bytes of payload.
    payload: usize,
}

impl Coalescer {
    /// Takes a packet in.
    pub fn push(&mut self, packet: &[u8]) {
        let Some((flow, shape)) = read(packet) else {
            // It may be of any flow: a fragment, a report of an error.
            self.finish();
            let frame = self.frame(packet, None);
            return self.closed.push_back(frame);
        };
        if let Some(frame) = self.open.get_mut(&flow)
            && frame.takes(packet, &shape)
        {
            frame.append(packet, &shape);
            if frame.has_end {
                self.close(&flow);
            }
            return;
        }
        self.close(&flow);
        let frame = self.frame(packet, Some(shape));
        if !shape.may_grow(packet) {
            return self.closed.push_back(frame);
        }
        if self.open.len() == MOST {
            self.finish();
        }
        self.open.insert(flow, frame);
    }

    /// Takes a packet in, which leaves behind all before it, whatever their flows.
    pub fn push_in_order(&mut self, packet: &[u8]) {
        let is_open = |(flow, _)| self.open.contains_key(&flow);
        if !read(packet).is_some_and(is_open) {
            self.finish();
        }
        self.push(packet);
    }

    /// No frame grows any more.
    pub fn finish(&mut self) {
        self.closed.extend(self.open.drain().map(|(_, frame)| frame));
    }

    /// Puts the next frame to send now in `frame`, in place of what is there, and tells how many
    /// packets it has; `None` if there is none.
    pub fn poll_frame(&mut self, frame: &mut Vec<u8>) -> Option<usize> {
        let mut next = self.closed.pop_front()?;
        next.seal();
        self.spare.push(std::mem::replace(frame, next.bytes));
        Some(next.packets)
    }

    fn close(&mut self, flow: &Flow) {
        self.closed.extend(self.open.remove(flow));
    }

    fn frame(&mut self, packet: &[u8], shape: Option<Shape>) -> Frame {
        let mut bytes = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(LARGEST));
        bytes.clear();
        bytes.extend_from_slice(&OffloadHeader::default().bytes());
        bytes.extend_from_slice(packet);
        Frame { bytes, packets: 1, shape, has_end: false }
    }
}

/// The flow of a packet that has nothing but a segment of TCP.
fn read(packet: &[u8]) -> Option<(Flow, Shape)> {
    let version = Version::of(packet)?;
    let ip = version.least();
    if packet.len() < ip + tcp::OPTIONS {
        return None;
    }
    let (protocol, total, is_plain) = match version {
        // Five words of header, and neither more fragments nor an offset.
        Version::V4 => {
            let is_plain = packet[0] == 0x45 && get(packet, 6).trailing_zeros() >= 14;
            (packet[9], get(packet, 2).into(), is_plain)
        }
        Version::V6 => (packet[6], ip + usize::from(get(packet, 4)), true),
    };
    let headers = ip + tcp::bytes(&packet[ip..])?;
    let fits = total == packet.len() && headers <= total;
    if protocol != IpNumber::TCP.0 || !is_plain || !fits {
        return None;
    }
    let mut flow = Flow { addresses: [0; 32], ports: [0; 4] };
    let addresses = version.addresses(packet);
    flow.addresses[..addresses.len()].copy_from_slice(addresses);
    flow.ports.copy_from_slice(&packet[ip..ip + 4]);
    Some((flow, Shape { version, headers, payload: total - headers }))
}

impl Shape {
    /// Whether others may follow in a frame: it has data, and no flag but that of every segment.
    fn may_grow(&self, packet: &[u8]) -> bool {
        self.payload > 0 && packet[self.version.least() + tcp::FLAGS] == Flags::ACK.byte()
    }

    fn is_intact(&self, packet: &[u8]) -> bool {
        let ip = self.version.least();
        let ends = self.version.addresses(packet);
        let is_header_intact = self.version == Version::V6 || of_bytes(&packet[..ip]) == [0; 2];
        is_header_intact && of_transport(ends, IpNumber::TCP, &packet[ip..]) == [0; 2]
    }
}

impl Frame {
    /// Whether `packet` may be the next of the frame. A wrong checksum would come out right, so it
    /// has to be examined.
    fn takes(&self, packet: &[u8], shape: &Shape) -> bool {
        let Some(first) = &self.shape else { return false };
        let sent = &self.bytes[OFFLOAD_HEADER..];
        shape.payload > 0
            && shape.payload <= first.payload
            && self.bytes.len() + shape.payload <= LARGEST
            && self.follows(sent, packet, first)
            && shape.is_intact(packet)
            && (self.packets > 1 || first.is_intact(sent))
    }

    /// Whether `packet` has the headers that the kernel would give the next segment behind `sent`.
    fn follows(&self, sent: &[u8], packet: &[u8], first: &Shape) -> bool {
        let ip = first.version.least();
        let (head, tcp_head) = sent[..first.headers].split_at(ip);
        let (next_head, rest) = packet.split_at(ip);
        let is_alike = match first.version {
            Version::V4 => {
                let id = get(next_head, IDENTIFICATION);
                let first_id = get(head, IDENTIFICATION);
                let may_not_be_fragmented = head[6] & 0x40 != 0;
                head[1] == next_head[1]
                    && head[6..9] == next_head[6..9]
                    && (id == first_id.wrapping_add(self.packets as u16)
                        || may_not_be_fragmented && id == first_id)
            }
            // Traffic class and flow label; the hop limit.
            Version::V6 => head[..4] == next_head[..4] && head[7] == next_head[7],
        };
        let flags = rest[tcp::FLAGS] & !Flags::PSH.byte();
        let payload = (sent.len() - first.headers) as u32;
        is_alike
            && get_seq(rest, tcp::SEQ) == get_seq(tcp_head, tcp::SEQ).wrapping_add(payload)
            && rest[tcp::ACK..tcp::FLAGS] == tcp_head[tcp::ACK..tcp::FLAGS]
            && flags == tcp_head[tcp::FLAGS]
            && rest[tcp::WINDOW..tcp::CHECKSUM] == tcp_head[tcp::WINDOW..tcp::CHECKSUM]
            && rest[tcp::URGENT..tcp_head.len()] == tcp_head[tcp::URGENT..]
    }

    fn append(&mut self, packet: &[u8], shape: &Shape) {
        let Some(first) = &self.shape else { return };
        let ip = shape.version.least();
        let flags = packet[ip + tcp::FLAGS];
        self.bytes.extend_from_slice(&packet[shape.headers..]);
        self.bytes[OFFLOAD_HEADER + ip + tcp::FLAGS] |= flags;
        self.packets += 1;
        self.has_end = shape.payload < first.payload || flags & Flags::PSH.byte() != 0;
    }

    /// Writes the headers of all segments together. The kernel completes their checksums.
    fn seal(&mut self) {
        let Some(Shape { version, headers, payload }) = self.shape.filter(|_| self.packets > 1)
        else {
            return;
        };
        let ip = version.least();
        let kind = match version {
            Version::V4 => OffloadHeader::TCP_4,
            Version::V6 => OffloadHeader::TCP_6,
        };
        let header = OffloadHeader {
            flags: OffloadHeader::NEEDS_CHECKSUM,
            kind,
            headers: headers as u16,
            size: payload as u16,
            start: ip as u16,
            field: tcp::CHECKSUM as u16,
        };
        let (place, packet) = self.bytes.split_at_mut(OFFLOAD_HEADER);
        place.copy_from_slice(&header.bytes());
        version.put_length(packet, ip);
        let length = packet.len() - ip;
        let sum = of_pseudo_header(version.addresses(packet), IpNumber::TCP, length);
        packet[ip + tcp::CHECKSUM..ip + tcp::URGENT].copy_from_slice(&sum);
    }
}
