//! A value that changes at given times.

use crate::{Duration, Time};

/// A value over time: constant from one step to the next.
#[derive(Clone, PartialEq, Debug)]
pub struct Schedule<V> {
    first: V,
    /// From when each later value holds, in order of time.
    steps: Vec<(Time, V)>,
}

impl<V: Copy> Schedule<V> {
    /// `first` from the start, then each of `steps` from its time on.
    ///
    /// # Panics
    /// If the steps are not in order of time.
    pub fn new(first: V, steps: Vec<(Time, V)>) -> Self {
        assert!(steps.is_sorted_by_key(|step| step.0), "a schedule goes forward in time");
        Self { first, steps }
    }

    /// `value` for ever.
    pub const fn constant(value: V) -> Self {
        Self { first: value, steps: Vec::new() }
    }

    /// This until the first of `steps`, then each of them from its time on.
    ///
    /// # Panics
    /// If the steps are not in order of time.
    #[must_use]
    pub fn then(mut self, steps: Vec<(Time, V)>) -> Self {
        if let Some((from, _)) = steps.first() {
            self.steps.truncate(self.steps.partition_point(|step| step.0 < *from));
        }
        self.steps.extend(steps);
        Self::new(self.first, self.steps)
    }

    /// The one value that it has, if it never changes.
    pub fn as_constant(&self) -> Option<V> {
        self.steps.is_empty().then_some(self.first)
    }

    /// Every value that it takes.
    pub fn values(&self) -> impl Iterator<Item = V> {
        std::iter::once(self.first).chain(self.steps.iter().map(|step| step.1))
    }

    /// What `of` makes of each value.
    #[must_use]
    pub fn map<W: Copy>(&self, of: impl Fn(V) -> W) -> Schedule<W> {
        let steps = self.steps.iter().map(|(time, value)| (*time, of(*value))).collect();
        Schedule { first: of(self.first), steps }
    }

    /// When each step begins.
    pub fn changes(&self) -> impl Iterator<Item = Time> {
        self.steps.iter().map(|step| step.0)
    }

    /// The value at `time`.
    pub fn at(&self, time: Time) -> V {
        self.span(time).0
    }

    /// The value at `time`, and until when it holds: `None` is for ever.
    pub fn span(&self, time: Time) -> (V, Option<Time>) {
        let begun = self.steps.partition_point(|step| step.0 <= time);
        let value = begun.checked_sub(1).map_or(self.first, |last| self.steps[last].1);
        (value, self.steps.get(begun).map(|step| step.0))
    }

    /// The sum of what `of` says of the values from one time to another, each for as many
    /// nanoseconds as it holds; `None` if it says nothing of one of them.
    pub fn sum(&self, from: Time, to: Time, of: impl Fn(V) -> Option<u64>) -> Option<u128> {
        let (mut at, mut sum) = (from, 0);
        while at < to {
            let (value, until) = self.span(at);
            let next = until.map_or(to, |until| until.min(to));
            sum += u128::from(of(value)?) * u128::from(next.saturating_since(at).as_nanos());
            at = next;
        }
        Some(sum)
    }

    /// The mean of what `of` says of the values in the first `duration`, rounded down; `None` if it
    /// says nothing of one of them.
    pub fn mean(&self, duration: Duration, of: impl Fn(V) -> Option<u64>) -> Option<u64> {
        let sum = self.sum(Time::ZERO, Time::ZERO + duration, of)?;
        u64::try_from(sum.checked_div(duration.as_nanos().into())?).ok()
    }
}

impl<V: Copy> From<V> for Schedule<V> {
    fn from(value: V) -> Self {
        Self::constant(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_holds_from_its_time_on() {
        let at = Time::from_nanos;
        let schedule = Schedule::new('a', vec![(at(10), 'b'), (at(20), 'c'), (at(20), 'd')]);
        let check = |nanos, value, until: Option<u64>| {
            assert_eq!(schedule.span(at(nanos)), (value, until.map(at)), "at {nanos}");
        };
        check(0, 'a', Some(10));
        check(9, 'a', Some(10));
        check(10, 'b', Some(20));
        check(20, 'd', None);
        check(99, 'd', None);
        assert_eq!(schedule.changes().collect::<Vec<_>>(), [10, 20, 20].map(at));
    }

    #[test]
    fn later_steps_take_the_place_of_what_follows() {
        let at = Time::from_nanos;
        let first = Schedule::new('a', vec![(at(10), 'b'), (at(20), 'c'), (at(30), 'd')]);
        assert_eq!(first.clone().then(Vec::new()), first);
        let then = first.then(vec![(at(20), 'x'), (at(25), 'y')]);
        assert_eq!(then, Schedule::new('a', vec![(at(10), 'b'), (at(20), 'x'), (at(25), 'y')]));
    }

    #[test]
    fn a_mean_weighs_each_value_by_how_long_it_holds() {
        let at = Time::from_nanos;
        let schedule = Schedule::new(1, vec![(at(10), 4), (at(20), 7), (at(20), 10)]);
        let mean = |nanos| schedule.mean(Duration::from_nanos(nanos), Some);
        assert_eq!([5, 20, 30, 40].map(mean), [Some(1), Some(2), Some(5), Some(6)]);
        assert_eq!(mean(0), None);
        let known = |value| (value < 7).then_some(value);
        let until = |nanos| schedule.mean(Duration::from_nanos(nanos), known);
        assert_eq!([20, 21].map(until), [Some(2), None]);
    }
}
