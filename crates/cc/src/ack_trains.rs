//! `HyStart` as Linux has it (Ha and Rhee, "Taming the elephants: New TCP slow start", Computer
//! Networks 55(9), 2011).

use base::{Duration, Time};

use crate::Ack;

/// Smallest window at which slow start may end (Ha and Rhee 2011; Linux's `hystart_low_window`).
const LOW_WINDOW: f64 = 16.0;
/// Longest time between two acknowledgements of one train (Linux's `hystart_ack_delta_us`).
const SPACING: Duration = Duration::from_millis(2);
/// Samples of a round before its delay is judged (Linux's `HYSTART_MIN_SAMPLES`).
const SAMPLES: u32 = 8;
/// Smallest increase of the round-trip time that counts (Linux's `HYSTART_DELAY_MIN`).
const LEAST_INCREASE: Duration = Duration::from_millis(4);
/// Largest that is needed (Linux's `HYSTART_DELAY_MAX`).
const MOST_INCREASE: Duration = Duration::from_millis(16);
/// In between, the part of the shortest round-trip time that counts.
const INCREASE_DIVISOR: u64 = 8;

/// End of slow start by the length of a train of acknowledgements, or by the round-trip time.
///
/// Segments that leave together come back as acknowledgements close to each other. Once such a
/// train lasts for half of the shortest round-trip time, the window holds what the path does. So it
/// does once the shortest round-trip time of a round exceeds the shortest of all by an eighth, by 4
/// to 16 ms.
#[derive(Clone, Debug, Default)]
pub(crate) struct AckTrains {
    /// Shortest round-trip time seen.
    shortest: Option<Duration>,
    round: Option<Round>,
}

/// Round trip under way.
#[derive(Clone, Debug)]
struct Round {
    start: Time,
    /// Latest acknowledgement of the train.
    last: Time,
    /// Offset whose acknowledgement ends it.
    end: u64,
    shortest: Option<Duration>,
    samples: u32,
}

impl AckTrains {
    /// Takes an acknowledgement in slow start with a window of `cwnd` segments; true if slow start
    /// is over.
    pub(crate) fn end_slow_start(&mut self, ack: &Ack, cwnd: f64) -> bool {
        if let Some(rtt) = ack.rtt {
            self.shortest = Some(self.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
        }
        let begin =
            || Round { start: ack.now, last: ack.now, end: ack.nxt, shortest: None, samples: 0 };
        let round = self.round.get_or_insert_with(begin);
        if ack.una > round.end {
            *round = begin();
        }
        round.sample(ack.rtt);
        let Some(shortest) = self.shortest.filter(|_| cwnd >= LOW_WINDOW) else { return false };
        let is_over = round.is_long(ack.now, shortest) || round.is_late(shortest);
        if is_over {
            self.round = None;
        }
        is_over
    }
}

impl Round {
    fn sample(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.shortest = Some(self.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
            self.samples += 1;
        }
    }

    fn is_long(&mut self, now: Time, shortest: Duration) -> bool {
        if now.saturating_since(self.last) > SPACING {
            return false;
        }
        self.last = now;
        now.saturating_since(self.start) > shortest / 2
    }

    fn is_late(&self, shortest: Duration) -> bool {
        let threshold = (shortest / INCREASE_DIVISOR).clamp(LEAST_INCREASE, MOST_INCREASE);
        self.samples >= SAMPLES && self.shortest.is_some_and(|rtt| rtt > shortest + threshold)
    }
}
