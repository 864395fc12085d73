//! The clock on the wall.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this is the crate that may read a clock"
)]

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use base::{Duration, Time};

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

/// The date and time in UTC, to the millisecond (RFC 3339).
pub fn timestamp() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

/// The time since 1970, and the date and time in UTC (RFC 3339).
pub fn today() -> (Duration, String) {
    let now = SystemTime::now();
    let since_1970 = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let since_1970 = Duration::from_nanos(since_1970.as_nanos() as u64);
    (since_1970, humantime::format_rfc3339_seconds(now).to_string())
}
