//! What is measured of packets that a middlebox does not read, and that wait there for their turn.

use base::{Duration, Time};
use observe::Release;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Distribution;
use crate::series::{Keep, Series};
use crate::statistics::Totals;

/// The end of a packet's wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitRow {
    /// End of the wait.
    pub time: Time,
    /// The mobile that the packet is for.
    pub mobile: u32,
    /// Place of its class among those of the box, if it is in one.
    pub class: Option<u32>,
    /// Bytes with its IP header.
    pub bytes: u32,
    /// From its arrival at the box.
    pub waited: Duration,
    /// Outcome.
    pub release: Release,
}

/// The answer to an echo request of a middlebox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EchoRow {
    /// When it came.
    pub time: Time,
    /// The mobile that answered.
    pub mobile: u32,
    /// From the request to the answer.
    pub rtt: Duration,
}

/// The rate of a mobile's radio, from a time on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateRow {
    /// When it changed.
    pub time: Time,
    /// The mobile.
    pub mobile: u32,
    /// Rate that the middlebox takes it to carry, in bit/s; `None` before the first estimate.
    pub estimate: Option<u64>,
    /// Rate that the radio reports, in bit/s; `None` before the first report.
    pub reported: Option<u64>,
}

/// The running measurements of what waits in a middlebox.
#[derive(Debug)]
pub struct WaitMetrics {
    /// Waits that are over, in order of time.
    pub waits: Series<WaitRow>,
    /// Answers to echo requests, in order of time.
    pub echoes: Series<EchoRow>,
    echo_totals: Totals,
    echoes_sent: u64,
    /// Rates of the radio, as far as a box estimates it, in order of time.
    pub rates: Series<RateRow>,
    /// Packets in no class, then those of each class.
    classes: Vec<ClassMetrics>,
}

/// The packets of a class.
#[derive(Debug)]
struct ClassMetrics {
    packets: u64,
    bytes: u64,
    sent: u64,
    sent_bytes: u64,
    marked: u64,
    late: u64,
    crowded: u64,
    waited: Totals,
    waits: Series<Duration>,
}

impl Default for ClassMetrics {
    fn default() -> Self {
        Self {
            packets: 0,
            bytes: 0,
            sent: 0,
            sent_bytes: 0,
            marked: 0,
            late: 0,
            crowded: 0,
            waited: Totals::default(),
            waits: Series::new(Keep::Sample),
        }
    }
}

impl ClassMetrics {
    fn take(&mut self, more: Self) {
        self.packets += more.packets;
        self.bytes += more.bytes;
        self.sent += more.sent;
        self.sent_bytes += more.sent_bytes;
        self.marked += more.marked;
        self.late += more.late;
        self.crowded += more.crowded;
        self.waited.join(more.waited);
        self.waits.append(more.waits);
    }
}

impl WaitMetrics {
    /// Nothing yet; of each series as much will be held as `keep` says.
    pub(crate) fn new(keep: Keep) -> Self {
        Self {
            waits: Series::new(keep),
            echoes: Series::new(keep),
            echo_totals: Totals::default(),
            echoes_sent: 0,
            rates: Series::new(keep),
            classes: Vec::new(),
        }
    }

    fn class(&mut self, class: Option<u32>) -> &mut ClassMetrics {
        let index = class.map_or(0, |place| place as usize + 1);
        if self.classes.len() <= index {
            self.classes.resize_with(index + 1, ClassMetrics::default);
        }
        &mut self.classes[index]
    }

    /// A packet of `bytes` came to wait.
    pub(crate) fn came(&mut self, class: Option<u32>, bytes: u32) {
        let class = self.class(class);
        class.packets += 1;
        class.bytes += u64::from(bytes);
    }

    /// A packet waits no longer.
    pub(crate) fn went(&mut self, row: WaitRow) {
        self.waits.push(row);
        let class = self.class(row.class);
        match row.release {
            Release::Late => class.late += 1,
            Release::Crowded => class.crowded += 1,
            Release::Sent | Release::Marked => {
                class.marked += u64::from(row.release == Release::Marked);
                class.sent += 1;
                class.sent_bytes += u64::from(row.bytes);
                class.waited.add(row.waited);
                class.waits.push(row.waited);
            }
        }
    }

    /// An echo request was sent.
    pub(crate) const fn asked(&mut self) {
        self.echoes_sent += 1;
    }

    /// An echo request was answered.
    pub(crate) fn answered(&mut self, row: EchoRow) {
        self.echo_totals.add(row.rtt);
        self.echoes.push(row);
    }

    /// Adds those of another part of the network, whose mobiles have their final numbers.
    pub(crate) fn take(&mut self, part: Self) {
        self.waits.append(part.waits);
        self.echoes.append(part.echoes);
        self.echo_totals.join(part.echo_totals);
        self.echoes_sent += part.echoes_sent;
        self.rates.append(part.rates);
        let missing = part.classes.len().saturating_sub(self.classes.len());
        self.classes.extend(std::iter::repeat_with(ClassMetrics::default).take(missing));
        for (class, more) in self.classes.iter_mut().zip(part.classes) {
            class.take(more);
        }
    }

    /// Puts rows of one time in the order of mobiles.
    pub(crate) fn sort(&mut self) {
        self.waits.sort_by_key(|row| (row.time, row.mobile));
        self.echoes.sort_by_key(|row| (row.time, row.mobile));
        self.rates.sort_by_key(|row| (row.time, row.mobile));
    }

    /// Changes the numbers of mobiles.
    pub(crate) fn renumber(&mut self, mobile: impl Fn(u32) -> u32) {
        self.waits.change_each(|row| row.mobile = mobile(row.mobile));
        self.echoes.change_each(|row| row.mobile = mobile(row.mobile));
        self.rates.change_each(|row| row.mobile = mobile(row.mobile));
    }

    /// Each class of a box with these names, and last what is in none; empty if nothing came.
    pub(crate) fn classes(&self, names: &[String]) -> Vec<ClassSummary> {
        if self.classes.is_empty() {
            return Vec::new();
        }
        let none = middlebox::Class::NONE.to_owned();
        let names = names.iter().cloned().zip(1..).chain([(none, 0)]);
        names.map(|(name, index)| ClassSummary::of(name, self.classes.get(index))).collect()
    }

    /// The echo requests, if there were any.
    pub(crate) fn echoes(&self) -> Option<EchoSummary> {
        (self.echoes_sent > 0).then(|| EchoSummary {
            sent: self.echoes_sent,
            rtt_s: Distribution::of_share(
                self.echo_totals,
                self.echoes.sample().iter().map(|row| row.rtt),
            ),
        })
    }
}

/// Packets of a class that a middlebox does not read, and that wait there for their turn.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MiddleboxClass")]
pub struct ClassSummary {
    /// The name of the class; `none` of packets in no class.
    pub name: String,
    /// Packets that came.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets that went on.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Packets of these that were marked (RFC 3168).
    pub marked: u64,
    /// Packets that were dropped since they had waited too long.
    pub late: u64,
    /// Packets that were dropped for want of room.
    pub crowded: u64,
    /// Packets that still wait at the end.
    pub waiting: u64,
    /// Waits of packets that went on.
    pub waited_s: Distribution,
}

impl ClassSummary {
    fn of(name: String, class: Option<&ClassMetrics>) -> Self {
        let nothing = ClassMetrics::default();
        let class = class.unwrap_or(&nothing);
        let ClassMetrics { packets, bytes, sent, sent_bytes, marked, late, crowded, .. } = *class;
        let waiting = packets - sent - late - crowded;
        let waited_s = Distribution::of_share(class.waited, class.waits.sample().iter().copied());
        Self { name, packets, bytes, sent, sent_bytes, marked, late, crowded, waiting, waited_s }
    }
}

/// Echo requests of a middlebox to mobiles. Its samples are those that were answered.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MiddleboxEchoes")]
pub struct EchoSummary {
    /// Echo requests that it sent.
    pub sent: u64,
    /// From a request to its answer, of those that were answered.
    pub rtt_s: Distribution,
}

/// Services of a middlebox to a mobile.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MiddleboxMobile")]
pub struct BoxMobileSummary {
    /// Its number in the tables of the middlebox.
    pub mobile: u32,
    /// Window: bytes that may be in flight to it, weighted by time.
    pub window_bytes: Option<f64>,
    /// The rate that its radio is estimated to carry, weighted by time.
    pub estimate_bps: Option<f64>,
    /// The rate that its radio reports, weighted by time.
    pub reported_bps: Option<f64>,
    /// The share of the time in which something waited for it.
    pub waiting_share: Option<f64>,
    /// Packets for it that the middlebox does not read.
    pub packets: u64,
    /// Packets of these that were dropped.
    pub dropped: u64,
    /// Mean wait of those that went on.
    pub waited_mean_s: Option<f64>,
    /// Echo requests to it.
    pub echoes_sent: u64,
    /// Echo requests of these that it answered.
    pub echoes_answered: u64,
}

/// A value over time, from when it is first known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weighted {
    first: Option<Time>,
    since: Time,
    value: u64,
    /// The sum of values × nanoseconds.
    sum: u128,
}

impl Weighted {
    /// The value from `now` on.
    pub(crate) fn set(&mut self, now: Time, value: u64) {
        self.first.get_or_insert(now);
        self.sum = self.sum_until(now);
        (self.since, self.value) = (now, value);
    }

    fn sum_until(&self, now: Time) -> u128 {
        let span = now.saturating_since(self.since).as_nanos();
        self.sum + u128::from(self.value) * u128::from(span)
    }

    /// The mean up to `end`; `None` if nothing was known before.
    pub(crate) fn mean(&self, end: Time) -> Option<f64> {
        let span = end.saturating_since(self.first?).as_nanos();
        (span > 0).then(|| self.sum_until(end) as f64 / span as f64)
    }
}

/// The running measurements of what a middlebox did for a mobile.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OfMobile {
    pub(crate) window: Weighted,
    pub(crate) estimate: Weighted,
    pub(crate) reported: Weighted,
    /// One while something waits.
    pub(crate) waiting: Weighted,
    pub(crate) packets: u64,
    pub(crate) dropped: u64,
    pub(crate) waited: Totals,
    pub(crate) echoes_sent: u64,
    pub(crate) echoes_answered: u64,
}

impl OfMobile {
    /// A packet waits no longer.
    pub(crate) fn went(&mut self, waited: Duration, release: Release) {
        if release.is_loss() {
            self.dropped += 1;
        } else {
            self.waited.add(waited);
        }
    }

    /// The figures of `mobile`, if packets came for it that the box does not read, or its rate is
    /// estimated.
    pub(crate) fn summary(&self, mobile: u32, end: Time) -> Option<BoxMobileSummary> {
        let estimate_bps = self.estimate.mean(end);
        (self.packets > 0 || estimate_bps.is_some()).then(|| BoxMobileSummary {
            mobile,
            window_bytes: self.window.mean(end),
            estimate_bps,
            reported_bps: self.reported.mean(end),
            waiting_share: self.waiting.mean(end),
            packets: self.packets,
            dropped: self.dropped,
            waited_mean_s: self.waited.mean().map(Duration::as_secs_f64),
            echoes_sent: self.echoes_sent,
            echoes_answered: self.echoes_answered,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn a_value_counts_for_as_long_as_it_lasts() {
        let mut value = Weighted::default();
        assert_eq!(value.mean(at(5)), None, "nothing is known");
        value.set(at(2), 10);
        value.set(at(3), 40);
        value.set(at(3), 20);
        assert_eq!(value.mean(at(6)), Some((10.0 + 3.0 * 20.0) / 4.0));
    }

    /// Of each class came what went, was lost and waits, in one part or in two.
    #[test]
    fn nothing_that_came_is_lost_from_sight() {
        let row = |class, millis, release| WaitRow {
            time: at(9),
            mobile: 0,
            class,
            bytes: 100,
            waited: Duration::from_millis(millis),
            release,
        };
        let ends = [
            row(None, 10, Release::Sent),
            row(None, 30, Release::Marked),
            row(Some(1), 20, Release::Sent),
            row(None, 900, Release::Late),
            row(Some(1), 0, Release::Crowded),
        ];
        let of = |rows: &[WaitRow], still: usize| {
            let mut metrics = WaitMetrics::new(Keep::Sample);
            let waiting = std::iter::repeat_n(None, still);
            let came = rows.iter().map(|row| row.class).chain(waiting);
            for class in came {
                metrics.came(class, 100);
            }
            for &row in rows {
                metrics.went(row);
            }
            metrics
        };
        let names = ["video", "voice"].map(str::to_owned);
        let whole = of(&ends, 2).classes(&names);
        let mut joined = of(&ends[..3], 1);
        joined.take(of(&ends[3..], 1));
        assert_eq!(joined.classes(&names), whole);
        let found: Vec<_> = whole
            .iter()
            .map(|of| {
                (of.name.as_str(), of.packets, of.sent, of.marked, of.late + of.crowded, of.waiting)
            })
            .collect();
        let expect = [("video", 0, 0, 0, 0, 0), ("voice", 2, 1, 0, 1, 0), ("none", 5, 2, 1, 1, 2)];
        assert_eq!(found, expect);
        assert_eq!(whole[2].waited_s.mean, Some(0.02), "lost packets do not count");
        assert_eq!(of(&[], 0).classes(&names), [], "nothing came");
    }
}
