//! Stretches of a stream of bytes.

/// The bytes from `from` to before `to`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Range {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

impl Range {
    pub(crate) const fn new(from: u64, to: u64) -> Self {
        Self { from, to }
    }

    pub(crate) const fn bytes(self) -> u64 {
        self.to - self.from
    }
}

/// A set of bytes, as ranges in order that neither overlap nor touch.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct RangeSet {
    ranges: Vec<Range>,
    bytes: u64,
}

impl RangeSet {
    pub(crate) const fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many bytes there are.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.bytes = 0;
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range> {
        self.ranges.iter().copied()
    }

    /// Whether any of its bytes is in `range`.
    pub(crate) fn touches(&self, range: Range) -> bool {
        if range.from >= range.to {
            return false;
        }
        let first = self.ranges.partition_point(|own| own.to <= range.from);
        self.ranges.get(first).is_some_and(|own| own.from < range.to)
    }

    /// The one of its ranges that has byte `at`.
    pub(crate) fn around(&self, at: u64) -> Option<Range> {
        let first = self.ranges.partition_point(|own| own.to <= at);
        self.ranges.get(first).copied().filter(|own| own.from <= at)
    }

    /// Whether all of `range`, which is not empty, is in it.
    pub(crate) fn covers(&self, range: Range) -> bool {
        self.around(range.from).is_some_and(|own| range.to <= own.to)
    }

    /// Adds `range`.
    pub(crate) fn insert(&mut self, range: Range) {
        if range.from >= range.to {
            return;
        }
        let first = self.ranges.partition_point(|own| own.to < range.from);
        let end = self.ranges.partition_point(|own| own.from <= range.to);
        if first == end {
            self.bytes += range.bytes();
            self.ranges.insert(first, range);
            return;
        }
        let joined = Range {
            from: self.ranges[first].from.min(range.from),
            to: self.ranges[end - 1].to.max(range.to),
        };
        let before: u64 = self.ranges[first..end].iter().map(|own| own.bytes()).sum();
        self.bytes += joined.bytes() - before;
        self.ranges[first] = joined;
        self.ranges.drain(first + 1..end);
    }

    /// Removes what is in `range`.
    pub(crate) fn remove(&mut self, range: Range) {
        let first = self.ranges.partition_point(|own| own.to <= range.from);
        let end = self.ranges.partition_point(|own| own.from < range.to);
        if first >= end {
            return;
        }
        let (head, tail) = (self.ranges[first], self.ranges[end - 1]);
        let before: u64 = self.ranges[first..end].iter().map(|own| own.bytes()).sum();
        let left = Range::new(head.from, range.from.max(head.from));
        let right = Range::new(range.to.min(tail.to), tail.to);
        let rest = [left, right].into_iter().filter(|part| part.from < part.to);
        self.bytes = self.bytes - before + left.bytes() + right.bytes();
        self.ranges.splice(first..end, rest);
    }

    /// The first of its ranges.
    pub(crate) fn first(&self) -> Option<Range> {
        self.ranges.first().copied()
    }

    /// The first byte at or after `from` that is not in it.
    pub(crate) fn first_missing(&self, from: u64) -> u64 {
        let place = self.ranges.partition_point(|own| own.to <= from);
        match self.ranges.get(place) {
            Some(own) if own.from <= from => own.to,
            _ => from,
        }
    }

    /// What lies in `within` and not in it, in order.
    pub(crate) fn gaps(&self, within: Range) -> impl Iterator<Item = Range> {
        let first = self.ranges.partition_point(|own| own.to <= within.from);
        let ends = self.ranges[first..].iter().copied().chain([Range::new(within.to, within.to)]);
        let gap = move |from: &mut u64, own: Range| {
            let gap = Range::new(*from, own.from.min(within.to).max(*from));
            *from = own.to.min(within.to).max(*from);
            Some(gap)
        };
        ends.scan(within.from, gap).filter(|gap| gap.from < gap.to)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set_of(bits: u64) -> RangeSet {
        let mut set = RangeSet::default();
        (0..64)
            .filter(|bit| bits >> bit & 1 == 1)
            .for_each(|bit| set.insert(Range::new(bit, bit + 1)));
        set
    }

    fn bits_of(set: &RangeSet) -> u64 {
        set.iter().flat_map(|range| range.from..range.to).map(|bit| 1 << bit).sum()
    }

    proptest! {
        /// It is a set: against one kept as bits of a word.
        #[test]
        fn it_is_a_set(bits: u64, from in 0_u64..60, length in 0_u64..40) {
            let range = Range::new(from, (from + length).min(64));
            let mask = (range.from..range.to).fold(0_u64, |mask, bit| mask | 1 << bit);
            let set = set_of(bits);
            prop_assert_eq!(bits_of(&set), bits);
            prop_assert_eq!(set.bytes(), u64::from(bits.count_ones()));
            let mut more = set.clone();
            more.insert(range);
            prop_assert_eq!(bits_of(&more), bits | mask);
            prop_assert_eq!(more.bytes(), u64::from((bits | mask).count_ones()));
            let apart = more.iter().zip(more.iter().skip(1)).all(|(one, next)| one.to < next.from);
            prop_assert!(apart, "{:?}", more);
            let mut less = set.clone();
            less.remove(range);
            prop_assert_eq!(bits_of(&less), bits & !mask);
            prop_assert_eq!(less.bytes(), u64::from((bits & !mask).count_ones()));
            prop_assert_eq!(set.touches(range), bits & mask != 0);
            prop_assert!(mask == 0 || set.covers(range) == (bits & mask == mask));
            let around = set.around(from).map_or(0..0, |own| own.from..own.to);
            let run = (0..64).filter(|bit| {
                let between = |one: u64| bits >> one & 1 == 1;
                (from.min(*bit)..=from.max(*bit)).all(between)
            });
            prop_assert!(run.eq(around));
            let gaps = set.gaps(range).flat_map(|gap| gap.from..gap.to);
            let gaps: u64 = gaps.map(|bit| 1 << bit).sum();
            prop_assert_eq!(gaps, mask & !bits);
            let missing = set.first_missing(from);
            prop_assert!((from..missing).all(|bit| bits >> bit & 1 == 1));
            prop_assert!(missing == 64 || bits >> missing & 1 == 0);
        }
    }
}
