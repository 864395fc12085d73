//! Shaping of the first packets after an idle time (§IV.C): a full window at once could overrun the
//! queue before the radio. Once as much as a window has been sent, acknowledgements set the pace.

use base::{Rate, Time};

/// The progress of the first window of a busy time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shaper {
    /// Bytes still to be shaped.
    left: u64,
    /// No packet leaves before this time.
    until: Option<Time>,
}

impl Shaper {
    /// The next packet is the first after an idle time; a window is `clamp` bytes.
    pub(super) const fn begin(&mut self, clamp: u64) {
        self.left = clamp;
    }

    /// Until when nothing may leave.
    pub(super) fn holds(&self, now: Time) -> Option<Time> {
        self.until.filter(|&until| until > now)
    }

    /// A packet of `bytes` left.
    pub(super) fn sent(&mut self, now: Time, rate: Option<Rate>, bytes: u64) {
        self.until = rate.filter(|_| self.left > 0).map(|rate| {
            let nanos = bytes * 8_000_000_000 / rate.as_bps();
            now + base::Duration::from_nanos(nanos)
        });
        self.left = self.left.saturating_sub(bytes);
    }
}
