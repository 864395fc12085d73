//! Random access of one level of coverage: preambles, and for how long those back off that were not
//! heard.

use base::{Duration, Philox};

use super::config::{Access, SUBFRAME};

/// The shortest and the longest back-off but none (TS 36.321 table 7.2-2, whose values double from
/// one to the next).
const BACKOFFS: [Duration; 2] = [Duration::from_millis(256), Duration::from_millis(524_288)];

/// Preambles a tone at which most of them are heard: one. So many tones without a collision then
/// make room for as many mobiles as a collision stands for (Rivest).
const DRAIN: f64 = 1.0 - 1.0 / std::f64::consts::E;

/// What a collision adds to the estimate, beside that a tone without one takes away: the mobiles
/// that it stands for, and those that come meanwhile.
const COLLISION: f64 = 1.0 + 1.0 / (std::f64::consts::E - 2.0);

/// The preambles of an occasion, and the estimate of how many mobiles try to be heard.
///
/// The estimate is that of R. L. Rivest: Network control by Bayesian broadcast. IEEE Transactions
/// on Information Theory 33(3), 1987.
#[derive(Debug)]
pub(super) struct RandomAccess {
    config: Access,
    /// From one occasion to the next, in subframes.
    period: u64,
    /// The last occasion with preambles.
    slot: u64,
    /// The senders of preambles in it, and their tones; `None` is one that is not simulated.
    sent: Vec<(Option<u32>, u32)>,
    /// The number of mobiles that try to be heard, as the base station estimates it.
    backlog: f64,
    chance: Philox,
}

impl RandomAccess {
    /// One that nobody has tried yet.
    pub(super) fn new(config: Access, period: u64, chance: Philox) -> Self {
        let backlog = f64::from(config.subcarriers);
        Self { config, period, slot: 0, sent: Vec::new(), backlog, chance }
    }

    /// Mobile `ue` sends a preamble on a tone in the occasion at `slot`. Says which mobiles are not
    /// heard for it, of which it is one.
    pub(super) fn send(&mut self, slot: u64, ue: u32, tone: u32) -> impl Iterator<Item = u32> {
        if slot != self.slot {
            self.open(slot);
        }
        let has_collided = self.put(Some(ue), tone);
        let alike = self.sent.iter().filter(move |(_, other)| has_collided && *other == tone);
        alike.filter_map(|(ue, _)| *ue)
    }

    /// The longest time that one that was not heard backs off, in subframes. The mean of what is
    /// drawn lets as many try in an occasion as there are tones.
    pub(super) fn backoff(&self) -> u64 {
        self.config.backoff.unwrap_or_else(|| {
            let occasions = self.backlog / f64::from(self.config.subcarriers);
            let [least, most] = BACKOFFS.map(|time| time.whole(SUBFRAME));
            let wanted = (2.0 * occasions * self.period as f64) as u64;
            wanted.next_power_of_two().clamp(least, most)
        })
    }

    /// An occasion begins.
    fn open(&mut self, slot: u64) {
        let tones = f64::from(self.config.subcarriers);
        let passed = (slot - self.slot) / self.period;
        self.backlog = (self.backlog - DRAIN * tones * passed as f64).max(tones);
        self.slot = slot;
        self.sent.clear();
        for other in 0..self.config.others {
            let [drawn, ..] = self.chance.at([slot as u32, (slot >> 32) as u32, other, 0]);
            self.put(None, drawn % self.config.subcarriers);
        }
    }

    /// Adds a preamble. Returns true if it is not alone on its tone.
    fn put(&mut self, who: Option<u32>, tone: u32) -> bool {
        let alike = self.sent.iter().filter(|(_, other)| *other == tone).count();
        if alike == 1 {
            self.backlog += COLLISION;
        }
        self.sent.push((who, tone));
        alike > 0
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;

    fn access(others: u32) -> RandomAccess {
        let config =
            Access { subcarriers: 12, others, attempts: 10, contention: 640, backoff: None };
        RandomAccess::new(config, 320, Philox::named(1, "access"))
    }

    #[test]
    fn preambles_of_one_tone_and_occasion_collide() {
        let mut access = access(0);
        let mut send = |slot, ue, tone| access.send(slot, ue, tone).collect::<Vec<_>>();
        assert_eq!(send(320, 0, 5), []);
        assert_eq!(send(320, 1, 6), []);
        assert_eq!(send(320, 2, 5), [0, 2]);
        assert_eq!(send(320, 3, 5), [0, 2, 3]);
        assert_eq!(send(640, 4, 5), []);
    }

    /// Each tone may be that of one that is not simulated.
    #[test]
    fn others_take_tones() {
        let heard = |others| {
            let mut access = access(others);
            (1..=3000).filter(|each| access.send(each * 320, 0, 7).next().is_none()).count()
        };
        assert_eq!(heard(0), 3000);
        // (11/12)^12 = 35 %.
        assert!((1000..1110).contains(&heard(12)), "{}", heard(12));
    }

    /// The back-off grows with collisions by the values of the standard, and shrinks without them.
    #[test]
    fn the_back_off_follows_the_load() {
        let mut access = access(0);
        assert_eq!(access.backoff(), 1024, "as many mobiles as tones, over two occasions");
        let collide = |access: &mut RandomAccess, occasions: RangeInclusive<u64>| {
            for slot in occasions {
                for ue in 0..24 {
                    let _ = access.send(slot * 320, ue, ue % 12).count();
                }
            }
            access.backoff()
        };
        // Twelve collisions add 12 · (2.39 − 0.63) = 21.1 in each occasion, all but the first.
        assert_eq!(collide(&mut access, 1..=10), 16_384);
        assert_eq!(collide(&mut access, 11..=10_000), 524_288);
        let _ = access.send(320 * 10_000 + 320 * 40_000, 0, 0).count();
        assert_eq!(access.backoff(), 1024);
    }
}
