//! Compression of TCP/IPv4 headers (RFC 2507 §§3.2, 6).
//!
//! A first packet of a connection goes with full headers, which also set its context at the other
//! end. The next ones carry a context identifier, a checksum and the differences. Packets that
//! differences cannot describe (retransmissions, duplicate acknowledgements, SYN, FIN, RST,
//! options) go with full headers again, so that a context that was lost heals with the very
//! packets by which TCP repairs a loss; there are no header requests.

use base::Flags;

/// The TCP/IPv4 headers of a packet that is no fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Headers {
    /// Source address.
    pub source: u32,
    /// Destination address.
    pub destination: u32,
    /// Type of service.
    pub type_of_service: u8,
    /// Time to live.
    pub time_to_live: u8,
    /// Identification.
    pub identification: u16,
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number.
    pub ack: u32,
    /// Control bits.
    pub flags: Flags,
    /// Advertised window.
    pub window: u16,
    /// TCP checksum.
    pub checksum: u16,
    /// Urgent pointer.
    pub urgent: u16,
    /// Bytes of TCP options. Headers that have some are not compressed.
    pub option_bytes: u8,
    /// Bytes of TCP payload.
    pub payload: u16,
}

impl Headers {
    /// Bytes of IPv4 and TCP headers.
    pub const fn bytes(&self) -> u32 {
        FULL_BYTES as u32 + self.option_bytes as u32
    }

    /// True if `other` belongs to the same connection and does not differ in fields that hardly
    /// change.
    fn shares_context(&self, other: &Self) -> bool {
        let of = |h: &Self| {
            let addresses = (h.source, h.destination, h.source_port, h.destination_port);
            (addresses, h.type_of_service, h.time_to_live)
        };
        of(self) == of(other)
    }

    /// True if everything that the differences leave out is as they imply.
    fn is_plain(&self) -> bool {
        self.option_bytes == 0 && self.flags.bits() & !(PSH | URG) == Flags::ACK.bits()
    }
}

/// What replaces the headers on the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    kind: PacketKind,
    octets: [u8; FULL_BYTES],
    length: u8,
    payload: u16,
    option_bytes: u8,
}

/// The packet types of RFC 2507 §2.1 that are used here. The PDCP header tells them apart
/// (TS 25.323 §5.1.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketKind {
    /// Full headers with a context identifier in a length field.
    FullHeader,
    /// Differences to the packet before.
    CompressedTcp,
}

impl Packet {
    /// Its type.
    pub const fn kind(&self) -> PacketKind {
        self.kind
    }

    /// The octets in place of the headers, options left out.
    pub fn octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.length)]
    }

    /// How many bytes it is shorter than the headers.
    pub const fn saved(&self) -> u32 {
        FULL_BYTES as u32 - self.length as u32
    }

    const fn new(kind: PacketKind, headers: &Headers) -> Self {
        Self {
            kind,
            octets: [0; FULL_BYTES],
            length: 0,
            payload: headers.payload,
            option_bytes: headers.option_bytes,
        }
    }

    fn put(&mut self, octets: &[u8]) {
        let end = usize::from(self.length) + octets.len();
        self.octets[usize::from(self.length)..end].copy_from_slice(octets);
        self.length = end as u8;
    }

    /// One octet, or a zero and two (RFC 1144 §3.2.2).
    fn put_delta(&mut self, delta: u16) {
        if (1..=255).contains(&delta) {
            self.put(&[delta as u8]);
        } else {
            self.put(&[0]);
            self.put(&delta.to_be_bytes());
        }
    }
}

/// Bytes of the headers without options.
const FULL_BYTES: usize = 40;

/// Contexts for TCP: identifiers 0 to 15 (`TCP_SPACE`, RFC 2507 §14).
const CONTEXTS: usize = 16;

/// Bits of the second octet of a compressed header (RFC 2507 §6): the urgent pointer, the window,
/// the acknowledgement number, the sequence number, PSH, the identification.
const U: u8 = 0x01;
const W: u8 = 0x02;
const A: u8 = 0x04;
const S: u8 = 0x08;
const P: u8 = 0x10;
const I: u8 = 0x20;

/// All of S, A, W and U: the sequence number advances by the payload of the packet before, and
/// nothing else does.
const UNIDIRECTIONAL: u8 = S | A | W | U;

/// S, W and U: sequence and acknowledgement numbers both do.
const ECHOED: u8 = S | W | U;

/// Bits of the TCP header.
const PSH: u16 = Flags::PSH.bits();
const URG: u16 = 0x20;

/// The sending end.
#[derive(Clone, Debug, Default)]
pub struct Compressor {
    contexts: Vec<Headers>,
    /// Which context the next new connection takes once all are in use.
    oldest: usize,
}

impl Compressor {
    /// A compressor without contexts.
    pub fn new() -> Self {
        Self::default()
    }

    /// What to send in place of `headers`.
    pub fn compress(&mut self, headers: &Headers) -> Packet {
        let known = self.contexts.iter().position(|context| context.shares_context(headers));
        let packet = known.and_then(|id| differences(id as u8, &self.contexts[id], headers));
        let id = known.unwrap_or_else(|| self.add(headers));
        self.contexts[id] = *headers;
        packet.unwrap_or_else(|| full(id as u8, headers))
    }

    fn add(&mut self, headers: &Headers) -> usize {
        if self.contexts.len() < CONTEXTS {
            self.contexts.push(*headers);
            return self.contexts.len() - 1;
        }
        let id = self.oldest;
        self.oldest = (id + 1) % CONTEXTS;
        id
    }
}

/// The receiving end.
#[derive(Clone, Debug, Default)]
pub struct Decompressor {
    /// By identifier; none is known before its first full header and after damage.
    contexts: [Option<Headers>; CONTEXTS],
}

impl Decompressor {
    /// A decompressor without contexts.
    pub fn new() -> Self {
        Self::default()
    }

    /// The headers that `packet` stands for, if its context is known.
    pub fn decompress(&mut self, packet: &Packet) -> Option<Headers> {
        let (id, headers) = match packet.kind {
            PacketKind::FullHeader => read_full(packet),
            PacketKind::CompressedTcp => {
                let id = packet.octets[0];
                (id, apply(packet, self.contexts[usize::from(id)].as_ref()?)?)
            }
        };
        self.contexts[usize::from(id)] = Some(headers);
        Some(headers)
    }

    /// True if `packet` turns into `original` again. This is what the TCP checksum would tell; if
    /// it fails, the context is damaged and waits for full headers.
    pub fn restores(&mut self, packet: &Packet, original: &Headers) -> bool {
        let is_restored = self.decompress(packet) == Some(*original);
        if !is_restored && packet.kind == PacketKind::CompressedTcp {
            self.contexts[usize::from(packet.octets[0])] = None;
        }
        is_restored
    }
}

/// The headers in full, the context identifier in the length field (RFC 2507 §5.3.2).
fn full(id: u8, headers: &Headers) -> Packet {
    let mut packet = Packet::new(PacketKind::FullHeader, headers);
    packet.put(&[0x45, headers.type_of_service, 0, id]);
    packet.put(&headers.identification.to_be_bytes());
    packet.put(&[0, 0, headers.time_to_live, 6, 0, 0]);
    packet.put(&headers.source.to_be_bytes());
    packet.put(&headers.destination.to_be_bytes());
    packet.put(&headers.source_port.to_be_bytes());
    packet.put(&headers.destination_port.to_be_bytes());
    packet.put(&headers.seq.to_be_bytes());
    packet.put(&headers.ack.to_be_bytes());
    let [high, low] = headers.flags.bits().to_be_bytes();
    packet.put(&[(5 + headers.option_bytes / 4) << 4 | high, low]);
    packet.put(&headers.window.to_be_bytes());
    packet.put(&headers.checksum.to_be_bytes());
    packet.put(&headers.urgent.to_be_bytes());
    packet
}

fn read_full(packet: &Packet) -> (u8, Headers) {
    let octets = &packet.octets;
    let half = |at| u16::from_be_bytes([octets[at], octets[at + 1]]);
    let word = |at| u32::from(half(at)) << 16 | u32::from(half(at + 2));
    let headers = Headers {
        source: word(12),
        destination: word(16),
        type_of_service: octets[1],
        time_to_live: octets[8],
        identification: half(4),
        source_port: half(20),
        destination_port: half(22),
        seq: word(24),
        ack: word(28),
        flags: Flags::from_bits(half(32) & (Flags::AE.bits() | 0xFF)),
        window: half(34),
        checksum: half(36),
        urgent: half(38),
        option_bytes: packet.option_bytes,
        payload: packet.payload,
    };
    (octets[3], headers)
}

/// The differences between `headers` and those before, unless they cannot be described.
fn differences(id: u8, before: &Headers, headers: &Headers) -> Option<Packet> {
    let seq = u16::try_from(headers.seq.wrapping_sub(before.seq)).ok()?;
    let ack = u16::try_from(headers.ack.wrapping_sub(before.ack)).ok()?;
    let window = headers.window.wrapping_sub(before.window);
    let identification = headers.identification.wrapping_sub(before.identification);
    let is_urgent = headers.flags.bits() & URG != 0;
    let is_repetition = seq == 0 && ack == 0 && window == 0 && !is_urgent;
    let fits = headers.is_plain() && before.is_plain() && (is_urgent || headers.urgent == 0);
    if !fits || is_repetition {
        return None;
    }
    let mut flags =
        flag(S, seq != 0) | flag(A, ack != 0) | flag(W, window != 0) | flag(U, is_urgent);
    if flags == UNIDIRECTIONAL || flags == ECHOED {
        return None;
    }
    let is_steady = before.payload > 0 && seq == before.payload;
    let special = match flags {
        S if is_steady => Some(UNIDIRECTIONAL),
        _ if flags == S | A && is_steady && ack == before.payload => Some(ECHOED),
        _ => None,
    };
    flags = special.unwrap_or(flags);
    flags |= flag(P, headers.flags.contains(Flags::PSH)) | flag(I, identification != 1);
    let mut packet = Packet::new(PacketKind::CompressedTcp, headers);
    packet.put(&[id, flags]);
    packet.put(&headers.checksum.to_be_bytes());
    if special.is_none() {
        put_if(&mut packet, is_urgent, headers.urgent);
        put_if(&mut packet, window != 0, window);
        put_if(&mut packet, ack != 0, ack);
        put_if(&mut packet, seq != 0, seq);
    }
    put_if(&mut packet, identification != 1, identification);
    Some(packet)
}

const fn flag(bit: u8, is_set: bool) -> u8 {
    if is_set { bit } else { 0 }
}

fn put_if(packet: &mut Packet, is_present: bool, value: u16) {
    if is_present {
        packet.put_delta(value);
    }
}

/// The headers after those `before`; `None` if `packet` is cut off.
fn apply(packet: &Packet, before: &Headers) -> Option<Headers> {
    let mut octets = packet.octets().iter().copied();
    let (_, flags) = (octets.next()?, octets.next()?);
    let checksum = u16::from_be_bytes([octets.next()?, octets.next()?]);
    let mut delta = |bit: u8| -> Option<u16> {
        if flags & bit == 0 {
            return Some(0);
        }
        match octets.next()? {
            0 => Some(u16::from_be_bytes([octets.next()?, octets.next()?])),
            delta => Some(delta.into()),
        }
    };
    let special = flags & UNIDIRECTIONAL;
    let (urgent, window, ack, seq) = match special {
        UNIDIRECTIONAL => (0, 0, 0, before.payload),
        ECHOED => (0, 0, before.payload, before.payload),
        _ => (delta(U)?, delta(W)?, delta(A)?, delta(S)?),
    };
    let identification = if flags & I == 0 { 1 } else { delta(I)? };
    let is_urgent = special != UNIDIRECTIONAL && special != ECHOED && flags & U != 0;
    let push = if flags & P == 0 { Flags::NONE } else { Flags::PSH };
    let mark = if is_urgent { Flags::from_bits(URG) } else { Flags::NONE };
    Some(Headers {
        identification: before.identification.wrapping_add(identification),
        seq: before.seq.wrapping_add(seq.into()),
        ack: before.ack.wrapping_add(ack.into()),
        window: before.window.wrapping_add(window),
        flags: Flags::ACK | push | mark,
        checksum,
        urgent,
        payload: packet.payload,
        ..*before
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn data(identification: u16, seq: u32) -> Headers {
        Headers {
            source: 0x0A00_0001,
            destination: 0x0A00_0002,
            time_to_live: 64,
            identification,
            source_port: 80,
            destination_port: 1024,
            seq,
            ack: 9000,
            flags: Flags::ACK,
            window: 8192,
            checksum: 0xBEEF,
            payload: 512,
            ..Headers::default()
        }
    }

    fn check(before: Headers, headers: Headers, expect: &[u8]) {
        let (mut compressor, mut decompressor) = (Compressor::new(), Decompressor::new());
        for headers in [before, headers] {
            let packet = compressor.compress(&headers);
            assert_eq!(decompressor.decompress(&packet), Some(headers));
        }
        let mut compressor = Compressor::new();
        compressor.compress(&before);
        assert_eq!(compressor.compress(&headers).octets(), expect);
    }

    #[test]
    fn compressed_headers() {
        let first = data(7, 1000);
        check(first, data(8, 1512), &[0, UNIDIRECTIONAL, 0xBE, 0xEF]);
        check(first, data(9, 1512), &[0, UNIDIRECTIONAL | I, 0xBE, 0xEF, 2]);
        check(first, data(8, 1100), &[0, S, 0xBE, 0xEF, 100]);
        check(first, data(8, 2024), &[0, S, 0xBE, 0xEF, 0, 4, 0]);
        let ack = Headers { ack: 9100, window: 8191, ..data(8, 1000) };
        check(first, ack, &[0, A | W, 0xBE, 0xEF, 0, 0xFF, 0xFF, 100]);
        let echo = Headers { ack: 9512, flags: Flags::ACK | Flags::PSH, ..data(8, 1512) };
        check(first, echo, &[0, ECHOED | P, 0xBE, 0xEF]);
        let urgent =
            Headers { flags: Flags::ACK | Flags::from_bits(URG), urgent: 5, ..data(8, 1001) };
        check(first, urgent, &[0, S | U, 0xBE, 0xEF, 5, 1]);
    }

    #[test]
    fn what_differences_cannot_tell_goes_in_full() {
        let first = data(7, 1000);
        let kind = |headers| {
            let mut compressor = Compressor::new();
            compressor.compress(&first);
            compressor.compress(&headers).kind()
        };
        assert_eq!(kind(data(8, 1512)), PacketKind::CompressedTcp);
        for headers in [
            data(8, 1000),
            data(8, 488),
            data(8, 70_000),
            Headers { time_to_live: 63, ..data(8, 1512) },
            Headers { option_bytes: 12, ..data(8, 1512) },
            Headers { flags: Flags::ACK | Flags::FIN, ..data(8, 1512) },
            Headers { source_port: 81, ..data(8, 1512) },
        ] {
            assert_eq!(kind(headers), PacketKind::FullHeader, "{headers:?}");
        }
    }

    #[test]
    fn a_lost_packet_damages_the_context_until_full_headers_come() {
        let (mut compressor, mut decompressor) = (Compressor::new(), Decompressor::new());
        let mut send = |headers: Headers, arrives: bool| {
            let packet = compressor.compress(&headers);
            arrives.then(|| decompressor.restores(&packet, &headers))
        };
        assert_eq!(send(data(1, 0), true), Some(true));
        assert_eq!(send(data(2, 512), false), None);
        assert_eq!(send(data(3, 1024), true), Some(false));
        assert_eq!(send(data(4, 1536), true), Some(false));
        assert_eq!(send(data(5, 512), true), Some(true), "the retransmission heals");
        assert_eq!(send(data(6, 1024), true), Some(true));
    }

    proptest! {
        /// Any packets of more connections than there are contexts come out as they went in.
        #[test]
        fn round_trip(
            steps in prop::collection::vec(
                (0_u16..20, any::<(u8, u8, u8, u8)>(), prop::sample::select(vec![0_u16, 512])),
                1..200,
            ),
        ) {
            let (mut compressor, mut decompressor) = (Compressor::new(), Decompressor::new());
            let mut connections = [Headers::default(); 20];
            for (port, (seq, ack, bits, other), payload) in steps {
                let headers = &mut connections[usize::from(port)];
                headers.source_port = port;
                headers.seq = headers.seq.wrapping_add(match seq % 4 {
                    0 => 0,
                    1 => headers.payload.into(),
                    2 => u32::from(seq),
                    _ => u32::from(seq) << 12,
                });
                let acked = u32::from(ack % 3) * u32::from(headers.payload);
                headers.ack = headers.ack.wrapping_add(acked);
                headers.window = headers.window.wrapping_add(u16::from(other % 2) * 300);
                let step = 1 + u16::from(other == 3);
                headers.identification = headers.identification.wrapping_add(step);
                let bits = u16::from(bits) & (PSH | URG | u16::from(other == 7));
                headers.flags = Flags::ACK | Flags::from_bits(bits);
                headers.urgent = if bits & URG == 0 { 0 } else { seq.into() };
                headers.payload = payload;
                headers.checksum = u16::from_be_bytes([seq, ack]);
                let packet = compressor.compress(headers);
                prop_assert_eq!(decompressor.decompress(&packet), Some(*headers));
                prop_assert!(packet.octets().len() <= FULL_BYTES);
            }
        }
    }
}
