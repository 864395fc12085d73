//! What each mobile of a cell could have of the downlink: what others leave, or its turn.

use base::Duration;

/// Time over which use is counted before it tells what is left: some round trips of a radio, so
/// that a queue that is empty for a moment is no end of what its mobile uses.
pub(super) const PERIOD: Duration = Duration::from_millis(100);

/// Periods over which use is smoothed: mobiles take turns by their fading, too.
const SMOOTHED: f64 = 8.0;

/// Part of the cell by which a share has to change to be reported.
const STEP: f64 = 1.0 / 32.0;

/// The share of each mobile, by what all used in the last period.
#[derive(Debug)]
pub(super) struct Shares {
    /// Slot in which this period began, and its least length in slots.
    since: u64,
    period: u64,
    /// Resource blocks that each mobile used in this period.
    used: Box<[u64]>,
    /// The most that each had at once: all that its category can take, or all that there are.
    widest: Box<[u16]>,
    /// The part of the cell that each used, smoothed.
    usual: Box<[f64]>,
    /// Share of each, of what it would have alone, as it was reported last.
    parts: Box<[f64]>,
}

impl Shares {
    /// Shares of `mobiles`, each of which could have all as long as nothing is known.
    pub(super) fn new(mobiles: usize, slot: Duration) -> Self {
        let (used, parts) = (vec![0; mobiles].into(), vec![1.0; mobiles].into());
        let (usual, widest) = (vec![0.0; mobiles].into(), vec![0; mobiles].into());
        Self { since: 0, period: PERIOD.whole(slot), used, widest, usual, parts }
    }

    /// The part that `ue` could have of what it would have alone.
    pub(super) fn of(&self, ue: u32) -> f64 {
        self.parts[ue as usize]
    }

    /// A block of `ue` takes `width` resource blocks.
    pub(super) fn carried(&mut self, ue: u32, width: u16) {
        let widest = &mut self.widest[ue as usize];
        *widest = (*widest).max(width);
        self.used[ue as usize] += u64::from(width);
    }

    /// Begin of the period that is over in `slot`, if one is. Where a mobile is alone, none is.
    pub(super) fn over(&self, slot: u64) -> Option<u64> {
        (self.used.len() > 1 && slot >= self.since + self.period).then_some(self.since)
    }

    /// The period ends in `slot`, in which there were `slots` of `width` resource blocks: `changed`
    /// hears of each mobile whose share is another.
    pub(super) fn end(
        &mut self,
        slot: u64,
        (slots, width): (u64, u16),
        mut changed: impl FnMut(u32),
    ) {
        let (width, all) = (f64::from(width), slots.max(1) as f64 * f64::from(width));
        for (usual, used) in self.usual.iter_mut().zip(&mut self.used) {
            *usual += (std::mem::take(used) as f64 / all - *usual) / SMOOTHED;
        }
        let busy = self.usual.iter().filter(|usual| **usual >= STEP).count();
        let sum = self.usual.iter().sum::<f64>();
        for (ue, part) in (0..).zip(&mut self.parts) {
            let (usual, widest) = (&self.usual[ue as usize], self.widest[ue as usize]);
            // One that was quiet takes turns with those that were not.
            let turns = busy + usize::from(*usual < STEP);
            let left = (1.0 - (sum - usual)).max(1.0 / turns as f64);
            let alone = if widest > 0 { f64::from(widest) / width } else { 1.0 };
            let now = (left / alone).min(1.0);
            if (now - *part).abs() >= STEP {
                *part = now;
                changed(ue);
            }
        }
        self.since = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares after a long time in which mobiles had `widths` of 50 blocks in these percent of
    /// slots.
    fn after(percent: &[u64], widths: u16) -> Vec<f64> {
        let mut shares = Shares::new(percent.len(), Duration::from_millis(1));
        for slot in 1..=10_000 {
            for (ue, _) in (0..).zip(percent).filter(|(_, part)| slot % 100 < **part) {
                shares.carried(ue, widths);
            }
            if let Some(since) = shares.over(slot) {
                assert_eq!(slot - since, 100);
                shares.end(slot, (slot - since, 50), |_| {});
            }
        }
        (0..percent.len() as u32).map(|ue| shares.of(ue)).collect()
    }

    #[test]
    fn a_share_is_what_others_leave_or_a_turn() {
        let check = |percent: &[u64], width, expect: &[f64]| {
            let shares = after(percent, width);
            for (share, expect) in shares.iter().zip(expect) {
                assert!((share - expect).abs() < 1.5 * STEP, "{percent:?}: {shares:?}, {expect}");
            }
        };
        check(&[100], 50, &[1.0]);
        check(&[50, 50], 50, &[0.5, 0.5]);
        check(&[80, 20], 50, &[0.8, 0.5]);
        check(&[20, 20], 50, &[0.8, 0.8]);
        check(&[50, 50, 0], 50, &[0.5, 0.5, 1.0 / 3.0]);
        check(&[90, 10, 0], 50, &[0.9, 1.0 / 2.0, 1.0 / 3.0]);
        check(&[0, 0], 50, &[1.0, 1.0]);
        // A category takes a fifth of the blocks at most: there is room for five.
        check(&[100, 100, 100], 10, &[1.0, 1.0, 1.0]);
        check(&[100, 0], 10, &[1.0, 0.8]);
    }
}
