//! The round-trip time over the radio leg.

use base::{Duration, Time};

use crate::follow::Agreed;

/// The timeout before the first sample: ns-2's initial values, srtt 0.1 s and rttvar 0.25 s.
const INITIAL_TIMEOUT: Duration = Duration::from_millis(1_100);

/// Smoothed round-trip time and its variation, with the gains of 1/8 and 1/4 of Jacobson 1988.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RadioRtt {
    /// Eight times SRTT and four times RTTVAR in nanoseconds.
    smoothed: Option<(u64, u64)>,
    /// The shortest so far.
    pub(crate) smallest: Option<Duration>,
    /// When the answer to the mobile's SYN passed, until the mobile sends again.
    answered: Option<Time>,
}

impl RadioRtt {
    /// Of a new connection, with the handshake as a sample.
    pub(crate) fn new(agreed: &Agreed) -> Self {
        let answered = agreed.wired_rtt.map(|_| agreed.at);
        let mut rtt = Self { answered, ..Self::default() };
        if let Some(handshake) = agreed.radio_rtt {
            rtt.sample(handshake);
        }
        rtt
    }

    /// The mobile sends something. Its first segment, if that ends the handshake, is a sample.
    pub(crate) fn heard(&mut self, now: Time, ends_handshake: bool) {
        if let Some(answered) = self.answered.take().filter(|_| ends_handshake) {
            self.sample(now - answered);
        }
    }

    /// A segment that was sent once took `rtt` to be acknowledged.
    pub(crate) fn sample(&mut self, rtt: Duration) {
        let nanos = rtt.as_nanos();
        self.smoothed = Some(match self.smoothed {
            None => (nanos * 8, nanos * 2),
            Some((srtt8, rttvar4)) => {
                let error = nanos.abs_diff(srtt8 / 8);
                (srtt8 - srtt8 / 8 + nanos, rttvar4 - rttvar4 / 4 + error)
            }
        });
        self.smallest = Some(self.smallest.map_or(rtt, |smallest| smallest.min(rtt)));
    }

    /// SRTT + 4 · RTTVAR, no less than `min`.
    pub(crate) fn timeout(&self, min: Duration) -> Duration {
        self.own_timeout().unwrap_or(INITIAL_TIMEOUT).max(min)
    }

    /// SRTT + 4 · RTTVAR, after the first sample.
    pub(crate) fn own_timeout(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt8, rttvar4)| Duration::from_nanos(srtt8 / 8 + rttvar4))
    }

    /// SRTT + 2 · RTTVAR, no less than `min`: overdue, but before the timer of a sender.
    pub(crate) fn silence(&self, min: Duration) -> Duration {
        let silence = self.smoothed.map(|(srtt8, rttvar4)| srtt8 / 8 + rttvar4 / 2);
        silence.map_or(min, Duration::from_nanos).max(min)
    }

    /// SRTT, after the first sample.
    pub(crate) fn smoothed(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt8, _)| Duration::from_nanos(srtt8 / 8))
    }

    /// The shortest that is likely now: an eighth below SRTT.
    pub(crate) fn least_likely(&self) -> Option<Duration> {
        self.smoothed.map(|(srtt8, _)| Duration::from_nanos(srtt8 / 64 * 7))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// By hand: srtt 800, rttvar 400; then 800 + 80/8 = 810 and 400 + (80 − 400)/4 = 320.
    #[test]
    fn gains_are_an_eighth_and_a_quarter() {
        let mut rtt = RadioRtt::default();
        assert_eq!(rtt.timeout(millis(100)), millis(1_100));
        rtt.sample(millis(800));
        assert_eq!(rtt.timeout(millis(100)), millis(800 + 4 * 400));
        rtt.sample(millis(880));
        assert_eq!(rtt.smoothed(), Some(millis(810)));
        assert_eq!(rtt.timeout(millis(100)), millis(810 + 4 * 320));
        assert_eq!(rtt.timeout(millis(5_000)), millis(5_000));
        assert_eq!(rtt.silence(millis(100)), millis(810 + 2 * 320));
        assert_eq!(rtt.silence(millis(5_000)), millis(5_000));
        assert_eq!(rtt.smallest, Some(millis(800)));
    }
}
