//! Places and velocities on the plane.

use std::marker::PhantomData;
use std::ops::Bound::{Excluded, Included};

use super::list::several;
use super::number::leaves;
use super::{Form, Key, Label, Leaf, Scope, Takes, ValueKind};
use crate::error::Fault;
use crate::tree::{Item, Node, Scalar};

/// A kind of number with a unit that may be below zero.
pub trait Axis {
    /// Its units, each with what it is of the first.
    const UNITS: &'static [(&'static str, f64)];
    /// As in "a place".
    const NOUN: &'static str;
    /// The least and the most in the first unit.
    const RANGE: [f64; 2];
}

macro_rules! axes {
    ($($(#[$doc:meta])* $name:ident: $noun:literal, $units:expr, $range:expr;)*) => {
        $($(#[$doc])*
        pub struct $name;

        impl Axis for $name {
            const UNITS: &'static [(&'static str, f64)] = &$units;
            const NOUN: &'static str = $noun;
            const RANGE: [f64; 2] = $range;
        })*
    };
}

axes! {
    /// Metres.
    Metres: "place", [("m", 1.0), ("km", 1000.0)], [-FARTHEST, FARTHEST];
    /// Metres a second.
    MetresPerSecond: "velocity", [("m/s", 1.0), ("km/h", 1.0 / 3.6)], [-FARTHEST, FARTHEST];
    /// A ratio in decibels.
    Decibels: "ratio", [("dB", 1.0)], [-LOUDEST, LOUDEST];
    /// A standard deviation in decibels.
    Deviation: "deviation", [("dB", 1.0)], [0.0, LOUDEST];
    /// A power in decibels over 1 mW.
    Dbm: "power", [("dBm", 1.0)], [-LOUDEST, LOUDEST];
    /// A frequency of UHF, SHF or EHF (ITU Radio Regulations, 2.1): below, a wave is longer than
    /// the metre within which free space is taken to be as at its end.
    Gigahertz: "frequency", [("GHz", 1.0)], [0.3, 300.0];
}

/// No place is further from the origin in m, and nobody is faster in m/s.
const FARTHEST: f64 = 1e7;

/// No power is further from 1 mW, and no ratio from 1, in dB.
const LOUDEST: f64 = 1e3;

/// A number with a unit of `A`, which may be below zero.
pub struct Along<A>(PhantomData<A>);

impl<A: Axis> Along<A> {
    fn read(text: &str) -> Option<f64> {
        let digits = text.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == '/');
        let (_, scale) = A::UNITS.iter().find(|(name, _)| *name == &text[digits.len()..])?;
        let value = digits.trim().parse::<f64>().ok()? * scale;
        let [least, most] = A::RANGE;
        (least..=most).contains(&value).then_some(value)
    }

    /// As in "a place in m or km, from -5 to 5 m".
    fn described() -> String {
        let units = A::UNITS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" or ");
        let [least, most] = A::RANGE;
        format!("a {} in {units}, from {least} to {most} {}", A::NOUN, A::UNITS[0].0)
    }
}

impl<A: Axis> Leaf for Along<A> {
    type Value = f64;

    fn expected() -> String {
        format!("{}, as in 10 {}", Self::described(), A::UNITS[0].0)
    }

    fn takes() -> Takes {
        let [least, most] = A::RANGE;
        Takes::numbers(ValueKind::Number, A::UNITS[0].0, least..=most)
    }

    fn parse(scalar: &Scalar) -> Result<f64, String> {
        Self::read(&scalar.text).ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &f64) -> String {
        format!("{value} {}", A::UNITS[0].0)
    }
}

/// A level in decibels from `MIN` to `MAX`.
pub struct Level<const MIN: i32, const MAX: i32>;

impl<const MIN: i32, const MAX: i32> Leaf for Level<MIN, MAX> {
    type Value = f64;

    fn expected() -> String {
        format!("a level from {MIN} dB to {MAX} dB")
    }

    fn takes() -> Takes {
        Takes::numbers(ValueKind::Number, "dB", f64::from(MIN)..=f64::from(MAX))
    }

    fn parse(scalar: &Scalar) -> Result<f64, String> {
        Along::<Decibels>::read(&scalar.text)
            .filter(|level| (f64::from(MIN)..=f64::from(MAX)).contains(level))
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &f64) -> String {
        Along::<Decibels>::show(value)
    }
}

leaves! {
    /// A length above zero.
    Distance -> f64: format!("a length above zero in m or km, up to {FARTHEST} m, as in 500 m"),
        Takes::numbers(ValueKind::Number, "m", (Excluded(0.0), Included(FARTHEST))),
        |scalar| Along::<Metres>::read(&scalar.text).filter(|length| *length > 0.0),
        |length| format!("{length} m");
}

/// Two numbers with units, along x and y: `["0 m", "-1.5 km"]`.
pub struct Pair<A>(PhantomData<A>);

impl<A: Axis> Pair<A> {
    fn expected() -> String {
        let unit = A::UNITS[0].0;
        let example = format!("[\"100 {unit}\", \"-5 {unit}\"]");
        format!("{}, along x and y, as in {example}", Along::<A>::described())
    }
}

impl<A: Axis> Form for Pair<A> {
    type Value = [f64; 2];

    fn read(item: &Item, key: &str, _default: &[f64; 2]) -> Result<[f64; 2], Fault> {
        several::<Along<A>>(item)
            .and_then(|pair| pair.try_into().ok())
            .ok_or_else(|| item.fault(key, format!("expected {}", Self::expected())))
    }

    fn visit(value: &[f64; 2], key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        let pair = value.map(|along| Along::<A>::show(&along));
        visit(Key::new(key, format!("{pair:?}"), Self::expected(), Takes::other(), doc));
    }
}

/// A list of names: `["RNC", "RNC-2"]`.
pub struct Labels;

const LABELS: &str = "a list of names (letters, digits, - and _), as in [\"RNC\", \"RNC-2\"]";

impl Form for Labels {
    type Value = Vec<String>;

    fn read(item: &Item, key: &str, _default: &Vec<String>) -> Result<Vec<String>, Fault> {
        let name = |item: &Item| Label::parse(item.scalar()?).ok();
        let names = match &item.node {
            Node::List(items) if !items.is_empty() => items.iter().map(name).collect(),
            Node::Scalar(_) => name(item).map(|name| vec![name]),
            Node::List(_) | Node::Table(_) => None,
        };
        names.ok_or_else(|| item.fault(key, format!("expected {LABELS}")))
    }

    fn visit(value: &Vec<String>, key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        visit(Key::new(key, format!("{value:?}"), LABELS, Takes::other(), doc));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Kind;

    #[test]
    fn numbers_below_zero_and_units() {
        let near = |read: Option<f64>, expect: f64| {
            assert!(read.is_some_and(|read| (read - expect).abs() < 1e-9), "{read:?}, {expect}");
        };
        near(Along::<Metres>::read("-1.5 km"), -1500.0);
        near(Along::<Metres>::read("20m"), 20.0);
        near(Along::<MetresPerSecond>::read("36 km/h"), 10.0);
        near(Along::<Dbm>::read("-103 dBm"), -103.0);
        for text in ["", "5", "5 miles", "x m", "inf m", "nan m", "1e9 km"] {
            assert_eq!(Along::<Metres>::read(text), None, "{text}");
        }
    }

    /// A bound that is passed is told.
    #[test]
    fn no_number_is_out_of_bounds() {
        fn check<L: Leaf>(inside: &[&str], outside: &[&str], bound: &str) {
            let parse =
                |text: &&str| L::parse(&Scalar { text: (*text).to_owned(), kind: Kind::Quoted });
            assert!(inside.iter().all(|text| parse(text).is_ok()), "{inside:?}");
            for text in outside {
                let error = parse(text).err().expect(text);
                assert!(error.contains(bound), "{error}");
            }
        }
        let place = "must be a place in m or km, from -10000000 to 10000000 m, as in 10 m";
        check::<Along<Metres>>(&["-1e4 km", "1e7 m"], &["1e7 km", "-10000001 m"], place);
        check::<Along<MetresPerSecond>>(&["0 m/s"], &["1e9 m/s"], "from -10000000 to 10000000 m/s");
        check::<Along<Dbm>>(&["-1000 dBm"], &["1001 dBm"], "from -1000 to 1000 dBm");
        check::<Along<Decibels>>(&["-100 dB"], &["-1e4 dB"], "from -1000 to 1000 dB");
        let frequencies = ["0 GHz", "-1 GHz", "1e-9 GHz", "301 GHz"];
        check::<Along<Gigahertz>>(&["0.3 GHz", "2.4 GHz"], &frequencies, "from 0.3 to 300 GHz");
        check::<Level<-3, 18>>(
            &["-3 dB", "1.5 dB", "18 dB"],
            &["-3.1 dB", "19 dB", "2"],
            "from -3 dB",
        );
        check::<Distance>(
            &["1 m"],
            &["0 m", "-1 m", "1e8 m"],
            "above zero in m or km, up to 10000000 m",
        );
    }
}
