//! The minimum round-trip time (§5.3.4.3, §5.5.7).

use base::{Duration, Time};

use super::sample::Sample;

/// `BBR.MinRTTFilterLen` (§2.16.1).
const FILTER_LENGTH: Duration = Duration::from_secs(10);
/// `BBR.ProbeRTTInterval` (§2.16.2).
pub(super) const PROBE_INTERVAL: Duration = Duration::from_secs(5);

/// `BBR.min_rtt`, and with `BBR.probe_rtt_min_delay` when `ProbeRTT` is due.
#[derive(Debug, Default)]
pub(super) struct MinRtt {
    /// `BBR.min_rtt` since `BBR.min_rtt_stamp`.
    long: Option<Stamped>,
    /// `BBR.probe_rtt_min_delay` since `BBR.probe_rtt_min_stamp`.
    short: Option<Stamped>,
    /// `BBR.probe_rtt_expired`.
    pub(super) expired: bool,
    /// `C.min_rtt`.
    lifetime: Option<Duration>,
}

/// A round-trip time and when it was seen.
#[derive(Clone, Copy, Debug)]
struct Stamped {
    rtt: Duration,
    stamp: Time,
}

impl MinRtt {
    /// `UpdateMinRTT` (§5.3.4.3).
    pub(super) fn update(&mut self, sample: &Sample) {
        let now = sample.now;
        let older = |than, stamped: Stamped| now.saturating_since(stamped.stamp) > than;
        self.expired = self.short.is_some_and(|short| older(PROBE_INTERVAL, short));
        if let Some(rtt) = sample.rtt {
            if self.expired || self.short.is_none_or(|short| rtt < short.rtt) {
                self.short = Some(Stamped { rtt, stamp: now });
            }
            self.lifetime = Some(self.lifetime.map_or(rtt, |min| min.min(rtt)));
        }
        let Some(short) = self.short else { return };
        if self.long.is_none_or(|long| short.rtt < long.rtt || older(FILTER_LENGTH, long)) {
            self.long = Some(short);
        }
    }

    /// The next `ProbeRTT` is due an interval from now.
    pub(super) const fn schedule(&mut self, now: Time) {
        if let Some(short) = &mut self.short {
            short.stamp = now;
        }
    }

    /// `BBR.min_rtt`, once there was a sample.
    pub(super) fn get(&self) -> Option<Duration> {
        self.long.map(|long| long.rtt)
    }

    pub(super) const fn is_unknown(&self) -> bool {
        self.long.is_none()
    }

    /// `C.min_rtt`; zero before the first sample.
    pub(super) fn lifetime(&self) -> Duration {
        self.lifetime.unwrap_or(Duration::ZERO)
    }
}
