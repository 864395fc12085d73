//! Packets made by hand.

use base::{Ecn, Flags, Options, Seq, TcpHeader};
use middlebox::{Connection, IpFields, Packet};
use tcp::Segment;

use super::network::{FIRST_MOBILE, fixed};
use super::pattern::Pattern;

/// From a mobile to a host.
pub const UP: Connection = Connection {
    source: FIRST_MOBILE,
    destination: fixed(0),
    source_port: 5_000,
    destination_port: 80,
};

/// What either end has room for, in bytes.
pub const WINDOW: u16 = 30_000;

/// With `bytes` of data and, of a SYN, an MSS.
pub fn packet<P: Pattern>(
    way: Connection,
    (seq, ack): (u32, u32),
    flags: Flags,
    bytes: u64,
) -> Packet<P> {
    let mss = flags.contains(Flags::SYN).then_some(1_000);
    let header = TcpHeader {
        source_port: way.source_port,
        destination_port: way.destination_port,
        seq: Seq::new(seq),
        ack: Seq::new(ack),
        flags,
        window: WINDOW,
        options: Options { mss, ..Options::default() },
    };
    let segment = Segment { header, payload: P::pattern(0, 0, bytes), ecn: Ecn::NotCapable };
    Packet { source: way.source, destination: way.destination, ip: IpFields::default(), segment }
}

/// The mobile says something.
pub fn up<P: Pattern>(numbers: (u32, u32), flags: Flags, bytes: u64) -> Packet<P> {
    packet(UP, numbers, flags, bytes)
}

/// The host does.
pub fn down<P: Pattern>(numbers: (u32, u32), flags: Flags, bytes: u64) -> Packet<P> {
    packet(UP.reversed(), numbers, flags, bytes)
}
