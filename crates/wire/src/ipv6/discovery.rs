//! Messages of `ICMPv6`: neighbour discovery (RFC 4861) with what mobility adds to it, and Packet
//! Too Big (RFC 4443 §3.2).

use std::net::Ipv6Addr;

use base::Duration;

/// An address of 48 bits on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkLayerAddress(pub [u8; 6]);

/// A router's address, of which the first 64 bits are the prefix of its link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix64(pub Ipv6Addr);

/// The MAP that can be used at a router (RFC 5380 §4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Map {
    /// Its address.
    pub address: Ipv6Addr,
    /// For how long it may be used.
    pub lifetime: Duration,
}

/// A message of `ICMPv6`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Icmpv6<'a> {
    /// Somebody asks for an advertisement (RFC 4861 §4.1).
    RouterSolicitation {
        /// The sender's link-layer address.
        link_layer: LinkLayerAddress,
    },
    /// A router says that it is there (RFC 4861 §4.2).
    RouterAdvertisement {
        /// Its own.
        link_layer: LinkLayerAddress,
        /// Its address, which gives the prefix (RFC 6275 §7.2).
        prefix: Prefix64,
        /// How often it does so (RFC 6275 §7.3).
        interval: Duration,
        /// Whether it is a home agent there (RFC 6275 §7.1).
        role: RouterRole,
        /// The MAP.
        map: Option<Map>,
    },
    /// Asks whether anybody has this address (RFC 4861 §4.3), without the sender's link-layer
    /// address, as in duplicate address detection.
    NeighborSolicitation {
        /// The address.
        target: Ipv6Addr,
    },
    /// An unsolicited answer that somebody has (RFC 4861 §4.4).
    NeighborAdvertisement {
        /// The address.
        target: Ipv6Addr,
        /// Whose it is.
        link_layer: LinkLayerAddress,
    },
    /// A mobile asks what is to be known of another access point: `RtSolPr` (RFC 5568 §6.1.1).
    ProxySolicitation {
        /// Identifies the answer.
        identifier: u16,
        /// The mobile's link-layer address.
        mobile: LinkLayerAddress,
        /// The access point's.
        next: LinkLayerAddress,
    },
    /// The answer: `PrRtAdv` (RFC 5568 §6.1.2).
    ProxyAdvertisement {
        /// Of the question.
        identifier: u16,
        /// The sender's link-layer address.
        router: LinkLayerAddress,
        /// The access point's, and its router's.
        next: LinkLayerAddress,
        /// That router's address, which gives the prefix.
        prefix: Prefix64,
    },
    /// A packet does not go through (RFC 4443 §3.2).
    TooBig {
        /// The largest that does, in bytes.
        mtu: u32,
        /// As much of it as fits.
        quoted: &'a [u8],
    },
}

/// What a router is to mobiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RouterRole {
    /// A home agent on that link.
    HomeAgent,
    /// Only a router.
    Router,
}

/// Until a router or a prefix that is not heard of again is forgotten: `AdvDefaultLifetime`,
/// `AdvValidLifetime` and `AdvPreferredLifetime` in seconds (RFC 4861 §6.2.1).
const ROUTER_LIFETIME: u16 = 1_800;
const VALID_LIFETIME: u32 = 2_592_000;
const PREFERRED_LIFETIME: u32 = 604_800;

/// Types of fast handovers (RFC 5568 §6.1, §6.4.1, §6.4.3) and what their options are of.
const FAST: u8 = 154;
const FAST_SOLICITATION: u8 = 2;
const FAST_ADVERTISEMENT: u8 = 3;
const FAST_ADDRESS: u8 = 17;
const FAST_LINK_LAYER: u8 = 19;
const OF_ACCESS_POINT: u8 = 1;
const OF_NEXT_ROUTER: u8 = 3;
const OF_SENDER: u8 = 4;
const ROUTER_ADDRESS: u8 = 3;
const ROUTER_PREFIX: u8 = 4;

impl Icmpv6<'_> {
    /// All of it, with zero for its checksum.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = vec![self.kind(), 0, 0, 0];
        match *self {
            Self::RouterSolicitation { link_layer } => {
                out.extend([0; 4]);
                put_link_layer(1, link_layer, &mut out);
            }
            Self::RouterAdvertisement { link_layer, prefix, interval, role, map } => {
                let flags = match role {
                    RouterRole::HomeAgent => 0x20,
                    RouterRole::Router => 0,
                };
                out.extend([64, flags]);
                out.extend(ROUTER_LIFETIME.to_be_bytes());
                out.extend([0; 8]);
                put_link_layer(1, link_layer, &mut out);
                put_prefix(prefix, &mut out);
                out.extend([7, 1, 0, 0]);
                out.extend(in_units(interval, Duration::from_millis(1)).to_be_bytes());
                if let Some(map) = map {
                    put_map(map, &mut out);
                }
            }
            Self::NeighborSolicitation { target } => {
                out.extend([0; 4]);
                out.extend(target.octets());
            }
            // No flag: an address that is new is not to take the place of another (RFC 4429 §3.3).
            Self::NeighborAdvertisement { target, link_layer } => {
                out.extend([0; 4]);
                out.extend(target.octets());
                put_link_layer(2, link_layer, &mut out);
            }
            Self::ProxySolicitation { identifier, mobile, next } => {
                put_fast(FAST_SOLICITATION, identifier, &mut out);
                put_fast_link_layer(OF_SENDER, mobile, &mut out);
                put_fast_link_layer(OF_ACCESS_POINT, next, &mut out);
            }
            Self::ProxyAdvertisement { identifier, router, next, prefix } => {
                put_fast(FAST_ADVERTISEMENT, identifier, &mut out);
                put_fast_link_layer(OF_SENDER, router, &mut out);
                put_fast_link_layer(OF_ACCESS_POINT, next, &mut out);
                put_fast_link_layer(OF_NEXT_ROUTER, next, &mut out);
                put_fast_address(ROUTER_ADDRESS, 128, prefix, &mut out);
                put_fast_address(ROUTER_PREFIX, 64, prefix, &mut out);
            }
            Self::TooBig { mtu, quoted } => {
                out.extend(mtu.to_be_bytes());
                out.extend(quoted);
            }
        }
        out
    }

    const fn kind(&self) -> u8 {
        match self {
            Self::RouterSolicitation { .. } => 133,
            Self::RouterAdvertisement { .. } => 134,
            Self::NeighborSolicitation { .. } => 135,
            Self::NeighborAdvertisement { .. } => 136,
            Self::ProxySolicitation { .. } | Self::ProxyAdvertisement { .. } => FAST,
            Self::TooBig { .. } => 2,
        }
    }
}

/// RFC 4861 §4.6.1.
fn put_link_layer(kind: u8, LinkLayerAddress(address): LinkLayerAddress, out: &mut Vec<u8>) {
    out.extend([kind, 1]);
    out.extend(address);
}

/// On the link and for addresses of one's own, with the router's address (RFC 4861 §4.6.2, RFC 6275
/// §7.2).
fn put_prefix(Prefix64(address): Prefix64, out: &mut Vec<u8>) {
    out.extend([3, 4, 64, 0xE0]);
    out.extend(VALID_LIFETIME.to_be_bytes());
    out.extend(PREFERRED_LIFETIME.to_be_bytes());
    out.extend([0; 4]);
    out.extend(address.octets());
}

/// One hop away, to be preferred above all, for an address of the mobile's own there (RFC 5380 §4).
fn put_map(map: Map, out: &mut Vec<u8>) {
    out.extend([23, 3, 0x1F, 0x80]);
    out.extend(in_units(map.lifetime, Duration::from_secs(1)).to_be_bytes());
    out.extend(map.address.octets());
}

fn put_fast(subtype: u8, identifier: u16, out: &mut Vec<u8>) {
    out.extend([subtype, 0]);
    out.extend(identifier.to_be_bytes());
}

/// RFC 5568 §6.4.3: 48 bits leave 7 bytes of two units.
fn put_fast_link_layer(code: u8, LinkLayerAddress(address): LinkLayerAddress, out: &mut Vec<u8>) {
    out.extend([FAST_LINK_LAYER, 2, code]);
    out.extend(address);
    out.extend([0; 7]);
}

/// RFC 5568 §6.4.1.
fn put_fast_address(code: u8, length: u8, Prefix64(address): Prefix64, out: &mut Vec<u8>) {
    out.extend([FAST_ADDRESS, 3, code, length, 0, 0, 0, 0]);
    let host_bits = 128 - u32::from(length);
    let address = address.to_bits() >> host_bits << host_bits;
    out.extend(address.to_be_bytes());
}

fn in_units(duration: Duration, unit: Duration) -> u32 {
    u32::try_from(duration.whole(unit)).unwrap_or(u32::MAX)
}
