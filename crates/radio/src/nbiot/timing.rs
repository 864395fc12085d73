//! When a mobile listens.

/// Where a mobile looks for what the base station tells it (TS 36.213 §16.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchSpace {
    /// From one to the next, in subframes: the most repetitions times G.
    pub period: u64,
    /// How many subframes of it are looked at: the most repetitions.
    pub span: u64,
    /// How many a message takes.
    pub repetitions: u64,
}

impl SearchSpace {
    /// The first subframe from `from` on in which a message can begin.
    pub(super) const fn candidate(&self, from: u64) -> u64 {
        let (begin, offset) = (from - from % self.period, from % self.period);
        let place = offset.div_ceil(self.repetitions) * self.repetitions;
        if place + self.repetitions <= self.span { begin + place } else { begin + self.period }
    }
}

/// When a mobile without a connection hears a page, in subframes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paging {
    /// It listens once in each cycle (TS 36.304 §7.1).
    pub cycle: u64,
    /// With extended cycles only in a window of each.
    pub edrx: Option<Edrx>,
    /// When it does not listen at all.
    pub psm: Option<Psm>,
}

/// Extended cycles (TS 36.304 §7.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edrx {
    /// From one window to the next.
    pub cycle: u64,
    /// How long it is (PTW).
    pub window: u64,
}

/// Power saving mode (TS 23.401 §4.3.22).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Psm {
    /// It listens for so long after a connection (T3324).
    pub active: u64,
    /// It connects so long after one to say that it is there (T3412).
    pub update: u64,
}

impl Paging {
    /// The first subframe from `from` on in which mobile number `ue`, idle since `since`, hears a
    /// page; `None` if it hears none until it wakes by itself.
    pub(super) fn heard_from(&self, ue: u32, since: u64, from: u64) -> Option<u64> {
        let occasion = self.occasion(ue, from);
        self.psm.is_none_or(|psm| occasion < since + psm.active).then_some(occasion)
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
        (u64::from(ue.wrapping_mul(0x9E37_79B9)) * cycle) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_where_a_mobile_looks() {
        let space = SearchSpace { period: 16, span: 8, repetitions: 2 };
        let places: Vec<_> = (0..20).map(|from| space.candidate(from)).collect();
        let expect = [0, 2, 2, 4, 4, 6, 6, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 18, 18, 20];
        assert_eq!(places, expect);
        let whole = SearchSpace { period: 384, span: 256, repetitions: 256 };
        assert_eq!([0, 1, 384, 385].map(|from| whole.candidate(from)), [0, 384, 384, 768]);
    }

    /// Every subframe against what the standard says of it.
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
}
