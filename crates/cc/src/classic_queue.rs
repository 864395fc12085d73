//! Detection of a queue that marks as RFC 3168 asks (Briscoe and Ahmed, "TCP Prague Fall-back on
//! Detection of a Classic ECN AQM", arXiv 1911.00710): it lets its delay vary and grow, which a
//! queue for L4S does not.

use base::Duration;

/// Weights of the variation and of the depth in the score (§3.2: V, D; `tcp_prague.c`).
const VARIATION: f64 = 0.5;
const DEPTH: f64 = 0.5;
/// The variation and the depth that tell nothing, in microseconds (§3.2: v0, D0; `tcp_prague.c`).
const USUAL_VARIATION: f64 = 750.0;
const USUAL_DEPTH: f64 = 2_000.0;
/// Scores up to this are of an L4S queue (`L_STICKY` of `tcp_prague.c`); from 1 above it on of a
/// classic one.
const TRANSITION: f64 = 8.0;
/// The score ends as far above the transition as it begins below it (`C_STICKY`).
const HIGHEST: f64 = 2.0 * TRANSITION + 1.0;
/// The least α in a classic queue, of which a mark takes half (`prague_classic_ecn_fallback`).
const CLASSIC_ALPHA: f64 = 0.625;
/// The slowest gain of the averages is 2 to the minus this (`PRAGUE_MAX_SRTT_BITS`).
const SLOWEST: u32 = 18;

/// A score of how classic the queue seems, from 0 to [`HIGHEST`].
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassicQueue {
    score: f64,
    averages: Option<Averages>,
}

/// Averages of round trips, in microseconds.
#[derive(Clone, Copy, Debug)]
struct Averages {
    least: f64,
    smoothed: f64,
    /// Mean deviation.
    variation: f64,
}

impl ClassicQueue {
    /// A round trip, by a window whose ssthresh is so many segments: the more acknowledgements in
    /// a sawtooth, the less each counts (`prague_update_rtt_scaling`).
    pub(crate) fn hear(&mut self, rtt: Duration, ssthresh: f64) {
        let micros = rtt.as_nanos() as f64 / 1e3;
        let log = (ssthresh as u32).max(1).ilog2();
        let shift = (log + log / 2 + 1).min(SLOWEST);
        let gain = 1.0 / f64::from(1_u32 << shift);
        let before = Averages { least: micros, smoothed: micros, variation: 1.0 };
        let averages = self.averages.get_or_insert(before);
        let error = micros - averages.smoothed;
        averages.least = averages.least.min(micros);
        averages.smoothed += gain * error;
        averages.variation += gain / 2.0 * (error.abs() - averages.variation);
    }

    /// A round trip of marks is over.
    pub(crate) fn end_round(&mut self) {
        let Some(Averages { least, smoothed, variation }) = self.averages else { return };
        let depth = ((smoothed - least) / USUAL_DEPTH).max(1.0);
        let variation = variation.max(1.0) / USUAL_VARIATION;
        let step = VARIATION * log2(variation) + DEPTH * log2(depth);
        self.score = (self.score + step).clamp(0.0, HIGHEST);
    }

    /// The least α that is fair to others in the queue: gradually more in the transition.
    pub(crate) fn least_alpha(&self) -> f64 {
        CLASSIC_ALPHA * (self.score - TRANSITION).clamp(0.0, 1.0)
    }
}

/// The binary logarithm of a positive number, to a millionth, by nothing but `+ - * /`.
fn log2(number: f64) -> f64 {
    let (mut rest, mut log) = (number, 0.0);
    while rest >= 2.0 {
        (rest, log) = (rest / 2.0, log + 1.0);
    }
    while rest < 1.0 {
        (rest, log) = (rest * 2.0, log - 1.0);
    }
    let mut digit = 0.5;
    for _ in 0..20 {
        rest *= rest;
        if rest >= 2.0 {
            (rest, log) = (rest / 2.0, log + digit);
        }
        digit /= 2.0;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_near() {
        for (number, expect) in [
            (1.0, 0.0),
            (2.0, 1.0),
            (0.25, -2.0),
            (10.0, std::f64::consts::LOG2_10),
            (0.001, -9.965_784),
        ] {
            assert!((log2(number) - expect).abs() < 2e-6, "{number}: {}", log2(number));
        }
        // V0_LG and D0_LG of tcp_prague.c, in units of 2^-20.
        let of = |micros| log2(micros) * f64::from(1 << 20);
        assert!((of(USUAL_VARIATION) - 10_014_683.0).abs() < 2.0);
        assert!((of(USUAL_DEPTH) - 11_498_458.0).abs() < 2.0);
    }

    /// A queue whose delay swings between `base` and as much more as said, in microseconds.
    fn swinging(swing: u64, rounds: u64) -> ClassicQueue {
        let mut queue = ClassicQueue::default();
        for round in 0..rounds {
            for ack in 0..100 {
                let phase = (round * 100 + ack) % 1_000;
                queue.hear(Duration::from_micros(20_000 + swing * phase / 1_000), 100.0);
            }
            queue.end_round();
        }
        queue
    }

    #[test]
    fn a_shallow_queue_scores_nothing_and_a_deep_one_all() {
        for (swing, expect) in [(0, 0.0), (1_000, 0.0), (2_000, 0.0), (20_000, CLASSIC_ALPHA)] {
            let least = swinging(swing, 500).least_alpha();
            assert_eq!(least.to_bits(), f64::to_bits(expect), "{swing} us: {least}");
        }
    }

    #[test]
    fn the_changeover_is_gradual_and_goes_back() {
        let mut queue = ClassicQueue { score: HIGHEST, ..swinging(0, 1) };
        let mut seen = Vec::new();
        for _ in 0..10 {
            queue.end_round();
            seen.push(queue.least_alpha());
        }
        let falls = seen.windows(2).all(|pair| pair[1] <= pair[0]);
        assert!(falls && seen[0] > 0.0 && seen[9].to_bits() == 0, "{seen:?}");
    }
}
