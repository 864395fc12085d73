//! What scripts are made of.

use base::{Duration, Time};
use observe::MobilityFact;

use super::{CN, Network, home};

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

pub(crate) fn bound(home: u32, care_of: u32) -> MobilityFact {
    MobilityFact::Bound { home, care_of }
}

/// Data `number` from the correspondent reaches the mobile that many times.
pub(crate) fn reaches(network: &mut Network, number: u32, copies: usize) {
    network.send(CN, home(0), number);
    network.run(ms(500));
    assert_eq!(network.copies(number), copies, "data {number}");
}

/// Data `number` from the mobile reaches the correspondent.
pub(crate) fn comes_back(network: &mut Network, number: u32) {
    network.send(home(0), CN, number);
    network.run(ms(500));
    assert_eq!(network.copies(number), 1, "data {number}");
}
