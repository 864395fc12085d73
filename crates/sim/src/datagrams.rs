//! What is measured of a flow's UDP datagrams.

use base::{Duration, Time};
use observe::DropReason;
use schemars::JsonSchema;
use serde::Serialize;

/// A datagram that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatagramRow {
    /// When.
    pub sent: Time,
    /// Bytes of payload.
    pub bytes: u32,
    /// Its outcome.
    pub outcome: DatagramOutcome,
}

/// The outcome of a datagram at the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DatagramOutcome {
    /// It is still on its way.
    UnderWay,
    /// It arrived.
    Received {
        /// When.
        at: Time,
    },
    /// It was dropped.
    Lost {
        /// The number of the machine that dropped it.
        machine: u32,
        /// Why.
        reason: DropReason,
    },
}

/// The datagrams of a flow.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Datagrams")]
pub struct DatagramSummary {
    /// How many were sent.
    pub sent: u64,
    /// How many of them arrived.
    pub received: u64,
    /// How many were dropped somewhere.
    pub lost: u64,
    /// How many were still on their way at the end.
    pub under_way: u64,
    /// Lost over sent.
    pub loss: Option<f64>,
    /// Interarrival jitter (RFC 3550 §6.4.1) after the last that arrived.
    pub jitter_s: Option<f64>,
}

/// The running measurements of a flow's datagrams.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    /// By their numbers.
    pub(crate) rows: Vec<DatagramRow>,
    jitter: Jitter,
}

/// Interarrival jitter (RFC 3550 §6.4.1), in nanoseconds.
#[derive(Debug, Default)]
struct Jitter {
    mean: f64,
    /// How long the last one took; jitter begins with the second.
    transit: Option<Duration>,
    differences: u64,
}

impl Datagrams {
    pub(crate) fn sent(&mut self, now: Time, payload: u32) {
        let outcome = DatagramOutcome::UnderWay;
        self.rows.push(DatagramRow { sent: now, bytes: payload, outcome });
    }

    /// Datagram `number` has arrived. False if it had before: agents of mobility may double it.
    pub(crate) fn arrived(&mut self, now: Time, number: u64) -> bool {
        let row = &mut self.rows[number as usize];
        let is_first = !matches!(row.outcome, DatagramOutcome::Received { .. });
        if is_first {
            row.outcome = DatagramOutcome::Received { at: now };
            self.jitter.take(now.saturating_since(row.sent));
        }
        is_first
    }

    /// Datagram `number` was dropped; if it was a copy, another may arrive.
    pub(crate) fn dropped(&mut self, number: u64, machine: u32, reason: DropReason) {
        let row = &mut self.rows[number as usize];
        if row.outcome == DatagramOutcome::UnderWay {
            row.outcome = DatagramOutcome::Lost { machine, reason };
        }
    }

    /// Machines have the numbers that `number` says.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        for row in &mut self.rows {
            if let DatagramOutcome::Lost { machine, .. } = &mut row.outcome {
                *machine = number(*machine);
            }
        }
    }

    pub(crate) fn summary(&self) -> DatagramSummary {
        let (mut received, mut lost, mut under_way) = (0, 0, 0);
        for row in &self.rows {
            match row.outcome {
                DatagramOutcome::UnderWay => under_way += 1,
                DatagramOutcome::Received { .. } => received += 1,
                DatagramOutcome::Lost { .. } => lost += 1,
            }
        }
        let sent = self.rows.len() as u64;
        DatagramSummary {
            sent,
            received,
            lost,
            under_way,
            loss: (sent > 0).then(|| lost as f64 / sent as f64),
            jitter_s: (self.jitter.differences > 0).then_some(self.jitter.mean / 1e9),
        }
    }
}

impl Jitter {
    fn take(&mut self, transit: Duration) {
        if let Some(last) = self.transit.replace(transit) {
            let difference = transit.abs_diff(last).as_nanos() as f64;
            self.mean += (difference - self.mean) / 16.0;
            self.differences += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn jitter_is_a_sixteenth_of_each_difference() {
        let mut datagrams = Datagrams::default();
        for (sent, arrived) in [(0, 100), (20, 136), (40, 132)] {
            let number = datagrams.rows.len() as u64;
            datagrams.sent(at(sent), 100);
            assert!(datagrams.arrived(at(arrived), number));
        }
        // Transit times of 100, 116 and 92 ms: 16/16 = 1, then 1 + (24 - 1)/16.
        let jitter = datagrams.summary().jitter_s.expect("three arrived");
        assert!((jitter - 0.002_437_5).abs() < 1e-12, "{jitter}");
    }

    #[test]
    fn a_double_counts_once_and_outlives_the_loss_of_the_other() {
        let mut datagrams = Datagrams::default();
        for millis in 0..3 {
            datagrams.sent(at(millis), 100);
        }
        datagrams.dropped(0, 7, DropReason::Unreachable);
        assert!(datagrams.arrived(at(9), 0));
        assert!(!datagrams.arrived(at(10), 0));
        datagrams.dropped(0, 7, DropReason::Unreachable);
        datagrams.dropped(1, 7, DropReason::Queue);
        let of = datagrams.summary();
        assert_eq!((of.sent, of.received, of.lost, of.under_way), (3, 1, 1, 1));
        assert_eq!((of.loss, of.jitter_s), (Some(1.0 / 3.0), None));
    }
}
