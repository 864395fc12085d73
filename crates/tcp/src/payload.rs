//! What segments carry: bytes on a wire, a length in a simulation.

use std::fmt::Debug;

use bytes::{Bytes, BytesMut};

/// A run of payload bytes, or its stand-in.
pub trait Payload: Clone + Debug + Default + 'static {
    /// Its length in bytes.
    fn length(&self) -> u64;

    /// The bytes from `from` up to `to`, counted within this payload.
    ///
    /// # Panics
    /// If `from..to` does not lie within the payload.
    #[must_use]
    fn slice(&self, from: u64, to: u64) -> Self;

    /// The same, to be kept for long: without holding the memory around them.
    #[must_use]
    fn keep(&self, from: u64, to: u64) -> Self {
        self.slice(from, to)
    }

    /// Takes `next` in as its continuation, or gives it back if that would mean copying much.
    fn extend(&mut self, next: Self) -> Option<Self>;

    /// One payload of several in a row.
    #[must_use]
    fn join(pieces: impl Iterator<Item = Self>) -> Self;
}

/// A piece of fewer bytes than this is copied into the piece before it: by itself it would take
/// several times its length, up to some 100 B for one byte.
const SMALL: usize = 512;

/// What has been copied together is no longer than this.
const TOGETHER: usize = 4_096;

/// A payload in a simulation: its length in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Length(pub u64);

impl Payload for Length {
    fn length(&self) -> u64 {
        self.0
    }

    #[inline]
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

    fn keep(&self, from: u64, to: u64) -> Self {
        let kept = Self::slice(self, from as usize..to as usize);
        if kept.len() < self.len() { Self::copy_from_slice(&kept) } else { kept }
    }

    /// Without copying what is here already, as long as nobody else has a part of it.
    fn extend(&mut self, next: Self) -> Option<Self> {
        if next.len() >= SMALL || self.len() + next.len() > TOGETHER {
            return Some(next);
        }
        match std::mem::take(self).try_into_mut() {
            Ok(mut whole) => {
                whole.extend_from_slice(&next);
                *self = whole.freeze();
                None
            }
            Err(shared) => {
                *self = shared;
                Some(next)
            }
        }
    }

    fn join(pieces: impl Iterator<Item = Self>) -> Self {
        let mut whole = BytesMut::new();
        pieces.for_each(|piece| whole.extend_from_slice(&piece));
        whole.freeze()
    }
}
