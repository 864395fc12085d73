//! Words: texts, switches, names out of a list, and a word in the place of a number.

use std::marker::PhantomData;

use super::Leaf;
use crate::nearest::nearest;
use crate::tree::{Kind, Scalar};

/// Any text.
pub(crate) struct Text;

impl Leaf for Text {
    type Value = String;

    fn expected() -> String {
        "a text in quotes".to_owned()
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

/// A name that files and settings can bear: letters, digits, `-` and `_`.
pub(crate) struct Label;

impl Leaf for Label {
    type Value = String;

    fn expected() -> String {
        "a name of letters, digits, - and _ in quotes".to_owned()
    }

    fn parse(scalar: &Scalar) -> Result<String, String> {
        let is_fit = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        Text::parse(scalar)
            .ok()
            .filter(|name| !name.is_empty() && name.chars().all(is_fit))
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &String) -> String {
        value.clone()
    }
}

/// `true` or `false`.
pub(crate) struct Flag;

impl Leaf for Flag {
    type Value = bool;

    fn expected() -> String {
        "true or false".to_owned()
    }

    fn parse(scalar: &Scalar) -> Result<bool, String> {
        match (scalar.kind, scalar.text.as_str()) {
            (Kind::Plain | Kind::Bare, "true") => Ok(true),
            (Kind::Plain | Kind::Bare, "false") => Ok(false),
            (Kind::Quoted, "true" | "false") => Err("expected no quotes".to_owned()),
            _ => Err("expected true or false".to_owned()),
        }
    }

    fn show(value: &bool) -> String {
        value.to_string()
    }
}

/// A value out of a list of names.
pub(crate) trait Words: Copy + 'static {
    /// All of them.
    const ALL: &'static [Self];

    /// As it is written.
    fn name(self) -> &'static str;
}

/// One of the names of `W`.
pub(crate) struct Word<W>(PhantomData<W>);

impl<W: Words> Leaf for Word<W> {
    type Value = W;

    fn expected() -> String {
        let names: Vec<_> = W::ALL.iter().map(|word| word.name()).collect();
        match names.as_slice() {
            [] => "nothing".to_owned(),
            [only] => (*only).to_owned(),
            [start @ .., last] => format!("{} or {last}", start.join(", ")),
        }
    }

    fn parse(scalar: &Scalar) -> Result<W, String> {
        let names = || W::ALL.iter().map(|word| word.name());
        W::ALL.iter().copied().find(|word| word.name() == scalar.text).ok_or_else(|| match nearest(
            &scalar.text,
            names(),
        ) {
            Some(near) if W::ALL.len() > 1 => {
                format!("must be {}; did you mean {near}?", Self::expected())
            }
            Some(_) | None => format!("must be {}", Self::expected()),
        })
    }

    fn show(value: &W) -> String {
        value.name().to_owned()
    }
}

/// Declares an enum whose values are written as words.
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$doc])* $value,)*
        }

        impl $name {
            /// As it is written.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }
        }

        impl $crate::form::Words for $name {
            const ALL: &'static [Self] = &[$(Self::$value),*];

            fn name(self) -> &'static str {
                self.name()
            }
        }
    };
}
pub(crate) use words;

/// A word that stands in the place of a value.
pub(crate) trait Absent {
    /// The word.
    const WORD: &'static str;
}

/// `off`.
pub(crate) struct Off;

impl Absent for Off {
    const WORD: &'static str = "off";
}

/// `unlimited`.
pub(crate) struct Unlimited;

impl Absent for Unlimited {
    const WORD: &'static str = "unlimited";
}

/// `standard`.
pub(crate) struct Standard;

impl Absent for Standard {
    const WORD: &'static str = "standard";
}

/// `none`.
pub(crate) struct Nothing;

impl Absent for Nothing {
    const WORD: &'static str = "none";
}

/// The word of `A` for `None`, else the form `L`.
pub(crate) struct Or<A, L>(PhantomData<(A, L)>);

impl<A: Absent, L: Leaf> Leaf for Or<A, L> {
    type Value = Option<L::Value>;

    fn expected() -> String {
        format!("{}, or {}", L::expected(), A::WORD)
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
pub(crate) mod as_key {
    use super::Absent;

    /// `window`.
    pub(crate) struct Window;

    impl Absent for Window {
        const WORD: &'static str = "window";
    }

    /// `initial_window`.
    pub(crate) struct InitialWindow;

    impl Absent for InitialWindow {
        const WORD: &'static str = "initial_window";
    }

    /// `limited_transmit`.
    pub(crate) struct LimitedTransmit;

    impl Absent for LimitedTransmit {
        const WORD: &'static str = "limited_transmit";
    }

    /// `variant`.
    pub(crate) struct Variant;

    impl Absent for Variant {
        const WORD: &'static str = "variant";
    }

    /// `recovery`.
    pub(crate) struct Recovery;

    impl Absent for Recovery {
        const WORD: &'static str = "recovery";
    }

    /// `as rate`.
    pub(crate) struct Rate;

    impl Absent for Rate {
        const WORD: &'static str = "as rate";
    }

    /// `as rtt`.
    pub(crate) struct Rtt;

    impl Absent for Rtt {
        const WORD: &'static str = "as rtt";
    }

    /// `as kind`.
    pub(crate) struct Kind;

    impl Absent for Kind {
        const WORD: &'static str = "as kind";
    }

    /// `as radio.tbler_limits`.
    pub(crate) struct RadioTblerLimits;

    impl Absent for RadioTblerLimits {
        const WORD: &'static str = "as radio.tbler_limits";
    }

    /// `as radio.tbler`.
    pub(crate) struct RadioTbler;

    impl Absent for RadioTbler {
        const WORD: &'static str = "as radio.tbler";
    }

    /// `as link.delay`.
    pub(crate) struct LinkDelay;

    impl Absent for LinkDelay {
        const WORD: &'static str = "as link.delay";
    }

    /// `as queue.packets`.
    pub(crate) struct QueuePackets;

    impl Absent for QueuePackets {
        const WORD: &'static str = "as queue.packets";
    }

    /// `as queue.bytes`.
    pub(crate) struct QueueBytes;

    impl Absent for QueueBytes {
        const WORD: &'static str = "as queue.bytes";
    }

    /// `last`.
    pub(crate) struct Last;

    impl Absent for Last {
        const WORD: &'static str = "last";
    }

    /// `by uplink_rate`.
    pub(crate) struct UplinkRate;

    impl Absent for UplinkRate {
        const WORD: &'static str = "by uplink_rate";
    }

    /// `by overprovision`.
    pub(crate) struct Overprovision;

    impl Absent for Overprovision {
        const WORD: &'static str = "by overprovision";
    }

    /// `by application`.
    pub(crate) struct Application;

    impl Absent for Application {
        const WORD: &'static str = "by application";
    }

    /// `as before`.
    pub(crate) struct Before;

    impl Absent for Before {
        const WORD: &'static str = "as before";
    }

    /// `as flow.bytes`.
    pub(crate) struct FlowBytes;

    impl Absent for FlowBytes {
        const WORD: &'static str = "as flow.bytes";
    }
}
