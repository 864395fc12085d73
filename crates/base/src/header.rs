//! A TCP header as a value (RFC 9293 §3.1). `wire` turns it into bytes and back.

use std::fmt;
use std::ops::BitOr;

use crate::Seq;

/// The control bits, as they lie in the header's thirteenth and fourteenth byte.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u16);

impl Flags {
    /// None.
    pub const NONE: Self = Self(0);
    /// No more data from the sender.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgement field counts.
    pub const ACK: Self = Self(0x10);
    /// Congestion was experienced, or ECN is asked for on a SYN (RFC 3168 §6.1).
    pub const ECE: Self = Self(0x40);
    /// The congestion window was reduced (RFC 3168 §6.1).
    pub const CWR: Self = Self(0x80);
    /// Accurate ECN (RFC 9768 §3.1.1).
    pub const AE: Self = Self(0x100);
    /// The three bits about congestion: ACE, where accurate ECN was agreed upon (RFC 9768 §3.2.2).
    pub const ACE: Self = Self(0x1C0);

    /// From the header's bits.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// As the header's bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The fourteenth byte alone.
    pub const fn byte(self) -> u8 {
        self.0 as u8
    }

    /// The three bits about congestion as a number, AE the highest (RFC 9768 §3.2.2).
    pub const fn ace(self) -> u8 {
        (self.0 >> 6 & 7) as u8
    }

    /// The flags whose [`Flags::ace`] is the low three bits of `number`.
    pub const fn of_ace(number: u8) -> Self {
        Self((number as u16 & 7) << 6)
    }

    /// All but `others`.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// True if every bit of `other` is set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for Flags {
    /// In tcpdump's letters: `S` SYN, `F` FIN, `R` RST, `P` PSH, `.` ACK, `E` ECE,
    /// `W` CWR, `e` AE.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = [
            (Self::FIN, 'F'),
            (Self::SYN, 'S'),
            (Self::RST, 'R'),
            (Self::PSH, 'P'),
            (Self::ACK, '.'),
            (Self::ECE, 'E'),
            (Self::CWR, 'W'),
            (Self::AE, 'e'),
        ];
        letters
            .iter()
            .filter(|(flag, _)| self.contains(*flag))
            .try_for_each(|(_, letter)| write!(f, "{letter}"))
    }
}

/// A timestamps option (RFC 7323 §3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timestamps {
    /// `TSval`: the sender's clock.
    pub value: u32,
    /// `TSecr`: the peer's clock as last seen; counts only with [`Flags::ACK`].
    pub echo: u32,
}

impl Timestamps {
    /// Bytes on the wire, with two of padding (RFC 7323 appendix A).
    pub const BYTES: u32 = 12;
}

/// The blocks of a SACK option (RFC 2018 §3): what arrived beyond the acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlocks {
    blocks: [[Seq; 2]; Self::MAX],
    count: u8,
}

impl SackBlocks {
    /// The most that fit beside no other option (RFC 2018 §3); three beside timestamps.
    pub const MAX: usize = 4;

    /// None.
    pub const NONE: Self = Self { blocks: [[Seq::new(0); 2]; Self::MAX], count: 0 };

    /// Appends the block from `left` up to but without `right`, if there is room.
    pub const fn push(&mut self, left: Seq, right: Seq) {
        if (self.count as usize) < Self::MAX {
            self.blocks[self.count as usize] = [left, right];
            self.count += 1;
        }
    }

    /// The blocks in their order: left edge and the number after the right one.
    #[inline]
    pub fn as_slice(&self) -> &[[Seq; 2]] {
        &self.blocks[..usize::from(self.count)]
    }

    /// The first of them, at most `most`.
    #[must_use]
    pub fn first(&self, most: usize) -> Self {
        let mut first = Self::NONE;
        self.as_slice().iter().take(most).for_each(|&[left, right]| first.push(left, right));
        first
    }

    /// True if there is none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// An `AccECN` option (RFC 9768 §3.2.3): how many bytes of payload arrived with each codepoint, the
/// low 24 bits of each count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EcnBytes {
    /// Order of the counts.
    pub order: EcnOrder,
    /// Number of counts, at most 3; those left out are zero.
    pub fields: u8,
    /// The counts in the order of the fields, most significant byte first.
    pub counts: [[u8; 3]; 3],
}

/// The order of an `AccECN` option's fields, that of CE always in the middle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EcnOrder {
    /// ECT(0) first: kind 172.
    Ect0First,
    /// ECT(1) first: kind 174.
    Ect1First,
}

impl EcnBytes {
    /// Bytes on the wire, with padding up to a whole word: 4, 8, 8 or 12.
    pub const fn bytes(&self) -> u32 {
        (2 + 3 * self.fields as u32).next_multiple_of(4)
    }

    /// The count of the field at `place`, unless the option was cut before it.
    pub const fn count(&self, place: usize) -> Option<u32> {
        let [high, middle, low] = self.counts[place];
        let count = (high as u32) << 16 | (middle as u32) << 8 | low as u32;
        if place < self.fields as usize { Some(count) } else { None }
    }

    /// The first `fields` of the low 24 bits of `counts`.
    pub fn new(order: EcnOrder, fields: u8, counts: [u32; 3]) -> Self {
        let mut option = Self { order, fields, counts: [[0; 3]; 3] };
        for (field, count) in option.counts.iter_mut().zip(counts).take(usize::from(fields)) {
            let [_, rest @ ..] = count.to_be_bytes();
            *field = rest;
        }
        option
    }
}

/// The TCP options that thinpipe speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Maximum segment size in bytes (RFC 9293 §3.7.1), on a SYN.
    pub mss: Option<u16>,
    /// Window scale shift (RFC 7323 §2), on a SYN.
    pub window_scale: Option<u8>,
    /// Selective acknowledgements may be sent (RFC 2018 §2), on a SYN.
    pub sack_permitted: bool,
    /// Timestamps.
    pub timestamps: Option<Timestamps>,
    /// Selective acknowledgements.
    pub sack: SackBlocks,
    /// How many bytes arrived with which codepoint (RFC 9768 §3.2.3).
    pub ecn_bytes: Option<EcnBytes>,
}

impl Options {
    /// The most bytes that a header has room for (RFC 9293 §3.1: 15 words, of which 5 are fixed).
    pub const ROOM: u32 = 40;

    /// Bytes on the wire. Each option fills whole 32-bit words with the padding that RFC 7323
    /// appendix A recommends; SACK-permitted takes the place of the timestamps' where both are.
    #[inline]
    pub const fn bytes(&self) -> u32 {
        let mss = if self.mss.is_some() { 4 } else { 0 };
        let scale = if self.window_scale.is_some() { 4 } else { 0 };
        let timestamps = match (self.timestamps, self.sack_permitted) {
            (Some(_), _) => Timestamps::BYTES,
            (None, true) => 4,
            (None, false) => 0,
        };
        let sack = if self.sack.is_empty() { 0 } else { 4 + 8 * self.sack.count as u32 };
        let ecn = match &self.ecn_bytes {
            Some(option) => option.bytes(),
            None => 0,
        };
        mss + scale + timestamps + sack + ecn
    }
}

/// A TCP header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TcpHeader {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
    /// The number of the first byte of the payload, or of the SYN.
    pub seq: Seq,
    /// The next number that the sender of this segment expects; counts only with [`Flags::ACK`].
    pub ack: Seq,
    /// The control bits.
    pub flags: Flags,
    /// The advertised window, not yet scaled.
    pub window: u16,
    /// The options.
    pub options: Options,
}

impl TcpHeader {
    /// Bytes on the wire: 20 and the options.
    #[inline]
    pub const fn bytes(&self) -> u32 {
        20 + self.options.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_fill_whole_words() {
        let check = |options: Options, expect| {
            assert_eq!(TcpHeader { options, ..TcpHeader::default() }.bytes(), expect);
        };
        let none = Options::default();
        let (mss, window_scale) = (Some(512), Some(3));
        let timestamps = Some(Timestamps::default());
        check(none, 20);
        check(Options { mss, ..none }, 24);
        check(Options { mss, window_scale, ..none }, 28);
        check(Options { window_scale, ..none }, 24);
        check(Options { sack_permitted: true, ..none }, 24);
        check(Options { timestamps, ..none }, 32);
        check(Options { mss, window_scale, sack_permitted: true, timestamps, ..none }, 40);
        let mut sack = SackBlocks::NONE;
        for (blocks, expect) in [(1, 32), (2, 40), (3, 48), (4, 56), (5, 56)] {
            sack.push(Seq::new(blocks), Seq::new(blocks + 1));
            check(Options { sack, ..none }, expect);
        }
        for (fields, expect) in [(0, 24), (1, 28), (2, 28), (3, 32)] {
            let option = EcnBytes::new(EcnOrder::Ect0First, fields, [1, 2, 3]);
            check(Options { ecn_bytes: Some(option), ..none }, expect);
        }
    }

    #[test]
    fn counts_of_an_option_have_24_bits() {
        let option = EcnBytes::new(EcnOrder::Ect1First, 2, [0x0100_0001, 0x00AB_CDEF, 7]);
        let counts = [0, 1, 2].map(|place| option.count(place));
        assert_eq!(counts, [Some(1), Some(0xAB_CDEF), None]);
        assert_eq!(option.counts[2], [0; 3], "what is not there is zero");
    }

    #[test]
    fn three_flags_are_a_number() {
        for number in 0..8 {
            assert_eq!(Flags::of_ace(number).ace(), number);
        }
        assert_eq!(Flags::of_ace(0b110), Flags::AE | Flags::CWR);
        assert_eq!(Flags::of_ace(8 + 1), Flags::ECE);
        assert_eq!((Flags::ACK | Flags::ACE).without(Flags::ACE), Flags::ACK);
        assert_eq!((Flags::SYN | Flags::ACE).byte(), 0xC2);
    }

    #[test]
    fn a_header_is_small_enough_to_be_passed_on() {
        assert!(size_of::<TcpHeader>() <= 84, "{} bytes", size_of::<TcpHeader>());
    }
}
