//! Payloads that know which bytes of which stream they are.

use bytes::Bytes;
use tcp::{Length, Payload};

/// A payload that can be told from every other.
pub trait Pattern: Payload + Send + 'static {
    /// The bytes `from..to` of stream `stream`.
    fn pattern(stream: u64, from: u64, to: u64) -> Self;

    /// Whether these are the bytes of `stream` from `from` on.
    fn is_pattern(&self, stream: u64, from: u64) -> bool;
}

impl Pattern for Length {
    fn pattern(_stream: u64, from: u64, to: u64) -> Self {
        Self(to - from)
    }

    /// A length tells nothing more.
    fn is_pattern(&self, _stream: u64, _from: u64) -> bool {
        true
    }
}

impl Pattern for Bytes {
    fn pattern(stream: u64, from: u64, to: u64) -> Self {
        (from..to).map(|offset| byte(stream, offset)).collect()
    }

    fn is_pattern(&self, stream: u64, from: u64) -> bool {
        (from..).zip(self.iter()).all(|(offset, &seen)| seen == byte(stream, offset))
    }
}

/// Neighbours, streams and stretches 256 bytes apart differ.
const fn byte(stream: u64, offset: u64) -> u8 {
    (offset.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(stream.wrapping_mul(0xD1B5_4A33))
        >> 29) as u8
}
