//! Time: nanoseconds since the start of a run, and spans of it.

use std::fmt;
use std::iter::Sum;
use std::num::NonZeroU64;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// An instant, in nanoseconds since the start of the run: the first 584 years. What is later counts
/// as their end.
///
/// It is kept as one nanosecond more, so that a deadline that may be never, an `Option<Time>`, is
/// one word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(NonZeroU64);

/// A span of time in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(NonZeroU64::MIN);

    /// The instant `nanos` nanoseconds after the start.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(nanos))
    }

    /// Nanoseconds since the start.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0.get() - 1
    }

    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        self.as_nanos() as f64 / NANOS_PER_SECOND as f64
    }

    /// The span since `earlier`, or zero if `earlier` lies in the future.
    #[must_use]
    #[inline]
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        Duration(self.0.get().saturating_sub(earlier.0.get()))
    }

    /// The earlier of two deadlines, of which either may be never.
    #[inline]
    #[must_use]
    pub fn earlier(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// The first instant after `self` that is a whole multiple of `period` from the start.
    ///
    /// # Panics
    /// If `period` is zero.
    #[must_use]
    pub const fn next_multiple(self, period: Duration) -> Self {
        Self::from_nanos((self.as_nanos() / period.0 + 1) * period.0)
    }

    /// True if `self` is a whole multiple of `period` from the start.
    pub const fn is_multiple_of(self, period: Duration) -> bool {
        self.as_nanos().is_multiple_of(period.0)
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// `secs` seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * NANOS_PER_SECOND)
    }

    /// The nearest whole number of nanoseconds to `secs` seconds; negative values become zero.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * NANOS_PER_SECOND as f64).round() as u64)
    }

    /// In nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// In seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// The difference, or zero if `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The distance between two spans.
    #[must_use]
    pub const fn abs_diff(self, other: Self) -> Self {
        Self(self.0.abs_diff(other.0))
    }

    /// How many whole `unit`s fit.
    ///
    /// # Panics
    /// If `unit` is zero.
    #[must_use]
    pub const fn whole(self, unit: Self) -> u64 {
        self.0 / unit.0
    }

    /// `self` doubled `times` times, at most `limit`.
    #[must_use]
    pub fn doubled(self, times: u32, limit: Self) -> Self {
        Self(self.0.saturating_mul(1_u64.checked_shl(times).unwrap_or(u64::MAX))).min(limit)
    }

    /// Rounded up to a whole number of `tick`s; a zero `tick` leaves it as it is.
    #[must_use]
    pub const fn ceil_to(self, tick: Self) -> Self {
        if tick.0 == 0 { self } else { Self(self.0.div_ceil(tick.0) * tick.0) }
    }
}

impl Add<Duration> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Default for Time {
    fn default() -> Self {
        Self::ZERO
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Sub for Time {
    type Output = Duration;
    /// The span since `earlier`.
    ///
    /// # Panics
    /// In debug builds, if `earlier` lies in the future.
    #[inline]
    fn sub(self, earlier: Self) -> Duration {
        Duration(self.0.get() - earlier.0.get())
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Duration {
    fn sum<I: Iterator<Item = Self>>(durations: I) -> Self {
        durations.fold(Self::ZERO, Add::add)
    }
}

impl Sub for Duration {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0 * factor)
    }
}

impl Div<u64> for Duration {
    type Output = Self;
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.as_secs_f64())
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTI: Duration = Duration::from_millis(10);

    #[test]
    fn an_instant_on_the_grid_waits_for_the_next_tick() {
        let check = |from_micros: u64, expect_millis: u64| {
            let from = Time::ZERO + Duration::from_micros(from_micros);
            assert_eq!(from.next_multiple(TTI), Time::ZERO + Duration::from_millis(expect_millis));
        };
        check(0, 10);
        check(1, 10);
        check(9_999, 10);
        check(10_000, 20);
    }

    #[test]
    fn never_takes_no_room() {
        assert_eq!(size_of::<Option<Time>>(), size_of::<u64>());
        let last = Time::from_nanos(u64::MAX);
        assert_eq!((last + Duration::from_secs(1), last.as_nanos()), (last, u64::MAX - 1));
    }

    #[test]
    fn never_is_later_than_any_time() {
        let at = |nanos: Option<u64>| nanos.map(Time::from_nanos);
        let check = |one, other, expect| assert_eq!(Time::earlier(at(one), at(other)), at(expect));
        check(None, None, None);
        check(Some(3), None, Some(3));
        check(None, Some(3), Some(3));
        check(Some(4), Some(3), Some(3));
        check(Some(3), Some(4), Some(3));
    }

    #[test]
    fn rounding_to_a_tick() {
        let tick = Duration::from_millis(10);
        assert_eq!(Duration::from_millis(11).ceil_to(tick), Duration::from_millis(20));
        assert_eq!(Duration::from_millis(11).ceil_to(Duration::ZERO), Duration::from_millis(11));
    }

    #[test]
    fn doubling_stops_at_the_limit_and_never_overflows() {
        let limit = Duration::from_secs(60);
        assert_eq!(Duration::from_secs(3).doubled(2, limit), Duration::from_secs(12));
        assert_eq!(Duration::from_secs(3).doubled(5, limit), limit);
        assert_eq!(Duration::from_secs(3).doubled(200, limit), limit);
    }
}
