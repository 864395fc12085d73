//! Answers to what should not have come: an acknowledgement each, but no storm of them (RFC 5961
//! §7).

use base::{Duration, Time};

/// RFC 5961 §7's own numbers: so many at most, …
const MOST: u8 = 10;
/// … in so long a time.
const PERIOD: Duration = Duration::from_secs(5);

/// Counts the answers.
#[derive(Debug, Default)]
pub(crate) struct Challenges {
    /// When the first of them left.
    since: Time,
    count: u8,
}

impl Challenges {
    /// True if one more may leave now.
    pub(crate) fn allow(&mut self, now: Time) -> bool {
        if self.count == 0 || now.saturating_since(self.since) >= PERIOD {
            *self = Self { since: now, count: 0 };
        }
        let allowed = self.count < MOST;
        self.count += u8::from(allowed);
        allowed
    }
}
