//! A stretch of the stream, kept in the pieces in which it came.

use std::collections::VecDeque;

use crate::Payload;

/// Once less than one part in eight of a piece is left, that is copied: a limit on the bytes held
/// then limits memory as well, however long pieces are.
const LEAST_PART: u64 = 8;

/// A stretch of a stream: appended to at the end, released from the start.
///
/// A stretch in one piece needs no memory beyond this.
#[derive(Debug)]
pub struct Pieces<P> {
    start: u64,
    end: u64,
    first: Option<Piece<P>>,
    /// What follows, while there is any.
    rest: Option<Box<Rest<P>>>,
}

#[derive(Debug)]
struct Rest<P>(VecDeque<Piece<P>>);

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

    /// The part of it that lies in `from..to`, which it overlaps.
    fn slice(&self, from: u64, to: u64) -> P {
        self.payload.slice(from.max(self.offset) - self.offset, to.min(self.end()) - self.offset)
    }
}

impl<P> Default for Pieces<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P> Pieces<P> {
    pub(crate) const fn new() -> Self {
        Self { start: 0, end: 0, first: None, rest: None }
    }
}

impl<P: Payload> Pieces<P> {
    /// The offset after the last byte.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Bytes held.
    pub const fn length(&self) -> u64 {
        self.end - self.start
    }

    /// Puts `payload` at the end.
    pub fn push(&mut self, payload: P) {
        let offset = self.end;
        self.end += payload.length();
        let last = self.rest.as_mut().and_then(|rest| rest.0.back_mut());
        let payload = match last.or(self.first.as_mut()) {
            Some(last) => last.payload.extend(payload),
            None => Some(payload),
        };
        if let Some(payload) = payload.filter(|payload| payload.length() > 0) {
            let piece = Piece { offset, payload };
            if self.first.is_none() {
                self.first = Some(piece);
            } else {
                let rest = || Box::new(Rest(VecDeque::new()));
                self.rest.get_or_insert_with(rest).0.push_back(piece);
            }
        }
    }

    /// The bytes from offset `from` up to `to`.
    ///
    /// # Panics
    /// If they are not all held.
    #[inline]
    #[must_use]
    pub fn slice(&self, from: u64, to: u64) -> P {
        debug_assert!(self.start <= from && from <= to && to <= self.end, "only what is held");
        if from == to {
            return P::default();
        }
        if let Some(piece) = &self.first
            && to <= piece.end()
        {
            return piece.slice(from, to);
        }
        self.slice_further(from, to)
    }

    /// The same where the first piece is not enough.
    fn slice_further(&self, from: u64, to: u64) -> P {
        let first = self.first.iter().filter(|piece| piece.end() > from);
        let rest = self
            .rest
            .iter()
            .flat_map(|rest| rest.0.range(rest.0.partition_point(|piece| piece.end() <= from)..));
        let mut met = first.chain(rest).take_while(|piece| piece.offset < to);
        match (met.next(), met.next()) {
            (Some(only), None) => only.slice(from, to),
            (one, two) => {
                let met = one.into_iter().chain(two).chain(met);
                P::join(met.map(|piece| piece.slice(from, to)))
            }
        }
    }

    /// Releases everything below `offset`.
    pub fn drop_below(&mut self, offset: u64) {
        self.start = self.start.max(offset.min(self.end));
        while self.first.as_ref().is_some_and(|piece| piece.end() <= self.start) {
            self.advance();
        }
        if let Some(piece) = &mut self.first
            && (piece.end() - self.start) * LEAST_PART < piece.payload.length()
        {
            let from = self.start - piece.offset;
            piece.payload = piece.payload.keep(from, piece.payload.length());
            piece.offset = self.start;
        }
    }

    /// Takes away everything from `offset` on.
    pub(crate) fn truncate(&mut self, offset: u64) {
        self.end = offset.clamp(self.start, self.end);
        if let Some(rest) = &mut self.rest {
            rest.0.truncate(rest.0.partition_point(|piece| piece.offset < self.end));
        }
        self.rest.take_if(|rest| rest.0.is_empty());
        self.first.take_if(|piece| piece.offset >= self.end);
        let last = self.rest.as_mut().and_then(|rest| rest.0.back_mut());
        if let Some(piece) = last.or(self.first.as_mut())
            && piece.end() > self.end
        {
            piece.payload = piece.payload.keep(0, self.end - piece.offset);
        }
    }

    /// Takes the first piece out.
    pub(crate) fn pop(&mut self) -> Option<P> {
        let piece = self.advance()?;
        self.start = piece.end();
        Some(piece.payload)
    }

    fn advance(&mut self) -> Option<Piece<P>> {
        let next = self.rest.as_mut().and_then(|rest| rest.0.pop_front());
        if next.is_none() {
            self.rest = None;
        }
        std::mem::replace(&mut self.first, next)
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
        assert_eq!((pieces.length(), pieces.rest.is_none()), (0, true));
    }

    /// In the order of arrival, while what was pushed before has been sent on.
    /// The same as of one string, whatever the pieces are, wherever it is cut, and further on.
    #[test]
    fn what_is_cut_off_is_gone() {
        let parts = ["ab", "cde", "f", "ghij"];
        let long = [600, 700, 800].map(|length| Bytes::from(vec![b'x'; length]));
        for pieces in [parts.map(|part| Bytes::from_static(part.as_bytes())).as_slice(), &long] {
            let whole = pieces.concat();
            for from in 0..=whole.len() {
                for to in [0, 1, from, from + 1, from + 7, whole.len() - 1, whole.len() + 9] {
                    let mut cut = Pieces::new();
                    for piece in pieces {
                        cut.push(piece.clone());
                    }
                    cut.drop_below(from as u64);
                    cut.truncate(to as u64);
                    let to = to.clamp(from, whole.len());
                    assert_eq!([cut.length(), cut.end()], [(to - from) as u64, to as u64]);
                    cut.push(Bytes::from_static(b"end"));
                    let expect = [&whole[from..to], b"end"].concat();
                    assert_eq!(cut.slice(from as u64, to as u64 + 3), expect);
                }
            }
        }
    }

    #[test]
    fn small_pieces_are_copied_together() {
        let check = |size: usize, bytes: usize| {
            let mut pieces = Pieces::new();
            for number in 0..bytes / size {
                let before = pieces.end();
                pieces.push(Bytes::from(vec![number as u8; size]));
                let sent = pieces.slice(before, pieces.end());
                assert_eq!(sent, vec![number as u8; size]);
            }
            let rest = pieces.rest.as_ref().map_or(0, |rest| rest.0.capacity());
            let mut memory = rest * size_of::<Piece<Bytes>>();
            while let Some(piece) = pieces.pop() {
                let capacity = piece.try_into_mut().expect("nobody else has it").capacity();
                memory += capacity.max(32) + 32;
            }
            assert!(memory <= 4 * bytes + 256, "{memory} B for {bytes} in pieces of {size}");
        };
        for size in [1, 2, 100, 511, 512, 1_460, 9_000] {
            check(size, 180_000);
        }
        check(1, 1);
    }

    #[test]
    fn what_somebody_else_has_is_not_written_to() {
        let mut pieces = Pieces::new();
        pieces.push(Bytes::from_static(b"a"));
        pieces.push(Bytes::from(b"b".to_vec()));
        let sent = pieces.slice(1, 2);
        pieces.push(Bytes::from(b"c".to_vec()));
        assert_eq!((sent.as_ref(), pieces.slice(0, 3).as_ref()), (&b"b"[..], &b"abc"[..]));
    }

    /// A piece may be as long as IP can carry, and all but its last byte acknowledged.
    #[test]
    fn what_is_released_takes_no_memory() {
        let mut pieces = Pieces::new();
        pieces.push(Bytes::from(vec![7; 65_000]));
        for offset in (0..65_000).step_by(1_460).chain([64_999]) {
            pieces.drop_below(offset);
            assert_eq!(pieces.slice(offset, 65_000), vec![7; 65_000 - offset as usize]);
        }
        let memory =
            pieces.pop().expect("a byte").try_into_mut().expect("nobody has it").capacity();
        assert!(memory <= 64, "{memory} B for one");
    }

    #[test]
    fn lengths_merge_into_one_piece() {
        let mut pieces = Pieces::new();
        (0..100).for_each(|_| pieces.push(Length(7)));
        assert!(pieces.rest.is_none());
        assert_eq!(pieces.slice(3, 20), Length(17));
        assert_eq!(pieces.pop(), Some(Length(700)));
        assert_eq!(pieces.pop(), None);
    }
}
