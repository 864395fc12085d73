//! The places of the connections of all boxes in a journal.

/// Places of a journal from 0 up to a bound, assigned to places of boxes.
#[derive(Debug)]
pub(crate) struct JournalPlaces {
    /// Places that were released.
    free: Vec<u32>,
    /// The first that was never assigned.
    next: u32,
    pub(crate) bound: u32,
}

/// The journal's places of a box: one for each of its own places, or none.
#[derive(Debug, Default)]
pub(crate) struct BoxPlaces(Vec<Option<u32>>);

impl JournalPlaces {
    pub(crate) const fn new(bound: u32) -> Self {
        Self { free: Vec::new(), next: 0, bound }
    }

    /// The journal's place for `place` of a box, kept from now on; `None` if all are assigned.
    pub(crate) fn assign(&mut self, places: &mut BoxPlaces, place: u32) -> Option<u32> {
        let place = place as usize;
        if places.0.len() <= place {
            places.0.resize(place + 1, None);
        }
        if places.0[place].is_none() {
            places.0[place] = self.free.pop().or_else(|| {
                let fresh = (self.next < self.bound).then_some(self.next)?;
                self.next += 1;
                Some(fresh)
            });
        }
        places.0[place]
    }

    /// The journal's place that `place` of a box had, which is free now.
    pub(crate) fn release(&mut self, places: &mut BoxPlaces, place: u32) -> Option<u32> {
        let number = places.0.get_mut(place as usize)?.take()?;
        self.free.push(number);
        Some(number)
    }

    /// All places that a box had, which are free now.
    pub(crate) fn release_all(&mut self, places: &mut BoxPlaces) -> Vec<u32> {
        let numbers: Vec<_> = places.0.drain(..).flatten().collect();
        self.free.extend(&numbers);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_lent_once_and_again() {
        let mut places = JournalPlaces::new(2);
        let [mut one, mut other] = [BoxPlaces::default(), BoxPlaces::default()];
        assert_eq!(places.assign(&mut one, 900), Some(0));
        assert_eq!(places.assign(&mut other, 900), Some(1));
        assert_eq!(places.assign(&mut one, 900), Some(0));
        assert_eq!(places.assign(&mut one, 3), None);
        assert_eq!(places.release(&mut one, 3), None);
        assert_eq!(places.release(&mut other, 900), Some(1));
        assert_eq!(places.release(&mut other, 900), None);
        assert_eq!(places.assign(&mut one, 3), Some(1));
    }
}
