//! The clock on the wall: how long a run took, and when to look up from it.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this is the crate that may read a clock"
)]

use std::time::{Duration, Instant};

/// Between two looks up from the work.
pub(crate) const A_TENTH: Duration = Duration::from_millis(100);

/// Measures a run.
pub(crate) struct Stopwatch {
    started: Instant,
    looked: Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self { started: now, looked: now }
    }

    /// True about ten times a second.
    pub(crate) fn a_tenth_passed(&mut self) -> bool {
        let now = Instant::now();
        let passed = now - self.looked >= A_TENTH;
        if passed {
            self.looked = now;
        }
        passed
    }

    pub(crate) fn elapsed_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
