//! Power and energy, in whole numbers: what a machine has used is the same on every machine.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

use crate::Duration;

/// A power, in microwatts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Power(u64);

/// What a bit takes, in femtojoules. A nanojoule a bit is a milliwatt per Mbit/s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct EnergyPerBit(u64);

/// An energy, in femtojoules: a microwatt for a nanosecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Energy(u128);

impl Power {
    /// `microwatts` µW.
    pub const fn from_microwatts(microwatts: u64) -> Self {
        Self(microwatts)
    }

    /// `milliwatts` mW.
    pub const fn from_milliwatts(milliwatts: u64) -> Self {
        Self(milliwatts * 1_000)
    }

    /// In µW.
    pub const fn as_microwatts(self) -> u64 {
        self.0
    }

    /// In W.
    pub fn as_watts_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl EnergyPerBit {
    /// `femtojoules` fJ a bit.
    pub const fn from_femtojoules(femtojoules: u64) -> Self {
        Self(femtojoules)
    }

    /// `nanojoules` nJ a bit, the same in mW per Mbit/s.
    pub const fn from_nanojoules(nanojoules: u64) -> Self {
        Self(nanojoules * 1_000_000)
    }

    /// In fJ a bit.
    pub const fn as_femtojoules(self) -> u64 {
        self.0
    }

    /// What so many bytes take.
    #[must_use]
    pub const fn of_bytes(self, bytes: u64) -> Energy {
        Energy(self.0 as u128 * bytes as u128 * 8)
    }
}

impl Energy {
    /// None at all.
    pub const ZERO: Self = Self(0);

    /// In J.
    pub fn as_joules_f64(self) -> f64 {
        self.0 as f64 / 1e15
    }
}

impl Mul<Duration> for Power {
    type Output = Energy;

    fn mul(self, span: Duration) -> Energy {
        Energy(u128::from(self.0) * u128::from(span.as_nanos()))
    }
}

impl Add for Energy {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Energy {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Energy {
    fn sum<I: Iterator<Item = Self>>(energies: I) -> Self {
        energies.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_for_a_time_is_energy() {
        let energy = Power::from_milliwatts(700) * Duration::from_secs(10);
        assert!((energy.as_joules_f64() - 7.0).abs() < 1e-12);
        assert_eq!(Power::from_microwatts(1) * Duration::from_nanos(1), Energy(1));
    }

    #[test]
    fn a_nanojoule_a_bit_is_a_milliwatt_at_a_megabit_a_second() {
        let bytes = 1_000_000 / 8;
        let carried = EnergyPerBit::from_nanojoules(438).of_bytes(bytes);
        assert_eq!(carried, Power::from_milliwatts(438) * Duration::from_secs(1));
    }

    #[test]
    fn three_years_of_a_kilowatt_add_up() {
        let most = Power::from_milliwatts(1_000_000) * Duration::from_secs(100_000_000);
        assert_eq!([most; 2].into_iter().sum::<Energy>(), Energy(2 * most.0));
        assert!((most.as_joules_f64() - 1e11).abs() < 1.0);
    }
}
