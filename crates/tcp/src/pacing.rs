//! Spreading segments over the round trip.
//!
//! A window sent in one burst waits in the queues that it passes. A paced sender leaves between any
//! two segments the time that the first one takes at its rate: the controller's, where that names
//! one, else a window per smoothed round-trip time (Aggarwal, Savage and Anderson 2000, §III).

use base::{Duration, Rate, Time};

use crate::Pacing;

/// Segments that leave together where a controller names the rate: a wake for each would cost more
/// than all else (draft-ietf-ccwg-bbr, "Send Quantum").
const QUANTUM: u8 = 2;

/// When the next segment may leave.
#[derive(Debug)]
pub(crate) struct Pacer {
    pacing: Pacing,
    /// True while something waits.
    waiting: bool,
    /// Segments that may still leave with the last one.
    together: u8,
    /// When the last segment will have taken its time.
    free: Time,
}

/// What a pacer goes by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The controller's own rate.
    pub(crate) rate: Option<Rate>,
    /// In bytes.
    pub(crate) cwnd: u64,
    /// In bytes.
    pub(crate) ssthresh: u64,
    /// Smoothed round-trip time.
    pub(crate) srtt: Option<Duration>,
}

impl Pacer {
    pub(crate) const fn new(pacing: Pacing) -> Self {
        Self { pacing, waiting: false, together: 0, free: Time::ZERO }
    }

    /// True if it spreads segments without a controller's rate.
    pub(crate) fn is_on(&self) -> bool {
        self.pacing != Pacing::Off
    }

    /// When to look again.
    pub(crate) fn deadline(&self) -> Option<Time> {
        self.waiting.then_some(self.free)
    }

    /// True if nothing may leave yet.
    pub(crate) fn holds(&mut self, now: Time) -> bool {
        self.waiting = self.free > now && self.together == 0;
        self.waiting
    }

    /// A segment of `bytes` left.
    pub(crate) fn on_sent(&mut self, now: Time, bytes: u64, pace: &Pace) {
        let Some(takes) = self.time_of(bytes, pace) else { return };
        if self.free <= now {
            self.together = if pace.rate.is_some() { QUANTUM } else { 1 };
        }
        self.together = self.together.saturating_sub(1);
        self.free = self.free.max(now) + takes;
    }

    fn time_of(&self, bytes: u64, pace: &Pace) -> Option<Duration> {
        if let Some(rate) = pace.rate {
            return Some(Duration::from_nanos(bytes * 8_000_000_000 / rate.as_bps()));
        }
        let applies = match self.pacing {
            Pacing::Off => false,
            Pacing::SlowStart => pace.cwnd < pace.ssthresh,
            Pacing::Always => true,
        };
        let srtt = pace.srtt.filter(|_| applies && pace.cwnd > 0)?;
        let nanos = u128::from(srtt.as_nanos()) * u128::from(bytes) / u128::from(pace.cwnd);
        Some(Duration::from_nanos(nanos as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn pace(cwnd: u64, ssthresh: u64) -> Pace {
        Pace { rate: None, cwnd, ssthresh, srtt: Some(Duration::from_millis(100)) }
    }

    #[test]
    fn a_window_takes_a_round_trip() {
        let mut pacer = Pacer::new(Pacing::Always);
        let mut now = at(0);
        for _ in 0..10 {
            assert!(!pacer.holds(now));
            pacer.on_sent(now, 1_000, &pace(10_000, 5_000));
            assert!(pacer.holds(now));
            now = pacer.deadline().expect("it holds");
        }
        assert_eq!(now, at(100));
    }

    #[test]
    fn only_in_slow_start_where_so_wished() {
        let check = |pacing, cwnd, holds| {
            let mut pacer = Pacer::new(pacing);
            pacer.on_sent(at(5), 1_000, &pace(cwnd, 8_000));
            assert_eq!(pacer.holds(at(5)), holds, "{pacing:?} {cwnd}");
        };
        check(Pacing::Off, 4_000, false);
        check(Pacing::SlowStart, 4_000, true);
        check(Pacing::SlowStart, 8_000, false);
        check(Pacing::Always, 8_000, true);
    }

    #[test]
    fn a_controllers_rate_rules() {
        let mut pacer = Pacer::new(Pacing::Off);
        let pace = Pace { rate: Some(Rate::from_bps(80_000)), ..pace(1, 1) };
        pacer.on_sent(at(1), 1_000, &pace);
        assert!(!pacer.holds(at(1)), "two leave together");
        pacer.on_sent(at(1), 1_000, &pace);
        assert!(pacer.holds(at(1)));
        assert_eq!(pacer.deadline(), Some(at(201)));
        assert!(!pacer.holds(at(201)), "time that went unused is not saved up");
    }
}
