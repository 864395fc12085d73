//! What a key takes, as a program needs it that offers values: a slider, a choice or a switch.

use std::ops::{Bound, RangeBounds};

use base::words;

use super::quantity::{RATE, SIZE, TIME};

words! {
    /// The kind of value that a key takes.
    pub enum ValueKind {
        /// A time, in s.
        Duration = "duration",
        /// A rate, in bit/s.
        Rate = "rate",
        /// A size, in B.
        Size = "size",
        /// A whole number.
        Whole = "whole",
        /// Any number.
        Number = "number",
        /// A probability or a share, as a fraction.
        Probability = "probability",
        /// One of the words and no other value.
        Choice = "choice",
        /// True or false.
        Flag = "flag",
        /// A text, a path, a list or a list of tables.
        Other = "other",
    }
}

/// What a key takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Takes {
    /// The kind of its values.
    pub kind: ValueKind,
    /// The unit of its numbers; empty if they have none.
    pub unit: &'static str,
    /// The least and the greatest of its numbers, in `unit`.
    pub range: (Bound<f64>, Bound<f64>),
    /// The words of a choice or a flag, and those that stand in the place of a value.
    pub words: Vec<String>,
}

impl Takes {
    /// Numbers of `kind` in `unit` within `range`.
    pub fn numbers(kind: ValueKind, unit: &'static str, range: impl RangeBounds<f64>) -> Self {
        let range = (range.start_bound().cloned(), range.end_bound().cloned());
        Self { kind, unit, range, words: Vec::new() }
    }

    /// One of `words`.
    pub fn choice(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { kind: ValueKind::Choice, ..Self::other() }.or(words)
    }

    /// `true` or `false`.
    pub fn flag() -> Self {
        Self { kind: ValueKind::Flag, ..Self::other() }.or(["true", "false"])
    }

    /// Values that are neither numbers nor words out of a list.
    pub fn other() -> Self {
        Self::numbers(ValueKind::Other, "", ..)
    }

    /// The same, or one of `words`.
    #[must_use]
    pub fn or(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// The number in `unit` that a value is, as the key shows it; `None` if it is none.
    pub fn number(&self, shown: &str) -> Option<f64> {
        match self.kind {
            ValueKind::Duration => TIME.read(shown).ok().map(seconds),
            ValueKind::Rate => RATE.read(shown).ok().map(|bits| bits as f64),
            ValueKind::Size => SIZE.read(shown).ok().map(|bytes| bytes as f64),
            ValueKind::Whole | ValueKind::Number | ValueKind::Probability => {
                shown.strip_suffix(self.unit)?.trim_end().parse().ok()
            }
            ValueKind::Choice | ValueKind::Flag | ValueKind::Other => None,
        }
    }
}

/// The nearest number of seconds.
pub(super) fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Along, Bytes, Chance, Count, Dbm, Distance, Flag, Leaf, OfTime, Off, Or, Share, Speed,
        Tbler,
    };

    #[test]
    fn a_value_that_is_shown_is_a_number_in_the_unit() {
        fn check<L: Leaf>(shown: &str, expect: Option<f64>) {
            assert_eq!(L::takes().number(shown), expect, "{shown}");
        }
        check::<OfTime>("400 us", Some(0.0004));
        check::<OfTime>("4 min", Some(240.0));
        check::<Or<Off, OfTime>>("off", None);
        check::<Speed>("384 kbit/s", Some(384_000.0));
        check::<Bytes<u32, 0, 9_000>>("1 KiB", Some(1024.0));
        check::<Count<u32, 0, 9>>("3", Some(3.0));
        check::<Chance>("0.05", Some(0.05));
        check::<Along<Dbm>>("-103 dBm", Some(-103.0));
        check::<Flag>("true", None);
    }

    #[test]
    fn limits_words_and_units() {
        fn check<L: Leaf>(unit: &str, within: &[f64], beyond: &[f64], words: &[&str]) {
            let takes = L::takes();
            assert_eq!(takes.unit, unit);
            assert_eq!(takes.words, words);
            assert!(within.iter().all(|number| takes.range.contains(number)), "{within:?}");
            assert!(!beyond.iter().any(|number| takes.range.contains(number)), "{beyond:?}");
        }
        check::<OfTime<1>>("s", &[1e-9, 1e8], &[0.0, 1.1e8], &[]);
        check::<Or<Off, Speed>>("bit/s", &[1.0, 1e12], &[0.0], &["off"]);
        check::<Count<u64, 2, { u64::MAX }>>("", &[2.0, 1e30], &[1.0], &[]);
        check::<Share>("", &[0.01, 1.0], &[0.0, 1.01], &[]);
        check::<Tbler>("", &[0.0, 0.99], &[1.0], &[]);
        check::<Distance>("m", &[0.1, 1e7], &[0.0, 1.1e7], &[]);
    }
}
