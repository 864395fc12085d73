//! Round-trip times of an aggregate, and the timeout that follows from them.

use base::Duration;

/// Smoothed round-trip time and its variation (RFC 6298 §2), shared by all flows of a mobile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundTrip {
    /// Eight times srtt and four times rttvar in nanoseconds.
    smoothed: Option<(u64, u64)>,
    /// The shortest ever.
    least: Option<Duration>,
}

impl RoundTrip {
    pub(super) fn sample(&mut self, rtt: Duration) {
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        let rtt = rtt.as_nanos();
        self.smoothed = Some(match self.smoothed {
            None => (rtt * 8, rtt * 2),
            Some((srtt8, rttvar4)) => {
                let error = rtt.abs_diff(srtt8 / 8);
                (srtt8 - srtt8 / 8 + rtt, rttvar4 - rttvar4 / 4 + error)
            }
        });
    }

    pub(super) fn smoothed(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt8, _)| Duration::from_nanos(srtt8 / 8))
    }

    /// The shortest that is likely now: an eighth below the smoothed one.
    pub(super) fn least_likely(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt8, _)| Duration::from_nanos(srtt8 / 64 * 7))
    }

    pub(super) const fn least(&self) -> Option<Duration> {
        self.least
    }

    /// srtt + 4·rttvar, and no less than `least`.
    ///
    /// §IV.E wants it "relatively conservative", so that only a stall makes it run out:
    /// `least` is the larger of a configured minimum and the time in which a full window passes
    /// the radio at half its rate.
    pub(super) fn timeout(&self, least: Duration) -> Duration {
        let own = self.smoothed.map_or(0, |(srtt8, rttvar4)| srtt8 / 8 + rttvar4);
        Duration::from_nanos(own).max(least)
    }
}
