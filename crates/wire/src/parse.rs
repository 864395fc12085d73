//! The bytes of an IP packet to a header and a payload.

use std::fmt;

use base::{Ecn, Flags, Seq, TcpHeader};
use etherparse::{IpEcn, IpNumber, IpSlice, TcpSlice};

use crate::{Addresses, options};

/// A TCP segment on the wire.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment<'a> {
    /// Its ends.
    pub addresses: Addresses,
    /// What its IP header says of congestion.
    pub ecn: Ecn,
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

/// What the headers of an IP packet say, be its checksums as they may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Glance {
    /// What it carries, by the numbers that IANA assigns: 6 is TCP.
    pub protocol: u8,
    /// The header and the bytes of payload of a TCP segment, unless in fragments.
    pub tcp: Option<(TcpHeader, usize)>,
}

/// Looks at the headers of an IP packet; `None` if there is no such packet. Bytes behind the
/// packet's stated length do not count.
pub fn glance(packet: &[u8]) -> Option<Glance> {
    let ip = IpSlice::from_slice(packet).ok()?;
    let payload = ip.payload();
    let is_whole_tcp = payload.ip_number == IpNumber::TCP && !payload.fragmented;
    let tcp = is_whole_tcp.then(|| TcpSlice::from_slice(payload.payload).ok()).flatten();
    let tcp = tcp.map(|tcp| (header(&tcp), tcp.payload().len()));
    Some(Glance { protocol: payload.ip_number.0, tcp })
}

/// Reads an IP packet that carries TCP. Bytes behind the packet's stated length do not count.
///
/// # Errors
/// What the packet is instead.
pub fn parse(packet: &[u8]) -> Result<Segment<'_>, ParseError> {
    let ip = IpSlice::from_slice(packet).map_err(|_| ParseError::Ip)?;
    if let IpSlice::Ipv4(ipv4) = &ip {
        let header = ipv4.header().to_header();
        if !same_sum(header.header_checksum, header.calc_header_checksum()) {
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
    let (addresses, ecn, checksum) = match &ip {
        IpSlice::Ipv4(ipv4) => {
            let (source, destination) =
                (ipv4.header().source_addr(), ipv4.header().destination_addr());
            let checksum = tcp.calc_checksum_ipv4(source.octets(), destination.octets());
            (Addresses::V4 { source, destination }, ipv4.header().ecn(), checksum)
        }
        IpSlice::Ipv6(ipv6) => {
            let (source, destination) =
                (ipv6.header().source_addr(), ipv6.header().destination_addr());
            let checksum = tcp.calc_checksum_ipv6(source.octets(), destination.octets());
            (Addresses::V6 { source, destination }, ipv6.header().ecn(), checksum)
        }
    };
    if !checksum.is_ok_and(|checksum| same_sum(checksum, tcp.checksum())) {
        return Err(ParseError::Checksum);
    }
    Ok(Segment { addresses, ecn: congestion(ecn), header: header(&tcp), payload: tcp.payload() })
}

/// Ones' complement has two zeros (RFC 1624 §3), and Linux sends the other one than most.
const fn same_sum(one: u16, other: u16) -> bool {
    one % 0xFFFF == other % 0xFFFF
}

/// Both ECT codepoints mean the same (RFC 3168 §5).
const fn congestion(ecn: IpEcn) -> Ecn {
    match ecn {
        IpEcn::NotEct => Ecn::NotCapable,
        IpEcn::Ect0 | IpEcn::Ect1 => Ecn::Capable,
        IpEcn::CongestionExperienced => Ecn::Experienced,
    }
}

fn header(tcp: &TcpSlice<'_>) -> TcpHeader {
    TcpHeader {
        source_port: tcp.source_port(),
        destination_port: tcp.destination_port(),
        seq: Seq::new(tcp.sequence_number()),
        ack: Seq::new(tcp.acknowledgment_number()),
        flags: Flags::from_bits(tcp.header_slice()[13]),
        window: tcp.window_size(),
        options: options::read(tcp.header_slice().get(20..).unwrap_or_default()),
    }
}
