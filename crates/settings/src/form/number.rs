//! Numbers without a unit, and shares.

use std::marker::PhantomData;
use std::ops::Bound::{self, Excluded, Included, Unbounded};

use base::Probability;

use super::{Leaf, Takes, ValueKind};
use crate::tree::Scalar;

/// A decimal number as written: `digits` · 10^`exponent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Decimal {
    is_negative: bool,
    digits: u128,
    exponent: i32,
}

impl Decimal {
    /// Reads `-1.5e3` and the like; `None` if it is no number or more than 30 digits count.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}").replace('_', "");
        let digits = all.trim_end_matches('0').trim_start_matches('0');
        if all.is_empty() || digits.len() > 30 || !all.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let zeros = (all.len() - all.trim_end_matches('0').len()) as i32;
        let places = fraction.bytes().filter(u8::is_ascii_digit).count() as i32;
        let digits = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        Some(Self { is_negative, digits, exponent: i32::from(exponent) + zeros - places })
    }

    /// How many wholes this number of `unit`s is.
    pub(super) fn times(self, unit: u64) -> Result<u64, Unfit> {
        if self.digits == 0 {
            return Ok(0);
        }
        if self.is_negative {
            return Err(Unfit::Negative);
        }
        let value = self.digits.checked_mul(u128::from(unit)).ok_or(Unfit::TooLarge)?;
        let power = 10_u128.checked_pow(self.exponent.unsigned_abs());
        let scaled = match (power, self.exponent < 0) {
            (Some(power), true) if value.is_multiple_of(power) => value / power,
            (Some(_) | None, true) => return Err(Unfit::NotWhole),
            (Some(power), false) => value.checked_mul(power).ok_or(Unfit::TooLarge)?,
            (None, false) => return Err(Unfit::TooLarge),
        };
        u64::try_from(scaled).map_err(|_| Unfit::TooLarge)
    }

    /// The nearest number to a 10^`places`th of it.
    fn over_power_of_ten(self, places: i32) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        let text = format!("{sign}{}e{}", self.digits, self.exponent - places);
        text.parse().unwrap_or(f64::NAN)
    }
}

/// Why a decimal is not a whole number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unfit {
    /// It is below zero.
    Negative,
    /// It has a fraction.
    NotWhole,
    /// It does not fit in 64 bits.
    TooLarge,
}

/// A whole number from `MIN` to `MAX`.
pub struct Count<T, const MIN: u64, const MAX: u64>(PhantomData<T>);

impl<T, const MIN: u64, const MAX: u64> Leaf for Count<T, MIN, MAX>
where
    T: TryFrom<u64> + Copy + ToString,
{
    type Value = T;

    fn expected() -> String {
        if MAX == u64::MAX {
            return format!("a whole number from {MIN}");
        }
        format!("a whole number from {MIN} to {MAX}")
    }

    fn takes() -> Takes {
        Takes::numbers(ValueKind::Whole, "", from_to(MIN, MAX))
    }

    fn parse(scalar: &Scalar) -> Result<T, String> {
        let value = Decimal::parse(&scalar.text).map(|decimal| decimal.times(1));
        if MAX == u64::MAX && value == Some(Err(Unfit::TooLarge)) {
            return Err(format!("must be at most {MAX}"));
        }
        value
            .and_then(Result::ok)
            .filter(|value| (MIN..=MAX).contains(value))
            .and_then(|value| T::try_from(value).ok())
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &T) -> String {
        value.to_string()
    }
}

/// A number from `MIN` to `MAX`.
pub struct Within<const MIN: u32, const MAX: u32>;

impl<const MIN: u32, const MAX: u32> Leaf for Within<MIN, MAX> {
    type Value = f64;

    fn expected() -> String {
        format!("a number from {MIN} to {MAX}")
    }

    fn takes() -> Takes {
        Takes::numbers(ValueKind::Number, "", f64::from(MIN)..=f64::from(MAX))
    }

    fn parse(scalar: &Scalar) -> Result<f64, String> {
        number(scalar)
            .filter(|value| (f64::from(MIN)..=f64::from(MAX)).contains(value))
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &f64) -> String {
        value.to_string()
    }
}

/// From `min` to `max`, or without end if `max` is all that fits in 64 bits.
pub(super) fn from_to(min: u64, max: u64) -> (Bound<f64>, Bound<f64>) {
    let max = if max == u64::MAX { Unbounded } else { Included(max as f64) };
    (Included(min as f64), max)
}

/// Declares forms of values that are read or refused as a whole: what must be written, what is
/// taken, how it is read, and how it is shown.
macro_rules! leaves {
    ($(
        $(#[$doc:meta])*
        $name:ident -> $type:ty: $expected:expr, $takes:expr, $read:expr, $show:expr;
    )*) => {
        $($(#[$doc])*
        pub struct $name;

        impl $crate::Leaf for $name {
            type Value = $type;

            fn expected() -> String {
                $expected.into()
            }

            fn takes() -> $crate::Takes {
                $takes
            }

            fn parse(scalar: &$crate::Scalar) -> Result<$type, String> {
                let read: fn(&$crate::Scalar) -> Option<$type> = $read;
                read(scalar).ok_or_else(|| $crate::form::number::must(scalar, &Self::expected()))
            }

            fn show(value: &$type) -> String {
                let show: fn(&$type) -> String = $show;
                show(value)
            }
        })*
    };
}
pub(super) use leaves;

/// Fault of a `scalar` that is not as expected: infinity and NaN are no numbers.
pub(super) fn must(scalar: &Scalar, expected: &str) -> String {
    let is_infinite = scalar.text.parse().is_ok_and(|value: f64| !value.is_finite());
    format!("must be {expected}{}", if is_infinite { ", and finite" } else { "" })
}

leaves! {
    /// A number that is not below zero.
    Factor -> f64: "a number, not below zero",
        Takes::numbers(ValueKind::Number, "", 0.0..),
        |scalar| number(scalar).filter(|value| *value >= 0.0), f64::to_string;
    /// A number above zero.
    Positive -> f64: "a number above zero",
        Takes::numbers(ValueKind::Number, "", (Excluded(0.0), Unbounded)),
        |scalar| number(scalar).filter(|value| *value > 0.0), f64::to_string;
    /// A number from 0 to below 1.
    Fraction -> f64: "a number from 0 to below 1",
        Takes::numbers(ValueKind::Number, "", 0.0..1.0),
        |scalar| number(scalar).filter(|value| (0.0..1.0).contains(value)), f64::to_string;
    /// A share above 0 and up to 1, as a percentage or a fraction.
    Share -> Probability: "a share above 0 % and up to 100 %, as in 50 % or 0.5",
        Takes::numbers(ValueKind::Probability, "", (Excluded(0.0), Included(1.0))),
        |scalar| share(&scalar.text).filter(|&value| value > 0.0).and_then(Probability::new), shown;
    /// A share from 0 and below 1, as a percentage or a fraction.
    Part -> Probability: "a share from 0 % to below 100 %, as in 50 % or 0.5",
        Takes::numbers(ValueKind::Probability, "", 0.0..1.0),
        |scalar| share(&scalar.text).filter(|&value| value < 1.0).and_then(Probability::new), shown;
    /// A probability, as a percentage or a fraction.
    Chance -> Probability: "a probability from 0 % to 100 %, as in 5 % or 0.05",
        Takes::numbers(ValueKind::Probability, "", 0.0..=1.0),
        |scalar| share(&scalar.text).and_then(Probability::new), shown;
}

/// A transport block error rate below 1, as a percentage or a fraction. At 1 nothing would ever
/// arrive.
pub struct Tbler;

impl Leaf for Tbler {
    type Value = Probability;

    fn expected() -> String {
        "from 0 % to below 100 %, as in 5 % or 0.05".to_owned()
    }

    fn takes() -> Takes {
        Takes::numbers(ValueKind::Probability, "", 0.0..1.0)
    }

    fn parse(scalar: &Scalar) -> Result<Probability, String> {
        share(&scalar.text)
            .and_then(Probability::new)
            .filter(|tbler| !tbler.hit(u32::MAX))
            .ok_or_else(|| format!("a constant block error rate must be {}", Self::expected()))
    }

    fn show(value: &Probability) -> String {
        shown(value)
    }
}

fn shown(value: &Probability) -> String {
    value.value().to_string()
}

fn number(scalar: &Scalar) -> Option<f64> {
    let value = Decimal::parse(&scalar.text)?.over_power_of_ten(0);
    value.is_finite().then_some(value)
}

/// The number that a percentage or a fraction stands for.
fn share(text: &str) -> Option<f64> {
    let percent = text.strip_suffix('%').map(str::trim_end);
    let places = if percent.is_some() { 2 } else { 0 };
    Some(Decimal::parse(percent.unwrap_or(text))?.over_power_of_ten(places))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_exact() {
        let check = |text: &str, unit, expect| {
            assert_eq!(Decimal::parse(text).map(|decimal| decimal.times(unit)), expect, "{text}");
        };
        check("384", 1000, Some(Ok(384_000)));
        check("0.4", 1_000_000, Some(Ok(400_000)));
        check("1_000", 1, Some(Ok(1000)));
        check("512.0", 1, Some(Ok(512)));
        check("1e+3", 1, Some(Ok(1000)));
        check("-0", 1, Some(Ok(0)));
        check("0e-30000", 1, Some(Ok(0)));
        check("-1", 1, Some(Err(Unfit::Negative)));
        check("0.5", 1, Some(Err(Unfit::NotWhole)));
        check("1e-300", 1, Some(Err(Unfit::NotWhole)));
        check("1e300", 1, Some(Err(Unfit::TooLarge)));
        check(&1e300_f64.to_string(), 1, Some(Err(Unfit::TooLarge)));
        check(&1e-300_f64.to_string(), 1, Some(Err(Unfit::NotWhole)));
        check("000_100.00", 1, Some(Ok(100)));
        check("18446744073709551615", 1, Some(Ok(u64::MAX)));
        check("18446744073709551616", 1, Some(Err(Unfit::TooLarge)));
        for text in ["", "-", ".", "e3", "1.2.3", "0x10", "nan", "inf", "٣", "1e99999999999"] {
            check(text, 1, None);
        }
    }

    #[test]
    fn a_number_is_within_its_bounds() {
        let parse = |text: &str| {
            Within::<1, 40>::parse(&Scalar { kind: crate::tree::Kind::Bare, text: text.to_owned() })
        };
        for (text, value) in [("1", 1.0), ("4.3", 4.3), ("4e1", 40.0)] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
        for text in ["0.99", "40.01", "-1", "inf", "4 dB", ""] {
            assert_eq!(parse(text), Err("must be a number from 1 to 40".to_owned()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_read_to_the_last_bit(value in any::<f64>()) {
            prop_assume!(value.is_finite());
            let read = Decimal::parse(&value.to_string()).map(|read| read.over_power_of_ten(0));
            prop_assert_eq!(read, Some(value));
        }
    }

    #[test]
    fn a_percentage_is_the_fraction_to_the_last_bit() {
        for thousandth in 0..1000_u32 {
            let percent = format!("{}.{} %", thousandth / 10, thousandth % 10);
            let fraction = format!("0.{thousandth:03}");
            assert_eq!(share(&percent), fraction.parse().ok());
            assert_eq!(share(&percent), share(&fraction));
        }
    }
}
