//! Packets of a mobile network as they are on the wire.

use base::Ecn;
use mobility::binding::{Address, Wrap};
use tcp::Length;
use wire::{Icmpv6, IpFields, Ipv6Ends, Ipv6Packet, Ipv6Piece, PieceOrder, TooLong, Unseen};
use world::{Body, Ends, IPV6_HEADER_BYTES, IPV6_MTU_MIN, Ipv6, Piece, Quote, TooBig, Transport};

use super::addresses::AddressBook;
use super::messages;

/// Type, code, checksum and MTU of a Packet Too Big message (RFC 4443 §3.2).
const TOO_BIG_BYTES: u32 = 8;

/// The content of a packet, and the fields of the IPv6 header in front of it.
pub(super) struct Core {
    pub(super) packet: Ipv6Packet,
    pub(super) ends: Ipv6Ends,
    pub(super) hops: u8,
}

/// The encapsulation of a packet.
#[derive(Clone, Copy)]
struct Encapsulation<'a> {
    /// Outermost.
    ends: Ends,
    wraps: &'a [(Ends, Wrap)],
    pieces: &'a [Piece],
    ecn: Ecn,
}

/// A packet with the outer addresses `ends`, as bytes.
pub(super) fn packet(
    book: &AddressBook,
    ends: Ends,
    body: &Ipv6<Length>,
) -> Result<Ipv6Packet, TooLong> {
    let (wraps, pieces) = (body.wraps(), body.pieces());
    let outside = Encapsulation { ends, wraps, pieces, ecn: body.ecn() };
    let innermost = outside.innermost();
    let core = if let Some(header) = body.header() {
        let ends = global(book, innermost);
        let packet = Ipv6Packet::tcp(header, ends, body.payload_bytes() as usize)?;
        Core { packet, ends, hops: IpFields::HOPS }
    } else if let Some(datagram) = body.udp() {
        let ends = global(book, innermost);
        Core { packet: Ipv6Packet::udp(datagram, ends)?, ends, hops: IpFields::HOPS }
    } else if let Some(message) = body.message() {
        messages::core(book, numbers(innermost), &message)
    } else if let Some(TooBig { mtu, quote }) = body.too_big() {
        let ends = global(book, innermost);
        let quoted = quoted(book, &quote)?;
        let room = (IPV6_MTU_MIN - IPV6_HEADER_BYTES - TOO_BIG_BYTES) as usize;
        let quoted = &quoted.bytes()[..quoted.bytes().len().min(room)];
        let packet = Ipv6Packet::icmp(&Icmpv6::TooBig { mtu, quoted }, ends);
        Core { packet, ends, hops: IpFields::HOPS }
    } else {
        return rest(book, outside, body.transport());
    };
    encapsulate(book, core, 0, outside)
}

/// The packet that a Packet Too Big message quotes.
fn quoted(book: &AddressBook, quote: &Quote) -> Result<Ipv6Packet, TooLong> {
    let Quote { ends, bytes, header, udp, transport, piece, .. } = *quote;
    let pieces = piece.as_slice();
    let outside = Encapsulation { ends, wraps: quote.wraps(), pieces, ecn: Ecn::NotCapable };
    let wraps: u32 = outside.wraps.iter().map(|(_, wrap)| wrap.bytes()).sum();
    let above_header = piece.map_or(bytes - IPV6_HEADER_BYTES - wraps, |piece| piece.bytes);
    let depth = piece.map_or(0, |piece| piece.depth);
    let ends = global(book, outside.innermost());
    let packet = match (header, udp) {
        (Some(header), _) if depth == 0 => {
            let payload = above_header - header.bytes();
            Ipv6Packet::tcp(&header, ends, payload as usize)?
        }
        (None, Some(datagram)) if depth == 0 => Ipv6Packet::udp(&datagram, ends)?,
        (Some(_) | None, _) => return rest(book, outside, transport),
    };
    encapsulate(book, Core { packet, ends, hops: IpFields::HOPS }, 0, outside)
}

/// A piece with unknown content.
fn rest(
    book: &AddressBook,
    outside: Encapsulation<'_>,
    transport: Transport,
) -> Result<Ipv6Packet, TooLong> {
    let piece = outside.pieces.first();
    let depth = piece.map_or(0, |piece| usize::from(piece.depth));
    let what = match depth.checked_sub(1).map(|within| outside.wraps.get(within)) {
        None => match transport {
            Transport::Tcp => Unseen::Segment,
            Transport::Udp => Unseen::Datagram,
        },
        Some(Some((_, Wrap::Tunnel))) => Unseen::Packet,
        Some(Some((_, Wrap::Routing))) => Unseen::Routing,
        Some(Some((_, Wrap::HomeAddress))) => Unseen::DestinationOptions,
        Some(None) => Unseen::Unknown,
    };
    let packet = Ipv6Packet::unseen(what, piece.map_or(0, |piece| piece.bytes as usize));
    let depth = depth.min(outside.wraps.len());
    let ends = global(book, outside.within(depth));
    encapsulate(book, Core { packet, ends, hops: IpFields::HOPS }, depth, outside)
}

/// Adds the other headers and the IPv6 header around `core`, which has `depth` of them already.
fn encapsulate(
    book: &AddressBook,
    core: Core,
    depth: usize,
    outside: Encapsulation<'_>,
) -> Result<Ipv6Packet, TooLong> {
    let Core { mut packet, mut ends, mut hops } = core;
    let fields = |hop_limit| IpFields { hop_limit, ..outside.ecn.into() };
    for depth in depth..outside.wraps.len() {
        packet = cut(packet, outside.pieces, |cut_at| cut_at == depth);
        match outside.wraps[depth].1 {
            Wrap::Tunnel => packet = packet.behind_ip(ends, fields(hops))?,
            Wrap::Routing => packet = packet.behind_routing(ends.destination),
            Wrap::HomeAddress => packet = packet.behind_home_address(ends.source),
        }
        (ends, hops) = (global(book, outside.within(depth + 1)), IpFields::HOPS);
    }
    // A quoted piece was cut within headers that are no longer known.
    packet = cut(packet, outside.pieces, |cut_at| cut_at >= outside.wraps.len());
    packet.behind_ip(ends, fields(hops))
}

/// The piece of `packet` that was cut when `is_here` of the number of headers around it.
fn cut(mut packet: Ipv6Packet, pieces: &[Piece], is_here: impl Fn(usize) -> bool) -> Ipv6Packet {
    for piece in pieces.iter().filter(|piece| is_here(piece.depth.into())) {
        packet = packet.cut(Ipv6Piece {
            identification: piece.of as u32,
            offset: piece.offset as u16,
            bytes: piece.bytes as u16,
            place: if piece.number + 1 < piece.count { PieceOrder::More } else { PieceOrder::Last },
        });
    }
    packet
}

impl Encapsulation<'_> {
    fn innermost(self) -> Ends {
        self.within(0)
    }

    /// The addresses with so many headers around the packet.
    fn within(self, depth: usize) -> Ends {
        self.wraps.get(depth).map_or(self.ends, |(ends, _)| *ends)
    }
}

fn numbers(ends: Ends) -> [Address; 2] {
    [Address(ends.source.0), Address(ends.destination.0)]
}

fn global(book: &AddressBook, ends: Ends) -> Ipv6Ends {
    let [source, destination] = numbers(ends).map(|number| book.global(number));
    Ipv6Ends { source, destination }
}
