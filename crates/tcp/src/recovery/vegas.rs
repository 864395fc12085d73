//! Vegas's retransmission (Brakmo and Peterson 1995 §III-A), as ns-2 has it.

use base::{Duration, Time};
use cc::LossKind;

use super::{DUPLICATE_THRESHOLD, Guard, Standing, Verdict};
use crate::scoreboard::Sent;

/// Reno's, and a fine-grained timer that is looked at when acknowledgements come: on each
/// duplicate, and on the first two new ones after a retransmission. If the oldest segment is
/// older than the timeout, it is sent again at once.
#[derive(Debug)]
pub(crate) struct Vegas {
    /// After a timeout, no retransmission until all is acknowledged that had been sent then, or
    /// duplicates tell of another loss.
    guard: Guard,
    timer: FineTimer,
    pub(crate) duplicates: u32,
    pub(crate) inflation: u32,
    /// New acknowledgements that still look at the timer.
    worried: u32,
}

impl Vegas {
    pub(crate) fn new(guard: bool) -> Self {
        Self {
            guard: Guard::new(guard),
            timer: FineTimer::default(),
            duplicates: 0,
            inflation: 0,
            worried: 0,
        }
    }

    pub(crate) fn on_duplicate_ack(
        &mut self,
        standing: &Standing,
        oldest: Option<&Sent>,
    ) -> Verdict {
        self.duplicates += 1;
        let Some(oldest) = oldest else { return Verdict::Wait };
        let expired = self.timer.has_expired(standing.now, oldest.last_at);
        if !expired && self.duplicates != DUPLICATE_THRESHOLD {
            if self.duplicates > DUPLICATE_THRESHOLD && !self.guard.is_set() {
                self.inflation += 1;
            }
            return Verdict::Wait;
        }
        if !self.guard.allows(standing.una) {
            return Verdict::Wait;
        }
        self.guard.clear();
        self.inflation = self.inflation.max(self.duplicates);
        self.worried = 2;
        self.timer.back_off(oldest.transmissions);
        if oldest.transmissions == 1 {
            self.duplicates = DUPLICATE_THRESHOLD;
        }
        let kind = if expired { LossKind::FineTimeout } else { LossKind::DuplicateAcks };
        Verdict::Retransmit(kind)
    }

    pub(crate) fn on_new_ack(&mut self, standing: &Standing, oldest: Option<&Sent>) -> Verdict {
        self.duplicates = 0;
        self.inflation = 0;
        if let Some(rtt) = standing.rtt {
            self.timer.sample(rtt);
        }
        if self.worried == 0 {
            return Verdict::Wait;
        }
        self.worried -= 1;
        let expired =
            oldest.is_some_and(|oldest| self.timer.has_expired(standing.now, oldest.last_at));
        if !expired {
            self.worried = 0;
            return Verdict::Wait;
        }
        self.duplicates = DUPLICATE_THRESHOLD;
        Verdict::Repair
    }

    pub(crate) const fn on_timeout(&mut self, max: u64) {
        self.guard.set(max);
        self.duplicates = 0;
        self.inflation = 0;
        self.worried = 0;
    }

    pub(crate) const fn on_undo(&mut self) {
        self.guard.clear();
        self.duplicates = 0;
        self.inflation = 0;
        self.worried = 0;
    }
}

/// No timeout grows longer, so that doubling it never overflows: a century.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 86_400);

/// The fine-grained timeout: exact round-trip times of every segment sent once.
#[derive(Debug, Default)]
struct FineTimer {
    /// Smoothed round-trip time (gain 1/8) and mean deviation (gain 1/4).
    smoothed: Option<(Duration, Duration)>,
    timeout: Option<Duration>,
}

impl FineTimer {
    /// ns-2: (srtt + 2 · deviation) · 17/16, the deviation starting from a quarter of the first
    /// sample.
    fn sample(&mut self, rtt: Duration) {
        let (srtt, deviation) = self.smoothed.unwrap_or((rtt, rtt / 4));
        let error = rtt.abs_diff(srtt);
        let srtt = (srtt * 7 + rtt) / 8;
        let deviation = (deviation * 3 + error) / 4;
        self.smoothed = Some((srtt, deviation));
        self.timeout = Some((srtt + deviation * 2) * 17 / 16);
    }

    fn has_expired(&self, now: Time, sent: Time) -> bool {
        self.timeout.is_some_and(|timeout| now.saturating_since(sent) >= timeout)
    }

    /// Longer by an eighth, or twice as long if the segment had been sent again already.
    fn back_off(&mut self, transmissions: u16) {
        self.timeout = self
            .timeout
            .map(|timeout| if transmissions > 1 { timeout * 2 } else { timeout + timeout / 8 })
            .map(|timeout| timeout.min(FOR_EVER));
    }
}
