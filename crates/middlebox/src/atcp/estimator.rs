//! How much may be in flight to a mobile: the bandwidth-delay product of its radio, known or
//! estimated (§IV.C; §IX leaves the estimates for the future).
//!
//! * *static*: what is configured, as in the paper;
//! * *Westwood*: the rate at which packets arrive × the shortest round-trip time, as TCP Westwood
//!   takes it for its window, or the usual one if that is longer;
//! * *radio*: the rate that the radio reports × the usual round-trip time.
//!
//! Only round trips that were limited by the window throughout count: a rate that the senders limit
//! is not that of the radio. A rise counts at once, a fall by half each round trip. (Westwood+
//! smooths twice by 1/8: a window takes minutes to follow.)
//!
//! The shortest round-trip time is that of a SYN-ACK, which takes the radio no time to speak of,
//! and remains when the rate falls; a segment that is being transmitted comes on top. It is too
//! short where the radio repeats blocks or lets acknowledgements wait for a grant: a window that
//! fits it never fills the radio, and so never measures more. The window
//! exceeds both by `headroom`, and by a segment at least: one that is less than a segment above
//! what arrived would send the same amount again, and never find out that the radio carries more.
//! The window is never above half the budget, of which the rest is for what waits.

use base::{Duration, Rate, Time};

use super::config::{AtcpConfig, Estimation};

/// One estimator for all flows of a mobile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimator {
    /// In bytes.
    pub(super) clamp: u64,
    round: Option<Round>,
    /// Bytes/s.
    rate: Option<f64>,
}

/// A round trip that is being measured.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// When it began.
    since: Time,
    /// When something arrived last.
    at: Time,
    /// Bytes that arrived since it began.
    arrived: u64,
    /// True if the window was the limit throughout.
    limited: bool,
}

/// What an acknowledgement adds to a round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub(super) bytes: u64,
    /// True if the window was the limit.
    pub(super) limited: bool,
    pub(super) smoothed: Duration,
    pub(super) least: Duration,
    pub(super) mss: u64,
}

impl Estimator {
    pub(super) const fn new(config: &AtcpConfig) -> Self {
        Self { clamp: config.clamp, round: None, rate: None }
    }

    /// Packets arrived.
    pub(super) fn on_arrival(&mut self, now: Time, config: &AtcpConfig, arrived: &Arrived) {
        match config.estimator {
            Estimation::Static | Estimation::Radio => return,
            Estimation::Westwood => {}
        }
        let Arrived { bytes, limited, smoothed, .. } = *arrived;
        let begun = Round { since: now, at: now, arrived: 0, limited };
        let mut round = self.round.unwrap_or(begun);
        if now > round.at {
            if round.at > round.since && round.at - round.since >= smoothed {
                self.end_round(&round, config, arrived);
                round = Round { since: round.at, at: round.at, arrived: 0, limited: true };
            }
            // Of acknowledgements that come together, the first frees what the others find free.
            round.limited &= limited;
            round.at = now;
        }
        if now > round.since {
            round.arrived += bytes;
        }
        self.round = Some(round);
    }

    /// Fits the window to a round trip, if that tells the rate of the radio.
    fn end_round(&mut self, round: &Round, config: &AtcpConfig, arrived: &Arrived) {
        if !round.limited {
            return;
        }
        let sample = round.arrived as f64 / (round.at - round.since).as_secs_f64();
        let rate = self.rate.map_or(sample, |rate| sample.max(rate.midpoint(sample)));
        self.rate = Some(rate);
        let usual = usual_without_length(rate, config, arrived.mss);
        self.fit(rate, arrived.least.max(usual), config, arrived.mss);
    }

    /// The radio reports its rate. While nothing gets through, the window stays: the timer handles
    /// that.
    pub(super) fn on_report(&mut self, rate: Option<Rate>, config: &AtcpConfig, mss: u64) {
        if let (Estimation::Radio, Some(rate)) = (config.estimator, rate) {
            let rate = rate.as_bps() as f64 / 8.0;
            self.rate = Some(rate);
            self.fit(rate, usual_without_length(rate, config, mss), config, mss);
        }
    }

    /// The rate at which the pipe is known to drain, in bytes/s, and what it takes for a packet
    /// without length.
    pub(super) fn pipe(&self, config: &AtcpConfig, mss: u64) -> (f64, Duration) {
        let rate = self.rate.unwrap_or(config.rate.as_bps() as f64 / 8.0);
        (rate, usual_without_length(rate, config, mss))
    }

    /// The rate of the radio in bytes/s, once it is estimated.
    pub(super) const fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Nothing has arrived for long: discards what was measured of this round trip.
    pub(super) const fn interrupt(&mut self) {
        self.round = None;
    }

    /// Fits the window to `rate` in bytes/s and the round-trip time of a packet without length.
    fn fit(&mut self, rate: f64, shortest: Duration, config: &AtcpConfig, mss: u64) {
        let pipe = rate * shortest.as_secs_f64() + mss as f64;
        let window = (pipe * config.headroom).max(pipe + mss as f64) as u64;
        let least = 2 * mss;
        self.clamp = window.clamp(least, config.widest().max(least));
    }
}

/// The usual round-trip time of a packet without length: that of a segment, less what the radio
/// takes to send it. A radio that is seen to carry `rate` bytes/s, more than what is configured,
/// takes no longer than that.
fn usual_without_length(rate: f64, config: &AtcpConfig, mss: u64) -> Duration {
    let rate = rate.max(config.rate.as_bps() as f64 / 8.0);
    config.round_trip.saturating_sub(Duration::from_secs_f64(mss as f64 / rate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atcp::tests::config;

    const MSS: u64 = 1_000;

    /// The clamp after `rounds` round trips of 2 s in which `rate` bytes/s arrive, through a radio
    /// with a shortest round-trip time of a second; before them, a round trip with each of
    /// `earlier`.
    fn after(estimator: Estimation, earlier: &[u64], rate: u64, limited: bool) -> u64 {
        let round_trip = Duration::from_millis(100);
        let config = AtcpConfig { estimator, clamp: 10_000, headroom: 1.3, round_trip, ..config() };
        let mut estimator = Estimator::new(&config);
        let (least, smoothed) = (Duration::from_secs(1), Duration::from_secs(2));
        let mut now = Time::ZERO;
        // A round trip ends with the first that arrives after it.
        let rounds = earlier.iter().map(|&rate| (rate, true)).chain([(rate, limited)]);
        let steps = rounds.flat_map(|round| [round; 10]).chain([(rate, limited)]);
        estimator.on_arrival(
            now,
            &config,
            &Arrived { bytes: 0, limited: true, smoothed, least, mss: MSS },
        );
        for (rate, limited) in steps {
            now += smoothed / 10;
            let arrived = Arrived { bytes: rate / 5, limited, smoothed, least, mss: MSS };
            estimator.on_arrival(now, &config, &arrived);
        }
        estimator.clamp
    }

    #[test]
    fn what_each_makes_of_a_round_trip() {
        let check = |estimator, earlier: &[u64], rate, expect| {
            let clamp = after(estimator, earlier, rate, true);
            assert_eq!(clamp, expect, "{estimator:?} {earlier:?} {rate} B/s");
        };
        check(Estimation::Static, &[], 100, 10_000);
        check(Estimation::Radio, &[], 4_000, 10_000);
        // 1.3 · (4000 B/s · 1 s + 1000 B).
        check(Estimation::Westwood, &[], 4_000, 6_500);
        // A segment more than 1000 B/s · 1 s + 1000 B.
        check(Estimation::Westwood, &[], 1_000, 3_000);
        check(Estimation::Westwood, &[], 10_000_000, config().budget / 2);
        // A rise counts at once.
        check(Estimation::Westwood, &[2_000], 4_000, 6_500);
        // Half of a fall from 8000 B/s.
        check(Estimation::Westwood, &[8_000], 4_000, 9_100);
    }

    /// Four acknowledgements of 2000 B each come together every 2 s. The first of them alone finds
    /// the window full.
    #[test]
    fn acknowledgements_that_come_together_are_limited_together() {
        let check = |round_trip, least, expect| {
            let (clamp, rate) = (10_000, Rate::from_bps(32_000));
            let estimator = Estimation::Westwood;
            let config =
                AtcpConfig { estimator, clamp, headroom: 1.3, rate, round_trip, ..config() };
            let mut estimator = Estimator::new(&config);
            let smoothed = Duration::from_secs(2);
            for (second, place) in (0..4_u64).flat_map(|second| (0..4).map(move |at| (second, at)))
            {
                let limited = place == 0;
                let arrived = Arrived { bytes: 2_000, limited, smoothed, least, mss: MSS };
                let now = Time::ZERO + Duration::from_secs(2) * second;
                estimator.on_arrival(now, &config, &arrived);
            }
            assert_eq!(estimator.clamp, expect, "{round_trip:?} {least:?}");
        };
        let seconds = Duration::from_secs;
        // 1.3 · (4000 B/s · 1 s + 1000 B).
        check(seconds(0), seconds(1), 6_500);
        // 1.3 · (4000 B/s · (2 s − 1000 B ÷ 4000 B/s) + 1000 B).
        check(seconds(2), seconds(1), 10_400);
    }

    #[test]
    fn what_senders_limit_tells_nothing() {
        assert_eq!(after(Estimation::Westwood, &[], 100, false), 10_000);
        assert_eq!(after(Estimation::Westwood, &[4_000], 100, false), 6_500);
    }

    #[test]
    fn the_radio_is_believed_where_it_is_asked() {
        let rate = Rate::from_bps(40_000);
        let check = |estimator, report, expect| {
            let (rate, round_trip) = (Rate::from_bps(32_000), Duration::from_millis(1_500));
            let config =
                AtcpConfig { estimator, rate, round_trip, headroom: 1.2, clamp: 7_000, ..config() };
            let mut estimator = Estimator::new(&config);
            estimator.on_report(report, &config, MSS);
            assert_eq!(estimator.clamp, expect);
        };
        // 1.2 · (5000 B/s · (1.5 s − 1000 B ÷ 5000 B/s) + 1000 B), though 4000 B/s are configured.
        check(Estimation::Radio, Some(rate), 9_000);
        // A segment more than 2000 B/s · (1.5 s − 1000 B ÷ 4000 B/s) + 1000 B.
        check(Estimation::Radio, Some(Rate::from_bps(16_000)), 4_500);
        check(Estimation::Radio, None, 7_000);
        check(Estimation::Static, Some(rate), 7_000);
    }
}
