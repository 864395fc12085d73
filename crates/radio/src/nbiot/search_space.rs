//! Where a mobile looks for what it is told.

/// Where a mobile looks for what the base station tells it (TS 36.213 §16.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SearchSpace {
    /// From one to the next, in subframes: the most repetitions times G.
    pub(super) period: u64,
    /// How many subframes of it are looked at: the most repetitions.
    pub(super) span: u64,
    /// How many a message takes.
    pub(super) repetitions: u64,
}

impl SearchSpace {
    /// The first subframe from `from` on in which a message can begin.
    pub(super) const fn candidate(&self, from: u64) -> u64 {
        let (begin, offset) = (from - from % self.period, from % self.period);
        let place = offset.div_ceil(self.repetitions) * self.repetitions;
        if place + self.repetitions <= self.span { begin + place } else { begin + self.period }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_where_a_mobile_looks() {
        let space = SearchSpace { period: 16, span: 8, repetitions: 2 };
        let places: Vec<_> = (0..20).map(|from| space.candidate(from)).collect();
        let expect = [0, 2, 2, 4, 4, 6, 6, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 18, 18, 20];
        assert_eq!(places, expect);
        let whole = SearchSpace { period: 384, span: 256, repetitions: 256 };
        assert_eq!([0, 1, 384, 385].map(|from| whole.candidate(from)), [0, 384, 384, 768]);
    }
}
