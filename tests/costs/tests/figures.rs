//! No change makes the hot path slower unseen: instructions and second-level cache misses stay
//! within 3 % of the figures in the tree.

use std::io::{self, Write};
use std::path::Path;
use std::thread;

use costs::{FILE, PROFILE, WORKS};

const PROGRAM: &str = env!("CARGO_BIN_EXE_costs");

/// Both ways: a change for the better moves the figure, or the next one could undo it unseen.
#[test]
fn costs_are_those_of_the_tree() {
    let mut tree = costs::read();
    let figures = tree.remove(PROFILE).unwrap_or_default();
    let other = figures.rustc != costs::rustc();
    let other = other.then(|| format!("figures of costs are by rustc {}", figures.rustc));
    if let Some(reason) = costs::reason_to_skip().or(other) {
        let name = thread::current().name().unwrap_or("?").to_owned();
        // Past the capture of a test's output, for those who run the tests.
        writeln!(io::stderr(), "skipped: {name}: {reason}").expect("standard error");
        return;
    }
    let mut wrong = Vec::new();
    for work in WORKS {
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let counts = costs::count(Path::new(PROGRAM), work, scratch).expect("it can be counted");
        let Some(figure) = figures.works.get(work.name) else {
            wrong.push(format!("{}: no figure", work.name));
            continue;
        };
        let differences = costs::differences(&counts, figure);
        wrong.extend(differences.iter().map(|each| format!("{}: {each}", work.name)));
    }
    assert!(wrong.is_empty(), "other than in {FILE} ({PROFILE}):\n{}", wrong.join("\n"));
}
