//! What segments carry: bytes on a wire, a length in a simulation.

use std::fmt::Debug;

use bytes::{Bytes, BytesMut};

/// A run of payload bytes, or what stands for one.
pub trait Payload: Clone + Debug + Default {
    /// Its length in bytes.
    fn length(&self) -> u64;

    /// The bytes from `from` up to `to`, counted within this payload.
    ///
    /// # Panics
    /// If `from..to` does not lie within the payload.
    #[must_use]
    fn slice(&self, from: u64, to: u64) -> Self;

    /// Takes `next` in as its continuation, or gives it back if that would mean copying.
    fn extend(&mut self, next: Self) -> Option<Self>;

    /// One payload of several in a row.
    #[must_use]
    fn join(pieces: impl Iterator<Item = Self>) -> Self;
}

/// A payload in a simulation: its length in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Length(pub u64);

impl Payload for Length {
    fn length(&self) -> u64 {
        self.0
    }

    fn slice(&self, from: u64, to: u64) -> Self {
        assert!(from <= to && to <= self.0, "{from}..{to} does not lie within {}", self.0);
        Self(to - from)
    }

    fn extend(&mut self, next: Self) -> Option<Self> {
        self.0 += next.0;
        None
    }

    fn join(pieces: impl Iterator<Item = Self>) -> Self {
        Self(pieces.map(|piece| piece.0).sum())
    }
}

impl Payload for Bytes {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn slice(&self, from: u64, to: u64) -> Self {
        Self::slice(self, from as usize..to as usize)
    }

    fn extend(&mut self, next: Self) -> Option<Self> {
        Some(next)
    }

    fn join(pieces: impl Iterator<Item = Self>) -> Self {
        let mut whole = BytesMut::new();
        pieces.for_each(|piece| whole.extend_from_slice(&piece));
        whole.freeze()
    }
}
