//! `HyStart++`: an earlier end of slow start (RFC 9406).

use base::Duration;

use crate::Ack;

/// Samples of a round before it is judged (RFC 9406 §4.3).
const N_RTT_SAMPLE: u32 = 8;
/// The minimum increase of the round-trip time that counts (RFC 9406 §4.3).
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
/// The maximum that is needed (RFC 9406 §4.3).
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
/// In between, the increase that counts, as a part of the round-trip time (RFC 9406 §4.3).
const MIN_RTT_DIVISOR: u64 = 8;
/// How much slower conservative slow start is (RFC 9406 §4.3).
const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// Rounds that conservative slow start lasts (RFC 9406 §4.3).
const CSS_ROUNDS: u32 = 5;
/// Segments that one acknowledgement may add without pacing: L (RFC 9406 §4.3).
const L: f64 = 8.0;

/// Watches round-trip times during the first slow start (RFC 9406 §4.2).
///
/// When the smallest of a round rises by an eighth (at least 4 ms, at most 16 ms), conservative
/// slow start grows a quarter as fast for five rounds, and then slow start is over. Should the
/// round-trip time fall below where it started, slow start goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hystart {
    phase: Phase,
    round: Round,
    /// The smallest round-trip time of the round before.
    last_min: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Phase {
    #[default]
    SlowStart,
    /// In conservative slow start, since the round with this smallest round-trip time.
    Conservative {
        baseline: Duration,
        rounds: u32,
    },
    Over,
}

#[derive(Clone, Debug, Default)]
struct Round {
    /// It ends when this offset is passed.
    end: u64,
    min: Option<Duration>,
    samples: u32,
}

impl Hystart {
    /// Segments by which an acknowledgement of `acked` segments opens the window; `None` where
    /// slow start is over.
    pub(crate) fn growth(&mut self, ack: &Ack, acked: f64) -> Option<f64> {
        self.sample(ack.rtt);
        self.judge();
        if ack.una > self.round.end {
            self.end_round(ack.nxt);
        }
        match self.phase {
            Phase::SlowStart => Some(acked.min(L)),
            Phase::Conservative { .. } => Some(acked.min(L) / CSS_GROWTH_DIVISOR),
            Phase::Over => None,
        }
    }

    fn sample(&mut self, rtt: Option<Duration>) {
        let Some(rtt) = rtt else { return };
        self.round.min = Some(self.round.min.map_or(rtt, |min| min.min(rtt)));
        self.round.samples += 1;
    }

    fn judge(&mut self) {
        let (Some(min), Some(last)) = (self.round.min, self.last_min) else { return };
        if self.round.samples < N_RTT_SAMPLE {
            return;
        }
        match self.phase {
            Phase::SlowStart => {
                let threshold = (last / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if min.saturating_sub(last) >= threshold {
                    self.phase = Phase::Conservative { baseline: min, rounds: 0 };
                }
            }
            Phase::Conservative { baseline, .. } => {
                if min < baseline {
                    self.phase = Phase::SlowStart;
                }
            }
            Phase::Over => {}
        }
    }

    fn end_round(&mut self, end: u64) {
        self.last_min = self.round.min;
        self.round = Round { end, ..Round::default() };
        if let Phase::Conservative { baseline, rounds } = self.phase {
            self.phase = if rounds + 1 >= CSS_ROUNDS {
                Phase::Over
            } else {
                Phase::Conservative { baseline, rounds: rounds + 1 }
            };
        }
    }
}
