//! The latest round-trip times over the radio.

use base::{Duration, Time};

/// The shortest of the latest round-trip times. Many are longer, by a delayed acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecentRtt {
    /// Start of the span of the present ones.
    since: Time,
    present: Option<Duration>,
    before: Option<Duration>,
}

impl RecentRtt {
    /// A round-trip time was measured; they are collected for a `span`, and for another are valid.
    pub(super) fn sample(&mut self, now: Time, rtt: Duration, span: Duration) {
        if now - self.since > span {
            (self.before, self.present, self.since) = (self.present, None, now);
        }
        self.present = Some(self.present.map_or(rtt, |least| least.min(rtt)));
    }

    /// The shortest.
    pub(super) fn least(&self) -> Option<Duration> {
        [self.present, self.before].into_iter().flatten().min()
    }
}
