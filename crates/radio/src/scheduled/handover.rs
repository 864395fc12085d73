//! Times of handovers: when mobiles go to other cells.

use base::{Duration, Stream, Time};
use settings::{Fault, Flag, Moments, OfTime, Or, Table, absent, section};

absent! {
    BySystem = "by-system",
}

section! {
    /// `[radio.handover]`: mobiles go to other cells, each as good as the one before.
    pub struct Handover {
        /// How often.
        pub every: Duration as OfTime<1_000_000> = Duration::from_secs(20);
        /// When, in place of every so often.
        pub at: Vec<Duration> as Moments = Vec::new();
        /// How far the handovers of mobiles are apart: all of one mobile come later by a part of
        /// this, which the seed draws.
        pub spread: Duration as OfTime = Duration::ZERO;
        /// For how long nothing is sent then; so too after a radio link failure. By system: 30 ms,
        /// or 108 ms between cells of an NR network that is not standalone, as it is said to be;
        /// not checked.
        pub gap: Option<Duration> as Or<BySystem, OfTime> = None;
        /// Whether the cell before hands on what has not been delivered (TS 36.300 §10.1.2.3, TS
        /// 38.300 §9.2.3.2).
        pub forwarding: bool as Flag = true;
    }
    supersedes(at: every)
}

/// The keys in slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Handovers {
    times: Times,
    spread: u64,
    pub(crate) gap: u64,
    pub(super) forwarding: bool,
}

/// The slots from which cells are others.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Times {
    /// Every so many.
    Every(u64),
    /// Growing, each with the cell and the reason.
    At(Vec<(u64, u32, Reason)>),
}

/// The reason for which a mobile goes to another cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// A cell that takes it over.
    Handover,
    /// A radio link that has failed, and is established anew there.
    Failure,
}

/// The time when a mobile goes to another cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) time: Time,
    /// The number of the other cell.
    pub(crate) cell: u32,
    pub(crate) reason: Reason,
}

impl Handover {
    /// The keys in slots of length `slot`, with the system's own `gap`.
    pub(crate) fn in_slots(&self, slot: Duration, gap: Duration) -> Handovers {
        let slots = |time: Duration| time.ceil_to(slot).whole(slot);
        let times = match self.at.as_slice() {
            [] => Times::Every(slots(self.every)),
            at => {
                let move_at =
                    |(cell, time): (u32, &Duration)| (slots(*time), cell, Reason::Handover);
                Times::At((1..).zip(at).map(move_at).collect())
            }
        };
        let (spread, gap) = (slots(self.spread), slots(self.gap.unwrap_or(gap)));
        Handovers { times, spread, gap, forwarding: self.forwarding }
    }

    /// True if keys say when mobiles go.
    pub(super) fn has_times(&self) -> bool {
        let usual = Self::default();
        !self.at.is_empty() || self.every != usual.every || self.spread != usual.spread
    }

    /// Refuses a gap, of the system's own length if none is given, that lasts until the next
    /// handover begins. The keys stand under `at`.
    pub(crate) fn check(&self, gap: Duration, tree: &Table, at: &str) -> Result<(), Fault> {
        let gap = self.gap.unwrap_or(gap);
        if self.at.is_empty() {
            if gap < self.every {
                return Ok(());
            }
            let message = format!("{at}.gap must be less than {at}.every");
            return tree.clash_at(at, &["gap", "every"], message);
        }
        if self.at.windows(2).all(|pair| pair[0] + gap < pair[1]) {
            return Ok(());
        }
        let message = format!("{at}.gap must be less than the times between those of {at}.at");
        tree.clash_at(at, &["gap", "at"], message)
    }
}

impl Handovers {
    /// The same at the times of `moves`, in slots of length `slot`.
    pub(crate) fn at(self, moves: &[Move], slot: Duration) -> Self {
        let slots = |time: Time| time.saturating_since(Time::ZERO).ceil_to(slot).whole(slot);
        let times = moves.iter().map(|it| (slots(it.time), it.cell, it.reason)).collect();
        Self { times: Times::At(times), ..self }
    }

    /// The number of slots by which those of the mobile called `name` come later.
    pub(super) fn delay(&self, seed: u64, name: &str) -> u64 {
        let drawn = Stream::named(seed, &format!("{name}/handovers")).next_f64();
        (drawn * self.spread as f64) as u64
    }

    /// The number of handovers that have begun by `slot`, of a mobile whose come `later`.
    pub(super) fn begun(&self, later: u64, slot: u64) -> u64 {
        let Some(slot) = slot.checked_sub(later) else { return 0 };
        match &self.times {
            Times::Every(slots) => slot / slots,
            Times::At(times) => times.partition_point(|(time, ..)| *time <= slot) as u64,
        }
    }

    /// The slot in which the next one begins after so many have; `u64::MAX` if there is none.
    pub(super) fn next(&self, later: u64, begun: u64) -> u64 {
        let next = match &self.times {
            Times::Every(slots) => Some((begun + 1) * slots),
            Times::At(times) => times.get(begun as usize).map(|(time, ..)| *time),
        };
        next.map_or(u64::MAX, |next| next + later)
    }

    /// The cell and the reason of the last of so many that have begun, at least one. Where they are
    /// all alike cells have the numbers in which they come.
    pub(super) fn last(&self, begun: u64) -> (u32, Reason) {
        match &self.times {
            Times::Every(_) => (begun as u32, Reason::Handover),
            Times::At(times) => {
                let (_, cell, reason) = times[begun as usize - 1];
                (cell, reason)
            }
        }
    }

    /// The slot from which something is sent again after so many have begun, at least one.
    pub(super) fn open_from(&self, later: u64, begun: u64) -> u64 {
        self.next(later, begun - 1) + self.gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways of saying when agree where they mean the same, and counting agrees with times.
    #[test]
    fn times_are_counted_as_they_come() {
        let ms = Duration::from_millis;
        let every = Handover { every: ms(50), ..Handover::default() };
        let at = Handover { at: (1..=9).map(|turn| ms(50 * turn)).collect(), ..every.clone() };
        let [every, at] = [every, at].map(|keys| keys.in_slots(ms(1), ms(30)));
        for later in [0, 7] {
            for slot in 0..450 {
                let begun = every.begun(later, slot);
                assert_eq!(at.begun(later, slot), begun, "{slot}");
                assert!(every.next(later, begun) > slot && at.next(later, begun) > slot);
                if begun > 0 {
                    let open = at.open_from(later, begun);
                    assert!((slot.saturating_sub(50)..=slot + 30).contains(&(open - 30)));
                }
            }
        }
        assert_eq!(at.next(3, 9), u64::MAX, "there is no tenth");
    }

    /// Mobiles are spread over the whole time, and by nothing if there is none.
    #[test]
    fn mobiles_are_spread() {
        let ms = Duration::from_millis;
        let spread = |time| Handover { spread: ms(time), ..Handover::default() };
        let delays = |time| {
            let handovers = spread(time).in_slots(ms(1), ms(30));
            (0..200).map(|ue| handovers.delay(1, &format!("UE-{ue}"))).collect::<Vec<_>>()
        };
        assert!(delays(0).iter().all(|delay| *delay == 0));
        let [least, most] =
            [delays(1000).iter().min().copied(), delays(1000).iter().max().copied()];
        assert!(least < Some(50) && most > Some(950) && most < Some(1000), "{least:?} {most:?}");
    }
}
