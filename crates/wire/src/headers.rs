//! Headers of any IP packet, by which its flow is told from others.

use base::Ecn;
use etherparse::{IpNumber, IpSlice};

use crate::{Addresses, IpFields};

/// Protocols whose headers begin with the ports of both ends: TCP, UDP, DCCP, SCTP, UDP-Lite.
const WITH_PORTS: [u8; 5] = [6, 17, 33, 132, 136];

/// The headers of an IP packet, whatever it carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Headers {
    /// Source and destination.
    pub addresses: Addresses,
    /// Protocol, by the number that IANA assigns.
    pub protocol: u8,
    /// The ports of source and destination, where it has some and is no fragment.
    pub ports: Option<[u16; 2]>,
    /// The code point of its service (RFC 2474).
    pub dscp: u8,
    /// ECN field.
    pub ecn: Ecn,
}

/// Reads the headers of an IP packet; `None` if it is none.
pub fn headers(packet: &[u8]) -> Option<Headers> {
    let ip = IpSlice::from_slice(packet).ok()?;
    let payload = ip.payload();
    let IpNumber(protocol) = payload.ip_number;
    let ports = (WITH_PORTS.contains(&protocol) && !payload.fragmented)
        .then(|| payload.payload.first_chunk::<4>())
        .flatten();
    let ports = ports.map(|[a, b, c, d]| [[*a, *b], [*c, *d]].map(u16::from_be_bytes));
    let IpFields { ecn, dscp, .. } = IpFields::read(&ip);
    Some(Headers { addresses: Addresses::of(&ip), protocol, ports, dscp, ecn })
}
