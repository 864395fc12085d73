//! Outages: times in which nothing gets through.

use base::Time;

/// From one time to just before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outage {
    /// The first moment without the link.
    pub from: Time,
    /// The first moment with it again.
    pub to: Time,
}

/// Outages in order of time, none of which overlap.
#[derive(Debug)]
pub struct Outages(Vec<Outage>);

impl Outages {
    /// # Panics
    /// If they overlap or are not in order of time.
    pub fn new(outages: Vec<Outage>) -> Self {
        let follow = |pair: &[Outage]| pair[0].to <= pair[1].from;
        assert!(outages.windows(2).all(follow), "outages follow each other");
        Self(outages)
    }

    /// True if the link is out at `time`.
    pub fn covers(&self, time: Time) -> bool {
        let next = self.0.partition_point(|outage| outage.to <= time);
        self.0.get(next).is_some_and(|outage| outage.from <= time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_begins_with_its_first_moment_and_ends_before_its_last() {
        let at = Time::from_nanos;
        let outage = |from, to| Outage { from: at(from), to: at(to) };
        let outages = Outages::new(vec![outage(5, 20), outage(20, 21), outage(30, 31)]);
        let check = |time, expect| assert_eq!(outages.covers(at(time)), expect, "at {time}");
        check(4, false);
        check(5, true);
        check(19, true);
        check(20, true);
        check(21, false);
        check(30, true);
        check(31, false);
    }
}
