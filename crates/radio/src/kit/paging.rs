//! When a mobile without a connection listens (TS 36.304 §7), for all kinds of radio that page
//! mobiles. Times are in slots of the kind.

use base::{Duration, Power};
use settings::{Fault, OfTime, Table, section};

section! {
    /// `[radio.edrx]`: a mobile without a connection listens in a window of each cycle (TS 36.304
    /// §7.3).
    #[derive(Copy)]
    pub struct EdrxKeys {
        /// From one window to the next (TS 24.008 §10.5.5.32: multiples of 20.48 s; LTE has 5.12
        /// and 10.24 s as well).
        pub cycle: Duration as OfTime<1_000_000> = Duration::from_millis(20_480);
        /// How long the window is (TS 24.008 §10.5.5.32: multiples of 2.56 s; of 1.28 s for LTE).
        pub window: Duration as OfTime<1_000_000> = Duration::from_millis(5120);
    }
}

section! {
    /// `[radio.psm]`: power saving mode. What comes for a mobile meanwhile waits in the queue.
    #[derive(Copy)]
    pub struct PsmKeys {
        /// For how long after a connection it listens for pages (T3324). Default: our choice.
        pub active: Duration as OfTime<1_000_000> = Duration::from_secs(10);
        /// How long after a connection it connects to say that it is there (T3412; TS 24.301 §10.2
        /// has 54 min).
        pub update: Duration as OfTime<1_000_000> = Duration::from_secs(54 * 60);
    }
}

/// Checks `edrx` and `psm` of the table `at`, whose mobiles listen each `cycle` of
/// `rrc.paging_cycle`.
pub(crate) fn check(
    (edrx, psm): (Option<EdrxKeys>, Option<PsmKeys>),
    cycle: Duration,
    tree: &Table,
    at: &str,
) -> Result<(), Fault> {
    if edrx.is_some_and(|edrx| edrx.window > edrx.cycle || edrx.window < cycle) {
        let message =
            format!("{at}.edrx.window must lie between {at}.rrc.paging_cycle and {at}.edrx.cycle");
        let keys = ["edrx.window", "edrx.cycle", "rrc.paging_cycle"];
        return tree.clash_at(at, &keys, message);
    }
    if psm.is_some_and(|psm| psm.active >= psm.update) {
        let message = format!("{at}.psm.active must be less than {at}.psm.update");
        return tree.clash_at(at, &["psm.active", "psm.update"], message);
    }
    Ok(())
}

/// When a mobile without a connection hears a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Paging {
    /// It listens once in each cycle (TS 36.304 §7.1).
    pub(crate) cycle: u64,
    /// With extended cycles only in a window of each.
    pub(crate) edrx: Option<Edrx>,
    /// When it does not listen at all.
    pub(crate) psm: Option<Psm>,
}

/// Extended cycles (TS 36.304 §7.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edrx {
    /// From one window to the next.
    pub(crate) cycle: u64,
    /// How long it is (PTW).
    pub(crate) window: u64,
}

/// Power saving mode (TS 23.401 §4.3.22).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Psm {
    /// It listens for so long after a connection (T3324).
    active: u64,
    /// It connects so long after one to say that it is there (T3412).
    update: u64,
}

impl Paging {
    /// The keys in slots of length `slot`.
    pub(crate) fn new(
        slot: Duration,
        cycle: Duration,
        edrx: Option<EdrxKeys>,
        psm: Option<PsmKeys>,
    ) -> Self {
        let slots = |time: Duration| time.ceil_to(slot).whole(slot);
        Self {
            cycle: slots(cycle),
            edrx: edrx.map(|keys| Edrx { cycle: slots(keys.cycle), window: slots(keys.window) }),
            psm: psm.map(|keys| Psm { active: slots(keys.active), update: slots(keys.update) }),
        }
    }

    /// The first slot from `from` on in which mobile number `ue`, idle since `since`, hears a page;
    /// `None` if it hears none until it wakes by itself.
    pub(crate) fn heard_from(&self, ue: u32, since: u64, from: u64) -> Option<u64> {
        let occasion = self.occasion(ue, from);
        self.asleep_from(since).is_none_or(|asleep| occasion < asleep).then_some(occasion)
    }

    /// From when on a mobile that is idle since `since` is in power saving mode, if it has one.
    pub(crate) fn asleep_from(&self, since: u64) -> Option<u64> {
        self.psm.map(|psm| since + psm.active)
    }

    /// When a mobile that is idle since `since` connects by itself, if it does so.
    pub(crate) fn update_from(&self, since: u64) -> Option<u64> {
        self.psm.map(|psm| since + psm.update)
    }

    /// What a mobile outside of power saving mode draws in the mean: so many microwatts within a
    /// window, and `asleep` between windows.
    pub(crate) fn mean(&self, within: f64, asleep: Power) -> Power {
        let share = |edrx: Edrx| edrx.window.min(edrx.cycle) as f64 / edrx.cycle.max(1) as f64;
        let open = self.edrx.map_or(1.0, share);
        let mean = open * within + (1.0 - open) * asleep.as_microwatts() as f64;
        Power::from_microwatts(mean.round() as u64)
    }

    fn occasion(&self, ue: u32, from: u64) -> u64 {
        let place = Self::spread(ue, self.cycle);
        let next = |from: u64| place + from.saturating_sub(place).div_ceil(self.cycle) * self.cycle;
        let mut occasion = next(from);
        if let Some(Edrx { cycle, window }) = self.edrx {
            let begin = Self::spread(ue.wrapping_add(1), cycle);
            // A window may have begun before the run.
            let is_within = |at: u64| (at + cycle - begin) % cycle < window.max(self.cycle);
            if !is_within(occasion) {
                let opens = begin + occasion.saturating_sub(begin).div_ceil(cycle) * cycle;
                occasion = next(opens);
            }
        }
        occasion
    }

    /// Places that are spread over a cycle: steps of the golden ratio.
    fn spread(ue: u32, cycle: u64) -> u64 {
        ((u128::from(ue.wrapping_mul(0x9E37_79B9)) * u128::from(cycle)) >> 32) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every slot against what the standard says of it.
    #[test]
    fn a_page_is_heard_once_a_cycle_within_a_window() {
        let edrx = Edrx { cycle: 20_480, window: 5120 };
        let paging = Paging { cycle: 2560, edrx: Some(edrx), psm: None };
        for ue in [0, 1, 77] {
            let (place, begin) = (Paging::spread(ue, 2560), Paging::spread(ue + 1, 20_480));
            let hears = |at: u64| at % 2560 == place && (at + 20_480 - begin) % 20_480 < 5120;
            for from in (0..60_000).step_by(611) {
                let first = (from..from + 60_000).find(|at| hears(*at));
                assert_eq!(paging.heard_from(ue, 0, from), first, "{ue} {from}");
            }
        }
    }

    #[test]
    fn a_window_as_long_as_its_cycle_is_always_open() {
        let edrx = Edrx { cycle: 20_480, window: 20_480 };
        let paging = Paging { cycle: 80, edrx: Some(edrx), psm: None };
        for from in (0..40_000).step_by(97) {
            assert!(paging.heard_from(0, 0, from).is_some_and(|at| at < from + 80), "{from}");
        }
    }

    #[test]
    fn nothing_is_heard_in_power_saving_mode() {
        let psm = Psm { active: 10_000, update: 1_000_000 };
        let paging = Paging { cycle: 2560, edrx: None, psm: Some(psm) };
        assert_eq!(paging.heard_from(0, 50_000, 51_000), Some(51_200));
        assert_eq!(paging.heard_from(0, 50_000, 59_000), None, "the next one is at 61440");
        assert_eq!(paging.heard_from(0, 50_000, 500_000), None);
    }

    /// As many mobiles as there are have as many places in a cycle.
    #[test]
    fn mobiles_are_spread_over_the_cycle() {
        let paging = Paging { cycle: 1280, edrx: None, psm: None };
        let first = |ue| paging.heard_from(ue, 0, 0).expect("it listens");
        let mut places: Vec<_> = (0..50).map(first).collect();
        places.sort_unstable();
        let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
        let gaps: Vec<_> = gaps.chain([places[0] + 1280 - places[49]]).collect();
        assert!(gaps.iter().all(|gap| (1..2 * 1280 / 50).contains(gap)), "{gaps:?}");
    }

    #[test]
    fn a_mobile_draws_less_between_windows() {
        let asleep = Power::from_microwatts(15);
        let mean = |edrx| Paging { cycle: 2560, edrx, psm: None }.mean(20_000.0, asleep);
        assert_eq!(mean(None).as_microwatts(), 20_000);
        assert_eq!(mean(Some(Edrx { cycle: 20_480, window: 5120 })).as_microwatts(), 5011);
        assert_eq!(mean(Some(Edrx { cycle: 20_480, window: 20_480 })).as_microwatts(), 20_000);
    }

    #[test]
    fn times_are_in_slots_of_the_kind() {
        let keys = (Some(EdrxKeys::default()), Some(PsmKeys::default()));
        let paging = |slot| {
            Paging::new(Duration::from_millis(slot), Duration::from_millis(1280), keys.0, keys.1)
        };
        let (edrx, psm) =
            (Edrx { cycle: 20_480, window: 5120 }, Psm { active: 10_000, update: 3_240_000 });
        assert_eq!(paging(1), Paging { cycle: 1280, edrx: Some(edrx), psm: Some(psm) });
        let (edrx, psm) = (Edrx { cycle: 10, window: 3 }, Psm { active: 5, update: 1583 });
        assert_eq!(paging(2048), Paging { cycle: 1, edrx: Some(edrx), psm: Some(psm) });
    }
}
