//! A TCP header as a value (RFC 9293 §3.1). `wire` turns it into bytes and back.

use std::fmt;
use std::ops::BitOr;

use crate::Seq;

/// The control bits, as they lie in the header's fourteenth byte.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u8);

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

    /// From the header's byte.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// As the header's byte.
    pub const fn bits(self) -> u8 {
        self.0
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
    /// In tcpdump's letters: `S` SYN, `F` FIN, `R` RST, `P` PSH, `.` ACK.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = [
            (Self::FIN, 'F'),
            (Self::SYN, 'S'),
            (Self::RST, 'R'),
            (Self::PSH, 'P'),
            (Self::ACK, '.'),
        ];
        letters
            .iter()
            .filter(|(flag, _)| self.contains(*flag))
            .try_for_each(|(_, letter)| write!(f, "{letter}"))
    }
}

/// The TCP options that thinpipe speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Maximum segment size in bytes (RFC 9293 §3.7.1), on a SYN.
    pub mss: Option<u16>,
    /// Window scale shift (RFC 7323 §2), on a SYN.
    pub window_scale: Option<u8>,
}

impl Options {
    /// Bytes on the wire, padded to whole 32-bit words.
    pub const fn bytes(&self) -> u32 {
        let mss = if self.mss.is_some() { 4 } else { 0 };
        let scale: u32 = if self.window_scale.is_some() { 3 } else { 0 };
        (mss + scale).next_multiple_of(4)
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
    pub const fn bytes(&self) -> u32 {
        20 + self.options.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_fill_whole_words() {
        let check = |mss, window_scale, expect| {
            let options = Options { mss, window_scale };
            assert_eq!(TcpHeader { options, ..TcpHeader::default() }.bytes(), expect);
        };
        check(None, None, 20);
        check(Some(512), None, 24);
        check(Some(512), Some(3), 28);
        check(None, Some(3), 24);
    }
}
