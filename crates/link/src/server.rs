//! How fast a link sends: at rates over time, or when its trace could.

use base::{Duration, Rate, Schedule, Time};

use crate::trace::Cursor;
use crate::{Counters, OPPORTUNITY_BYTES, Trace};

/// How fast a link sends.
#[derive(Clone, PartialEq, Debug)]
pub enum Service {
    /// At this rate; `None` if sending takes no time.
    Rate(Schedule<Option<Rate>>),
    /// When a recorded link could.
    Trace(Trace),
}

/// The state of a [`Service`].
#[derive(Debug)]
pub(crate) enum Server {
    Rate(RateServer),
    Trace(Cursor),
}

impl Server {
    pub(crate) fn new(service: &Service) -> Self {
        match service {
            Service::Rate(rate) => Self::Rate(RateServer::new(rate.clone())),
            Service::Trace(trace) => Self::Trace(Cursor::new(trace.clone())),
        }
    }

    /// At `rate`, after a packet that left `remainder` in bit·ns/s.
    pub(crate) fn of_rate(rate: Option<Rate>, remainder: u64) -> Self {
        let server = RateServer::new(rate.into());
        Self::Rate(RateServer { remainder: remainder.into(), ..server })
    }

    /// When the last of `bytes` of a packet leaves that came at `since` and is sent from `start`
    /// on. `start` never goes back in time.
    pub(crate) fn transmit(&mut self, since: Time, start: Time, bytes: u32) -> Time {
        match self {
            Self::Rate(server) => server.transmit(start, bytes),
            Self::Trace(cursor) => cursor.transmit(since, start, bytes),
        }
    }

    /// From `now` on the rates are those of `service`. Returns when the last packet leaves that
    /// would have left at `departs`, if that is not before `now`. A trace stays as it is.
    pub(crate) fn change(&mut self, now: Time, departs: Time, service: &Service) -> Time {
        match (self, service) {
            (Self::Rate(server), Service::Rate(rate)) => server.change(now, departs, rate),
            (Self::Rate(_) | Self::Trace(_), Service::Rate(_) | Service::Trace(_)) => departs,
        }
    }

    /// The delay that was recorded of what leaves at `time`.
    pub(crate) fn delay(&self, time: Time) -> Duration {
        match self {
            Self::Rate(_) => Duration::ZERO,
            Self::Trace(cursor) => cursor.trace().delay(time),
        }
    }

    /// The rate at `time`, or the mean of the trace; `None` if sending takes no time.
    pub(crate) fn rate(&self, time: Time) -> Option<Rate> {
        match self {
            Self::Rate(server) => server.rate.at(time),
            Self::Trace(cursor) => Some(cursor.trace().mean_rate()),
        }
    }

    /// Whether sending never takes time.
    pub(crate) fn is_unlimited(&self) -> bool {
        match self {
            Self::Rate(server) => server.rate.values().flatten().next().is_none(),
            Self::Trace(_) => false,
        }
    }

    /// What it could carry from each of these times on, up to `until`, in bit/s: its rate where
    /// that changes; of a trace the mean over each `step`. `None` is without limit.
    pub(crate) fn capacity(&self, until: Time, step: Duration) -> Vec<(Time, Option<u64>)> {
        match self {
            Self::Rate(server) => {
                let bps = |time| (time, server.rate.at(time).map(Rate::as_bps));
                let changes = std::iter::once(Time::ZERO).chain(server.rate.changes());
                let mut rates: Vec<_> = changes.take_while(|&time| time < until).map(bps).collect();
                rates.dedup_by_key(|(_, rate)| *rate);
                rates
            }
            Self::Trace(cursor) => {
                let trace = cursor.trace();
                let count = until.saturating_since(Time::ZERO).as_nanos().div_ceil(step.as_nanos());
                let starts = (0..count).map(|index| Time::ZERO + step * index);
                starts.map(|start| (start, Some(trace.bps(start, step)))).collect()
            }
        }
    }

    /// The share of time, or of the trace's opportunities, that was in use by `now`; `None` where
    /// sending never takes time. `sent` bytes have left.
    pub(crate) fn utilization(&self, now: Time, counters: &Counters, sent: u64) -> Option<f64> {
        if self.is_unlimited() {
            return None;
        }
        let (used, whole) = match self {
            Self::Rate(_) => (counters.busy.as_secs_f64(), now.as_secs_f64()),
            Self::Trace(cursor) => {
                let bytes = cursor.trace().opportunities(now) * u64::from(OPPORTUNITY_BYTES);
                (sent as f64, bytes as f64)
            }
        };
        // Bursts may get more than a saturated link.
        (whole > 0.0).then(|| (used / whole).min(1.0))
    }
}

/// Sends at a rate that changes over time, in the middle of a packet too, and keeps the fraction
/// of a nanosecond that is left.
#[derive(Debug)]
pub(crate) struct RateServer {
    rate: Schedule<Option<Rate>>,
    /// Unpaid bit·ns/s.
    remainder: u128,
    /// When a packet left last without limit, and what would have been left of it in bit·ns/s.
    spared: (Time, u128),
}

impl RateServer {
    const fn new(rate: Schedule<Option<Rate>>) -> Self {
        Self { rate, remainder: 0, spared: (Time::ZERO, 0) }
    }

    fn transmit(&mut self, start: Time, bytes: u32) -> Time {
        self.finish(start, u128::from(bytes) * 8_000_000_000 + self.remainder)
    }

    /// Does what is left at `now` of the packet that would leave at `departs` at the new rates.
    fn change(&mut self, now: Time, departs: Time, rate: &Schedule<Option<Rate>>) -> Time {
        if departs < now {
            self.rate = rate.clone();
            return departs;
        }
        let (mut work, mut from) = (self.remainder, now);
        while from < departs {
            let (rate, until) = self.rate.span(from);
            let until = until.map_or(departs, |until| until.min(departs));
            let bps = rate.map_or(0, |rate| u128::from(rate.as_bps()));
            work += bps * u128::from((until - from).as_nanos());
            from = until;
        }
        if self.spared.0 == departs {
            work += self.spared.1;
        }
        self.rate = rate.clone();
        self.finish(now, work)
    }

    /// When `work` in bit·ns/s is done that begins at `now`.
    fn finish(&mut self, mut now: Time, mut work: u128) -> Time {
        loop {
            let (rate, until) = self.rate.span(now);
            let Some(rate) = rate.map(|rate| u128::from(rate.as_bps())) else {
                self.remainder = 0;
                self.spared = (now, work);
                return now;
            };
            match until {
                Some(until) if rate * u128::from((until - now).as_nanos()) < work => {
                    work -= rate * u128::from((until - now).as_nanos());
                    now = until;
                }
                Some(_) | None => {
                    self.remainder = work % rate;
                    return now + Duration::from_nanos((work / rate) as u64);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use base::Transmitter;
    use proptest::prelude::*;

    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// 1 kB/s, from 100 ms on 4 kB/s, from 200 ms on without limit.
    fn server() -> RateServer {
        let steps = vec![(at(100), Some(Rate::from_bps(32_000))), (at(200), None)];
        RateServer::new(Schedule::new(Some(Rate::from_bps(8_000)), steps))
    }

    #[test]
    fn a_rate_changes_in_the_middle_of_a_packet() {
        let check = |start, bytes, expect| {
            assert_eq!(server().transmit(at(start), bytes), at(expect), "{bytes} B at {start} ms");
        };
        check(0, 100, 100);
        check(0, 104, 101);
        check(50, 50, 100);
        check(50, 90, 110);
        check(90, 10 + 400, 200);
        check(90, 10 + 400 + 9999, 200);
        check(300, 1_000_000, 300);
    }

    proptest! {
        /// A step that changes nothing has no effect: the remainder is kept across it.
        #[test]
        fn a_schedule_of_one_rate_is_that_rate(
            bps in 1_000_u64..1_000_000,
            steps in prop::collection::vec(1_u64..1_000, 0..9),
            packets in prop::collection::vec(1_u32..2_000, 1..50),
        ) {
            let rate = Rate::from_bps(bps);
            let (mut plain, mut time) = (Transmitter::new(rate), Time::ZERO);
            let mut steps: Vec<_> = steps.iter().map(|&ms| (at(ms), Some(rate))).collect();
            steps.sort_unstable_by_key(|step| step.0);
            let mut server = RateServer::new(Schedule::new(Some(rate), steps));
            for bytes in packets {
                let expect = time + plain.transmit(bytes);
                time = server.transmit(time, bytes);
                prop_assert_eq!(time, expect);
            }
        }
    }
}
