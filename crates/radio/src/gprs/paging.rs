//! The blocks in which the network reaches a mobile without a temporary block flow (TS 45.002
//! §6.5.2, §6.5.6).

use base::{Duration, Stream, Time};

use super::keys::Gprs;

/// A multiframe of 51 frames (TS 45.002 §4.3.3): 3060/13 ms.
const MULTIFRAME: Duration = Duration::from_nanos(3_060_000_000 / 13);

/// The paging blocks of a mobile, and until when it listens to all others as well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paging {
    /// The time from one paging block to the next; `None` if the mobile always listens.
    cycle: Option<Duration>,
    /// The time of the first paging block: the mobile's identity determines it.
    first: Duration,
    /// The time for which the mobile still listens after its last flow.
    non_drx: Duration,
    /// The time until which it listens to all blocks.
    awake_until: Option<Time>,
}

impl Paging {
    pub(super) fn new(gprs: &Gprs, seed: u64, name: &str) -> Self {
        let cycle = gprs.paging.map(|multiframes| MULTIFRAME * u64::from(multiframes));
        let share = Stream::named(seed, &format!("{name}/paging")).next_f64();
        let first = cycle.unwrap_or_default().as_nanos() as f64 * share;
        let first = Duration::from_nanos(first as u64);
        Self { cycle, first, non_drx: gprs.non_drx, awake_until: None }
    }

    /// The mobile has a flow, or listens after one, until `time`.
    pub(super) fn keep_awake(&mut self, time: Time) {
        self.awake_until = self.awake_until.max(Some(time + self.non_drx));
    }

    /// The first time from `now` on at which the mobile hears the network.
    pub(super) fn heard(&self, now: Time) -> Time {
        let Some(cycle) = self.cycle else { return now };
        if self.awake_until.is_some_and(|until| now <= until) {
            return now;
        }
        let since_first = now.saturating_since(Time::ZERO + self.first);
        Time::ZERO + self.first + since_first.ceil_to(cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    fn paging(multiframes: Option<u32>) -> Paging {
        let gprs = Gprs { paging: multiframes, ..Gprs::default() };
        Paging::new(&gprs, 1, "x")
    }

    #[test]
    fn a_quiet_mobile_hears_its_own_blocks_alone() {
        for multiframes in 2..=9 {
            let mut paging = paging(Some(multiframes));
            let cycle = MULTIFRAME * u64::from(multiframes);
            assert!(paging.first < cycle);
            let blocks: Vec<_> = (0..200).map(|step| paging.heard(at(50 * step))).collect();
            for (step, heard) in blocks.iter().enumerate() {
                let waits = heard.saturating_since(at(50 * step as u64));
                assert!(waits <= cycle && *heard >= at(50 * step as u64));
                assert_eq!(
                    heard.saturating_since(Time::ZERO + paging.first).as_nanos() % cycle.as_nanos(),
                    0
                );
            }
            paging.keep_awake(at(10_000));
            assert_eq!(paging.heard(at(12_000)), at(12_000));
            let quiet = self::paging(Some(multiframes));
            for time in [at(12_001), at(50_000)] {
                assert_eq!(paging.heard(time), quiet.heard(time));
            }
        }
    }

    #[test]
    fn without_paging_a_mobile_always_listens() {
        assert_eq!(paging(None).heard(at(77)), at(77));
    }
}
