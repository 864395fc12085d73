//! IPv4 datagrams that come in pieces.

use std::collections::VecDeque;
use std::net::Ipv4Addr;

use base::{Duration, Ecn, Time};
use etherparse::{IpNumber, Ipv4Header, Ipv4Slice};

use crate::checksum::of_bytes;
use crate::mark::{ecn, mark};

/// Reassembles TCP segments whose datagrams were fragmented on their way (RFC 791 §3.2). Fragments
/// are kept as they came, for callers that do not want the whole.
///
/// Written here, since libraries that write fragments into one buffer let later ones overwrite
/// earlier ones, and hold 64 KB for a few bytes at the end.
#[derive(Debug, Default)]
pub struct Fragments {
    /// In the order of their first pieces.
    datagrams: VecDeque<Datagram>,
    pieces: u64,
    bytes: u64,
    expired: u64,
}

/// The result of adding a packet.
#[derive(Debug)]
pub enum Fragment {
    /// It is no piece of a TCP segment, or there is no room for more.
    Untouched,
    /// It waits for others.
    Held,
    /// It contradicts other pieces, which are discarded with it (as RFC 8200 §4.5 requires for
    /// overlaps), or exceeds what IP can carry.
    Refused,
    /// It was the last one.
    Whole(Datagram),
}

/// A datagram of which some pieces are here.
#[derive(Debug)]
pub struct Datagram {
    source: Ipv4Addr,
    destination: Ipv4Addr,
    identification: u16,
    expires: Time,
    /// By their offsets.
    pieces: Vec<Piece>,
    bytes: u64,
}

/// A piece, and which bytes of the datagram's payload it has.
#[derive(Debug)]
struct Piece {
    from: usize,
    to: usize,
    last: bool,
    packet: Vec<u8>,
}

/// Bytes of the largest IPv4 packet.
const LARGEST: usize = u16::MAX as usize;

impl Fragments {
    /// How long pieces wait for others, as on Linux (RFC 791 §3.2 suggests at least 15 s).
    pub const PATIENCE: Duration = Duration::from_secs(30);

    /// Pieces that wait at most.
    pub const PIECES: u64 = 1_024;

    /// Bytes of pieces that wait at most.
    pub const BYTES: u64 = 1 << 20;

    /// Takes a packet in if it is a piece of a TCP segment.
    pub fn handle_packet(&mut self, now: Time, packet: &[u8]) -> Fragment {
        self.handle_timeout(now);
        let Some((mut datagram, piece)) = read(packet) else { return Fragment::Untouched };
        if !piece.is_legal() {
            return Fragment::Refused;
        }
        let place = self.datagrams.iter().position(|other| other.is_same(&datagram));
        let bytes = piece.packet.len() as u64;
        if self.pieces == Self::PIECES || self.bytes + bytes > Self::BYTES {
            return Fragment::Untouched;
        }
        if let Some(known) = place.and_then(|place| self.datagrams.remove(place)) {
            self.forget(&known);
            datagram = known;
        } else {
            datagram.expires = now + Self::PATIENCE;
        }
        match datagram.add(piece) {
            Added::Conflicts => return Fragment::Refused,
            Added::Completes => return Fragment::Whole(datagram),
            Added::Fits | Added::Repeats => {}
        }
        self.pieces += datagram.pieces.len() as u64;
        self.bytes += datagram.bytes;
        self.datagrams.insert(place.unwrap_or(self.datagrams.len()), datagram);
        Fragment::Held
    }

    /// Discards what has waited for too long.
    pub fn handle_timeout(&mut self, now: Time) {
        while self.poll_timeout().is_some_and(|expires| expires <= now)
            && let Some(datagram) = self.datagrams.pop_front()
        {
            self.forget(&datagram);
            self.expired += 1;
        }
    }

    /// When something will have waited for too long.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.datagrams.front().map(|first| first.expires)
    }

    /// Pieces that wait.
    pub const fn pieces(&self) -> u64 {
        self.pieces
    }

    /// Their bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Datagrams that never became whole.
    pub const fn expired(&self) -> u64 {
        self.expired
    }

    fn forget(&mut self, datagram: &Datagram) {
        self.pieces -= datagram.pieces.len() as u64;
        self.bytes -= datagram.bytes;
    }
}

enum Added {
    Fits,
    Repeats,
    Completes,
    Conflicts,
}

impl Datagram {
    /// The pieces, in their order, as they came.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(|piece| &piece.packet[..])
    }

    /// The whole packet.
    pub fn whole(&self) -> Vec<u8> {
        let mut packet = Vec::new();
        let first = &self.pieces[0];
        let mut header = first.header();
        let whole = header.header_len() + self.pieces.last().map_or(0, |last| last.to);
        header.total_len = whole as u16;
        header.more_fragments = false;
        header.header_checksum = header.calc_header_checksum();
        packet.extend_from_slice(&header.to_bytes());
        self.pieces.iter().for_each(|piece| packet.extend_from_slice(piece.payload()));
        // RFC 3168 §5.3.
        if self.pieces.iter().any(|piece| ecn(&piece.packet) == Ecn::Experienced) {
            mark(&mut packet);
        }
        packet
    }

    fn is_same(&self, other: &Self) -> bool {
        let key = |of: &Self| (of.source, of.destination, of.identification);
        key(self) == key(other)
    }

    fn add(&mut self, piece: Piece) -> Added {
        let at = self.pieces.partition_point(|other| other.from < piece.from);
        if let Some(same) = self.pieces.get(at)
            && (same.from, same.to, same.last) == (piece.from, piece.to, piece.last)
        {
            return if same.payload() == piece.payload() {
                Added::Repeats
            } else {
                Added::Conflicts
            };
        }
        let before = at.checked_sub(1).map(|before| &self.pieces[before]);
        let overlaps = before.is_some_and(|before| before.last || before.to > piece.from);
        if overlaps || self.pieces.get(at).is_some_and(|after| piece.last || piece.to > after.from)
        {
            return Added::Conflicts;
        }
        self.bytes += piece.packet.len() as u64;
        self.pieces.insert(at, piece);
        let in_row = self.pieces.windows(2).all(|pair| pair[0].to == pair[1].from);
        let ends = |pieces: &[Piece]| pieces[0].from == 0 && pieces[pieces.len() - 1].last;
        if !in_row || !ends(&self.pieces) {
            return Added::Fits;
        }
        // The first piece may have more options than the last (RFC 791 §3.1, the copied flag).
        let end = self.pieces.last().map_or(0, |last| last.to);
        let whole = self.pieces[0].header().header_len() + end;
        if whole > LARGEST { Added::Conflicts } else { Added::Completes }
    }
}

impl Piece {
    /// All but the last have whole units of eight bytes, and all fit in a datagram.
    fn is_legal(&self) -> bool {
        let aligned = self.last || self.to.is_multiple_of(8);
        let most = LARGEST - Ipv4Header::MIN_LEN;
        self.from < self.to && self.to <= most && aligned
    }

    fn payload(&self) -> &[u8] {
        &self.packet[self.packet.len() - (self.to - self.from)..]
    }

    fn header(&self) -> Ipv4Header {
        Ipv4Header::from_slice(&self.packet).expect("it was read before").0
    }
}

/// A piece of a TCP segment, and the datagram of it alone.
fn read(packet: &[u8]) -> Option<(Datagram, Piece)> {
    // What lies behind the stated length is no part of it.
    let ip = Ipv4Slice::from_slice(packet).ok()?;
    let header = ip.header();
    let is_piece = header.is_fragmenting_payload() && header.protocol() == IpNumber::TCP;
    if !is_piece || of_bytes(header.slice()) != [0; 2] {
        return None;
    }
    let from = usize::from(header.fragments_offset().byte_offset());
    let piece = Piece {
        from,
        to: from + ip.payload().payload.len(),
        last: !header.more_fragments(),
        packet: packet[..usize::from(header.total_len())].to_vec(),
    };
    let datagram = Datagram {
        source: header.source_addr(),
        destination: header.destination_addr(),
        identification: header.identification(),
        expires: Time::ZERO,
        pieces: Vec::new(),
        bytes: 0,
    };
    Some((datagram, piece))
}
