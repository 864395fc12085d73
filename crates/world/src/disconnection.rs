//! What a mobile is told of its own radio: that it is about to be cut off, and that it is not any
//! more (Goff et al., Freeze-TCP, INFOCOM 2000).

use std::sync::Arc;

use base::Time;

/// A time without network, as a mobile knows of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disconnection {
    /// When it sees it coming.
    pub warned: Time,
    /// When it has a network again.
    pub over: Time,
}

/// What comes of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    Away,
    Back,
}

/// The disconnections to come, in order of time and apart.
#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    disconnections: Arc<[Disconnection]>,
    /// How many of their beginnings and ends have passed.
    passed: usize,
}

impl Forecast {
    /// # Panics
    /// If they overlap or are not in order of time.
    pub(crate) fn new(disconnections: &Arc<[Disconnection]>) -> Self {
        let apart = |pair: &[Disconnection]| pair[0].over <= pair[1].warned;
        let whole = |one: &Disconnection| one.warned <= one.over;
        assert!(disconnections.iter().all(whole) && disconnections.windows(2).all(apart));
        Self { disconnections: Arc::clone(disconnections), passed: 0 }
    }

    /// When the next turn comes.
    pub(crate) fn deadline(&self) -> Option<Time> {
        let next = self.disconnections.get(self.passed / 2)?;
        Some(if self.passed.is_multiple_of(2) { next.warned } else { next.over })
    }

    /// The next turn that has come by `now`.
    pub(crate) fn take(&mut self, now: Time) -> Option<Turn> {
        self.deadline().filter(|&deadline| deadline <= now)?;
        self.passed += 1;
        Some(if self.passed.is_multiple_of(2) { Turn::Back } else { Turn::Away })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_come_in_order() {
        let at = Time::from_nanos;
        let spans = [(5, 9), (9, 9), (20, 30)];
        let spans =
            spans.map(|(warned, over)| Disconnection { warned: at(warned), over: at(over) });
        let mut forecast = Forecast::new(&spans.into());
        let mut check = |now, turns: &[Turn], next: Option<u64>| {
            let found: Vec<_> = std::iter::from_fn(|| forecast.take(at(now))).collect();
            assert_eq!((found.as_slice(), forecast.deadline()), (turns, next.map(at)), "{now}");
        };
        check(4, &[], Some(5));
        check(8, &[Turn::Away], Some(9));
        check(19, &[Turn::Back, Turn::Away, Turn::Back], Some(20));
        check(99, &[Turn::Away, Turn::Back], None);
    }
}
