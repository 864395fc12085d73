//! The clock on the wall.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this is the room that may read a clock"
)]

use std::time::Instant;

use base::Time;

/// A clock that only goes forward (`CLOCK_MONOTONIC`), from zero at its start.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
}

impl Clock {
    /// A clock that stands at zero now.
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// The time since the start.
    pub fn now(&self) -> Time {
        Time::from_nanos(self.started.elapsed().as_nanos() as u64)
    }
}
