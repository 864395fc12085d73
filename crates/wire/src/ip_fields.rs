//! What an IP header says besides its addresses.

use base::Ecn;
use etherparse::{IpEcn, IpSlice};

/// The fields of an IP header that a segment carries along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IpFields {
    /// What it says of congestion.
    pub ecn: Ecn,
    /// Differentiated services code point (RFC 2474): six bits.
    pub dscp: u8,
    /// Time to live of IPv4, hop limit of IPv6.
    pub hop_limit: u8,
    /// Of IPv6 (RFC 6437): twenty bits. Zero in IPv4.
    pub flow_label: u32,
}

impl IpFields {
    /// Hops until a packet is given up (RFC 1700).
    pub const HOPS: u8 = 64;

    pub(crate) fn read(ip: &IpSlice<'_>) -> Self {
        match ip {
            IpSlice::Ipv4(ip) => {
                let header = ip.header();
                Self {
                    ecn: congestion(header.ecn()),
                    dscp: header.dcp().value(),
                    hop_limit: header.ttl(),
                    flow_label: 0,
                }
            }
            IpSlice::Ipv6(ip) => {
                let header = ip.header();
                Self {
                    ecn: congestion(header.ecn()),
                    dscp: header.dscp().value(),
                    hop_limit: header.hop_limit(),
                    flow_label: header.flow_label().value(),
                }
            }
        }
    }

    /// The second byte of an IPv4 header, and the traffic class of IPv6 (RFC 8200 §7).
    pub(crate) const fn traffic_class(self) -> u8 {
        let ecn = match self.ecn {
            Ecn::NotCapable => IpEcn::NotEct,
            Ecn::Capable => IpEcn::Ect0,
            Ecn::L4s => IpEcn::Ect1,
            Ecn::Experienced => IpEcn::CongestionExperienced,
        };
        self.dscp << 2 | ecn.value()
    }
}

/// A host's defaults for the other fields.
impl From<Ecn> for IpFields {
    fn from(ecn: Ecn) -> Self {
        Self { ecn, dscp: 0, hop_limit: Self::HOPS, flow_label: 0 }
    }
}

const fn congestion(ecn: IpEcn) -> Ecn {
    match ecn {
        IpEcn::NotEct => Ecn::NotCapable,
        IpEcn::Ect0 => Ecn::Capable,
        IpEcn::Ect1 => Ecn::L4s,
        IpEcn::CongestionExperienced => Ecn::Experienced,
    }
}
