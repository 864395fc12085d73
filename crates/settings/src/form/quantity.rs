//! Numbers with a unit: durations, rates, sizes, powers and energies.

use std::marker::PhantomData;

use base::{Duration, EnergyPerBit, Power, Rate, Words};

use super::choice::one_of;
use super::number::{Decimal, Unfit, from_to};
use super::takes::seconds;
use super::{Leaf, Takes, ValueKind, Word};
use crate::tree::Scalar;

/// A unit's name and how many of the smallest unit it holds.
type Unit = (&'static str, u64);

/// A kind of quantity.
pub(super) struct Quantity {
    /// As in "a duration".
    noun: &'static str,
    /// The smallest first. Of units with the same name in two spellings the first is shown.
    units: &'static [Unit],
    /// The unit to suggest for a bare number.
    usual: &'static str,
    /// The unit of a bare number, where none is missing.
    bare: Option<&'static str>,
    /// In the smallest unit.
    most: u64,
}

pub(super) const TIME: Quantity = Quantity {
    noun: "a duration",
    units: &[
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
        ("d", 86_400_000_000_000),
    ],
    usual: "s",
    bare: None,
    most: LONGEST,
};

pub(super) const RATE: Quantity = Quantity {
    noun: "a rate",
    units: &[("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000)],
    usual: "kbit/s",
    bare: None,
    most: FASTEST,
};

pub(super) const SIZE: Quantity = Quantity {
    noun: "a size",
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
    ],
    usual: "B",
    bare: Some("B"),
    most: u64::MAX,
};

const POWER: Quantity = Quantity {
    noun: "a power",
    units: &[("uW", 1), ("µW", 1), ("mW", 1_000), ("W", WATT)],
    usual: "W",
    bare: None,
    most: MOST_POWER,
};

const ENERGY_PER_BIT: Quantity = Quantity {
    noun: "an energy per bit",
    units: &[
        ("fJ/bit", 1),
        ("pJ/bit", 1_000),
        ("nJ/bit", NANOJOULE),
        ("uJ/bit", 1_000_000_000),
        ("µJ/bit", 1_000_000_000),
    ],
    usual: "nJ/bit",
    bare: None,
    most: MOST_ENERGY_PER_BIT,
};

impl Quantity {
    /// Reads `text` in the smallest unit.
    pub(super) fn read(&self, text: &str) -> Result<u64, String> {
        let is_digit = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '_');
        let digits = text.trim_start_matches(['+', '-']).trim_start_matches(is_digit);
        let exponent =
            digits.strip_prefix(['e', 'E']).map(|rest| rest.trim_start_matches(['+', '-']));
        let unit = match exponent {
            Some(rest) if rest.starts_with(is_digit) => rest.trim_start_matches(is_digit),
            Some(_) | None => digits,
        };
        let number = &text[..text.len() - unit.len()];
        let Some(decimal) = Decimal::parse(number) else {
            return Err(format!("not {}: expected {}", self.noun, self.form()));
        };
        let unit = match (unit.trim(), self.bare) {
            ("", None) => {
                return Err(format!(
                    "{} needs its unit ({}), as in {} {}",
                    self.noun,
                    self.names(),
                    number.trim_start_matches(['+', '-']),
                    self.usual
                ));
            }
            ("", Some(bare)) => bare,
            (unit, _) => unit,
        };
        let Some((_, scale)) = self.units.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("unknown unit {unit}: {} is in {}", self.noun, self.names()));
        };
        decimal.times(*scale).map_err(|unfit| match unfit {
            Unfit::Negative => format!("must be {} that is not negative", self.noun),
            Unfit::NotWhole => format!("finer than {} can be: 1 {}", self.noun, self.units[0].0),
            Unfit::TooLarge => self.at_most(),
        })
    }

    fn at_most(&self) -> String {
        format!("must be at most {}", self.show(self.most))
    }

    /// Shows `value` in the largest unit of which it is a whole number.
    fn show(&self, value: u64) -> String {
        if value == 0 {
            return format!("0 {}", self.usual);
        }
        let fits = |(_, scale): &&Unit| value >= *scale && value.is_multiple_of(*scale);
        let fitting = self.units.iter().rev().filter(fits);
        let (name, scale) = fitting.max_by_key(|(_, scale)| *scale).unwrap_or(&self.units[0]);
        format!("{} {name}", value / scale)
    }

    fn names(&self) -> String {
        one_of(&self.units.iter().map(|(name, _)| *name).collect::<Vec<_>>())
    }

    fn form(&self) -> String {
        format!("a number and a unit ({})", self.names())
    }
}

/// A duration of at least `MIN` and at most `MAX` nanoseconds.
pub struct OfTime<const MIN: u64 = 0, const MAX: u64 = LONGEST>;

/// No duration is longer: three years, so that sums of a few never overflow.
const LONGEST: u64 = 100_000_000_000_000_000;

impl<const MIN: u64, const MAX: u64> Leaf for OfTime<MIN, MAX> {
    type Value = Duration;

    fn expected() -> String {
        if MAX < LONGEST {
            return format!("a duration from {} to {}", TIME.show(MIN), TIME.show(MAX));
        }
        match MIN {
            0 => "a duration, as in 10 ms".to_owned(),
            1 => "a duration above zero, as in 10 ms".to_owned(),
            2.. => format!("a duration from {}", TIME.show(MIN)),
        }
    }

    fn takes() -> Takes {
        Takes::numbers(ValueKind::Duration, "s", seconds(MIN)..=seconds(MAX))
    }

    fn parse(scalar: &Scalar) -> Result<Duration, String> {
        let nanos = TIME.read(&scalar.text)?;
        match nanos {
            0 if MIN == 1 => Err("must be above zero".to_owned()),
            _ if nanos > LONGEST => Err(TIME.at_most()),
            _ if !(MIN..=MAX).contains(&nanos) => Err(format!("must be {}", Self::expected())),
            _ => Ok(Duration::from_nanos(nanos)),
        }
    }

    fn show(value: &Duration) -> String {
        TIME.show(value.as_nanos())
    }
}

/// A rate above zero, up to 1000 Gbit/s.
pub struct Speed;

/// The highest rate in bit/s.
const FASTEST: u64 = 1_000_000_000_000;

impl Leaf for Speed {
    type Value = Rate;

    fn expected() -> String {
        "a rate above zero, as in 384 kbit/s".to_owned()
    }

    fn takes() -> Takes {
        Takes::numbers(ValueKind::Rate, "bit/s", 1.0..=FASTEST as f64)
    }

    fn parse(scalar: &Scalar) -> Result<Rate, String> {
        match RATE.read(&scalar.text)? {
            0 => Err("must be above zero".to_owned()),
            bits if bits > FASTEST => Err(RATE.at_most()),
            bits => Ok(Rate::from_bps(bits)),
        }
    }

    fn show(value: &Rate) -> String {
        RATE.show(value.as_bps())
    }
}

/// A rate that is one of the names of `W`.
pub struct SpeedOf<W>(PhantomData<W>);

impl<W: Words> Leaf for SpeedOf<W> {
    type Value = W;

    fn expected() -> String {
        Word::<W>::expected()
    }

    fn takes() -> Takes {
        Word::<W>::takes()
    }

    fn parse(scalar: &Scalar) -> Result<W, String> {
        let rate = RATE.read(&scalar.text)?;
        let is_it = |word: &W| RATE.read(word.name()) == Ok(rate);
        W::ALL.iter().copied().find(is_it).ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &W) -> String {
        value.name().to_owned()
    }
}

/// A power, up to 1000 W. It is shown in W.
pub struct Watts;

/// In µW.
const WATT: u64 = 1_000_000;

/// The highest power in µW.
const MOST_POWER: u64 = 1_000 * WATT;

impl Leaf for Watts {
    type Value = Power;

    fn expected() -> String {
        format!("a power from 0 to {} W, as in 0.7 W", MOST_POWER / WATT)
    }

    fn takes() -> Takes {
        Takes::numbers(ValueKind::Number, "W", 0.0..=(MOST_POWER / WATT) as f64)
    }

    fn parse(scalar: &Scalar) -> Result<Power, String> {
        let microwatts = POWER.read(&scalar.text)?;
        let power = Some(microwatts).filter(|power| *power <= MOST_POWER);
        power.map(Power::from_microwatts).ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &Power) -> String {
        format!("{} W", millionths(value.as_microwatts()))
    }
}

/// What a bit takes, up to 1 mJ. It is shown in nJ/bit, which are mW per Mbit/s.
pub struct PerBit;

/// In fJ.
const NANOJOULE: u64 = 1_000_000;

/// The most in fJ.
const MOST_ENERGY_PER_BIT: u64 = 1_000_000 * NANOJOULE;

impl Leaf for PerBit {
    type Value = EnergyPerBit;

    fn expected() -> String {
        let most = MOST_ENERGY_PER_BIT / NANOJOULE;
        format!("an energy per bit from 0 to {most} nJ/bit, as in 52 nJ/bit")
    }

    fn takes() -> Takes {
        let most = (MOST_ENERGY_PER_BIT / NANOJOULE) as f64;
        Takes::numbers(ValueKind::Number, "nJ/bit", 0.0..=most)
    }

    fn parse(scalar: &Scalar) -> Result<EnergyPerBit, String> {
        let femtojoules = ENERGY_PER_BIT.read(&scalar.text)?;
        Some(femtojoules)
            .filter(|energy| *energy <= MOST_ENERGY_PER_BIT)
            .map(EnergyPerBit::from_femtojoules)
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &EnergyPerBit) -> String {
        format!("{} nJ/bit", millionths(value.as_femtojoules()))
    }
}

/// So many millionths as a decimal number.
fn millionths(count: u64) -> String {
    let text = format!("{}.{:06}", count / 1_000_000, count % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A size from `MIN` to `MAX` bytes; a bare number counts bytes.
pub struct Bytes<T, const MIN: u64, const MAX: u64>(PhantomData<T>);

impl<T, const MIN: u64, const MAX: u64> Leaf for Bytes<T, MIN, MAX>
where
    T: TryFrom<u64> + Into<u64> + Copy,
{
    type Value = T;

    fn expected() -> String {
        if MAX == u64::MAX {
            return format!("a size from {MIN} B");
        }
        format!("a size from {MIN} B to {MAX} B")
    }

    fn takes() -> Takes {
        Takes::numbers(ValueKind::Size, "B", from_to(MIN, MAX))
    }

    fn parse(scalar: &Scalar) -> Result<T, String> {
        let bytes = SIZE.read(&scalar.text)?;
        Some(bytes)
            .filter(|bytes| (MIN..=MAX).contains(bytes))
            .and_then(|bytes| T::try_from(bytes).ok())
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &T) -> String {
        SIZE.show((*value).into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn units() {
        let check = |quantity: &Quantity, text: &str, expect| {
            assert_eq!(quantity.read(text), Ok(expect), "{text}");
        };
        check(&TIME, "10 ms", 10_000_000);
        check(&TIME, "10ms", 10_000_000);
        check(&TIME, "0.4 ms", 400_000);
        check(&TIME, "1e3 µs", 1_000_000);
        check(&TIME, "4 min", 240_000_000_000);
        check(&TIME, "1.5 h", 5_400_000_000_000);
        check(&TIME, "2d", 172_800_000_000_000);
        check(&RATE, "384kbit/s", 384_000);
        check(&RATE, "1.5 Mbit/s", 1_500_000);
        check(&SIZE, "120 kB", 120_000);
        check(&SIZE, "1 KiB", 1024);
        check(&SIZE, "512", 512);
        check(&POWER, "0.7 W", 700_000);
        check(&POWER, "700mW", 700_000);
        check(&ENERGY_PER_BIT, "438.39 nJ/bit", 438_390_000);
    }

    #[test]
    fn powers_are_shown_in_watts() {
        assert_eq!(Watts::show(&Power::from_milliwatts(700)), "0.7 W");
        assert_eq!(Watts::show(&Power::from_microwatts(12_000_001)), "12.000001 W");
        assert_eq!(Watts::show(&Power::default()), "0 W");
        assert_eq!(PerBit::show(&EnergyPerBit::from_femtojoules(438_390_000)), "438.39 nJ/bit");
        assert_eq!(PerBit::takes().number("438.39 nJ/bit"), Some(438.39));
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_the_same(value in any::<u64>(), shift in 0_u32..64) {
            for quantity in [&TIME, &RATE, &SIZE, &POWER, &ENERGY_PER_BIT] {
                prop_assert_eq!(quantity.read(&quantity.show(value >> shift)), Ok(value >> shift));
            }
        }

        #[test]
        fn no_text_is_too_odd(text in ".*") {
            for quantity in [&TIME, &RATE, &SIZE, &POWER, &ENERGY_PER_BIT] {
                let _: Result<u64, String> = quantity.read(&text);
            }
        }
    }
}
