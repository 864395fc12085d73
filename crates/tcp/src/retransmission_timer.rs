//! The retransmission timer (RFC 6298): how long it waits, and until when.

use std::sync::Arc;

use base::{Duration, Time};
use settings::words;

use crate::{Config, RttSampling, timestamps};

words! {
    /// How the retransmission timeout grows with each timeout in a row.
    pub enum BackOff {
        /// It doubles (RFC 6298 §5.5).
        Exponential = "exponential",
        /// It grows linearly: 1, 2, 3, … times the first.
        Linear = "linear",
        /// Not at all.
        Constant = "constant",
    }
}

/// After so many timeouts in a row, earlier measurements are discarded (RFC 6298 §5 allows it; four
/// as in BSD and ns-2).
const BOGUS: u32 = 4;

/// Smoothed round-trip time, its variation, the timeout that follows from them, and the timer that
/// it is for.
#[derive(Debug)]
pub(crate) struct RetransmissionTimer {
    config: Arc<Config>,
    /// What times are counted in, in nanoseconds: a tick, or one.
    unit: u64,
    /// Eight times SRTT and four times RTTVAR in whole units, so that their gains of 1/8 and 1/4
    /// are shifts (Jacobson 1988, appendix A); `None` before the first sample.
    smoothed: Option<(u64, u64)>,
    /// The timeout before back-off.
    timeout: Duration,
    /// How often it ran out in a row.
    expiries: u32,
    /// The timeout, back-off included.
    current: Duration,
    /// When the timer runs out.
    deadline: Option<Time>,
    /// How often it did since something new was acknowledged.
    timeouts: u32,
    /// The segment being timed, where one is timed at a time.
    timed: Option<Timed>,
}

#[derive(Clone, Copy, Debug)]
struct Timed {
    end: u64,
    sent: Time,
}

impl RetransmissionTimer {
    pub(crate) fn new(config: &Arc<Config>) -> Self {
        let timeout = config.initial_rto;
        let current = timeout.min(config.max_rto);
        let config = Arc::clone(config);
        let unit = config.tick.as_nanos().max(1);
        Self {
            config,
            unit,
            smoothed: None,
            timeout,
            expiries: 0,
            current,
            deadline: None,
            timeouts: 0,
            timed: None,
        }
    }

    /// Begins anew, with nothing measured.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(&Arc::clone(&self.config));
    }

    /// When the timer runs out.
    pub(crate) const fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// A segment leaves: the timer starts unless it runs (RFC 6298 §5.1).
    pub(crate) fn start(&mut self, now: Time) {
        if self.deadline.is_none() {
            self.restart(now);
        }
    }

    /// The timer starts anew.
    pub(crate) fn restart(&mut self, now: Time) {
        self.deadline = Some(now + self.current);
    }

    /// Nothing waits for it.
    pub(crate) const fn stop(&mut self) {
        self.deadline = None;
    }

    /// The timer ran out: it stops, and will wait longer.
    pub(crate) fn run_out(&mut self) {
        self.stop();
        self.timeouts += 1;
        self.back_off();
    }

    /// Something new was acknowledged, or the timeouts have another reason.
    pub(crate) const fn forgive(&mut self) {
        self.timeouts = 0;
    }

    /// True if it ran out too often in a row.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.gives_up_after(self.timeouts)
    }

    /// New data up to `end` leave.
    #[inline]
    pub(crate) fn time(&mut self, now: Time, end: u64) {
        if self.config.rtt_sampling == RttSampling::OnePerWindow {
            self.timed.get_or_insert(Timed { end, sent: now });
        }
    }

    /// The segment being timed may be sent again (Karn's algorithm).
    pub(crate) const fn stop_timing(&mut self) {
        self.timed = None;
    }

    fn take_timed(&mut self, una: u64) -> Option<Timed> {
        self.timed.take_if(|timed| timed.end <= una)
    }

    /// Everything below `una` was acknowledged: `rtt` is the round-trip time of its newest segment,
    /// `echo` this side's clock as it is echoed.
    pub(crate) fn on_ack(&mut self, now: Time, una: u64, rtt: Option<Duration>, echo: Option<u32>) {
        let sample = match self.config.rtt_sampling {
            // RFC 7323 §4.1: an echo identifies the transmission, even of a retransmitted segment.
            RttSampling::EverySegment => {
                rtt.or_else(|| echo.and_then(|echo| timestamps::since(now, echo)))
            }
            RttSampling::OnePerWindow => self.take_timed(una).map(|timed| now - timed.sent),
        };
        if let Some(rtt) = sample {
            self.sample(now, rtt);
        }
    }

    /// ns-2's Fack, on an acknowledgement of everything below `una`: the timeout follows from the
    /// `age` of a segment, and only what was sent once ends a back-off.
    pub(crate) fn on_age(&mut self, now: Time, una: u64, age: Duration) {
        if self.take_timed(una).is_some() {
            self.end_back_off();
        }
        self.measure(now, age);
    }

    /// A round-trip time, ending `now`, of a segment that was sent once. It ends any back-off
    /// (RFC 6298 §5, Karn's algorithm).
    pub(crate) fn sample(&mut self, now: Time, rtt: Duration) {
        self.measure(now, rtt);
        self.end_back_off();
    }

    /// A round-trip time, ending `now`, that may belong to another transmission; it ends no
    /// back-off.
    fn measure(&mut self, now: Time, rtt: Duration) {
        let rtt = self.units_passed(now, rtt);
        // RFC 6298 equations 2.2 and 2.3.
        let (srtt8, rttvar4) = match self.smoothed.filter(|_| self.expiries < BOGUS) {
            None => (rtt * 8, rtt * 2),
            Some((srtt8, rttvar4)) => {
                let error = rtt.abs_diff(srtt8 / 8);
                (srtt8 - srtt8 / 8 + rtt, rttvar4 - rttvar4 / 4 + error)
            }
        };
        self.expect(srtt8, rttvar4);
    }

    /// What was sent once was acknowledged.
    fn end_back_off(&mut self) {
        self.back_off_by(0);
    }

    /// How often the clock ticked in the last `rtt`, at least once.
    fn units_passed(&self, now: Time, rtt: Duration) -> u64 {
        let (now, rtt) = (now.as_nanos(), rtt.as_nanos());
        (now / self.unit - now.saturating_sub(rtt) / self.unit).max(1)
    }

    fn expect(&mut self, srtt8: u64, rttvar4: u64) {
        self.smoothed = Some((srtt8, rttvar4));
        // RFC 6298 equation 2.3, with a unit for G. The minimum holds before back-off, as in ns-2.
        let timeout = self.units(srtt8 / 8 + rttvar4.max(1));
        self.timeout = timeout.max(self.config.min_rto);
        self.back_off_by(self.expiries);
    }

    const fn units(&self, count: u64) -> Duration {
        Duration::from_nanos(count * self.unit)
    }

    /// The timer had run out too early: a segment took `rtt` and was not lost. RFC 4015 §3.2 step
    /// 9: the timeout is no shorter than that from now on.
    pub(crate) fn grow_patient(&mut self, rtt: Duration) {
        let rtt = rtt.as_nanos().div_ceil(self.unit);
        let (srtt8, rttvar4) = self.smoothed.unwrap_or((0, 0));
        self.expect(srtt8.max(rtt * 8), rttvar4.max(rtt * 2));
        self.end_back_off();
    }

    /// The SYN was lost: data start with 3 s, or what is configured above that (RFC 6298 §5.7).
    pub(crate) fn restart_after_lost_syn(&mut self) {
        self.timeout = self.config.initial_rto.max(Duration::from_secs(3));
        self.end_back_off();
    }

    /// Wait longer.
    pub(crate) fn back_off(&mut self) {
        self.back_off_by(self.expiries.saturating_add(1));
    }

    fn back_off_by(&mut self, expiries: u32) {
        self.expiries = expiries;
        self.current = match self.config.back_off() {
            BackOff::Exponential => self.doubled(expiries),
            BackOff::Constant => self.doubled(0),
            BackOff::Linear => {
                let times = u64::from(expiries) + 1;
                let nanos = self.timeout.as_nanos().saturating_mul(times);
                Duration::from_nanos(nanos).min(self.config.max_rto)
            }
        };
    }

    /// SRTT.
    pub(crate) fn smoothed(&self) -> Option<Duration> {
        self.measured().map(|(srtt, _)| srtt)
    }

    /// SRTT and RTTVAR.
    pub(crate) fn measured(&self) -> Option<(Duration, Duration)> {
        self.smoothed.map(|(srtt8, rttvar4)| {
            (
                Duration::from_nanos(srtt8 * self.unit / 8),
                Duration::from_nanos(rttvar4 * self.unit / 4),
            )
        })
    }

    /// Begins with what another connection measured (RFC 9040 §6).
    pub(crate) fn inherit(&mut self, srtt: Duration, rttvar: Duration) {
        self.expect(srtt.as_nanos() * 8 / self.unit, rttvar.as_nanos() * 4 / self.unit);
    }

    /// The timeout, back-off included.
    pub(crate) const fn current(&self) -> Duration {
        self.current
    }

    /// The timeout doubled `times` times, whatever the back-off: for zero-window probes.
    pub(crate) fn doubled(&self, times: u32) -> Duration {
        self.timeout.doubled(times, self.config.max_rto)
    }

    /// True after `retransmissions` timeouts in a row if that is too many.
    pub(crate) fn gives_up_after(&self, retransmissions: u32) -> bool {
        self.config.max_retransmissions.is_some_and(|limit| retransmissions > limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn rto(tick: u64, min: u64) -> RetransmissionTimer {
        RetransmissionTimer::new(&Arc::new(Config {
            tick: millis(tick),
            min_rto: millis(min),
            max_retransmissions: Some(2),
            ..Config::plain()
        }))
    }

    #[test]
    fn follows_the_samples() {
        let check = |tick, min, samples: &[u64], expect| {
            let mut rto = rto(tick, min);
            let mut now = Time::ZERO;
            for &sample in samples {
                now += millis(sample);
                rto.sample(now, millis(sample));
            }
            assert_eq!(rto.current(), millis(expect), "tick {tick}, min {min}, {samples:?}");
        };
        check(0, 0, &[], 3_000);
        // RFC 6298 2.2: 0.5 + 4 · 0.25.
        check(0, 0, &[500], 1_500);
        // 2.3: srtt 0.55, rttvar 0.75 · 0.25 + 0.25 · 0.4.
        check(0, 0, &[500, 900], 1_700);
        check(0, 1_000, &[100], 1_000);
    }

    /// Round-trip times in ticks, and the timeouts that ns-2.35 draws from them.
    #[test]
    fn counts_whole_ticks() {
        let mut rto = rto(10, 0);
        let mut now = Time::ZERO;
        for (rtt, expect) in
            [(12, 36), (17, 35), (16, 35), (17, 34), (33, 52), (66, 99), (113, 182), (166, 295)]
        {
            now += millis(10 * rtt);
            rto.sample(now, millis(10 * rtt));
            assert_eq!(rto.current(), millis(10 * expect), "{rtt} ticks");
        }
        // The last three quarters of a tick and less of the variation stay.
        for _ in 0..60 {
            now += millis(80);
            rto.sample(now, millis(80));
        }
        assert_eq!(rto.current(), millis(110));
    }

    #[test]
    fn counts_how_often_the_clock_ticked() {
        let check = |now, rtt, expect| {
            let mut rto = rto(100, 0);
            rto.sample(Time::ZERO + millis(now), millis(rtt));
            assert_eq!(rto.current(), millis(expect), "{rtt} ms until {now} ms");
        };
        check(1_199, 199, 300);
        check(1_200, 101, 600);
        check(1_201, 102, 600);
        check(1_001, 2, 300);
        // At least one.
        check(1_099, 99, 300);
    }

    #[test]
    fn four_timeouts_in_a_row_make_the_next_sample_the_first() {
        let check = |timeouts, expect| {
            let mut rto = rto(0, 0);
            rto.sample(Time::ZERO + millis(100), millis(100));
            (0..timeouts).for_each(|_| rto.back_off());
            rto.sample(Time::ZERO + millis(1_000), millis(900));
            assert_eq!(rto.current(), millis(expect), "{timeouts} timeouts");
        };
        check(3, 1_150);
        check(4, 2_700);
    }

    #[test]
    fn backs_off_until_a_sample_comes() {
        let mut rto = rto(0, 1_000);
        rto.sample(Time::ZERO + millis(100), millis(100));
        let mut seen = Vec::new();
        for _ in 0..8 {
            seen.push(rto.current().as_nanos() / 1_000_000_000);
            rto.back_off();
        }
        assert_eq!(seen, [1, 2, 4, 8, 16, 32, 60, 60]);
        rto.sample(Time::ZERO + millis(100), millis(100));
        assert_eq!(rto.current(), millis(1_000));
        assert!(!rto.gives_up_after(2) && rto.gives_up_after(3));
    }

    #[test]
    fn absurd_times_do_not_overflow() {
        let mut rto = rto(10, 200);
        let year = Duration::from_secs(365 * 86_400);
        rto.sample(Time::ZERO + year * 10, year * 10);
        (0..100).for_each(|_| rto.back_off());
        assert_eq!(rto.current(), millis(60_000));
        assert_eq!(rto.doubled(u32::MAX), millis(60_000));
    }
}
