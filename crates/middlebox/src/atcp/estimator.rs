//! How much may be in flight to a mobile: the bandwidth-delay product of its radio, known or
//! estimated (§IV.C; §IX leaves the estimates of Vegas and Westwood for the future).
//!
//! * *static*: what is configured, as in the paper;
//! * *Vegas*: once a round trip, of cwnd bytes in flight cwnd·(1 − base/rtt) wait in the network;
//!   below α segments the window grows by one, above β it shrinks by one (Brakmo, Peterson 1995);
//! * *Westwood*: once a round trip, rate × shortest round-trip time × headroom, where the rate is
//!   what arrived in that time, smoothed twice by 1/8 (Westwood+ in Linux);
//! * *radio*: reported rate × usual round-trip time × headroom.
//!
//! Only round trips in which the window was in the way tell anything: a rate that the senders
//! limit is not the radio's. The window is never below two segments, or delayed acknowledgements
//! would stop it, and never above half the budget.

use base::{Duration, Rate, Time};

use super::config::{AtcpConfig, Estimation};

/// α and β in segments: what TCP Vegas keeps waiting.
const ALPHA: f64 = 1.0;
const BETA: f64 = 3.0;

/// One estimator for all flows of a mobile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimator {
    clamp: u64,
    /// When this round trip began.
    since: Option<Time>,
    /// Bytes that arrived in it.
    arrived: u64,
    /// True if the window was in the way.
    limited: bool,
    /// The shortest round-trip time of this round trip.
    shortest: Option<Duration>,
    /// Westwood's rate in bytes/s, smoothed once and twice.
    rate: Option<(f64, f64)>,
}

/// What an acknowledgement tells of a round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub(super) bytes: u64,
    pub(super) rtt: Option<Duration>,
    /// True if the window was in the way of more.
    pub(super) limited: bool,
    pub(super) smoothed: Duration,
    pub(super) least: Duration,
    pub(super) mss: u64,
}

impl Estimator {
    pub(super) const fn new(config: &AtcpConfig) -> Self {
        Self {
            clamp: config.clamp,
            since: None,
            arrived: 0,
            limited: false,
            shortest: None,
            rate: None,
        }
    }

    /// In bytes.
    pub(super) const fn clamp(&self) -> u64 {
        self.clamp
    }

    /// Packets arrived.
    pub(super) fn on_arrival(&mut self, now: Time, config: &AtcpConfig, arrived: &Arrived) {
        match config.estimator {
            Estimation::Static | Estimation::Radio => return,
            Estimation::Vegas | Estimation::Westwood => {}
        }
        self.limited |= arrived.limited;
        self.shortest = match (self.shortest, arrived.rtt) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let since = *self.since.get_or_insert(now);
        let elapsed = now - since;
        if elapsed > Duration::ZERO {
            self.arrived += arrived.bytes;
        }
        if elapsed < arrived.smoothed {
            return;
        }
        if self.limited {
            let clamp = match config.estimator {
                Estimation::Vegas => self.vegas(arrived),
                Estimation::Westwood => self.westwood(elapsed, config.headroom, arrived),
                Estimation::Static | Estimation::Radio => self.clamp,
            };
            self.set(clamp, config, arrived.mss);
        }
        (self.since, self.arrived, self.limited) = (Some(now), 0, false);
        self.shortest = None;
    }

    /// The radio says what it carries; while nothing gets through, the window stays: the timer sees
    /// to that.
    pub(super) fn on_report(&mut self, rate: Option<Rate>, config: &AtcpConfig, mss: u64) {
        if let (Estimation::Radio, Some(rate)) = (config.estimator, rate) {
            let bytes = rate.bytes_in(config.round_trip) as f64 * config.headroom;
            self.set(bytes as u64, config, mss);
        }
    }

    /// Nothing arrived for long: what was measured of this round trip is worth nothing.
    pub(super) const fn interrupt(&mut self) {
        self.since = None;
        self.arrived = 0;
        self.limited = false;
        self.shortest = None;
    }

    fn set(&mut self, clamp: u64, config: &AtcpConfig, mss: u64) {
        let least = 2 * mss;
        self.clamp = clamp.clamp(least, (config.budget / 2).max(least));
    }

    fn vegas(&self, arrived: &Arrived) -> u64 {
        let Some(rtt) = self.shortest else { return self.clamp };
        let waits = self.clamp as f64 * (1.0 - arrived.least.as_secs_f64() / rtt.as_secs_f64());
        let segments = waits / arrived.mss as f64;
        if segments < ALPHA {
            self.clamp + arrived.mss
        } else if segments > BETA {
            self.clamp.saturating_sub(arrived.mss)
        } else {
            self.clamp
        }
    }

    fn westwood(&mut self, elapsed: Duration, headroom: f64, arrived: &Arrived) -> u64 {
        let sample = self.arrived as f64 / elapsed.as_secs_f64();
        let (once, twice) = match self.rate {
            None => (sample, sample),
            Some((once, twice)) => {
                let once = once + (sample - once) / 8.0;
                (once, twice + (once - twice) / 8.0)
            }
        };
        self.rate = Some((once, twice));
        (twice * arrived.least.as_secs_f64() * headroom) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atcp::tests::config;

    const MSS: u64 = 1_000;

    /// `rounds` round trips of `rtt` in which `rate` bytes/s arrive, through a radio with a
    /// shortest round-trip time of a second.
    fn after(estimation: Estimation, clamp: u64, rtt: u64, rate: u64, rounds: u64) -> u64 {
        let config = AtcpConfig { estimator: estimation, clamp, headroom: 1.3, ..config() };
        let mut estimator = Estimator::new(&config);
        let least = Duration::from_millis(1_000);
        let smoothed = Duration::from_millis(rtt);
        let steps = rounds * 10;
        for step in 0..=steps {
            let now = Time::ZERO + smoothed * step / 10;
            let bytes = rate * rtt / 10_000;
            let (rtt, limited, mss) = (Some(smoothed), true, MSS);
            let arrived = Arrived { bytes, rtt, limited, smoothed, least, mss };
            estimator.on_arrival(now, &config, &arrived);
        }
        estimator.clamp()
    }

    #[test]
    fn what_each_makes_of_a_round_trip() {
        let check = |estimation, clamp, rtt, rate, rounds, expect| {
            let clamp_after = after(estimation, clamp, rtt, rate, rounds);
            let text = format!("{estimation:?} {clamp} B, {rtt} ms, {rate} B/s, {rounds} rounds");
            assert_eq!(clamp_after, expect, "{text}");
        };
        check(Estimation::Static, 10_000, 5_000, 100, 9, 10_000);
        // 10,000·(1 − 1/1.05) = 476 bytes wait: less than one segment.
        check(Estimation::Vegas, 10_000, 1_050, 4_000, 1, 11_000);
        check(Estimation::Vegas, 10_000, 1_050, 4_000, 3, 13_000);
        // 2000 bytes wait.
        check(Estimation::Vegas, 10_000, 1_250, 4_000, 5, 10_000);
        // 5000 bytes wait.
        check(Estimation::Vegas, 10_000, 2_000, 4_000, 1, 9_000);
        check(Estimation::Vegas, 3_000, 9_000, 4_000, 9, 3_000);
        // 4000 B/s · 1 s · 1.3.
        check(Estimation::Westwood, 10_000, 2_000, 4_000, 1, 5_200);
        check(Estimation::Westwood, 10_000, 2_000, 100, 1, 2 * MSS);
        check(Estimation::Westwood, 10_000, 2_000, 10_000_000, 1, config().budget / 2);
        check(Estimation::Radio, 10_000, 2_000, 4_000, 9, 10_000);
    }

    #[test]
    fn what_senders_limit_tells_nothing() {
        for estimator in [Estimation::Vegas, Estimation::Westwood] {
            let config = AtcpConfig { estimator, clamp: 10_000, ..config() };
            let mut estimator = Estimator::new(&config);
            let second = Duration::from_secs(1);
            for step in 0..100 {
                let (bytes, rtt, limited, mss) = (100, Some(second), false, MSS);
                let (smoothed, least) = (second, second);
                let arrived = Arrived { bytes, rtt, limited, smoothed, least, mss };
                estimator.on_arrival(Time::ZERO + second * step, &config, &arrived);
            }
            assert_eq!(estimator.clamp(), 10_000);
        }
    }

    #[test]
    fn the_radio_is_believed_where_it_is_asked() {
        let rate = Rate::from_bps(40_000);
        let check = |estimator, report, expect| {
            let round_trip = Duration::from_millis(1_500);
            let config =
                AtcpConfig { estimator, round_trip, headroom: 1.2, clamp: 7_000, ..config() };
            let mut estimator = Estimator::new(&config);
            estimator.on_report(report, &config, MSS);
            assert_eq!(estimator.clamp(), expect);
        };
        // 5000 B/s · 1.5 s · 1.2.
        check(Estimation::Radio, Some(rate), 9_000);
        check(Estimation::Radio, None, 7_000);
        check(Estimation::Static, Some(rate), 7_000);
    }
}
