//! The ends of connections, as far as it takes to send what they would: next numbers either way.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base::{Ecn, Flags, Options, SackBlocks, Seq, TcpHeader, Timestamps};
use wire::{Addresses, Payload, Segment, emit};

use super::records::Shape;

/// Who is who, by the bits of a connection's number: two mobiles, two ports, two versions of IP;
/// and whether the far end is a host, one that is to be left alone, or another mobile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection(u8);

/// So many there are.
pub(super) const CONNECTIONS: u8 = 32;

/// One direction of a connection.
#[derive(Clone, Default, Debug)]
pub(super) struct End {
    /// The number that it sends next, once it has sent any.
    next: Option<u32>,
    /// The number that it expects next.
    expects: u32,
    /// The latest timestamp that it got.
    heard: u32,
    /// What it got last.
    pub(super) last: Vec<u8>,
    /// Whether packets with other content than its own came in its name.
    pub(super) lied: bool,
}

impl Connection {
    pub(super) const fn new(number: u8) -> Self {
        Self(number % CONNECTIONS)
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The connection of a segment, and whether its far end sent it.
    pub(super) fn of(segment: &Segment<'_>) -> Option<(Self, bool)> {
        let (addresses, header) = (&segment.addresses, &segment.header);
        let ports = (header.source_port, header.destination_port);
        (0..CONNECTIONS).map(Self).find_map(|connection| {
            let there = (connection.addresses(), connection.ports());
            let back = (there.0.reversed(), (there.1.1, there.1.0));
            let seen = (*addresses, ports);
            (seen == there)
                .then_some((connection, false))
                .or_else(|| (seen == back).then_some((connection, true)))
        })
    }

    /// From its mobile to the far end.
    pub(super) fn addresses(self) -> Addresses {
        let mobile = self.0 & 1;
        let far = self.0 >> 3 & 3;
        if self.0 & 4 == 0 {
            let source = Ipv4Addr::new(10, 45, 0, 2 + mobile);
            let destination = match far {
                0 | 1 => Ipv4Addr::new(198, 51, 100, 2),
                2 => Ipv4Addr::new(203, 0, 113, 7),
                _ => Ipv4Addr::new(10, 45, 0, 9),
            };
            return Addresses::V4 { source, destination };
        }
        let source = Ipv6Addr::new(0x2001, 0xdb8, 0x45, 0, 0, 0, 0, 2 + u16::from(mobile));
        let destination = match far {
            0 | 1 => Ipv6Addr::new(0x2001, 0xdb8, 0x100, 0, 0, 0, 0, 2),
            2 => Ipv6Addr::new(0x2001, 0xdb8, 0x113, 0, 0, 0, 0, 7),
            _ => Ipv6Addr::new(0x2001, 0xdb8, 0x45, 0, 0, 0, 0, 9),
        };
        Addresses::V6 { source, destination }
    }

    fn ports(self) -> (u16, u16) {
        (1024 + u16::from(self.0 >> 1 & 1), if self.0 >> 3 & 1 == 0 { 80 } else { 23 })
    }

    /// The number of an end's SYN; every other one wraps soon.
    fn first(self, from_host: bool) -> u32 {
        let near_wrap = (self.0 & 1 == 0) == from_host;
        if near_wrap { u32::MAX - 2_000 } else { 1_000 }
    }

    /// The byte of the stream at `seq`: it differs along the stream and between streams.
    pub(super) fn byte(self, from_host: bool, seq: u32) -> u8 {
        let at = seq.wrapping_sub(self.first(from_host));
        (at ^ at >> 8 ^ at >> 16) as u8 ^ self.0 ^ if from_host { 0x80 } else { 0 }
    }
}

/// The packet of such a segment. Its sender goes on behind it if its number was the right one.
pub(super) fn send(connection: Connection, end: &mut End, shape: &Shape, clock: u32) -> Vec<u8> {
    let flags = Flags::from_bits(shape.flags.into());
    let first = connection.first(shape.from_host);
    let is_syn = flags.contains(Flags::SYN);
    let right = match end.next {
        Some(next) if !is_syn => next,
        _ => first,
    };
    let seq = right.wrapping_add(shape.seq_off);
    let start = seq.wrapping_add(u32::from(is_syn));
    let payload: Vec<u8> = (0..shape.length as u32)
        .map(|at| connection.byte(shape.from_host, start.wrapping_add(at)))
        .collect();
    if shape.seq_off == 0 && !flags.contains(Flags::RST) {
        let fin = u32::from(flags.contains(Flags::FIN));
        end.next = Some(start.wrapping_add(payload.len() as u32).wrapping_add(fin));
    }
    let ack = end.expects.wrapping_add(shape.ack_off);
    let (source_port, destination_port) = connection.ports();
    let ports = if shape.from_host {
        (destination_port, source_port)
    } else {
        (source_port, destination_port)
    };
    let header = TcpHeader {
        source_port: ports.0,
        destination_port: ports.1,
        seq: Seq::new(seq),
        ack: Seq::new(ack),
        flags,
        window: shape.window,
        options: options(shape.options, is_syn, ack, Timestamps { value: clock, echo: end.heard }),
    };
    let there = connection.addresses();
    let addresses = if shape.from_host { there.reversed() } else { there };
    let ecn = if shape.options & 0x80 == 0 { Ecn::NotCapable } else { Ecn::Capable };
    let mut packet = Vec::new();
    emit(&header, ecn, &addresses, Payload::Bytes(&payload), &mut packet).expect("it fits");
    packet
}

/// By bits: timestamps; on a SYN permission for SACK, a window scale and a segment size, large or
/// small; on others one block or two.
fn options(bits: u8, is_syn: bool, ack: u32, timestamps: Timestamps) -> Options {
    let has = |bit: u8| bits >> bit & 1 == 1;
    let timestamps = has(0).then_some(timestamps);
    if is_syn {
        return Options {
            timestamps,
            sack_permitted: has(1),
            window_scale: has(2).then_some(if has(5) { 15 } else { 7 }),
            mss: has(3).then_some(if has(4) { 100 } else { 1460 }),
            ..Options::default()
        };
    }
    let mut sack = SackBlocks::NONE;
    for (bit, from) in [(5, 800_u32), (6, 4_000)] {
        if has(bit) {
            let left = Seq::new(ack) + from;
            sack.push(left, left + 800);
        }
    }
    Options { timestamps, sack, ..Options::default() }
}

/// An end got this.
pub(super) fn receive(end: &mut End, segment: &Segment<'_>, packet: &[u8]) {
    let header = &segment.header;
    if let Some(timestamps) = header.options.timestamps {
        end.heard = timestamps.value;
    }
    let is_syn = header.flags.contains(Flags::SYN);
    let start = header.seq.to_u32();
    let counted = |flag| u32::from(header.flags.contains(flag));
    let length = segment.payload.len() as u32 + counted(Flags::SYN) + counted(Flags::FIN);
    let after = start.wrapping_add(length);
    let overlaps = end.expects.wrapping_sub(start) <= length;
    if is_syn || overlaps {
        end.expects = after;
    }
    packet.clone_into(&mut end.last);
}

/// The addresses of a packet: where it comes from and where it goes.
pub(super) fn addresses(packet: &[u8]) -> Option<(IpAddr, IpAddr)> {
    let v4 = |at: usize| Some(Ipv4Addr::from(*packet.get(at..)?.first_chunk::<4>()?).into());
    let v6 = |at: usize| Some(Ipv6Addr::from(*packet.get(at..)?.first_chunk::<16>()?).into());
    match packet.first()? >> 4 {
        4 => v4(12).zip(v4(16)),
        6 => v6(8).zip(v6(24)),
        _ => None,
    }
}
