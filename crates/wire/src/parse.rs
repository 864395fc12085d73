//! The bytes of an IP packet to a header and a payload.

use std::fmt;

use base::{Flags, Seq, TcpHeader};
use etherparse::{IpNumber, IpSlice, TcpSlice};

use crate::checksum::{of_bytes, of_segment};
use crate::{Addresses, IpFields, options};

/// A TCP segment on the wire.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment<'a> {
    /// Its ends.
    pub addresses: Addresses,
    /// What else its IP header says.
    pub ip: IpFields,
    /// Its header, with the options that are known.
    pub header: TcpHeader,
    /// What it carries.
    pub payload: &'a [u8],
    /// What else was in the packet.
    pub unkept: Unkept,
}

/// What a packet had that [`Segment`] does not hold, and that is lost if the segment is written
/// again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unkept {
    /// The kind of the first TCP option that is not known, or whose length is not its kind's.
    pub option: Option<u8>,
    /// Where urgent data end (RFC 9293 §3.8.5), if there are any.
    pub urgent: Option<u16>,
    /// The number of the first header between those of IP and TCP; zero, that of hop-by-hop
    /// options (RFC 8200 §4.3), for options of IPv4.
    pub extension: Option<u8>,
}

impl Unkept {
    /// True if nothing is lost.
    pub const fn is_empty(&self) -> bool {
        matches!(self, Self { option: None, urgent: None, extension: None })
    }
}

/// Why some bytes are not a TCP segment.
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

/// What the headers of an IP packet say, whatever its checksums.
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
    let tcp = tcp.map(|tcp| (header(&tcp).0, tcp.payload().len()));
    Some(Glance { protocol: payload.ip_number.0, tcp })
}

/// Whether the checksums of a packet are to be examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Checksums {
    Examined,
    /// There are none yet, or the kernel has examined them.
    Trusted,
}

/// Reads an IP packet that carries TCP. Bytes behind the packet's stated length do not count.
///
/// # Errors
/// What the packet is instead.
pub fn parse(packet: &[u8]) -> Result<Segment<'_>, ParseError> {
    read(packet, Checksums::Examined)
}

/// As [`parse`], with or without a look at the checksums.
pub(crate) fn read(packet: &[u8], checksums: Checksums) -> Result<Segment<'_>, ParseError> {
    let is_examined = checksums == Checksums::Examined;
    let ip = IpSlice::from_slice(packet).map_err(|_| ParseError::Ip)?;
    if is_examined
        && let IpSlice::Ipv4(ipv4) = &ip
        && of_bytes(ipv4.header().slice()) != [0; 2]
    {
        return Err(ParseError::Checksum);
    }
    let payload = ip.payload();
    if payload.fragmented {
        return Err(ParseError::Fragment);
    }
    if payload.ip_number != IpNumber::TCP {
        return Err(ParseError::NotTcp);
    }
    let tcp = TcpSlice::from_slice(payload.payload).map_err(|_| ParseError::Tcp)?;
    let addresses = Addresses::of(&ip);
    let is_countable = u16::try_from(payload.payload.len()).is_ok();
    let pieces = [tcp.header_slice(), tcp.payload()];
    if !is_countable || is_examined && of_segment(&addresses, IpNumber::TCP, pieces) != [0; 2] {
        return Err(ParseError::Checksum);
    }
    let (header, option) = header(&tcp);
    let urgent = tcp.urg().then(|| tcp.urgent_pointer());
    let unkept = Unkept { option, urgent, extension: extension(&ip) };
    Ok(Segment { addresses, ip: IpFields::read(&ip), header, payload: tcp.payload(), unkept })
}

fn extension(ip: &IpSlice<'_>) -> Option<u8> {
    let (first, options) = match ip {
        IpSlice::Ipv4(ip) => (ip.header().protocol(), !ip.header().options().is_empty()),
        IpSlice::Ipv6(ip) => (ip.header().next_header(), false),
    };
    if options { Some(0) } else { (first != IpNumber::TCP).then_some(first.0) }
}

fn header(tcp: &TcpSlice<'_>) -> (TcpHeader, Option<u8>) {
    let (options, foreign) = options::read(tcp.header_slice().get(20..).unwrap_or_default());
    let header = TcpHeader {
        source_port: tcp.source_port(),
        destination_port: tcp.destination_port(),
        seq: Seq::new(tcp.sequence_number()),
        ack: Seq::new(tcp.acknowledgment_number()),
        flags: flags(tcp),
        window: tcp.window_size(),
        options,
    };
    (header, foreign)
}

/// The control bits: the three ahead of AE are reserved and say nothing.
fn flags(tcp: &TcpSlice<'_>) -> Flags {
    let [high, low] = [tcp.header_slice()[12], tcp.header_slice()[13]];
    Flags::from_bits(u16::from_be_bytes([high & 1, low]))
}
