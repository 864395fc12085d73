//! Which slots are of which direction.

use base::Direction;

/// How much of a slot a direction has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Nothing.
    None,
    /// Some of its symbols: a special slot.
    Special,
    /// As much as it ever has.
    Whole,
}

impl Part {
    /// Whether a block that has so much of its slot has room where there is `other`.
    pub(crate) fn is_within(self, other: Self) -> bool {
        self == other || other == Self::Whole
    }
}

/// What each direction has of the slots of a period, which follows itself for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    parts: [Vec<Part>; 2],
    /// How many slots it is from each slot to the first one of the direction.
    ahead: [Vec<u64>; 2],
}

impl Frame {
    /// Each direction has every slot (frequency division duplex).
    pub(crate) fn both() -> Self {
        Self::new(&[[Part::Whole; 2]])
    }

    /// What downlink and uplink have of each slot.
    ///
    /// # Panics
    /// If a direction has nothing at all.
    pub(crate) fn new(slots: &[[Part; 2]]) -> Self {
        let parts = [0, 1].map(|way| slots.iter().map(|slot| slot[way]).collect::<Vec<_>>());
        let ahead = [0, 1].map(|way: usize| {
            let parts = &parts[way];
            assert!(parts.iter().any(|part| *part != Part::None), "each direction has a slot");
            let period = parts.len();
            let has = |slot: usize| parts[slot % period] != Part::None;
            let ahead = |slot| (0..period).find(|ahead| has(slot + ahead)).unwrap_or(0);
            (0..period).map(|slot| ahead(slot) as u64).collect()
        });
        Self { parts, ahead }
    }

    /// How many slots there are in a period.
    pub(crate) const fn period(&self) -> u64 {
        self.parts[0].len() as u64
    }

    /// What `direction` has of `slot`.
    pub(crate) fn part(&self, direction: Direction, slot: u64) -> Part {
        self.parts[direction as usize][(slot % self.period()) as usize]
    }

    /// The first slot from `slot` on of which `direction` has something.
    pub(crate) fn next(&self, direction: Direction, slot: u64) -> u64 {
        slot + self.ahead[direction as usize][(slot % self.period()) as usize]
    }

    /// How many slots of a period `direction` has so much of.
    pub(crate) fn count(&self, direction: Direction, part: Part) -> u64 {
        self.parts[direction as usize].iter().filter(|own| **own == part).count() as u64
    }

    /// Of how many of the first `slots` slots `direction` has something.
    pub(crate) fn of_first(&self, direction: Direction, slots: u64) -> u64 {
        let has = |part: &&Part| **part != Part::None;
        let parts = &self.parts[direction as usize];
        let whole = parts.iter().filter(has).count() as u64 * (slots / self.period());
        let rest = (slots % self.period()) as usize;
        whole + parts[..rest].iter().filter(has).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOWN: Direction = Direction::Downlink;
    const UP: Direction = Direction::Uplink;

    fn frame(letters: &str) -> Frame {
        let slot = |letter| match letter {
            'D' => [Part::Whole, Part::None],
            'S' => [Part::Special; 2],
            _ => [Part::None, Part::Whole],
        };
        Frame::new(&letters.chars().map(slot).collect::<Vec<_>>())
    }

    #[test]
    fn with_frequency_division_every_slot_is_of_both() {
        let frame = Frame::both();
        for way in Direction::BOTH {
            assert_eq!((frame.next(way, 17), frame.part(way, 17)), (17, Part::Whole));
            assert_eq!(frame.of_first(way, 1000), 1000);
        }
    }

    #[test]
    fn a_pattern_follows_itself() {
        let frame = frame("DDDSU");
        assert_eq!([0, 3, 4, 5, 9].map(|slot| frame.next(DOWN, slot)), [0, 3, 5, 5, 10]);
        assert_eq!([0, 3, 4, 5, 8].map(|slot| frame.next(UP, slot)), [3, 3, 4, 8, 8]);
        assert_eq!(frame.part(DOWN, 8), Part::Special);
        assert_eq!([4, 5, 23].map(|slots| frame.of_first(DOWN, slots)), [4, 4, 19]);
        assert_eq!([4, 5, 24].map(|slots| frame.of_first(UP, slots)), [1, 2, 9]);
        let counts = [Part::None, Part::Special, Part::Whole].map(|part| frame.count(DOWN, part));
        assert_eq!(counts, [1, 1, 3]);
    }

    /// Against a search from slot to slot.
    #[test]
    fn the_next_slot_is_the_first_that_has_something() {
        for letters in ["DSU", "UD", "DDDDDDDSUU", "SSD", "UUSDU"] {
            let frame = frame(letters);
            for (slot, way) in (0..40).flat_map(|slot| [(slot, DOWN), (slot, UP)]) {
                let found = (slot..slot + 20).find(|slot| frame.part(way, *slot) != Part::None);
                assert_eq!(Some(frame.next(way, slot)), found, "{letters} {slot} {way:?}");
            }
        }
    }
}
