//! Words: texts, switches, names out of a list, and a word in the place of a number.

use std::marker::PhantomData;

use base::{Words, names};

use super::number::leaves;
use super::{Leaf, Takes};
use crate::nearest::nearest;
use crate::tree::{Kind, Scalar};

/// Any text.
pub struct Text;

impl Leaf for Text {
    type Value = String;

    fn expected() -> String {
        "a text in quotes".to_owned()
    }

    fn takes() -> Takes {
        Takes::other()
    }

    fn parse(scalar: &Scalar) -> Result<String, String> {
        match scalar.kind {
            Kind::Quoted | Kind::Bare => Ok(scalar.text.clone()),
            Kind::Plain => Err(format!("expected {}", Self::expected())),
        }
    }

    fn show(value: &String) -> String {
        value.clone()
    }
}

leaves! {
    /// A name that files and settings can bear: letters, digits, `-` and `_`.
    Label -> String: "a name of letters, digits, - and _ in quotes", Takes::other(),
        |scalar| Text::parse(scalar).ok().filter(|name| is_label(name)), String::clone;
}

/// True for what [`Label`] takes.
pub(crate) fn is_label(name: &str) -> bool {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    !name.is_empty() && name.chars().all(is_fit)
}

/// `true` or `false`; `on`, `yes`, `off` and `no` say the same.
pub struct Flag;

impl Leaf for Flag {
    type Value = bool;

    fn expected() -> String {
        "true or false".to_owned()
    }

    fn takes() -> Takes {
        Takes::flag()
    }

    fn parse(scalar: &Scalar) -> Result<bool, String> {
        match (scalar.kind, scalar.text.as_str()) {
            (Kind::Plain | Kind::Bare, "true") | (Kind::Quoted | Kind::Bare, "on" | "yes") => {
                Ok(true)
            }
            (Kind::Plain | Kind::Bare, "false") | (Kind::Quoted | Kind::Bare, "off" | "no") => {
                Ok(false)
            }
            (Kind::Quoted, "true" | "false") => Err("expected no quotes".to_owned()),
            _ => Err("expected true or false".to_owned()),
        }
    }

    fn show(value: &bool) -> String {
        value.to_string()
    }
}

/// One of the names of `W`.
pub struct Word<W>(PhantomData<W>);

impl<W: Words> Leaf for Word<W> {
    type Value = W;

    fn expected() -> String {
        one_of(&names::<W>())
    }

    fn takes() -> Takes {
        Takes::choice(names::<W>())
    }

    fn parse(scalar: &Scalar) -> Result<W, String> {
        find_word(&scalar.text, &names::<W>()).map(|index| W::ALL[index])
    }

    fn show(value: &W) -> String {
        value.name().to_owned()
    }
}

/// As in "a, b or c".
pub(crate) fn one_of(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}

/// Which of `names` the `text` is. A number and its unit may stand together, as in other keys.
pub(super) fn find_word(text: &str, names: &[&str]) -> Result<usize, String> {
    let is_it = |name: &&str| *name == text || text == name.replacen(' ', "", 1);
    names.iter().position(is_it).ok_or_else(|| match nearest(text, names.iter().copied()) {
        Some(near) if names.len() > 1 => {
            format!("must be {}; did you mean {near}?", one_of(names))
        }
        Some(_) | None => format!("must be {}", one_of(names)),
    })
}

/// A word that stands in the place of a value.
pub trait Absent {
    /// The word.
    const WORD: &'static str;
}

/// Declares types that stand for the absence of a value, each with its word.
#[macro_export]
macro_rules! absent {
    ($($name:ident = $word:literal),* $(,)?) => {
        $(#[doc = concat!("`", $word, "`.")]
        pub struct $name;

        impl $crate::Absent for $name {
            const WORD: &'static str = $word;
        })*
    };
}

absent! {
    Off = "off",
    Unlimited = "unlimited",
    Standard = "standard",
    Nothing = "none",
}

/// The word of `A` for `None`, else the form `L`.
pub struct Or<A, L>(PhantomData<(A, L)>);

impl<A: Absent, L: Leaf> Leaf for Or<A, L> {
    type Value = Option<L::Value>;

    fn expected() -> String {
        format!("{}, or {}", L::expected(), A::WORD)
    }

    fn takes() -> Takes {
        L::takes().or([A::WORD])
    }

    fn parse(scalar: &Scalar) -> Result<Self::Value, String> {
        if scalar.text == A::WORD {
            return Ok(None);
        }
        L::parse(scalar).map(Some).map_err(|message| {
            // What is wrong with a value that is nearly one says nothing of the word.
            if !message.contains("must be ") && !message.contains("expected ") {
                return message;
            }
            let (must, hint) = message.split_at(message.find("; ").unwrap_or(message.len()));
            format!("{must}, or {}{hint}", A::WORD)
        })
    }

    fn show(value: &Self::Value) -> String {
        value.as_ref().map_or_else(|| A::WORD.to_owned(), L::show)
    }
}

/// Words that name another key, whose value then counts.
pub mod as_key {
    absent! {
        Window = "window",
        InitialWindow = "initial_window",
        LimitedTransmit = "limited_transmit",
        Variant = "variant",
        Recovery = "recovery",
        Rate = "as rate",
        Rtt = "as rtt",
        Kind = "as kind",
        RadioTblerLimits = "as radio.tbler_limits",
        RadioTbler = "as radio.tbler",
        Radio = "as radio",
        LinkDelay = "as link.delay",
        QueuePackets = "as queue.packets",
        QueueBytes = "as queue.bytes",
        Last = "last",
        UplinkRate = "by uplink_rate",
        RoundTrip = "by round_trip",
        Overprovision = "by overprovision",
        Application = "by application",
        Codec = "by codec",
        Before = "as before",
        FlowBytes = "as flow.bytes",
        Delay = "as delay",
        Jitter = "as jitter",
        First = "first",
        Mobile = "mobile",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_a_word_of_toml_or_of_everyday_use() {
        let check = |kind, text: &str, expect: Result<bool, &str>| {
            let scalar = Scalar { kind, text: text.to_owned() };
            assert_eq!(Flag::parse(&scalar), expect.map_err(str::to_owned), "{text}");
        };
        for (text, expect) in [("on", true), ("yes", true), ("off", false), ("no", false)] {
            check(Kind::Bare, text, Ok(expect));
            check(Kind::Quoted, text, Ok(expect));
        }
        check(Kind::Bare, "true", Ok(true));
        check(Kind::Quoted, "true", Err("expected no quotes"));
        check(Kind::Bare, "maybe", Err("expected true or false"));
    }

    #[test]
    fn a_number_and_its_unit_may_stand_together() {
        let names = ["2 ms", "10 ms"];
        assert_eq!(find_word("10 ms", &names), Ok(1));
        assert_eq!(find_word("10ms", &names), Ok(1));
        let said = "must be 2 ms or 10 ms; did you mean 10 ms?";
        assert_eq!(find_word("1 0ms", &names), Err(said.to_owned()));
    }
}
