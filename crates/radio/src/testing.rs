//! What unit tests share.

use base::{Direction, Probability, Time};

use crate::umts::channels::SpreadingFactor;

/// So many milliseconds after the start.
pub(crate) const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

pub(crate) fn of(value: f64) -> Probability {
    Probability::new(value).expect("in range")
}

pub(crate) fn sf(chips: u32) -> SpreadingFactor {
    SpreadingFactor::new(chips, Direction::Downlink).expect("a factor")
}

pub(crate) fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b}");
}
