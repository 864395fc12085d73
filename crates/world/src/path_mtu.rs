//! How large a packet may be on each path, and the message that says so (RFC 8201).

use base::{Duration, TcpHeader, Time, UdpDatagram};
use mobility::binding::Wrap;
use rustc_hash::FxHashMap;
use tcp::Larger;

use crate::ipv6::Wraps;
use crate::{Ends, IPV6_HEADER_BYTES, Piece, Transport};

/// What every link of IPv6 takes (RFC 8200 §5).
pub const IPV6_MTU_MIN: u32 = 1_280;

/// Type, code, checksum and MTU of the message (RFC 4443 §3.2).
const ICMPV6_BYTES: u32 = 8;

/// For how long a path is considered smaller than its links (RFC 8201 §4).
const AGE: Duration = Duration::from_secs(600);

/// A Packet Too Big message (RFC 4443 §3.2).
#[derive(Clone, Copy, Debug)]
pub struct TooBig {
    /// The largest packet that goes through, in bytes.
    pub mtu: u32,
    /// What did not.
    pub quote: Quote,
}

impl TooBig {
    /// Its name in facts.
    pub const NAME: &'static str = "packet too big";

    /// Its size above the IPv6 header: with as much of the packet as fits in the minimum MTU.
    pub(crate) fn above_header(&self) -> u32 {
        (ICMPV6_BYTES + self.quote.bytes).min(IPV6_MTU_MIN - IPV6_HEADER_BYTES)
    }
}

/// The headers of a packet that did not go through.
#[derive(Clone, Copy, Debug)]
pub struct Quote {
    /// From where to where it went.
    pub ends: Ends,
    /// Its size in bytes.
    pub bytes: u32,
    /// Its TCP header, where it has one.
    pub header: Option<TcpHeader>,
    /// The UDP datagram, where it is one.
    pub udp: Option<UdpDatagram>,
    /// What it is a piece of, where it is one.
    pub transport: Transport,
    /// Which piece of a packet it is, innermost.
    pub piece: Option<Piece>,
    pub(crate) wraps: Wraps,
}

impl Quote {
    pub(crate) const fn new(ends: Ends, bytes: u32, wraps: Wraps) -> Self {
        let transport = Transport::Tcp;
        Self { ends, bytes, header: None, udp: None, transport, piece: None, wraps }
    }

    /// Its encapsulation, the innermost first, each with the addresses within.
    pub fn wraps(&self) -> &[(Ends, Wrap)] {
        self.wraps.standing()
    }

    /// Its outermost encapsulation, and the packet within that.
    pub(crate) fn within(mut self) -> Option<(Wrap, Self)> {
        let (ends, wrap) = self.wraps.pop()?;
        let bytes = self.bytes - wrap.bytes();
        Some((wrap, Self { ends, bytes, ..self }))
    }
}

/// What senders know of path MTUs. A path is identified by its ends: an address belongs to one
/// node, so that hosts and tunnel entries need no tables of their own.
#[derive(Debug)]
pub(crate) struct PathMtus {
    /// What all links take.
    links: u32,
    known: FxHashMap<Ends, Known>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    mtu: u32,
    since: Time,
    larger: Larger,
}

impl PathMtus {
    /// On links that take packets of `mtu` bytes.
    pub(crate) fn new(mtu: u32) -> Self {
        Self { links: mtu, known: FxHashMap::default() }
    }

    /// The largest packet that is sent on `path`.
    pub(crate) fn get(&self, now: Time, path: Ends) -> u32 {
        self.learnt(now, path).map_or(self.links, |(mtu, _)| mtu)
    }

    /// The same if it is less than the links take, and what happens to larger packets.
    #[inline]
    pub(crate) fn learnt(&self, now: Time, path: Ends) -> Option<(u32, Larger)> {
        let known = self.known.get(&path)?;
        (now.saturating_since(known.since) < AGE).then_some((known.mtu, known.larger))
    }

    /// Nothing larger than `mtu` goes through whole. A larger value than the known one changes
    /// nothing (RFC 8201 §4).
    pub(crate) fn learn(&mut self, now: Time, path: Ends, mtu: u32, larger: Larger) {
        if mtu < self.get(now, path) {
            self.known.insert(path, Known { mtu, since: now, larger });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    #[test]
    fn a_path_shrinks_when_told_and_is_tried_again_after_ten_minutes() {
        let at = |secs| Time::ZERO + Duration::from_secs(secs);
        let path = Ends { source: NodeId(1), destination: NodeId(2) };
        let back = Ends { source: NodeId(2), destination: NodeId(1) };
        let mut mtus = PathMtus::new(1_500);
        mtus.learn(at(0), path, 1_600, Larger::Lost);
        assert_eq!((mtus.get(at(0), path), mtus.learnt(at(0), path)), (1_500, None));
        mtus.learn(at(1), path, 1_460, Larger::Lost);
        mtus.learn(at(2), path, 1_480, Larger::Lost);
        assert_eq!((mtus.get(at(2), path), mtus.get(at(2), back)), (1_460, 1_500));
        mtus.learn(at(300), path, 1_420, Larger::Lost);
        assert_eq!(mtus.learnt(at(899), path), Some((1_420, Larger::Lost)));
        assert_eq!(mtus.learnt(at(900), path), None);
        mtus.learn(at(900), path, 1_460, Larger::Lost);
        assert_eq!(mtus.get(at(900), path), 1_460);
    }
}
