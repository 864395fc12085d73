//! What is measured of a flow's UDP datagrams.

use base::{Duration, Time};
use observe::DropReason;
use schemars::JsonSchema;
use serde::Serialize;
use world::Application;

use crate::series::{Keep, Series};
use crate::voip::Fate;

/// A datagram that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatagramRow {
    /// Its number, from 0.
    pub number: u64,
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
#[derive(Debug)]
pub(crate) struct Datagrams {
    /// In the order of their numbers.
    pub(crate) rows: Series<DatagramRow>,
    /// State of each, by its number: a byte, where a row takes forty.
    states: Vec<State>,
    jitter: Jitter,
    /// Arrivals of the frames of a call, by their numbers: its buffer asks for all of them.
    arrivals: Option<Vec<Time>>,
}

/// State of a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    UnderWay,
    Received,
    Lost,
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
    /// None yet of `application`; of their rows as much will be held as `keep` says.
    pub(crate) fn new(keep: Keep, application: Application) -> Self {
        let arrivals = (application == Application::Voip).then(Vec::new);
        Self { rows: Series::new(keep), states: Vec::new(), jitter: Jitter::default(), arrivals }
    }

    /// How many were sent.
    pub(crate) fn count(&self) -> u64 {
        self.states.len() as u64
    }

    pub(crate) fn sent(&mut self, now: Time, payload: u32) {
        let (number, outcome) = (self.count(), DatagramOutcome::UnderWay);
        self.rows.push(DatagramRow { number, sent: now, bytes: payload, outcome });
        self.states.push(State::UnderWay);
    }

    /// Datagram `number`, sent at `departed`, has arrived. False if it had before: agents of
    /// mobility may double it.
    pub(crate) fn arrived(&mut self, now: Time, departed: Option<Time>, number: u64) -> bool {
        let state = &mut self.states[number as usize];
        let is_first = *state != State::Received;
        if is_first {
            *state = State::Received;
            self.end(number, DatagramOutcome::Received { at: now });
            if let Some(departed) = departed {
                self.jitter.take(now.saturating_since(departed));
            }
            if let Some(arrivals) = &mut self.arrivals {
                let number = number as usize;
                arrivals.resize(arrivals.len().max(number + 1), now);
                arrivals[number] = now;
            }
        }
        is_first
    }

    /// Datagram `number` was dropped; if it was a copy, another may arrive.
    pub(crate) fn dropped(&mut self, number: u64, machine: u32, reason: DropReason) {
        let state = &mut self.states[number as usize];
        if *state == State::UnderWay {
            *state = State::Lost;
            self.end(number, DatagramOutcome::Lost { machine, reason });
        }
    }

    fn end(&mut self, number: u64, outcome: DatagramOutcome) {
        self.rows.change(number, |row| row.number, |row| row.outcome = outcome);
    }

    /// Fates of the frames of a call.
    pub(crate) fn fates(&self) -> Vec<Fate> {
        let arrivals = self.arrivals.as_deref().unwrap_or_default();
        let fate = |(number, state): (usize, &State)| match state {
            State::UnderWay => Fate::UnderWay,
            State::Received => Fate::Arrived(arrivals[number]),
            State::Lost => Fate::Lost,
        };
        self.states.iter().enumerate().map(fate).collect()
    }

    /// Machines have the numbers that `number` says.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        self.rows.change_each(|row| {
            if let DatagramOutcome::Lost { machine, .. } = &mut row.outcome {
                *machine = number(*machine);
            }
        });
    }

    pub(crate) fn summary(&self) -> DatagramSummary {
        let count = |of: State| self.states.iter().filter(|state| **state == of).count() as u64;
        let (sent, lost) = (self.count(), count(State::Lost));
        DatagramSummary {
            sent,
            received: count(State::Received),
            lost,
            under_way: count(State::UnderWay),
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
        let mut datagrams = Datagrams::new(Keep::Sample, Application::Udp);
        for (number, (sent, arrived)) in (0..).zip([(0, 100), (20, 136), (40, 132)]) {
            datagrams.sent(at(sent), 100);
            assert!(datagrams.arrived(at(arrived), Some(at(sent)), number));
        }
        // Transit times of 100, 116 and 92 ms: 16/16 = 1, then 1 + (24 - 1)/16.
        let jitter = datagrams.summary().jitter_s.expect("three arrived");
        assert!((jitter - 0.002_437_5).abs() < 1e-12, "{jitter}");
    }

    #[test]
    fn a_double_counts_once_and_outlives_the_loss_of_the_other() {
        let mut datagrams = Datagrams::new(Keep::Sample, Application::Udp);
        for millis in 0..3 {
            datagrams.sent(at(millis), 100);
        }
        datagrams.dropped(0, 7, DropReason::Unreachable);
        assert!(datagrams.arrived(at(9), Some(at(0)), 0));
        assert!(!datagrams.arrived(at(10), Some(at(0)), 0));
        datagrams.dropped(0, 7, DropReason::Unreachable);
        datagrams.dropped(1, 7, DropReason::Queue);
        let of = datagrams.summary();
        assert_eq!((of.sent, of.received, of.lost, of.under_way), (3, 1, 1, 1));
        assert_eq!((of.loss, of.jitter_s), (Some(1.0 / 3.0), None));
        let outcomes: Vec<_> = datagrams.rows.rows().iter().map(|row| row.outcome).collect();
        let lost = DatagramOutcome::Lost { machine: 7, reason: DropReason::Queue };
        let received = DatagramOutcome::Received { at: at(9) };
        assert_eq!(outcomes, [received, lost, DatagramOutcome::UnderWay]);
    }

    /// All are counted where only a share has rows.
    #[test]
    fn of_very_many_a_share_has_rows_and_all_are_counted() {
        let mut datagrams = Datagrams::new(Keep::Sample, Application::Udp);
        let count = 1_000_000;
        for number in 0..count {
            datagrams.sent(at(number), 100);
            if number % 4 == 0 {
                datagrams.dropped(number, 7, DropReason::Queue);
            } else {
                datagrams.arrived(at(number + 5), Some(at(number)), number);
            }
        }
        let of = datagrams.summary();
        assert_eq!((of.sent, of.lost, of.under_way), (count, count / 4, 0));
        let rows = datagrams.rows.rows();
        assert!(rows.len() < count as usize / 3, "{}", rows.len());
        for row in rows {
            assert_eq!(row.sent, at(row.number));
            let is_lost = matches!(row.outcome, DatagramOutcome::Lost { .. });
            assert_eq!(is_lost, row.number % 4 == 0);
        }
    }
}
