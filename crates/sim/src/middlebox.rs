//! What is measured of a middlebox.

use base::{Duration, Time, words};
use middlebox::Counters;
use observe::{MiddleboxFact, RepairReason};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Distribution;
use crate::series::{Keep, Series};
use crate::statistics::Totals;
use crate::waits::{OfMobile, WaitMetrics};
use crate::{BoxMobileSummary, ClassSummary, EchoRow, EchoSummary, RateRow, WaitRow};

/// The backlog and flight towards a mobile, from a time on. Bytes are capped at 4 GiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BacklogRow {
    /// When it changed.
    pub time: Time,
    /// The mobile.
    pub mobile: u32,
    /// Payload bytes that wait in the box.
    pub queued: u32,
    /// Payload bytes sent and not acknowledged.
    pub in_flight: u32,
    /// What may be in flight, in bytes.
    pub cwnd: u32,
}

/// A round-trip time over the radio leg.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegRttRow {
    /// When the acknowledgement came.
    pub time: Time,
    /// The mobile.
    pub mobile: u32,
    /// The connection.
    pub connection: u32,
    /// The round-trip time.
    pub rtt: Duration,
}

words! {
    /// What can happen in a middlebox.
    pub enum MiddleboxEvent {
        /// A segment was sent again on acknowledgements of its connection.
        Retransmitted = "retransmitted",
        /// A segment was sent again on acknowledgements of others.
        RetransmittedSkipped = "retransmitted_skipped",
        /// A segment was retransmitted because nothing was heard.
        RetransmittedTimeout = "retransmitted_timeout",
        /// A segment was sent again, since it was larger than the path takes.
        RetransmittedTooLarge = "retransmitted_too_large",
        /// Nothing has been heard from a mobile for too long.
        Stalled = "stalled",
        /// It has been heard from again.
        Recovered = "recovered",
        /// A sender was told to send nothing.
        ZeroWindow = "zero_window",
    }
}

/// Something that happened in a middlebox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MiddleboxRow {
    /// When.
    pub time: Time,
    /// The mobile.
    pub mobile: u32,
    /// The connection, where it is about one that was established.
    pub connection: Option<u32>,
    /// What.
    pub event: MiddleboxEvent,
    /// Stream offset that it concerns: of the segment, or of the right edge.
    pub offset: u64,
}

/// The running measurements of a middlebox.
#[derive(Debug)]
pub struct MiddleboxMetrics {
    /// What was under way to each mobile, in order of time.
    pub backlog: Series<BacklogRow>,
    /// Round-trip times over the radio leg, in order of time.
    pub rtt: Series<LegRttRow>,
    /// Totals of all round-trip times.
    rtt_totals: Totals,
    /// What happened, in order of time.
    pub events: Vec<MiddleboxRow>,
    /// Packets that it does not read.
    pub waits: WaitMetrics,
    mobiles: Vec<Mobile>,
    /// Connections, in the order in which they opened.
    opened: Vec<Opening>,
    /// How many parts were added to the first.
    parts: u32,
    /// Bytes held for all mobiles, and since when.
    held: u64,
    held_since: Time,
    /// The sum of bytes held × nanoseconds.
    held_integral: u128,
}

/// A connection that opened. Those of one instant are in the order of mobiles, which is that of
/// parts, and of the numbers that mobiles have as hosts.
#[derive(Clone, Copy, Debug)]
struct Opening {
    time: Time,
    part: u32,
    host: u128,
    /// The number of the mobile in rows.
    mobile: u32,
}

/// What is known of a mobile.
#[derive(Clone, Copy, Debug, Default)]
struct Mobile {
    /// Whether there is any fact about it.
    is_known: bool,
    held: u64,
    /// Its last row of the backlog, which another of the same time replaces.
    last: Option<BacklogRow>,
    stalled_since: Option<Time>,
    stalled: Duration,
    of: OfMobile,
}

impl MiddleboxMetrics {
    /// Nothing yet; of each series as much will be held as `keep` says.
    pub(crate) fn new(keep: Keep) -> Self {
        Self {
            backlog: Series::new(keep),
            rtt: Series::new(keep),
            rtt_totals: Totals::default(),
            events: Vec::new(),
            waits: WaitMetrics::new(keep),
            mobiles: Vec::new(),
            opened: Vec::new(),
            parts: 0,
            held: 0,
            held_since: Time::ZERO,
            held_integral: 0,
        }
    }

    /// Something happened.
    pub(crate) fn fact(&mut self, now: Time, fact: MiddleboxFact) {
        let (mobile, connection, event, offset) = match fact {
            MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd } => {
                let [queued, in_flight, cwnd] =
                    [queued, in_flight, cwnd].map(|bytes| bytes.min(u64::from(u32::MAX)) as u32);
                return self.backlog(BacklogRow { time: now, mobile, queued, in_flight, cwnd });
            }
            MiddleboxFact::Rtt { mobile, connection, rtt } => {
                if self.is_open(connection) {
                    self.rtt.push(LegRttRow { time: now, mobile, connection, rtt });
                    self.rtt_totals.add(rtt);
                }
                return;
            }
            MiddleboxFact::Retransmitted { mobile, connection, offset, reason } => {
                let event = match reason {
                    RepairReason::Duplicates => MiddleboxEvent::Retransmitted,
                    RepairReason::Skipped => MiddleboxEvent::RetransmittedSkipped,
                    RepairReason::Timeout => MiddleboxEvent::RetransmittedTimeout,
                    RepairReason::TooLarge => MiddleboxEvent::RetransmittedTooLarge,
                };
                (mobile, Some(connection), event, offset)
            }
            MiddleboxFact::Stalled { mobile } => {
                self.mobile(mobile).stalled_since.get_or_insert(now);
                (mobile, None, MiddleboxEvent::Stalled, 0)
            }
            MiddleboxFact::Recovered { mobile } => {
                let known = self.mobile(mobile);
                if let Some(since) = known.stalled_since.take() {
                    known.stalled += now.saturating_since(since);
                }
                (mobile, None, MiddleboxEvent::Recovered, 0)
            }
            MiddleboxFact::Advertised { mobile, connection, window: 0, edge } => {
                (mobile, Some(connection), MiddleboxEvent::ZeroWindow, edge)
            }
            MiddleboxFact::Opened { mobile, host } => {
                self.mobile(mobile);
                return self.opened.push(Opening { time: now, part: 0, host, mobile });
            }
            MiddleboxFact::Waits { .. }
            | MiddleboxFact::Released { .. }
            | MiddleboxFact::EchoSent { .. }
            | MiddleboxFact::EchoAnswered { .. }
            | MiddleboxFact::Estimate { .. } => return self.fact_of_others(now, fact),
            // Not in any table.
            MiddleboxFact::Closed { .. } | MiddleboxFact::Advertised { .. } => return,
        };
        let connection = connection.filter(|number| self.is_open(*number));
        self.events.push(MiddleboxRow { time: now, mobile, connection, event, offset });
    }

    /// Something happened to a packet that the box does not read, or to what it estimates.
    fn fact_of_others(&mut self, time: Time, fact: MiddleboxFact) {
        match fact {
            MiddleboxFact::Waits { mobile, class, bytes } => {
                self.mobile(mobile).of.packets += 1;
                self.waits.came(class, bytes);
            }
            MiddleboxFact::Released { mobile, class, bytes, waited, release } => {
                self.mobile(mobile).of.went(waited, release);
                self.waits.went(WaitRow { time, mobile, class, bytes, waited, release });
            }
            MiddleboxFact::EchoSent { mobile } => {
                self.mobile(mobile).of.echoes_sent += 1;
                self.waits.asked();
            }
            MiddleboxFact::EchoAnswered { mobile, rtt } => {
                self.mobile(mobile).of.echoes_answered += 1;
                self.waits.answered(EchoRow { time, mobile, rtt });
            }
            MiddleboxFact::Estimate { mobile, estimate, reported } => {
                let of = &mut self.mobile(mobile).of;
                for (value, rate) in [(&mut of.estimate, estimate), (&mut of.reported, reported)] {
                    if let Some(bps) = rate {
                        value.set(time, bps);
                    }
                }
                self.waits.rates.push(RateRow { time, mobile, estimate, reported });
            }
            MiddleboxFact::Opened { .. }
            | MiddleboxFact::Closed { .. }
            | MiddleboxFact::Backlog { .. }
            | MiddleboxFact::Rtt { .. }
            | MiddleboxFact::Retransmitted { .. }
            | MiddleboxFact::Stalled { .. }
            | MiddleboxFact::Recovered { .. }
            | MiddleboxFact::Advertised { .. } => {}
        }
    }

    /// Whether a connection of that number has opened: a box may act on one before.
    fn is_open(&self, connection: u32) -> bool {
        (connection as usize) < self.opened.len()
    }

    /// Keeps the last row of a mobile at one time, if it differs from the one before.
    fn backlog(&mut self, row: BacklogRow) {
        let known = self.mobile(row.mobile);
        let held = u64::from(row.queued) + u64::from(row.in_flight);
        let before = std::mem::replace(&mut known.held, held);
        known.of.window.set(row.time, row.cwnd.into());
        known.of.waiting.set(row.time, (row.queued > 0).into());
        let is_new = known.last.is_none_or(|last| BacklogRow { time: row.time, ..last } != row);
        if is_new && let Some(last) = known.last.replace(row).filter(|last| last.time < row.time) {
            self.backlog.push(last);
        }
        self.hold(row.time, before, held);
    }

    /// A mobile has `held` bytes in the place of `before`.
    fn hold(&mut self, now: Time, before: u64, held: u64) {
        self.hold_until(now);
        self.held = self.held + held - before;
    }

    fn hold_until(&mut self, now: Time) {
        let span = now.saturating_since(self.held_since).as_nanos();
        self.held_integral += u128::from(self.held) * u128::from(span);
        self.held_since = now;
    }

    fn mobile(&mut self, mobile: u32) -> &mut Mobile {
        let index = mobile as usize;
        if self.mobiles.len() <= index {
            self.mobiles.resize(index + 1, Mobile::default());
        }
        let mobile = &mut self.mobiles[index];
        mobile.is_known = true;
        mobile
    }

    /// Adds those of another part of the network, whose mobiles and connections are numbered after
    /// the ones before.
    pub(crate) fn take(&mut self, mut part: Self) {
        let now = self.held_since.max(part.held_since);
        self.hold_until(now);
        part.hold_until(now);
        part.flush();
        self.held += part.held;
        self.held_integral += part.held_integral;
        let (mobiles, connections) = (self.mobiles.len() as u32, self.opened.len() as u32);
        part.renumber(|mobile| mobile + mobiles, |connection| connection + connections);
        self.mobiles.append(&mut part.mobiles);
        self.parts += 1;
        let part_number = self.parts;
        let renumbered = part.opened.into_iter().map(|of| Opening { part: part_number, ..of });
        self.opened.extend(renumbered);
        self.backlog.append(part.backlog);
        self.rtt.append(part.rtt);
        self.rtt_totals.join(part.rtt_totals);
        self.events.append(&mut part.events);
        self.waits.take(part.waits);
    }

    /// Adds the last row of each mobile to the others.
    fn flush(&mut self) {
        let last = self.mobiles.iter_mut().filter_map(|mobile| mobile.last.take());
        last.for_each(|row| self.backlog.push(row));
    }

    /// The run is over at `end`: mobiles and connections are numbered in the order in which they
    /// opened, and rows of one time stand in the order of mobiles.
    pub(crate) fn finish(&mut self, end: Time) {
        self.hold_until(end);
        self.flush();
        let mut openings: Vec<_> = self.opened.iter().enumerate().collect();
        openings.sort_by_key(|(_, of)| (of.time, of.part, of.host));
        let mut connections = vec![0; openings.len()];
        let mut mobiles = vec![None; self.mobiles.len()];
        let mut next = 0..;
        for (number, (connection, opening)) in (0..).zip(openings) {
            connections[connection] = number;
            let known = &mut mobiles[opening.mobile as usize];
            *known = known.or_else(|| next.next());
        }
        // Those whose connections never opened come last.
        let last = mobiles.into_iter().filter_map(|known| known.or_else(|| next.next()));
        let mobiles: Vec<u32> = last.collect();
        self.renumber(|mobile| mobiles[mobile as usize], |number| connections[number as usize]);
        // Of one mobile there is one row at a time.
        self.backlog.sort_by_key(|row| (row.time, row.mobile));
        self.rtt.sort_by_key(|row| (row.time, row.mobile));
        self.events.sort_by_key(|row| (row.time, row.mobile));
        self.waits.sort();
        let mut numbered: Vec<_> =
            mobiles.into_iter().zip(std::mem::take(&mut self.mobiles)).collect();
        numbered.sort_unstable_by_key(|&(number, _)| number);
        self.mobiles = numbered.into_iter().map(|(_, mobile)| mobile).collect();
    }

    fn renumber(&mut self, mobile: impl Fn(u32) -> u32, connection: impl Fn(u32) -> u32) {
        self.opened.iter_mut().for_each(|opening| opening.mobile = mobile(opening.mobile));
        self.backlog.change_each(|row| row.mobile = mobile(row.mobile));
        self.rtt.change_each(|row| {
            (row.mobile, row.connection) = (mobile(row.mobile), connection(row.connection));
        });
        for row in &mut self.events {
            row.mobile = mobile(row.mobile);
            row.connection = row.connection.map(&connection);
        }
        self.waits.renumber(mobile);
    }

    /// The most bytes held for all mobiles together, at the end of any instant that has a row.
    fn held_max(&self) -> u64 {
        let mut of_each = vec![0; self.mobiles.len()];
        let (mut all, mut most) = (0, 0);
        for instant in self.backlog.sample().chunk_by(|row, next| row.time == next.time) {
            for row in instant {
                let held = u64::from(row.queued) + u64::from(row.in_flight);
                all = all + held - std::mem::replace(&mut of_each[row.mobile as usize], held);
            }
            most = most.max(all);
        }
        most
    }

    /// How long mobiles were not heard from up to `end`, all together.
    fn stall(&self, end: Time) -> Duration {
        let stalled = |mobile: &Mobile| {
            let open = mobile.stalled_since.map(|since| end.saturating_since(since));
            mobile.stalled + open.unwrap_or(Duration::ZERO)
        };
        self.mobiles.iter().map(stalled).fold(Duration::ZERO, |sum, one| sum + one)
    }
}

/// The numbers of a middlebox.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Middlebox")]
pub struct MiddleboxSummary {
    /// Its scheme.
    pub kind: &'static str,
    /// Its node; of the boxes of several subscribers, the first and the last.
    pub at: String,
    /// Mobiles whose connections it took part in.
    pub mobiles: u64,
    /// Packets in, of either leg.
    pub packets_in: u64,
    /// Packets out, to either leg.
    pub packets_out: u64,
    /// Connections that it took part in.
    pub flows: u64,
    /// Connections that it let pass untouched.
    pub bypassed: u64,
    /// Connections that it handed back to plain forwarding.
    pub released: u64,
    /// Payload bytes that it holds at the end.
    pub held_bytes: u64,
    /// The most bytes that it held for one mobile.
    pub held_max: u64,
    /// The mean of the bytes held for all mobiles, weighted by time.
    pub held_mean: f64,
    /// The most bytes that it held for all mobiles together; of more than 262,144 changes, after a
    /// random share of them.
    pub held_max_total: u64,
    /// Segments that it sent again on its own.
    pub retransmissions: u64,
    /// Times that it heard nothing from a mobile for too long.
    pub timeouts: u64,
    /// Acknowledgements that it withheld from a sender.
    pub suppressed: u64,
    /// Zero windows that it advertised.
    pub zero_windows: u64,
    /// Payload bytes that it discarded because of a reset.
    pub discarded_bytes: u64,
    /// How long it heard nothing from mobiles, all together.
    pub stall_s: f64,
    /// Round-trip times over the radio leg.
    pub rtt_s: Distribution,
    /// Packets that it does not read and that wait for their turn, by class; empty if none came.
    pub classes: Vec<ClassSummary>,
    /// Its echo requests, if it sent some.
    pub echoes: Option<EchoSummary>,
    /// One entry for each mobile for which such packets came, or whose radio's rate is estimated.
    pub by_mobile: Vec<BoxMobileSummary>,
}

impl MiddleboxSummary {
    /// Of the middlebox of `kind`, whose `classes` have these names, at the node `at`, by what it
    /// counted and by finished `metrics`, up to `end`.
    pub(crate) fn of(
        (kind, classes): (&'static str, &[String]),
        at: &impl ToString,
        counters: Counters,
        metrics: &MiddleboxMetrics,
        end: Time,
    ) -> Self {
        Self {
            kind,
            at: at.to_string(),
            mobiles: metrics.mobiles.iter().filter(|mobile| mobile.is_known).count() as u64,
            packets_in: counters.packets_in,
            packets_out: counters.packets_out,
            flows: counters.flows,
            bypassed: counters.bypassed,
            released: counters.released,
            held_bytes: counters.held_bytes,
            held_max: counters.held_max,
            held_mean: metrics.held_integral as f64
                / end.saturating_since(Time::ZERO).as_nanos() as f64,
            held_max_total: metrics.held_max(),
            retransmissions: counters.retransmissions,
            timeouts: counters.timeouts,
            suppressed: counters.suppressed,
            zero_windows: counters.zero_windows,
            discarded_bytes: counters.discarded_bytes,
            stall_s: metrics.stall(end).as_secs_f64(),
            rtt_s: Distribution::of_share(
                metrics.rtt_totals,
                metrics.rtt.sample().iter().map(|row| row.rtt),
            ),
            classes: metrics.waits.classes(classes),
            echoes: metrics.waits.echoes(),
            by_mobile: (0..)
                .zip(&metrics.mobiles)
                .filter_map(|(number, mobile)| mobile.of.summary(number, end))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    const fn backlog(mobile: u32, queued: u64, in_flight: u64) -> MiddleboxFact {
        MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd: 5000 }
    }

    #[test]
    fn what_is_held_is_weighed_by_time() {
        let mut metrics = MiddleboxMetrics::new(Keep::Sample);
        metrics.fact(at(2), backlog(0, 600, 400));
        metrics.fact(at(4), backlog(3, 0, 3000));
        metrics.fact(at(6), backlog(0, 0, 0));
        metrics.fact(at(8), backlog(3, 0, 0));
        metrics.finish(at(16));
        // 1000 B for 2 s, 4000 B for 2 s, 3000 B for 2 s.
        assert_eq!(metrics.held_integral, 16_000 * 1_000_000_000);
        assert_eq!(metrics.held_max(), 4000);
    }

    #[test]
    fn of_an_instant_the_last_row_stays_and_what_is_not_new_makes_none() {
        let mut metrics = MiddleboxMetrics::new(Keep::Sample);
        for (seconds, fact) in [
            (1, backlog(0, 100, 0)),
            (1, backlog(1, 7, 0)),
            (1, backlog(0, 0, 100)),
            (2, backlog(0, 0, 100)),
            (3, backlog(0, 0, 0)),
        ] {
            metrics.fact(at(seconds), fact);
        }
        metrics.finish(at(3));
        let rows: Vec<_> = metrics
            .backlog
            .rows()
            .iter()
            .map(|row| (row.time, row.mobile, row.in_flight))
            .collect();
        assert_eq!(rows, [(at(1), 0, 100), (at(1), 1, 0), (at(3), 0, 0)]);
        assert_eq!(metrics.held, 7);
    }

    #[test]
    fn a_stall_lasts_until_its_mobile_recovers() {
        let mut metrics = MiddleboxMetrics::new(Keep::Sample);
        metrics.fact(at(1), MiddleboxFact::Stalled { mobile: 0 });
        metrics.fact(at(2), MiddleboxFact::Stalled { mobile: 0 });
        metrics.fact(at(2), MiddleboxFact::Stalled { mobile: 1 });
        metrics.fact(at(4), MiddleboxFact::Recovered { mobile: 0 });
        metrics.fact(at(5), MiddleboxFact::Recovered { mobile: 0 });
        assert_eq!(metrics.stall(at(10)), Duration::from_secs(11));
    }

    /// In whichever order the parts are, and whatever numbers their mobiles have there.
    #[test]
    fn parts_are_numbered_in_the_order_of_their_openings() {
        let opened = |mobile| MiddleboxFact::Opened { mobile, host: 0 };
        let rtt = |mobile, connection| {
            let rtt = Duration::from_secs(1);
            MiddleboxFact::Rtt { mobile, connection, rtt }
        };
        let of = |facts: &[(u64, MiddleboxFact)]| {
            let mut metrics = MiddleboxMetrics::new(Keep::Sample);
            for &(seconds, fact) in facts {
                metrics.fact(at(seconds), fact);
            }
            metrics
        };
        let late = of(&[(3, opened(0)), (5, rtt(0, 0))]);
        let early =
            [(1, opened(1)), (2, opened(0)), (4, opened(1)), (5, rtt(1, 2)), (5, rtt(0, 1))];
        let mut joined = late;
        joined.take(of(&early));
        joined.finish(at(9));
        let rows: Vec<_> =
            joined.rtt.rows().iter().map(|row| (row.mobile, row.connection)).collect();
        assert_eq!(rows, [(0, 3), (1, 1), (2, 2)]);
        assert_eq!(joined.mobiles.len(), 3);
    }

    #[test]
    fn windows_are_events_if_they_are_zero() {
        let mut metrics = MiddleboxMetrics::new(Keep::Sample);
        for window in [536, 0] {
            let fact =
                MiddleboxFact::Advertised { mobile: 0, connection: 4, window, edge: window + 1 };
            metrics.fact(at(1), fact);
        }
        let [row] = metrics.events.as_slice() else { panic!("one event") };
        assert_eq!((row.event, row.offset), (MiddleboxEvent::ZeroWindow, 1));
    }
}
