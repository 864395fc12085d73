//! Which slots are of which direction, by letters.

use std::fmt;

use settings::{Leaf, Scalar, Takes, words};

words! {
    /// What a slot is for (TS 38.213 §11.1).
    pub enum Letter {
        /// The downlink.
        Downlink = "D",
        /// Some symbols for the downlink, then a gap, then some for the uplink.
        Special = "S",
        /// The uplink.
        Uplink = "U",
    }
}

/// What the slots of a period are for, which repeats itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern(Vec<Letter>);

/// How many slots a period has at most: grants are remembered for no more than 64.
const LONGEST: usize = 40;

impl Pattern {
    /// The slots of a period.
    pub(super) fn letters(&self) -> &[Letter] {
        &self.0
    }

    /// The one that these letters name, if they do.
    pub fn named(text: &str) -> Option<Self> {
        let letter = |name| Letter::ALL.into_iter().find(|letter| letter.name() == name);
        let letters: Option<Vec<_>> = text.split_terminator("").skip(1).map(letter).collect();
        letters.filter(|letters| (1..=LONGEST).contains(&letters.len())).map(Self)
    }
}

impl Default for Pattern {
    fn default() -> Self {
        use Letter::{Downlink, Special, Uplink};
        Self(vec![Downlink, Downlink, Downlink, Special, Uplink])
    }
}

impl Leaf for Pattern {
    type Value = Self;

    fn expected() -> String {
        format!("1 to {LONGEST} letters D, S and U, as in DDDSU")
    }

    fn takes() -> Takes {
        Takes::other()
    }

    fn parse(scalar: &Scalar) -> Result<Self, String> {
        Self::named(&scalar.text).ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &Self) -> String {
        value.to_string()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|letter| formatter.write_str(letter.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_its_letters() {
        for text in ["DDDSU", "U", &"D".repeat(40)] {
            assert_eq!(
                Pattern::named(text).map(|pattern| pattern.to_string()).as_deref(),
                Some(text)
            );
        }
        for text in ["", "DDX", "ddsu", "D U", &"D".repeat(41)] {
            assert_eq!(Pattern::named(text), None, "{text}");
        }
        assert_eq!(Pattern::default().to_string(), "DDDSU");
    }
}
