//! The figures in the tree, and how far counts are from them.

#![expect(clippy::disallowed_methods, reason = "figures are in a file")]

use std::collections::BTreeMap;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::Counts;

/// How far counts may be from their figures, as a share.
const ROOM: f64 = 0.03;

/// So many misses for each unit, more or less, come from where memory happens to lie.
const FEW: f64 = 0.5;

/// Counts of all works in one profile, by one compiler.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// The compiler's version: another one makes other instructions.
    pub rustc: String,
    /// By the names of works.
    pub works: BTreeMap<String, Counts>,
}

/// The figures of both profiles.
pub type Tree = BTreeMap<String, Figures>;

/// Where they are.
pub const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/figures.json");

/// The profile that this program was compiled with.
pub const PROFILE: &str = if cfg!(debug_assertions) { "dev" } else { "release" };

/// Reads the figures.
///
/// # Panics
/// If the file cannot be read.
pub fn read() -> Tree {
    let text = std::fs::read_to_string(FILE).unwrap_or_else(|error| panic!("{FILE}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{FILE}: {error}"))
}

/// Puts the figures of this profile in the place of those in the tree.
///
/// # Panics
/// If the file cannot be read or written.
pub fn write(figures: &Figures) {
    let mut tree = read();
    tree.insert(PROFILE.to_owned(), figures.clone());
    let text = serde_json::to_string_pretty(&tree).expect("numbers and names");
    std::fs::write(FILE, text + "\n").unwrap_or_else(|error| panic!("{FILE}: {error}"));
}

/// The version of the compiler on this machine.
pub fn rustc() -> String {
    let said = Command::new("rustc").arg("--version").output();
    let said =
        said.map_or_else(|_| String::new(), |said| String::from_utf8_lossy(&said.stdout).into());
    said.split_whitespace().nth(1).unwrap_or("unknown").to_owned()
}

/// By how much `counts` has more instructions than `figure`, as a share of that.
pub fn change(counts: &Counts, figure: &Counts) -> f64 {
    counts.instructions / figure.instructions - 1.0
}

/// What of `counts` is too far from `figure`, in words.
///
/// First-level misses are not held: they depend on the lengths of paths and of the environment,
/// which move the stack.
pub fn differences(counts: &Counts, figure: &Counts) -> Vec<String> {
    let pairs = [
        ("instructions", counts.instructions, figure.instructions, 0.0),
        ("second-level misses", counts.l2_misses, figure.l2_misses, FEW),
    ];
    let far = |(what, now, before, room): (&str, f64, f64, f64)| {
        let is_far = (now - before).abs() > (ROOM * before).max(room);
        is_far.then(|| format!("{now:.4} {what}, {before:.4} before"))
    };
    pairs.into_iter().filter_map(far).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(instructions: f64, l2_misses: f64) -> usize {
        let figure = Counts { instructions: 1000.0, d1_misses: 5.0, l2_misses: 50.0 };
        differences(&Counts { instructions, d1_misses: 50.0, l2_misses }, &figure).len()
    }

    #[test]
    fn more_and_less_differ() {
        assert_eq!([differ(1029.0, 50.0), differ(971.0, 50.0), differ(1000.0, 51.4)], [0, 0, 0]);
        assert_eq!([differ(1031.0, 50.0), differ(969.0, 50.0), differ(1000.0, 48.4)], [1, 1, 1]);
        assert_eq!(differ(2000.0, 0.0), 2);
    }

    #[test]
    fn a_few_misses_are_no_difference() {
        let of = |l2_misses| Counts { instructions: 1000.0, d1_misses: 0.0, l2_misses };
        assert_eq!(differences(&of(0.4), &of(0.0)), [""; 0]);
        assert_eq!(differences(&of(0.6), &of(0.0)).len(), 1);
    }
}
