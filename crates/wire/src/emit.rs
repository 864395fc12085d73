//! A header and a payload to the bytes of an IP packet.

use std::fmt;

use base::{Ecn, Flags, Options, TcpHeader};
use etherparse::{IpEcn, IpNumber, Ipv4Header, Ipv6Header};

use crate::{Addresses, options};

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
        /// Bytes of TCP payload.
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
                write!(f, "a TCP payload of {payload} bytes does not fit in an IP packet")
            }
            Self::Options { bytes } => {
                write!(f, "{bytes} bytes of TCP options do not fit in {}", Options::ROOM)
            }
        }
    }
}

impl std::error::Error for TooLong {}

/// Replaces what is in `packet` with an IP packet of `header` and `payload`, checksums included.
/// The packet may not be fragmented on its way and has the usual time to live of 64.
///
/// # Errors
/// [`TooLong`] if IP or the TCP header cannot carry that much.
pub fn emit(
    header: &TcpHeader,
    ecn: Ecn,
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
    let (ip, tcp) = head.split_at_mut(ip_bytes);
    put_ip(addresses, ecn, tcp.len() + body.len(), ip);
    put_tcp(header, addresses, body, tcp);
    Ok(())
}

/// Hops until a packet is given up (RFC 1700).
const TIME_TO_LIVE: u8 = 64;

fn put_ip(addresses: &Addresses, ecn: Ecn, length: usize, out: &mut [u8]) {
    let ecn = match ecn {
        Ecn::NotCapable => IpEcn::NotEct,
        Ecn::Capable => IpEcn::Ect0,
        Ecn::Experienced => IpEcn::CongestionExperienced,
    };
    match addresses {
        Addresses::V4 { source, destination } => {
            let mut header = Ipv4Header {
                ecn,
                total_len: (Ipv4Header::MIN_LEN + length) as u16,
                dont_fragment: true,
                time_to_live: TIME_TO_LIVE,
                protocol: IpNumber::TCP,
                source: source.octets(),
                destination: destination.octets(),
                ..Ipv4Header::default()
            };
            header.header_checksum = header.calc_header_checksum();
            out.copy_from_slice(&header.to_bytes());
        }
        Addresses::V6 { source, destination } => {
            let header = Ipv6Header {
                // The lower two bits of the traffic class (RFC 8200 §7).
                traffic_class: ecn.value(),
                payload_length: length as u16,
                next_header: IpNumber::TCP,
                hop_limit: TIME_TO_LIVE,
                source: source.octets(),
                destination: destination.octets(),
                ..Ipv6Header::default()
            };
            out.copy_from_slice(&header.to_bytes());
        }
    }
}

fn put_tcp(header: &TcpHeader, addresses: &Addresses, payload: &[u8], out: &mut [u8]) {
    let mut tcp = typed(header);
    let checksum = match addresses {
        Addresses::V4 { source, destination } => {
            tcp.calc_checksum_ipv4_raw(source.octets(), destination.octets(), payload)
        }
        Addresses::V6 { source, destination } => {
            tcp.calc_checksum_ipv6_raw(source.octets(), destination.octets(), payload)
        }
    };
    tcp.checksum = checksum.expect("the length was checked");
    out.copy_from_slice(&tcp.to_bytes());
}

fn typed(header: &TcpHeader) -> etherparse::TcpHeader {
    let set = |flag| header.flags.contains(flag);
    let mut tcp = etherparse::TcpHeader::new(
        header.source_port,
        header.destination_port,
        header.seq.to_u32(),
        header.window,
    );
    tcp.acknowledgment_number = header.ack.to_u32();
    tcp.fin = set(Flags::FIN);
    tcp.syn = set(Flags::SYN);
    tcp.rst = set(Flags::RST);
    tcp.psh = set(Flags::PSH);
    tcp.ack = set(Flags::ACK);
    tcp.urg = set(Flags::from_bits(0x20));
    tcp.ece = set(Flags::ECE);
    tcp.cwr = set(Flags::CWR);
    let options = options::Written::new(&header.options);
    tcp.set_options_raw(options.as_slice()).expect("their length was checked");
    tcp
}
