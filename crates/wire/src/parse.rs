//! The bytes of an IP packet to a header and a payload.

use std::fmt;

use base::{Flags, Options, Seq, TcpHeader};
use etherparse::{IpNumber, IpSlice, TcpSlice};

use crate::Addresses;

/// A TCP segment on the wire.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment<'a> {
    /// Its ends.
    pub addresses: Addresses,
    /// Its header, with the options that are known.
    pub header: TcpHeader,
    /// What it carries.
    pub payload: &'a [u8],
}

/// Why some bytes are no TCP segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParseError {
    /// The IP header, or the length that it states, is wrong.
    Ip,
    /// The packet is a piece of another.
    Fragment,
    /// It carries something else.
    NotTcp,
    /// The TCP header, or the length that it states, is wrong.
    Tcp,
    /// A checksum is wrong.
    Checksum,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ip => "not an IP packet",
            Self::Fragment => "a fragment",
            Self::NotTcp => "not TCP",
            Self::Tcp => "not a TCP header",
            Self::Checksum => "wrong checksum",
        })
    }
}

impl std::error::Error for ParseError {}

/// Reads an IP packet that carries TCP. Bytes behind the packet's stated length do not count.
///
/// # Errors
/// What the packet is instead.
pub fn parse(packet: &[u8]) -> Result<Segment<'_>, ParseError> {
    let ip = IpSlice::from_slice(packet).map_err(|_| ParseError::Ip)?;
    if let IpSlice::Ipv4(ipv4) = &ip {
        let header = ipv4.header().to_header();
        if header.header_checksum != header.calc_header_checksum() {
            return Err(ParseError::Checksum);
        }
    }
    let payload = ip.payload();
    if payload.fragmented {
        return Err(ParseError::Fragment);
    }
    if payload.ip_number != IpNumber::TCP {
        return Err(ParseError::NotTcp);
    }
    let tcp = TcpSlice::from_slice(payload.payload).map_err(|_| ParseError::Tcp)?;
    let (addresses, checksum) = match &ip {
        IpSlice::Ipv4(ipv4) => {
            let (source, destination) =
                (ipv4.header().source_addr(), ipv4.header().destination_addr());
            let checksum = tcp.calc_checksum_ipv4(source.octets(), destination.octets());
            (Addresses::V4 { source, destination }, checksum)
        }
        IpSlice::Ipv6(ipv6) => {
            let (source, destination) =
                (ipv6.header().source_addr(), ipv6.header().destination_addr());
            let checksum = tcp.calc_checksum_ipv6(source.octets(), destination.octets());
            (Addresses::V6 { source, destination }, checksum)
        }
    };
    if checksum != Ok(tcp.checksum()) {
        return Err(ParseError::Checksum);
    }
    Ok(Segment { addresses, header: header(&tcp), payload: tcp.payload() })
}

fn header(tcp: &TcpSlice<'_>) -> TcpHeader {
    TcpHeader {
        source_port: tcp.source_port(),
        destination_port: tcp.destination_port(),
        seq: Seq::new(tcp.sequence_number()),
        ack: Seq::new(tcp.acknowledgment_number()),
        flags: Flags::from_bits(tcp.header_slice()[13]),
        window: tcp.window_size(),
        options: options(tcp.header_slice().get(20..).unwrap_or_default()),
    }
}

/// The known options. Unknown ones are skipped by their length (RFC 9293 §3.1, MUST-6), and an
/// illegal length ends the list (MUST-7).
fn options(mut bytes: &[u8]) -> Options {
    let mut options = Options::default();
    loop {
        bytes = match bytes {
            [] | [END, ..] => return options,
            [NO_OPERATION, rest @ ..] => rest,
            [MAXIMUM_SEGMENT_SIZE, 4, high, low, rest @ ..] => {
                options.mss = Some(u16::from_be_bytes([*high, *low]));
                rest
            }
            [WINDOW_SCALE, 3, shift, rest @ ..] => {
                options.window_scale = Some(*shift);
                rest
            }
            [_, length @ 2..=255, ..] => bytes.get(usize::from(*length)..).unwrap_or_default(),
            [_, ..] => return options,
        };
    }
}

/// Kinds of options (RFC 9293 §3.1, RFC 7323 §2.2).
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
