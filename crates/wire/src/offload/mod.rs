//! Packets as the kernel exchanges them with a device that segments and sums for itself: frames of
//! many, behind a header of Linux's `virtio_net.h`.

mod coalescer;
mod split;

pub use coalescer::Coalescer;
pub use split::{Run, Split};

/// Bytes ahead of the packet in a frame.
pub const OFFLOAD_HEADER: usize = 10;

/// What stands ahead of the packet in a frame, in the machine's byte order; zeros if the packet is
/// complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct OffloadHeader {
    flags: u8,
    kind: u8,
    /// Bytes of the packet's headers: a hint.
    headers: u16,
    /// The payload of each packet in bytes; the last may have less.
    size: u16,
    /// What is summed begins here, in bytes from the start of the packet.
    start: u16,
    /// The field of the checksum, in bytes from `start`; the sum of the pseudo header is in it.
    field: u16,
}

impl OffloadHeader {
    /// The checksum is to be completed.
    const NEEDS_CHECKSUM: u8 = 1;
    /// The packet is not to be split.
    const ONE: u8 = 0;
    const TCP_4: u8 = 1;
    const TCP_6: u8 = 4;
    const UDP: u8 = 5;
    /// A bit beside the kind: the first segment says CWR (RFC 3168 §6.1.2).
    const ECN: u8 = 0x80;

    fn read(bytes: &[u8; OFFLOAD_HEADER]) -> Self {
        let number = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        Self {
            flags: bytes[0],
            kind: bytes[1],
            headers: number(2),
            size: number(4),
            start: number(6),
            field: number(8),
        }
    }

    fn bytes(self) -> [u8; OFFLOAD_HEADER] {
        let mut bytes = [0; OFFLOAD_HEADER];
        bytes[..2].copy_from_slice(&[self.flags, self.kind]);
        let numbers = [self.headers, self.size, self.start, self.field];
        for (number, at) in numbers.into_iter().zip((2..).step_by(2)) {
            bytes[at..at + 2].copy_from_slice(&number.to_ne_bytes());
        }
        bytes
    }
}

/// A version of IP, with what differs in its header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Version {
    V4,
    V6,
}

impl Version {
    fn of(packet: &[u8]) -> Option<Self> {
        match packet.first()? >> 4 {
            4 => Some(Self::V4),
            6 => Some(Self::V6),
            _ => None,
        }
    }

    /// Bytes of a header without options.
    const fn least(self) -> usize {
        match self {
            Self::V4 => 20,
            Self::V6 => 40,
        }
    }

    /// Both addresses of `packet`.
    fn addresses(self, packet: &[u8]) -> &[u8] {
        match self {
            Self::V4 => &packet[12..20],
            Self::V6 => &packet[8..40],
        }
    }

    /// States the length of `packet` in its header, which has so many bytes.
    fn put_length(self, packet: &mut [u8], header: usize) {
        match self {
            Self::V4 => {
                put(packet, 2, packet.len() as u16);
                packet[10..12].fill(0);
                let checksum = crate::checksum::of_bytes(&packet[..header]);
                packet[10..12].copy_from_slice(&checksum);
            }
            Self::V6 => put(packet, 4, (packet.len() - self.least()) as u16),
        }
    }
}

/// Where fields of a TCP header stand, in bytes (RFC 9293 §3.1).
mod tcp {
    pub(super) const SEQ: usize = 4;
    pub(super) const ACK: usize = 8;
    pub(super) const LENGTH: usize = 12;
    pub(super) const FLAGS: usize = 13;
    pub(super) const WINDOW: usize = 14;
    pub(super) const CHECKSUM: usize = 16;
    pub(super) const URGENT: usize = 18;
    pub(super) const OPTIONS: usize = 20;

    /// Bytes of the header that `segment` begins with; `None` if it states fewer than it has.
    pub(super) fn bytes(segment: &[u8]) -> Option<usize> {
        let bytes = 4 * usize::from(segment[LENGTH] >> 4);
        (bytes >= OPTIONS).then_some(bytes)
    }
}

/// Where fields of a UDP header stand, in bytes (RFC 768), and how many there are.
mod udp {
    pub(super) const LENGTH: usize = 4;
    pub(super) const CHECKSUM: usize = 6;
    pub(super) const BYTES: usize = 8;
}

/// Where IPv4 has the identification of a packet.
const IDENTIFICATION: usize = 4;

fn get(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn put(bytes: &mut [u8], at: usize, number: u16) {
    bytes[at..at + 2].copy_from_slice(&number.to_be_bytes());
}

fn get_seq(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn put_seq(bytes: &mut [u8], at: usize, number: u32) {
    bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
}
