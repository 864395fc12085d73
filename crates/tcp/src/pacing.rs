//! Spreading segments over the round trip.
//!
//! A window sent in one burst waits in the queues that it passes. A paced sender leaves between any
//! two segments the time that the first one takes at its rate: the controller's, where that names
//! one, else a window per round-trip time. The round trip is the smoothed one (Aggarwal, Savage and
//! Anderson 2000, §III), or the latest, which is packet spacing (Yew, Ong and Ahmad 2012, equation
//! 3), or the smallest.

use base::{Duration, Rate, Time};
use settings::words;

words! {
    /// When segments are spread over the round trip at cwnd / RTT instead of sent in bursts. A
    /// controller that names a rate is paced always, at that.
    pub enum Pacing {
        /// Never.
        Off = "off",
        /// In slow start only.
        SlowStart = "slow-start",
        /// Always.
        Always = "always",
    }
}

words! {
    /// Which round trip packet spacing uses.
    pub enum SpacingRtt {
        /// The latest sample (Yew, Ong and Ahmad 2012, equation 3).
        Current = "current",
        /// The smallest sample, or the controller's estimate of it.
        Base = "base",
    }
}

/// Segments that leave together where a controller names the rate: an event for each would cost
/// more than everything else (draft-ietf-ccwg-bbr, "Send Quantum").
const QUANTUM: u8 = 2;

/// When the next segment may leave.
#[derive(Debug)]
pub(crate) struct Pacer {
    pacing: Pacing,
    /// `None` is the smoothed one.
    rtt: Option<SpacingRtt>,
    /// The sample that it uses, if it uses samples.
    sample: Option<Duration>,
    /// True if only the controller tracks the smallest sample.
    leaves_base: bool,
    /// True while something waits.
    waiting: bool,
    /// Segments that may still leave with the last one.
    together: u8,
    /// When the last segment will have taken its time.
    free: Time,
}

/// What a pacer is based on.
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
    /// The controller's estimate of the round-trip time without queues.
    pub(crate) base_rtt: Option<Duration>,
}

impl Pacer {
    pub(crate) const fn new((pacing, rtt): (Pacing, Option<SpacingRtt>)) -> Self {
        let (leaves_base, waiting, free) = (false, false, Time::ZERO);
        Self { pacing, rtt, sample: None, leaves_base, waiting, together: 0, free }
    }

    /// True if it spreads segments without a controller's rate.
    pub(crate) fn is_on(&self) -> bool {
        self.pacing != Pacing::Off
    }

    /// A round-trip time of a segment that was sent once.
    pub(crate) fn sample(&mut self, rtt: Duration) {
        match self.rtt {
            None => {}
            Some(SpacingRtt::Current) => self.sample = Some(rtt),
            Some(SpacingRtt::Base) if self.leaves_base => {}
            Some(SpacingRtt::Base) => {
                self.sample = Some(self.sample.map_or(rtt, |least| least.min(rtt)));
            }
        }
    }

    /// The controller has forgotten its estimate of the round trip without queues, since the path
    /// to the peer has changed. It knows which samples belong to the new path.
    pub(crate) fn forget_base(&mut self) {
        if self.rtt == Some(SpacingRtt::Base) {
            (self.sample, self.leaves_base) = (None, true);
        }
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
        let rtt = self.round_trip(pace).filter(|_| applies)?;
        // A window that recovery has reduced to bytes must not hold the next segment for minutes.
        let window = pace.cwnd.max(bytes).max(1);
        let nanos = u128::from(rtt.as_nanos()) * u128::from(bytes) / u128::from(window);
        Some(Duration::from_nanos(nanos as u64))
    }

    fn round_trip(&self, pace: &Pace) -> Option<Duration> {
        match self.rtt {
            None => pace.srtt,
            Some(SpacingRtt::Current) => self.sample,
            Some(SpacingRtt::Base) => pace.base_rtt.or(self.sample),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn pace(cwnd: u64, ssthresh: u64) -> Pace {
        Pace { rate: None, cwnd, ssthresh, srtt: Some(Duration::from_millis(100)), base_rtt: None }
    }

    fn smoothed(pacing: Pacing) -> Pacer {
        Pacer::new((pacing, None))
    }

    #[test]
    fn a_window_takes_a_round_trip() {
        let mut pacer = smoothed(Pacing::Always);
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
            let mut pacer = smoothed(pacing);
            pacer.on_sent(at(5), 1_000, &pace(cwnd, 8_000));
            assert_eq!(pacer.holds(at(5)), holds, "{pacing:?} {cwnd}");
        };
        check(Pacing::Off, 4_000, false);
        check(Pacing::SlowStart, 4_000, true);
        check(Pacing::SlowStart, 8_000, false);
        check(Pacing::Always, 8_000, true);
    }

    #[test]
    fn no_segment_takes_longer_than_a_round_trip() {
        for cwnd in [0, 1, 999, 1_000] {
            let mut pacer = smoothed(Pacing::Always);
            pacer.on_sent(at(5), 1_000, &pace(cwnd, 8_000));
            assert!(pacer.holds(at(5)));
            assert_eq!(pacer.deadline(), Some(at(105)), "{cwnd} bytes");
        }
    }

    #[test]
    fn a_controllers_rate_rules() {
        let mut pacer = smoothed(Pacing::Off);
        let pace = Pace { rate: Some(Rate::from_bps(80_000)), ..pace(1, 1) };
        pacer.on_sent(at(1), 1_000, &pace);
        assert!(!pacer.holds(at(1)), "two leave together");
        pacer.on_sent(at(1), 1_000, &pace);
        assert!(pacer.holds(at(1)));
        assert_eq!(pacer.deadline(), Some(at(201)));
        assert!(!pacer.holds(at(201)), "time that went unused is not saved up");
    }

    #[test]
    fn a_window_takes_the_round_trip_that_is_asked_for() {
        let check = |rtt, base_rtt: Option<u64>, samples: &[u64], expect: Option<u64>| {
            let mut pacer = Pacer::new((Pacing::Always, rtt));
            for &millis in samples {
                pacer.sample(Duration::from_millis(millis));
            }
            let base_rtt = base_rtt.map(Duration::from_millis);
            pacer.on_sent(at(5), 1_000, &Pace { base_rtt, ..pace(10_000, 5_000) });
            let waits = pacer.holds(at(5));
            assert_eq!(waits, expect.is_some(), "{rtt:?} {samples:?}");
            assert_eq!(
                pacer.deadline(),
                expect.map(|millis| at(5 + millis)),
                "{rtt:?} {samples:?}"
            );
        };
        // A tenth of it, as the window is ten segments.
        check(None, None, &[300, 200, 400], Some(10));
        check(Some(SpacingRtt::Current), None, &[300, 200, 400], Some(40));
        check(Some(SpacingRtt::Base), None, &[300, 200, 400], Some(20));
        // The controller knows better how long the path takes without queues.
        check(Some(SpacingRtt::Base), Some(250), &[300, 200, 400], Some(25));
        check(Some(SpacingRtt::Current), Some(250), &[300], Some(30));
        // Once the controller has forgotten its base, only what it learns counts; but the latest
        // sample is the latest.
        let after = |rtt, base_rtt: Option<u64>| {
            let mut pacer = Pacer::new((Pacing::Always, rtt));
            pacer.sample(Duration::from_millis(100));
            pacer.forget_base();
            pacer.sample(Duration::from_millis(150));
            let base_rtt = base_rtt.map(Duration::from_millis);
            pacer.on_sent(at(5), 1_000, &Pace { base_rtt, ..pace(10_000, 5_000) });
            pacer.holds(at(5)).then(|| pacer.deadline())
        };
        assert_eq!(after(Some(SpacingRtt::Base), None), None);
        assert_eq!(after(Some(SpacingRtt::Base), Some(200)), Some(Some(at(25))));
        assert_eq!(after(Some(SpacingRtt::Current), None), Some(Some(at(20))));
        // Nothing is known: nothing waits.
        check(Some(SpacingRtt::Current), None, &[], None);
        check(Some(SpacingRtt::Base), None, &[], None);
    }
}
