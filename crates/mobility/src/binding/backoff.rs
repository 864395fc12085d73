//! Retransmission of messages without an answer.

use base::{Duration, Time};

/// How often and how long to wait: waits double from `first` to `most` (RFC 6275 §11.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Patience {
    /// Before the second transmission. Not zero.
    first: Duration,
    /// The longest wait.
    most: Duration,
}

impl Patience {
    /// With the first update: `InitialBindackTimeoutFirstReg` (RFC 6275 §13) to
    /// `MAX_BINDACK_TIMEOUT` (§12).
    pub(super) const FIRST: Self =
        Self { first: Duration::from_millis(1_500), most: Duration::from_secs(32) };

    /// With everything else: `INITIAL_BINDACK_TIMEOUT` to `MAX_BINDACK_TIMEOUT` (RFC 6275 §12).
    pub(super) const LATER: Self =
        Self { first: Duration::from_secs(1), most: Duration::from_secs(32) };

    /// With fast handovers, whose waits RFC 5568 §9 leaves to configuration.
    pub(super) const FAST: Self =
        Self { first: Duration::from_millis(100), most: Duration::from_millis(400) };
}

/// How often a message of a fast handover is sent: `RTSOLPR_RETRIES`, `FBU_RETRIES` and
/// `HI_RETRIES` (RFC 5568 §9).
pub(super) const FAST_ATTEMPTS: u32 = 3;

/// A message under way that waits for its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Backoff {
    /// Transmissions so far, from 1.
    pub(super) attempt: u32,
    /// When the next one is due.
    pub(super) due: Time,
    wait: Duration,
    most: Duration,
}

impl Backoff {
    /// Sent for the first time.
    fn begin(now: Time, patience: Patience) -> Self {
        let wait = patience.first;
        Self { attempt: 1, due: now + wait, wait, most: patience.most }
    }

    /// Retransmitted after `last`, or sent for the first time.
    pub(super) fn after(last: Option<Self>, now: Time, patience: Patience) -> Self {
        last.map_or_else(|| Self::begin(now, patience), |last| last.again(now))
    }

    /// Waits without sending, as long as for all transmissions of a fast handover.
    pub(super) fn rest(now: Time) -> Self {
        let wait = Patience::FAST.most * u64::from(FAST_ATTEMPTS);
        Self { attempt: FAST_ATTEMPTS, due: now + wait, wait, most: wait }
    }

    /// Retransmitted.
    #[must_use]
    fn again(self, now: Time) -> Self {
        let wait = (self.wait * 2).min(self.most.max(self.wait));
        Self { attempt: self.attempt + 1, due: now + wait, wait, most: self.most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut backoff = Backoff::begin(Time::ZERO, Patience::FIRST);
        let mut waits = Vec::new();
        let mut now = Time::ZERO;
        for attempt in 1..8 {
            assert_eq!(backoff.attempt, attempt);
            waits.push(backoff.due.saturating_since(now).as_nanos() / 1_000_000);
            now = backoff.due;
            backoff = backoff.again(now);
        }
        assert_eq!(waits, [1_500, 3_000, 6_000, 12_000, 24_000, 32_000, 32_000]);
    }
}
