//! Tests that cannot run on this machine.

use std::io::{self, Write};
use std::thread;

/// Says past the test harness, which shows nothing of a test that passes, what the running test
/// needs: `scripts/test.py` counts it.
pub(crate) fn skip(reason: &str) {
    let test = thread::current();
    let name = test.name().expect("a test has one");
    writeln!(io::stderr(), "skipped: {name}: {reason}").expect("standard error");
}
