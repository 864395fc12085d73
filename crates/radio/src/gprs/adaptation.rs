//! Link adaptation: which coding scheme new blocks have.

use base::Probability;
use settings::{Chance, Count, section};

use super::arq::AckCounts;
use super::coding::CodingScheme;

section! {
    /// `[radio.gprs.adaptation]`: the coding scheme goes up or down by the share of blocks that
    /// reports ask to be retransmitted. Defaults: osmo-pcu.
    #[derive(Copy)]
    pub struct Adaptation {
        /// Below this share the next faster scheme is used.
        pub up: Probability as Chance = Probability::new(0.1).unwrap_or_default();
        /// Above this share the next slower scheme is used.
        pub down: Probability as Chance = Probability::new(0.33).unwrap_or_default();
        /// The number of blocks that are judged before a change. Default: as many as between polls.
        pub blocks: u32 as Count<u32, 1, 10_000> = 20;
    }
    in_order(up, down)
}

/// Adapts the scheme to what reports say.
#[derive(Debug)]
pub(crate) struct Adapter {
    scheme: CodingScheme,
    limits: Option<Adaptation>,
    judged: AckCounts,
}

impl Adapter {
    pub(crate) const fn new(scheme: CodingScheme, limits: Option<Adaptation>) -> Self {
        Self { scheme, limits, judged: AckCounts { acked: 0, nacked: 0 } }
    }

    /// The scheme of new blocks. A retransmitted block keeps its own (TS 44.060 §8.1.1).
    pub(crate) const fn scheme(&self) -> CodingScheme {
        self.scheme
    }

    /// A report has come.
    pub(crate) fn judge(&mut self, counts: AckCounts) {
        let Some(Adaptation { up, down, blocks }) = self.limits else { return };
        self.judged.acked += counts.acked;
        self.judged.nacked += counts.nacked;
        let all = self.judged.acked + self.judged.nacked;
        if all < blocks {
            return;
        }
        let share = f64::from(self.judged.nacked) / f64::from(all);
        self.judged = AckCounts::default();
        let next = if share < up.value() {
            self.scheme.faster()
        } else if share > down.value() {
            self.scheme.slower()
        } else {
            None
        };
        self.scheme = next.unwrap_or(self.scheme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::of;

    #[test]
    fn schemes_follow_the_share_of_blocks_asked_for_again() {
        let limits = Adaptation { up: of(0.1), down: of(0.33), blocks: 20 };
        let check = |acked, nacked, expect| {
            let mut adapter = Adapter::new(CodingScheme::Cs2, Some(limits));
            adapter.judge(AckCounts { acked, nacked });
            assert_eq!(adapter.scheme(), expect, "{acked} acknowledged, {nacked} not");
        };
        check(19, 0, CodingScheme::Cs2);
        check(19, 1, CodingScheme::Cs3);
        check(18, 2, CodingScheme::Cs2);
        check(14, 6, CodingScheme::Cs2);
        check(13, 7, CodingScheme::Cs1);
        let mut fixed = Adapter::new(CodingScheme::Cs4, None);
        fixed.judge(AckCounts { acked: 0, nacked: 100 });
        assert_eq!(fixed.scheme(), CodingScheme::Cs4);
    }

    #[test]
    fn it_stays_within_its_system() {
        let limits = Adaptation { up: of(0.1), down: of(0.33), blocks: 1 };
        let mut adapter = Adapter::new(CodingScheme::Cs4, Some(limits));
        adapter.judge(AckCounts { acked: 1, nacked: 0 });
        assert_eq!(adapter.scheme(), CodingScheme::Cs4);
        let mut adapter = Adapter::new(CodingScheme::Mcs1, Some(limits));
        adapter.judge(AckCounts { acked: 0, nacked: 1 });
        assert_eq!(adapter.scheme(), CodingScheme::Mcs1);
    }
}
