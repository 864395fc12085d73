//! ICMP errors that are about a TCP segment.

use base::Seq;
use etherparse::icmpv4::DestUnreachableHeader;
use etherparse::{Icmpv4Slice, Icmpv4Type, Icmpv6Slice, Icmpv6Type, IpNumber, IpSlice, LaxIpSlice};

use crate::Addresses;
use crate::checksum::of_bytes;

/// An error that a router or a host reports to the sender of a segment (RFC 792, RFC 4443).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IcmpError {
    /// What is wrong.
    pub complaint: Complaint,
    /// What it is about.
    pub quote: Quote,
}

/// What an ICMP error says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Complaint {
    /// The next link takes packets of so many bytes at most (RFC 1191, RFC 8201); zero where the
    /// router does not say.
    TooBig {
        /// In bytes with the IP header.
        mtu: u32,
    },
    /// Host, network or port cannot be reached.
    Unreachable,
    /// Out of hops, or of time for its fragments.
    TimeExceeded,
    /// A header makes no sense.
    Parameter,
}

/// What an ICMP error repeats of the segment that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quote {
    /// Its ends.
    pub addresses: Addresses,
    /// The port that it came from.
    pub source_port: u16,
    /// The port where it went.
    pub destination_port: u16,
    /// The number of its first byte.
    pub seq: Seq,
}

/// Reads a whole ICMP error with a right checksum that quotes a TCP segment and goes to where that
/// came from. `None` for everything else.
pub fn icmp_error(packet: &[u8]) -> Option<IcmpError> {
    let ip = IpSlice::from_slice(packet).ok()?;
    let message = ip.payload();
    if message.fragmented {
        return None;
    }
    let (complaint, quoted) = match &ip {
        IpSlice::Ipv4(_) if message.ip_number == IpNumber::ICMP => v4(message.payload)?,
        IpSlice::Ipv6(ip) if message.ip_number == IpNumber::IPV6_ICMP => {
            let (source, destination) = (ip.header().source(), ip.header().destination());
            v6(message.payload, source, destination)?
        }
        IpSlice::Ipv4(_) | IpSlice::Ipv6(_) => return None,
    };
    let quote = quote(quoted)?;
    (ip.destination_addr() == quote.addresses.source()).then_some(IcmpError { complaint, quote })
}

fn v4(message: &[u8]) -> Option<(Complaint, &[u8])> {
    let icmp = Icmpv4Slice::from_slice(message).ok()?;
    if of_bytes(message) != [0; 2] {
        return None;
    }
    let complaint = match icmp.icmp_type() {
        Icmpv4Type::DestinationUnreachable(DestUnreachableHeader::FragmentationNeeded {
            next_hop_mtu,
        }) => Complaint::TooBig { mtu: next_hop_mtu.into() },
        Icmpv4Type::DestinationUnreachable(_) => Complaint::Unreachable,
        Icmpv4Type::TimeExceeded(_) => Complaint::TimeExceeded,
        Icmpv4Type::ParameterProblem(_) => Complaint::Parameter,
        _ => return None,
    };
    Some((complaint, icmp.payload()))
}

fn v6(message: &[u8], source: [u8; 16], destination: [u8; 16]) -> Option<(Complaint, &[u8])> {
    let icmp = Icmpv6Slice::from_slice(message).ok()?;
    if !icmp.is_checksum_valid(source, destination) {
        return None;
    }
    let complaint = match icmp.icmp_type() {
        Icmpv6Type::PacketTooBig { mtu } => Complaint::TooBig { mtu },
        Icmpv6Type::DestinationUnreachable(_) => Complaint::Unreachable,
        Icmpv6Type::TimeExceeded(_) => Complaint::TimeExceeded,
        Icmpv6Type::ParameterProblem(_) => Complaint::Parameter,
        _ => return None,
    };
    Some((complaint, icmp.payload()))
}

/// What an error has to repeat: the IP header and eight bytes (RFC 792).
fn quote(quoted: &[u8]) -> Option<Quote> {
    let (ip, _) = LaxIpSlice::from_slice(quoted).ok()?;
    let payload = ip.payload();
    if payload.ip_number != IpNumber::TCP || payload.fragmented {
        return None;
    }
    let (&[source_port, destination_port, high, low], _) =
        payload.payload.as_chunks::<2>().0.split_first_chunk::<4>()?;
    let [source_port, destination_port, high, low] =
        [source_port, destination_port, high, low].map(u16::from_be_bytes);
    let seq = Seq::new(u32::from(high) << 16 | u32::from(low));
    let addresses = match &ip {
        LaxIpSlice::Ipv4(ip) => Addresses::V4 {
            source: ip.header().source_addr(),
            destination: ip.header().destination_addr(),
        },
        LaxIpSlice::Ipv6(ip) => Addresses::V6 {
            source: ip.header().source_addr(),
            destination: ip.header().destination_addr(),
        },
    };
    Some(Quote { addresses, source_port, destination_port, seq })
}
