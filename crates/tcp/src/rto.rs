//! The retransmission timeout (RFC 6298).

use std::sync::Arc;

use base::Duration;

use crate::{BackOff, Config};

/// Smoothed round-trip time, its variation, and the timeout that follows from them.
#[derive(Debug)]
pub(crate) struct Rto {
    config: Arc<Config>,
    /// Eight times SRTT and four times RTTVAR in nanoseconds, so that their gains of 1/8 and 1/4
    /// lose nothing; `None` before the first sample.
    smoothed: Option<(u64, u64)>,
    /// The timeout before back-off.
    timeout: Duration,
    /// How often it ran out in a row.
    expiries: u32,
    /// The timeout, back-off included.
    current: Duration,
}

impl Rto {
    pub(crate) fn new(config: &Arc<Config>) -> Self {
        let timeout = config.rto.initial;
        let current = timeout.min(config.rto.max);
        let config = Arc::clone(config);
        Self { config, smoothed: None, timeout, expiries: 0, current }
    }

    /// A round-trip time of a segment that was sent once. It ends any back-off (RFC 6298 §5,
    /// Karn's algorithm).
    pub(crate) fn sample(&mut self, rtt: Duration) {
        let tick = self.config.rto.tick;
        let rtt = rtt.round_to(tick).as_nanos().max(tick.as_nanos());
        // RFC 6298 equations 2.2 and 2.3.
        let (srtt8, rttvar4) = match self.smoothed {
            None => (rtt * 8, rtt * 2),
            Some((srtt8, rttvar4)) => {
                let error = rtt.abs_diff(srtt8 / 8);
                (srtt8 - srtt8 / 8 + rtt, rttvar4 - rttvar4 / 4 + error)
            }
        };
        self.smoothed = Some((srtt8, rttvar4));
        let timeout = srtt8 / 8 + rttvar4.max(tick.as_nanos());
        // The minimum holds before back-off, as in ns-2.
        self.start_anew(Duration::from_nanos(timeout).max(self.config.rto.min));
    }

    /// The timer had run out too early: a segment took `rtt` and was not lost. RFC 4015 §3.2 step
    /// 9: no less than that is expected from now on.
    pub(crate) fn grow_patient(&mut self, rtt: Duration) {
        let rtt = rtt.as_nanos();
        let (srtt8, rttvar4) = self.smoothed.unwrap_or((0, 0));
        let (srtt8, rttvar4) = (srtt8.max(rtt * 8), rttvar4.max(rtt * 2));
        self.smoothed = Some((srtt8, rttvar4));
        self.start_anew(Duration::from_nanos(srtt8 / 8 + rttvar4).max(self.config.rto.min));
    }

    /// The SYN was lost: data start with 3 s, or what is configured above that (RFC 6298 §5.7).
    pub(crate) fn restart_after_lost_syn(&mut self) {
        self.start_anew(self.config.rto.initial.max(Duration::from_secs(3)));
    }

    /// The timer ran out: wait longer.
    pub(crate) fn back_off(&mut self) {
        self.expiries = self.expiries.saturating_add(1);
        self.current = match self.config.rto.back_off {
            BackOff::Exponential => self.doubled(self.expiries),
            BackOff::Constant => self.doubled(0),
            BackOff::Linear => {
                let times = u64::from(self.expiries) + 1;
                let nanos = self.timeout.as_nanos().saturating_mul(times);
                Duration::from_nanos(nanos).min(self.config.rto.max)
            }
        };
    }

    /// SRTT.
    pub(crate) fn smoothed(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt8, _)| Duration::from_nanos(srtt8 / 8))
    }

    /// SRTT and RTTVAR.
    pub(crate) fn measured(&self) -> Option<(Duration, Duration)> {
        self.smoothed.map(|(srtt8, rttvar4)| {
            (Duration::from_nanos(srtt8 / 8), Duration::from_nanos(rttvar4 / 4))
        })
    }

    /// Begins with what another connection measured (RFC 9040 §6).
    pub(crate) fn inherit(&mut self, srtt: Duration, rttvar: Duration) {
        let (srtt8, rttvar4) = (srtt.as_nanos() * 8, rttvar.as_nanos() * 4);
        self.smoothed = Some((srtt8, rttvar4));
        let timeout = srtt8 / 8 + rttvar4.max(self.config.rto.tick.as_nanos());
        self.start_anew(Duration::from_nanos(timeout).max(self.config.rto.min));
    }

    /// The timeout, back-off included.
    pub(crate) const fn current(&self) -> Duration {
        self.current
    }

    /// The timeout doubled `times` times, whatever the back-off: for zero-window probes.
    pub(crate) fn doubled(&self, times: u32) -> Duration {
        self.timeout.doubled(times, self.config.rto.max)
    }

    /// True after `retransmissions` timeouts in a row if that is too many.
    pub(crate) fn is_hopeless(&self, retransmissions: u32) -> bool {
        self.config.rto.max_retransmissions.is_some_and(|limit| retransmissions > limit)
    }

    fn start_anew(&mut self, timeout: Duration) {
        self.timeout = timeout;
        self.expiries = 0;
        self.current = self.doubled(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RtoConfig;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn rto(tick: u64, min: u64) -> Rto {
        let rto = RtoConfig {
            tick: millis(tick),
            min: millis(min),
            max: millis(60_000),
            initial: millis(3_000),
            back_off: BackOff::Exponential,
            max_retransmissions: Some(2),
        };
        Rto::new(&Arc::new(Config { rto, ..Config::PLAIN }))
    }

    #[test]
    fn follows_the_samples() {
        let check = |tick, min, samples: &[u64], expect| {
            let mut rto = rto(tick, min);
            for &sample in samples {
                rto.sample(millis(sample));
            }
            assert_eq!(rto.current(), millis(expect), "tick {tick}, min {min}, {samples:?}");
        };
        check(0, 0, &[], 3_000);
        // RFC 6298 2.2: 0.5 + 4 · 0.25.
        check(0, 0, &[500], 1_500);
        // 2.3: srtt 0.55, rttvar 0.75 · 0.25 + 0.25 · 0.4.
        check(0, 0, &[500, 900], 1_700);
        check(0, 1_000, &[100], 1_000);
        // A constant round-trip time of 80 ms: the variation dies out, a tick remains.
        check(10, 0, &[80; 60], 90);
        // Rounded to the nearest tick, at least one.
        check(100, 0, &[149], 300);
        check(100, 0, &[150], 600);
        check(100, 0, &[1], 300);
    }

    #[test]
    fn backs_off_until_a_sample_comes() {
        let mut rto = rto(0, 1_000);
        rto.sample(millis(100));
        let mut seen = Vec::new();
        for _ in 0..8 {
            seen.push(rto.current().as_nanos() / 1_000_000_000);
            rto.back_off();
        }
        assert_eq!(seen, [1, 2, 4, 8, 16, 32, 60, 60]);
        rto.sample(millis(100));
        assert_eq!(rto.current(), millis(1_000));
        assert!(!rto.is_hopeless(2) && rto.is_hopeless(3));
    }

    #[test]
    fn absurd_times_do_not_overflow() {
        let mut rto = rto(10, 200);
        let year = Duration::from_secs(365 * 86_400);
        rto.sample(year * 10);
        (0..100).for_each(|_| rto.back_off());
        assert_eq!(rto.current(), millis(60_000));
        assert_eq!(rto.doubled(u32::MAX), millis(60_000));
    }
}
