//! What is measured of a middlebox.

use base::{Duration, Time, words};
use middlebox::Counters;
use observe::{MiddleboxFact, RepairReason};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Distribution;

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
    /// The connection, where it is about one.
    pub connection: Option<u32>,
    /// What.
    pub event: MiddleboxEvent,
    /// Stream offset that it concerns: of the segment, or of the right edge.
    pub offset: u64,
}

/// The running measurements of a middlebox.
#[derive(Debug, Default)]
pub struct MiddleboxMetrics {
    /// What was under way to each mobile, in order of time.
    pub backlog: Vec<BacklogRow>,
    /// Round-trip times over the radio leg, in order of time.
    pub rtt: Vec<LegRttRow>,
    /// What happened, in order of time.
    pub events: Vec<MiddleboxRow>,
    mobiles: Vec<Mobile>,
    /// Bytes held for all mobiles, and since when.
    held: u64,
    held_since: Time,
    /// The sum of bytes held × seconds.
    held_integral: f64,
    held_max: u64,
}

/// What is known of a mobile.
#[derive(Clone, Copy, Debug, Default)]
struct Mobile {
    held: u64,
    /// Its last row of the backlog, counted from 1.
    row: usize,
    stalled_since: Option<Time>,
    stalled: Duration,
}

impl MiddleboxMetrics {
    /// Something happened.
    pub(crate) fn fact(&mut self, now: Time, fact: MiddleboxFact) {
        let (mobile, connection, event, offset) = match fact {
            MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd } => {
                let [queued, in_flight, cwnd] =
                    [queued, in_flight, cwnd].map(|bytes| bytes.min(u64::from(u32::MAX)) as u32);
                return self.backlog(BacklogRow { time: now, mobile, queued, in_flight, cwnd });
            }
            MiddleboxFact::Rtt { mobile, connection, rtt } => {
                return self.rtt.push(LegRttRow { time: now, mobile, connection, rtt });
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
            // Not in any table: rows carry the mobile's number.
            MiddleboxFact::Opened { .. }
            | MiddleboxFact::Closed { .. }
            | MiddleboxFact::Advertised { .. } => return,
        };
        self.events.push(MiddleboxRow { time: now, mobile, connection, event, offset });
    }

    /// Keeps the last row of a mobile at one time, if it differs from the one before.
    fn backlog(&mut self, row: BacklogRow) {
        let known = self.mobile(row.mobile);
        let held = u64::from(row.queued) + u64::from(row.in_flight);
        let before = std::mem::replace(&mut known.held, held);
        let last = known.row.checked_sub(1);
        match last.map(|last| &mut self.backlog[last]) {
            Some(old) if BacklogRow { time: row.time, ..*old } == row => {}
            Some(old) if old.time == row.time => *old = row,
            Some(_) | None => {
                self.backlog.push(row);
                self.mobiles[row.mobile as usize].row = self.backlog.len();
            }
        }
        self.hold(row.time, before, held);
    }

    /// A mobile has `held` bytes in the place of `before`.
    fn hold(&mut self, now: Time, before: u64, held: u64) {
        let span = now.saturating_since(self.held_since).as_secs_f64();
        self.held_integral += self.held as f64 * span;
        self.held_since = now;
        self.held = self.held + held - before;
        self.held_max = self.held_max.max(self.held);
    }

    fn mobile(&mut self, mobile: u32) -> &mut Mobile {
        let index = mobile as usize;
        if self.mobiles.len() <= index {
            self.mobiles.resize(index + 1, Mobile::default());
        }
        &mut self.mobiles[index]
    }

    /// Mean over time of the bytes held for all mobiles up to `end`.
    fn held_mean(&self, end: Time) -> f64 {
        let span = end.saturating_since(self.held_since).as_secs_f64();
        let elapsed = end.saturating_since(Time::ZERO).as_secs_f64();
        (self.held_integral + self.held as f64 * span) / elapsed
    }

    /// How long mobiles were not heard from up to `end`, all together, in seconds.
    fn stall_s(&self, end: Time) -> f64 {
        let stalled = |mobile: &Mobile| {
            let open = mobile.stalled_since.map(|since| end.saturating_since(since));
            (mobile.stalled + open.unwrap_or(Duration::ZERO)).as_secs_f64()
        };
        self.mobiles.iter().map(stalled).sum()
    }
}

/// The numbers of a middlebox.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Middlebox")]
pub struct MiddleboxSummary {
    /// Its scheme.
    pub kind: &'static str,
    /// Its node.
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
    /// The most bytes that it held for all mobiles together.
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
}

impl MiddleboxSummary {
    /// Of the middlebox of `kind` at the node `at`, which counted `counters` up to `end`.
    pub(crate) fn of(
        kind: &'static str,
        at: &str,
        counters: Counters,
        metrics: &MiddleboxMetrics,
        end: Time,
    ) -> Self {
        Self {
            kind,
            at: at.to_owned(),
            mobiles: metrics.mobiles.len() as u64,
            packets_in: counters.packets_in,
            packets_out: counters.packets_out,
            flows: counters.flows,
            bypassed: counters.bypassed,
            released: counters.released,
            held_bytes: counters.held_bytes,
            held_max: counters.held_max,
            held_mean: metrics.held_mean(end),
            held_max_total: metrics.held_max,
            retransmissions: counters.retransmissions,
            timeouts: counters.timeouts,
            suppressed: counters.suppressed,
            zero_windows: counters.zero_windows,
            discarded_bytes: counters.discarded_bytes,
            stall_s: metrics.stall_s(end),
            rtt_s: Distribution::of(metrics.rtt.iter().map(|row| row.rtt)),
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
        let mut metrics = MiddleboxMetrics::default();
        metrics.fact(at(2), backlog(0, 600, 400));
        metrics.fact(at(4), backlog(3, 0, 3000));
        metrics.fact(at(6), backlog(0, 0, 0));
        metrics.fact(at(8), backlog(3, 0, 0));
        // 1000 B for 2 s, 4000 B for 2 s, 3000 B for 2 s.
        assert!((metrics.held_mean(at(16)) - 1000.0).abs() < 1e-9);
        assert_eq!(metrics.held_max, 4000);
    }

    #[test]
    fn of_an_instant_the_last_row_stays_and_what_is_not_new_makes_none() {
        let mut metrics = MiddleboxMetrics::default();
        for (seconds, fact) in [
            (1, backlog(0, 100, 0)),
            (1, backlog(1, 7, 0)),
            (1, backlog(0, 0, 100)),
            (2, backlog(0, 0, 100)),
            (3, backlog(0, 0, 0)),
        ] {
            metrics.fact(at(seconds), fact);
        }
        let rows: Vec<_> =
            metrics.backlog.iter().map(|row| (row.time, row.mobile, row.in_flight)).collect();
        assert_eq!(rows, [(at(1), 0, 100), (at(1), 1, 0), (at(3), 0, 0)]);
        assert_eq!(metrics.held, 7);
    }

    #[test]
    fn a_stall_lasts_until_its_mobile_recovers() {
        let mut metrics = MiddleboxMetrics::default();
        metrics.fact(at(1), MiddleboxFact::Stalled { mobile: 0 });
        metrics.fact(at(2), MiddleboxFact::Stalled { mobile: 0 });
        metrics.fact(at(2), MiddleboxFact::Stalled { mobile: 1 });
        metrics.fact(at(4), MiddleboxFact::Recovered { mobile: 0 });
        metrics.fact(at(5), MiddleboxFact::Recovered { mobile: 0 });
        assert!((metrics.stall_s(at(10)) - 11.0).abs() < 1e-9);
    }

    #[test]
    fn windows_are_events_if_they_are_zero() {
        let mut metrics = MiddleboxMetrics::default();
        for window in [536, 0] {
            let fact =
                MiddleboxFact::Advertised { mobile: 0, connection: 4, window, edge: window + 1 };
            metrics.fact(at(1), fact);
        }
        let [row] = metrics.events.as_slice() else { panic!("one event") };
        assert_eq!((row.event, row.offset), (MiddleboxEvent::ZeroWindow, 1));
    }
}
