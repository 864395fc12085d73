//! A stretch of the stream, kept in the pieces in which it came.

use std::collections::VecDeque;

use crate::Payload;

/// The bytes from `start` up to `end` of a stream.
#[derive(Debug)]
pub(crate) struct Pieces<P> {
    start: u64,
    end: u64,
    queue: VecDeque<Piece<P>>,
}

#[derive(Debug)]
struct Piece<P> {
    /// Stream offset of its first byte.
    offset: u64,
    payload: P,
}

impl<P: Payload> Piece<P> {
    fn end(&self) -> u64 {
        self.offset + self.payload.length()
    }

    /// The part of it that lies in `from..to`, which it meets.
    fn slice(&self, from: u64, to: u64) -> P {
        self.payload.slice(from.max(self.offset) - self.offset, to.min(self.end()) - self.offset)
    }
}

impl<P: Payload> Pieces<P> {
    pub(crate) const fn new() -> Self {
        Self { start: 0, end: 0, queue: VecDeque::new() }
    }

    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// Bytes held.
    pub(crate) const fn length(&self) -> u64 {
        self.end - self.start
    }

    /// Puts `payload` at the end.
    pub(crate) fn push(&mut self, payload: P) {
        let offset = self.end;
        self.end += payload.length();
        let payload = match self.queue.back_mut() {
            Some(last) => last.payload.extend(payload),
            None => Some(payload),
        };
        if let Some(payload) = payload.filter(|payload| payload.length() > 0) {
            self.queue.push_back(Piece { offset, payload });
        }
    }

    /// The bytes from `from` up to `to`, which are held.
    #[inline]
    pub(crate) fn slice(&self, from: u64, to: u64) -> P {
        debug_assert!(self.start <= from && from <= to && to <= self.end, "only what is held");
        if from == to {
            return P::default();
        }
        if let Some(piece) = self.queue.front()
            && to <= piece.end()
        {
            return piece.slice(from, to);
        }
        self.slice_further(from, to)
    }

    /// The same where the first piece is not enough.
    fn slice_further(&self, from: u64, to: u64) -> P {
        let first = self.queue.partition_point(|piece| piece.end() <= from);
        if to <= self.queue[first].end() {
            return self.queue[first].slice(from, to);
        }
        let met = self.queue.range(first..).take_while(|piece| piece.offset < to);
        P::join(met.map(|piece| piece.slice(from, to)))
    }

    /// Lets go of everything below `offset`.
    pub(crate) fn drop_below(&mut self, offset: u64) {
        self.start = self.start.max(offset.min(self.end));
        while self.queue.front().is_some_and(|piece| piece.end() <= self.start) {
            self.queue.pop_front();
        }
    }

    /// Takes the first piece out.
    pub(crate) fn pop(&mut self) -> Option<P> {
        let piece = self.queue.pop_front()?;
        self.start = piece.end();
        Some(piece.payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Length;
    use bytes::Bytes;

    #[test]
    fn slices_run_across_pieces() {
        let mut pieces = Pieces::new();
        for part in ["ab", "", "cde", "f"] {
            pieces.push(Bytes::from_static(part.as_bytes()));
        }
        let check = |pieces: &Pieces<Bytes>, from, to, expect: &str| {
            assert_eq!(pieces.slice(from, to), expect.as_bytes());
        };
        check(&pieces, 0, 6, "abcdef");
        check(&pieces, 1, 3, "bc");
        check(&pieces, 3, 4, "d");
        check(&pieces, 6, 6, "");
        pieces.drop_below(3);
        assert_eq!(pieces.length(), 3);
        check(&pieces, 3, 6, "def");
        pieces.drop_below(99);
        assert_eq!((pieces.length(), pieces.queue.len()), (0, 0));
    }

    #[test]
    fn lengths_merge_into_one_piece() {
        let mut pieces = Pieces::new();
        (0..100).for_each(|_| pieces.push(Length(7)));
        assert_eq!(pieces.queue.len(), 1);
        assert_eq!(pieces.slice(3, 20), Length(17));
        assert_eq!(pieces.pop(), Some(Length(700)));
        assert_eq!(pieces.pop(), None);
    }
}
