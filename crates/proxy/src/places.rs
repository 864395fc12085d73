//! Where in a journal the connections of all boxes stand.

/// Numbers from 0 up to a bound, lent to places of boxes.
#[derive(Debug)]
pub(crate) struct Places {
    /// Numbers that were lent before.
    free: Vec<u32>,
    /// The first that never was.
    next: u32,
    bound: u32,
}

/// What a box has borrowed: a number for each of its own places, or none.
#[derive(Debug, Default)]
pub(crate) struct Lent(Vec<Option<u32>>);

impl Places {
    pub(crate) const fn new(bound: u32) -> Self {
        Self { free: Vec::new(), next: 0, bound }
    }

    pub(crate) const fn bound(&self) -> u32 {
        self.bound
    }

    /// The number of `place`, kept for it from now on; `None` if all are lent.
    pub(crate) fn lend(&mut self, lent: &mut Lent, place: u32) -> Option<u32> {
        let place = place as usize;
        if lent.0.len() <= place {
            lent.0.resize(place + 1, None);
        }
        if lent.0[place].is_none() {
            lent.0[place] = self.free.pop().or_else(|| {
                let fresh = (self.next < self.bound).then_some(self.next)?;
                self.next += 1;
                Some(fresh)
            });
        }
        lent.0[place]
    }

    /// The number that `place` had, which is free now.
    pub(crate) fn take_back(&mut self, lent: &mut Lent, place: u32) -> Option<u32> {
        let number = lent.0.get_mut(place as usize)?.take()?;
        self.free.push(number);
        Some(number)
    }

    /// All that a box had.
    pub(crate) fn take_back_all(&mut self, lent: &mut Lent) -> Vec<u32> {
        let numbers: Vec<_> = lent.0.drain(..).flatten().collect();
        self.free.extend(&numbers);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_lent_once_and_again() {
        let mut places = Places::new(2);
        let [mut one, mut other] = [Lent::default(), Lent::default()];
        assert_eq!(places.lend(&mut one, 900), Some(0));
        assert_eq!(places.lend(&mut other, 900), Some(1));
        assert_eq!(places.lend(&mut one, 900), Some(0));
        assert_eq!(places.lend(&mut one, 3), None);
        assert_eq!(places.take_back(&mut one, 3), None);
        assert_eq!(places.take_back(&mut other, 900), Some(1));
        assert_eq!(places.take_back(&mut other, 900), None);
        assert_eq!(places.lend(&mut one, 3), Some(1));
    }
}
