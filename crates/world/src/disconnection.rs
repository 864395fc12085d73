//! What a mobile knows of its own radio: that it is about to lose the network, and that it has it
//! again (Goff et al., Freeze-TCP, INFOCOM 2000).

use std::sync::Arc;

use base::Time;

/// A time without network, as foreseen by a mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disconnection {
    /// When it sees it coming.
    pub warned: Time,
    /// When it has a network again.
    pub over: Time,
}

/// The beginning or the end of a disconnection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConnectivityChange {
    Lost,
    Restored,
}

/// The disconnections to come, in order of time without overlap.
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

    /// When the next change comes.
    pub(crate) fn deadline(&self) -> Option<Time> {
        let next = self.disconnections.get(self.passed / 2)?;
        Some(if self.passed.is_multiple_of(2) { next.warned } else { next.over })
    }

    /// The next change that has come by `now`.
    pub(crate) fn take(&mut self, now: Time) -> Option<ConnectivityChange> {
        self.deadline().filter(|&deadline| deadline <= now)?;
        self.passed += 1;
        Some(if self.passed.is_multiple_of(2) {
            ConnectivityChange::Restored
        } else {
            ConnectivityChange::Lost
        })
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
        let mut check = |now, turns: &[ConnectivityChange], next: Option<u64>| {
            let found: Vec<_> = std::iter::from_fn(|| forecast.take(at(now))).collect();
            assert_eq!((found.as_slice(), forecast.deadline()), (turns, next.map(at)), "{now}");
        };
        check(4, &[], Some(5));
        check(8, &[ConnectivityChange::Lost], Some(9));
        check(
            19,
            &[ConnectivityChange::Restored, ConnectivityChange::Lost, ConnectivityChange::Restored],
            Some(20),
        );
        check(99, &[ConnectivityChange::Lost, ConnectivityChange::Restored], None);
    }
}
