//! Host beyond the radio that a subscriber's box asks: of the many that are talked to some are far
//! away, and the time of their answers is not the radio's.
//!
//! Of two hosts that are asked at once, behind the same packets, the one that answers first is
//! nearer. Each second a host that is talked to now is tried so, beside the nearest until then.

use base::{Duration, Time};

use crate::Address;

/// Time between trials: our choice, an echo request a second.
const TRIED_AGAIN: Duration = Duration::from_secs(1);

/// The host that is asked, and another that is tried beside it.
#[derive(Debug, Default)]
pub(super) struct Nearest {
    ends: Option<[Address; 2]>,
    trial: Option<Trial>,
    tried_at: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
struct Trial {
    ends: [Address; 2],
    /// Number of its echo request, and of the one to the nearest just before it.
    number: u32,
    beside: u32,
}

impl Nearest {
    /// Ends of the next echo request; the `latest` that are talked to if none is known yet.
    pub(super) fn asked(&mut self, latest: [Address; 2]) -> [Address; 2] {
        *self.ends.get_or_insert(latest)
    }

    /// True if the `latest` host is another than the one that is asked.
    pub(super) fn is_other(&self, latest: [Address; 2]) -> bool {
        self.ends.is_some_and(|[_, nearest]| nearest != latest[1])
    }

    /// The one that is asked does not answer: the `latest` takes its place.
    pub(super) const fn replace(&mut self, latest: [Address; 2]) {
        (self.ends, self.trial) = (Some(latest), None);
    }

    /// True if the `latest` host is to be asked beside the nearest.
    pub(super) fn is_trial_due(&self, now: Time, latest: [Address; 2]) -> bool {
        let is_time = self.tried_at.is_none_or(|tried| now - tried >= TRIED_AGAIN);
        is_time && self.is_other(latest)
    }

    /// Trial of another host: request `number` asks it, just behind `beside` to the nearest.
    pub(super) const fn try_beside(
        &mut self,
        now: Time,
        ends: [Address; 2],
        [number, beside]: [u32; 2],
    ) {
        self.trial = Some(Trial { ends, number, beside });
        self.tried_at = Some(now);
    }

    /// Number of the request to the nearest that an answer to request `number` is about: of a trial
    /// the one beside it, if that is still `pending`; `None` if it tells nothing.
    pub(super) fn heard(&mut self, number: u32, is_pending: impl Fn(u32) -> bool) -> Option<u32> {
        let Some(trial) = self.trial.take_if(|trial| trial.number == number) else {
            return Some(number);
        };
        if !is_pending(trial.beside) {
            return None;
        }
        self.ends = Some(trial.ends);
        Some(trial.beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Leg;

    const fn ends(host: u128) -> [Address; 2] {
        [Address { leg: Leg::Wired, host: 1 }, Address { leg: Leg::Radio, host }]
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn who_answers_first_of_two_is_asked_from_then_on() {
        let mut nearest = Nearest::default();
        assert_eq!(nearest.asked(ends(7)), ends(7));
        assert!(!nearest.is_trial_due(at(0), ends(7)), "it is asked already");
        assert!(nearest.is_trial_due(at(0), ends(8)));
        nearest.try_beside(at(0), ends(8), [5, 4]);
        assert!(
            !nearest.is_trial_due(at(999), ends(9)) && nearest.is_trial_due(at(1_000), ends(9))
        );
        assert_eq!(nearest.heard(4, |_| true), Some(4));
        assert_eq!(nearest.heard(5, |number| number != 4), None, "it was slower");
        assert_eq!(nearest.asked(ends(8)), ends(7));
        nearest.try_beside(at(1_000), ends(9), [7, 6]);
        assert_eq!(nearest.heard(7, |number| number == 6), Some(6), "it was quicker");
        assert_eq!(nearest.asked(ends(7)), ends(9));
        assert_eq!(nearest.heard(7, |_| true), Some(7), "there is no trial any more");
    }

    #[test]
    fn who_does_not_answer_is_replaced() {
        let mut nearest = Nearest::default();
        nearest.asked(ends(7));
        nearest.try_beside(at(0), ends(8), [5, 4]);
        nearest.replace(ends(9));
        assert_eq!(nearest.asked(ends(7)), ends(9));
        assert_eq!(nearest.heard(5, |_| true), Some(5), "the trial is over");
    }
}
