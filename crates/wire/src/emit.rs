//! A header and a payload to the bytes of an IP packet.

use std::fmt;
use std::net::Ipv6Addr;

use base::{Options, TcpHeader};
use etherparse::{IpNumber, Ipv4Header, Ipv6FlowLabel, Ipv6Header};

use crate::checksum::{of_bytes, of_segment};
use crate::{Addresses, IpFields, options};

/// What follows a TCP header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Payload<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// So many zeros: the payload of a simulation, of which only the length is known.
    Zeros(usize),
}

impl Payload<'_> {
    const fn len(self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Zeros(count) => count,
        }
    }
}

/// Why a packet cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLong {
    /// It has more than 65,535 bytes, which IP cannot carry.
    Packet {
        /// Bytes of TCP or UDP payload.
        payload: usize,
    },
    /// A TCP header has no room for so many options.
    Options {
        /// Their bytes.
        bytes: u32,
    },
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packet { payload } => {
                write!(f, "a payload of {payload} bytes does not fit in an IP packet")
            }
            Self::Options { bytes } => {
                write!(f, "{bytes} bytes of TCP options do not fit in {}", Options::ROOM)
            }
        }
    }
}

impl std::error::Error for TooLong {}

/// Replaces what is in `packet` with an IP packet of `header` and `payload`, checksums included.
/// The packet may not be fragmented on its way. Of [`IpFields`] with more bits than a header has
/// room for, the lower ones count; an [`Ecn`](base::Ecn) alone converts into a host's defaults.
///
/// # Errors
/// [`TooLong`] if IP or the TCP header cannot carry that much.
pub fn emit(
    header: &TcpHeader,
    ip: impl Into<IpFields>,
    addresses: &Addresses,
    payload: Payload<'_>,
    packet: &mut Vec<u8>,
) -> Result<(), TooLong> {
    if header.options.bytes() > Options::ROOM {
        return Err(TooLong::Options { bytes: header.options.bytes() });
    }
    let too_long = || TooLong::Packet { payload: payload.len() };
    let ip_bytes = match addresses {
        Addresses::V4 { .. } => Ipv4Header::MIN_LEN,
        Addresses::V6 { .. } => Ipv6Header::LEN,
    };
    let headers = ip_bytes + header.bytes() as usize;
    let total = headers.checked_add(payload.len()).ok_or_else(too_long)?;
    if total > usize::from(u16::MAX) {
        return Err(too_long());
    }
    packet.clear();
    match payload {
        Payload::Bytes(bytes) => {
            packet.resize(headers, 0);
            packet.extend_from_slice(bytes);
        }
        Payload::Zeros(_) => packet.resize(total, 0),
    }
    let (head, body) = packet.split_at_mut(headers);
    let (ip_head, tcp) = head.split_at_mut(ip_bytes);
    let length = (tcp.len() + body.len()) as u16;
    put_ip(addresses, ip.into(), (length, IpNumber::TCP.0), ip_head);
    put_tcp(header, addresses, body, tcp);
    Ok(())
}

/// An IPv4 header without options (RFC 791 §3.1), or an IPv6 header (RFC 8200 §3), ahead of so many
/// bytes of protocol `kind`.
pub(crate) fn put_ip(
    addresses: &Addresses,
    ip: IpFields,
    (length, kind): (u16, u8),
    out: &mut [u8],
) {
    match addresses {
        Addresses::V4 { source, destination } => {
            let [high, low] = (Ipv4Header::MIN_LEN as u16 + length).to_be_bytes();
            // The flag is DF, do not fragment.
            let flags = 0x40;
            let fixed = [0x45, ip.traffic_class(), high, low, 0, 0, flags, 0, ip.hop_limit, kind];
            out[..10].copy_from_slice(&fixed);
            out[12..16].copy_from_slice(&source.octets());
            out[16..].copy_from_slice(&destination.octets());
            let checksum = of_bytes(out);
            out[10..12].copy_from_slice(&checksum);
        }
        Addresses::V6 { source, destination } => {
            put_ipv6([source, destination], ip, (length, kind), out);
        }
    }
}

/// An IPv6 header (RFC 8200 §3) ahead of so many bytes of protocol `kind`.
pub(crate) fn put_ipv6(
    [source, destination]: [&Ipv6Addr; 2],
    ip: IpFields,
    (length, kind): (u16, u8),
    out: &mut [u8],
) {
    let class = u32::from(ip.traffic_class());
    let first = 6 << 28 | class << 20 | ip.flow_label & Ipv6FlowLabel::MAX_U32;
    out[..4].copy_from_slice(&first.to_be_bytes());
    out[4..6].copy_from_slice(&length.to_be_bytes());
    out[6..8].copy_from_slice(&[kind, ip.hop_limit]);
    out[8..24].copy_from_slice(&source.octets());
    out[24..].copy_from_slice(&destination.octets());
}

/// A TCP header (RFC 9293 §3.1).
fn put_tcp(header: &TcpHeader, addresses: &Addresses, payload: &[u8], out: &mut [u8]) {
    out[..2].copy_from_slice(&header.source_port.to_be_bytes());
    out[2..4].copy_from_slice(&header.destination_port.to_be_bytes());
    out[4..8].copy_from_slice(&header.seq.to_u32().to_be_bytes());
    out[8..12].copy_from_slice(&header.ack.to_u32().to_be_bytes());
    let [high, low] = header.flags.bits().to_be_bytes();
    // The length of the header, in words.
    out[12] = (out.len() as u8 / 4) << 4 | high;
    out[13] = low;
    out[14..16].copy_from_slice(&header.window.to_be_bytes());
    out[20..].copy_from_slice(options::OptionBytes::new(&header.options).as_slice());
    let checksum = of_segment(addresses, IpNumber::TCP, [out, payload]);
    out[16..18].copy_from_slice(&checksum);
}
