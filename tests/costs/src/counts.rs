//! Counting with valgrind.

#![expect(clippy::disallowed_methods, reason = "valgrind leaves a file")]

use std::fmt;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::Work;

/// Functions between whose entry and exit valgrind counts: the loop of a simulation without what
/// reads the scenario, builds the network and sums up, and those of a gateway
/// and of a queue.
const COUNTED: [&str; 3] = ["*run_world*", "*run_gateway*", "*run_queue*"];

/// Sizes of caches, so that misses are the same on every machine: bytes, ways, bytes a line.
const CACHES: [&str; 3] = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"];

/// What a work costs, for each of its units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Instructions.
    pub instructions: f64,
    /// Reads and writes of data that miss a first-level cache of 32 KiB.
    pub d1_misses: f64,
    /// Those that miss a second-level cache of 1 MiB as well.
    pub l2_misses: f64,
}

/// Why a work could not be counted.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Why nothing can be counted on this machine, if that is so.
pub fn reason_to_skip() -> Option<String> {
    if cfg!(debug_assertions) && option_env!("CARGO_INCREMENTAL") != Some("0") {
        return Some("needs a build with CARGO_INCREMENTAL=0, as the figures".to_owned());
    }
    let found = Command::new("valgrind").arg("--version").output();
    found.is_err().then(|| "needs valgrind".to_owned())
}

/// Counts `work`, which `program` does; `scratch` is a directory for valgrind's file.
///
/// # Errors
/// If valgrind or the program fails, or nothing was counted.
pub fn count(program: &Path, work: &Work, scratch: &Path) -> Result<Counts, Error> {
    let file = scratch.join(format!("callgrind-{}-{}", std::process::id(), work.name));
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "-q", "--cache-sim=yes"])
        .args(CACHES)
        .args(COUNTED.map(|function| format!("--toggle-collect={function}")))
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(program)
        .arg(work.name)
        .output()
        .map_err(|error| Error(format!("valgrind: {error}")))?;
    let failed = |why: &str| Error(format!("{}: {why}", work.name));
    let units: u64 = String::from_utf8_lossy(&done.stdout)
        .trim()
        .parse()
        .map_err(|_| failed(&String::from_utf8_lossy(&done.stderr)))?;
    let counted = std::fs::read_to_string(&file).map_err(|error| failed(&error.to_string()))?;
    std::fs::remove_file(&file).map_err(|error| failed(&error.to_string()))?;
    let [instructions, d1_misses, l2_misses] =
        [&["Ir"][..], &["D1mr", "D1mw"], &["DLmr", "DLmw"]].map(|events| sum(&counted, events));
    if instructions == 0.0 {
        return Err(failed("nothing was counted"));
    }
    let each = |total: f64| total / units as f64;
    Ok(Counts {
        instructions: each(instructions),
        d1_misses: each(d1_misses),
        l2_misses: each(l2_misses),
    })
}

/// The sum of some events' totals in a file of callgrind.
fn sum(counted: &str, events: &[&str]) -> f64 {
    let words = |key: &str| {
        let line = counted.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_default().split_whitespace()
    };
    let of = |(event, total): (&str, &str)| {
        if events.contains(&event) { total.parse().unwrap_or(0.0) } else { 0.0 }
    };
    words("events:").zip(words("totals:")).map(of).sum()
}
