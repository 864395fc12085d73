//! Typed TCP headers to bytes on the wire and back, with checksums, and captures of them; UDP, and
//! of IPv6 also the headers and messages of mobility, to bytes alone.
//!
//! ```
//! use base::{Ecn, Flags, Options, TcpHeader};
//! use wire::{Addresses, Payload, emit, parse};
//!
//! let options = Options { mss: Some(512), ..Options::default() };
//! let syn = TcpHeader { flags: Flags::SYN, options, ..TcpHeader::default() };
//! let (source, destination) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
//! let addresses = Addresses::V4 { source, destination };
//! let mut packet = Vec::new();
//! emit(&syn, Ecn::NotCapable, &addresses, Payload::Bytes(b""), &mut packet)?;
//! assert_eq!(packet.len(), 44);
//! assert_eq!(parse(&packet)?.header, syn);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod addresses;
mod arrivals;
mod capture;
mod checksum;
mod corrupt;
mod echo;
mod emit;
mod fragments;
mod headers;
mod hop_limit;
mod icmp;
mod ip_fields;
mod ipv6;
mod mark;
mod offload;
mod options;
mod parse;
pub mod rfc2507;
mod udp;

pub use addresses::Addresses;
pub use arrivals::{Arrival, CaptureError, arrivals};
pub use capture::{Capture, LinkLayer, Passage, Sense};
pub use corrupt::corrupt;
pub use echo::Echo;
pub use emit::{Payload, TooLong, emit};
pub use fragments::{Datagram, Fragment, Fragments};
pub use headers::{Headers, headers};
pub use hop_limit::{hop_limit, set_hop_limit};
pub use icmp::{Complaint, IcmpError, Quote, icmp_error};
pub use ip_fields::IpFields;
pub use ipv6::{
    Icmpv6, Ipv6Ends, Ipv6Packet, Ipv6Piece, Keeper, LinkLayerAddress, Map, MobilityMessage,
    MobilityOption, PieceOrder, Prefix64, RouterRole, Test, Unseen,
};
pub use mark::{dscp, ecn, mark};
pub use offload::{Coalescer, OFFLOAD_HEADER, Run, Split};
pub use parse::{Glance, ParseError, Segment, Unkept, glance, parse};
pub use udp::emit_udp;
