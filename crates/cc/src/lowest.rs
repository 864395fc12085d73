//! The lowest round-trip time of a span that moves on.

use base::{Duration, Time};

/// The lowest sample of the last span of some length, in the memory of three (Nichols' algorithm,
/// as in Linux's `lib/win_minmax.c`): the lowest, and the lowest of what came after it, twice. What
/// moves out of the span gives way to the next; the answer is never below the lowest of the span.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lowest {
    best: Option<[Sample; 3]>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Time,
    rtt: Duration,
}

impl Lowest {
    /// Takes a sample and returns the lowest of the last `span`.
    pub(crate) fn update(&mut self, now: Time, rtt: Duration, span: Duration) -> Duration {
        let new = Sample { at: now, rtt };
        let is_old = |sample: Sample| now.saturating_since(sample.at) > span;
        let best = self.best.get_or_insert([new; 3]);
        if rtt <= best[0].rtt || is_old(best[2]) {
            *best = [new; 3];
        } else if rtt <= best[1].rtt {
            best[1] = new;
            best[2] = new;
        } else if rtt <= best[2].rtt {
            best[2] = new;
        }
        for _ in 0..2 {
            if is_old(best[0]) {
                *best = [best[1], best[2], new];
            }
        }
        // A quarter and a half of the span without a rival: the newest is one.
        let age = now.saturating_since(best[0].at);
        if best[1].at == best[0].at && age > span / 4 {
            best[1] = new;
            best[2] = new;
        } else if best[2].at == best[1].at && age > span / 2 {
            best[2] = new;
        }
        best[0].rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Duration = Duration::from_millis(100);

    /// A sample each 3 ms, by a recurrence that leaves no pattern: the answer is one of the span,
    /// at least its lowest, and at most the lowest of the newest quarter.
    #[test]
    fn the_answer_is_of_the_span() {
        let (mut lowest, mut seen) = (Lowest::default(), Vec::new());
        let mut chance = 1_u64;
        for nth in 0..10_000 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let now = Time::ZERO + Duration::from_millis(3 * nth);
            let rtt = Duration::from_micros(chance >> 48);
            seen.push((now, rtt));
            let answer = lowest.update(now, rtt, SPAN);
            let within = |span: Duration| {
                let newest = seen.iter().rev();
                newest.take_while(move |(at, _)| now.saturating_since(*at) <= span)
            };
            let least = |span| within(span).map(|&(_, rtt)| rtt).min().expect("the newest is one");
            assert!(answer >= least(SPAN) && answer <= least(SPAN / 4), "{nth}: {answer:?}");
            assert!(within(SPAN).any(|&(_, rtt)| rtt == answer), "{nth}");
        }
    }

    #[test]
    fn a_rise_is_seen_once_the_low_ones_are_past() {
        let mut lowest = Lowest::default();
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        let [low, high] = [10, 20].map(Duration::from_millis);
        assert_eq!(lowest.update(at(0), low, SPAN), low);
        assert_eq!(lowest.update(at(100), high, SPAN), low);
        assert_eq!(lowest.update(at(101), high, SPAN), high);
    }
}
