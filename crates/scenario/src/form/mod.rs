//! Forms: how the value of a key is written, read and shown.

mod choice;
mod file;
mod list;
mod network;
mod number;
mod place;
mod quantity;

pub(crate) use choice::{
    Absent, Flag, Label, Nothing, Off, Or, Standard, Text, Unlimited, Word, Words, as_key, words,
};
pub use file::{CaptureFile, TraceFile};
pub(crate) use list::{ChanceLimits, Limits, Moments, Numbers, Spans, Steps, Timed};
pub(crate) use network::{AddressPrefix, InterfaceName, Listen, Several, SocketPath};
pub(crate) use number::{Chance, Count, Factor, Fraction, Positive, Share, Tbler};
pub(crate) use place::{
    Along, Dbm, Decibels, Distance, Gigahertz, Labels, Metres, MetresPerSecond, Pair,
};
pub(crate) use quantity::{Bytes, OfTime, Speed, SpeedOf};

use std::marker::PhantomData;

use crate::error::Fault;
use crate::nearest::nearest;
use crate::tree::{Item, Node, Scalar, Table};

/// A key of the scenario file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// Dotted; `NAME` stands for the name of a member of a list.
    pub name: String,
    /// Its value, or its default where defaults are listed.
    pub value: String,
    /// What its value has to be, units and ranges included.
    pub expected: String,
    /// What it means, and the source of its default.
    pub doc: String,
}

/// The way a value is written: a type without values of its own.
pub(crate) trait Form {
    /// What is read.
    type Value;

    /// Reads `item`, which stands under `key`. Keys that a table leaves out keep their `default`.
    fn read(item: &Item, key: &str, default: &Self::Value) -> Result<Self::Value, Fault>;

    /// Shows `value` and all below it to `visit`.
    fn visit(value: &Self::Value, key: &str, doc: &str, visit: &mut dyn FnMut(Key));
}

/// The form of a single value.
pub(crate) trait Leaf {
    /// What is read.
    type Value;

    /// What is valid, as in "a rate above zero, as in 384 kbit/s".
    fn expected() -> String;

    /// Reads what was written, or says what is wrong with it.
    fn parse(scalar: &Scalar) -> Result<Self::Value, String>;

    /// As it may be written.
    fn show(value: &Self::Value) -> String;
}

impl<L: Leaf> Form for L {
    type Value = L::Value;

    fn read(item: &Item, key: &str, _default: &L::Value) -> Result<L::Value, Fault> {
        match &item.node {
            Node::Scalar(scalar) => L::parse(scalar).map_err(|message| item.fault(key, message)),
            Node::List(_) | Node::Table(_) => {
                Err(item.fault(key, format!("expected {}", L::expected())))
            }
        }
    }

    fn visit(value: &L::Value, key: &str, doc: &str, visit: &mut dyn FnMut(Key)) {
        visit(Key {
            name: key.to_owned(),
            value: L::show(value),
            expected: L::expected(),
            doc: one_paragraph(doc),
        });
    }
}

/// A table with a schema: what `section!` declares.
pub(crate) trait Section: Clone + Default {
    /// Takes over the keys that `table`, which stands under `at`, has.
    fn overlay(&mut self, table: &Table, at: &str) -> Result<(), Fault>;

    /// Shows all keys to `visit`.
    fn visit(&self, at: &str, visit: &mut dyn FnMut(Key));
}

/// A table that is always there.
pub(crate) struct Always<S>(PhantomData<S>);

impl<S: Section> Form for Always<S> {
    type Value = S;

    fn read(item: &Item, key: &str, default: &S) -> Result<S, Fault> {
        let mut section = default.clone();
        section.overlay(table(item, key)?, key)?;
        Ok(section)
    }

    fn visit(value: &S, key: &str, _doc: &str, visit: &mut dyn FnMut(Key)) {
        value.visit(key, visit);
    }
}

/// A table that a scenario may do without.
pub(crate) struct Perhaps<S>(PhantomData<S>);

impl<S: Section> Form for Perhaps<S> {
    type Value = Option<S>;

    fn read(item: &Item, key: &str, default: &Option<S>) -> Result<Option<S>, Fault> {
        Always::<S>::read(item, key, &default.clone().unwrap_or_default()).map(Some)
    }

    fn visit(value: &Option<S>, key: &str, _doc: &str, visit: &mut dyn FnMut(Key)) {
        if let Some(section) = value {
            section.visit(key, visit);
        }
    }
}

/// The member of a list that has a name.
pub(crate) trait Named {
    /// The name.
    fn name(&self) -> &str;
}

/// A list of tables, `[[…]]`, whose members go by name.
pub(crate) struct Each<S>(PhantomData<S>);

impl<S: Section + Named> Form for Each<S> {
    type Value = Vec<S>;

    fn read(item: &Item, key: &str, _default: &Vec<S>) -> Result<Vec<S>, Fault> {
        let Node::List(items) = &item.node else {
            return Err(item.fault(key, format!("expected a list of tables, [[{key}]]")));
        };
        let member = |(index, item): (usize, &Item)| {
            let at = item.name().map_or_else(|| format!("{key}[{index}]"), |name| join(key, name));
            Always::<S>::read(item, &at, &S::default())
        };
        items.iter().enumerate().map(member).collect()
    }

    fn visit(value: &Vec<S>, key: &str, _doc: &str, visit: &mut dyn FnMut(Key)) {
        for section in value {
            section.visit(&join(key, section.name()), visit);
        }
    }
}

/// The two ends of a link: a list of two names.
pub(crate) struct Ends;

impl Form for Ends {
    type Value = [String; 2];

    fn read(item: &Item, key: &str, _default: &[String; 2]) -> Result<[String; 2], Fault> {
        let expected = "expected the names of two nodes (letters, digits, - and _), as in \
                        [\"host\", \"GGSN\"]";
        let Node::List(items) = &item.node else { return Err(item.fault(key, expected)) };
        let name = |item: &Item| Label::parse(scalar(item)?).ok();
        match items.as_slice() {
            [from, to] => name(from).zip(name(to)).map(Into::into),
            [] | [_] | [_, _, _, ..] => None,
        }
        .ok_or_else(|| item.fault(key, expected))
    }

    fn visit(value: &[String; 2], key: &str, doc: &str, visit: &mut dyn FnMut(Key)) {
        visit(Key {
            name: key.to_owned(),
            value: format!("{value:?}"),
            expected: "the names of two nodes".to_owned(),
            doc: one_paragraph(doc),
        });
    }
}

/// The dotted key of `name` in the table `at`; the scenario itself is "".
pub(crate) fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// Refuses keys that are none of `fields`.
pub(crate) fn refuse_unknown(table: &Table, at: &str, fields: &[&str]) -> Result<(), Fault> {
    match table.iter().find(|(name, _)| !fields.contains(name)) {
        None => Ok(()),
        Some((name, item)) => Err(Fault::unknown(item.origin.clone(), join(at, name))),
    }
}

/// Of the `known` keys and their tables, the one that is nearest to an unknown `key`.
pub(crate) fn nearest_key(key: &str, known: &[Key]) -> Option<String> {
    let mut candidates: Vec<_> = known.iter().map(|known| with_members(&known.name, key)).collect();
    for known in known {
        let tables = known.name.match_indices('.').map(|(at, _)| &known.name[..at]);
        let tables = tables.filter(|table| !table.ends_with(MEMBER));
        candidates.extend(tables.map(|table| with_members(table, key)));
    }
    nearest(key, candidates.iter().map(String::as_str)).map(str::to_owned)
}

/// `known` with the names that `key` has in the places of members' names.
fn with_members(known: &str, key: &str) -> String {
    let mut given = key.split('.').map(Some).chain(std::iter::repeat(None));
    let mut is_alike = true;
    let word = |known: &str| {
        let given = given.next().flatten().filter(|_| is_alike);
        let word = given.filter(|_| known == MEMBER).unwrap_or(known).to_owned();
        is_alike = given == Some(word.as_str());
        word
    };
    known.split('.').map(word).collect::<Vec<_>>().join(".")
}

/// Stands for the name of a list's member in the list of all keys.
pub(crate) const MEMBER: &str = "NAME";

fn one_paragraph(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn table<'a>(item: &'a Item, key: &str) -> Result<&'a Table, Fault> {
    match &item.node {
        Node::Table(table) => Ok(table),
        Node::Scalar(_) | Node::List(_) => {
            Err(item.fault(key, format!("expected a table, [{key}]")))
        }
    }
}

fn scalar(item: &Item) -> Option<&Scalar> {
    match &item.node {
        Node::Scalar(scalar) => Some(scalar),
        Node::List(_) | Node::Table(_) => None,
    }
}

/// Declares a table of the scenario file: for each key its type, its form and its default. The
/// doc comments are the documentation of the keys.
macro_rules! section {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])* pub $field:ident: $type:ty as $form:ty = $default:expr;)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::form::Section for $name {
            fn overlay(
                &mut self,
                table: &$crate::tree::Table,
                at: &str,
            ) -> Result<(), $crate::error::Fault> {
                $crate::form::refuse_unknown(table, at, &[$(stringify!($field)),*])?;
                $(if let Some(item) = table.get(stringify!($field)) {
                    let key = $crate::form::join(at, stringify!($field));
                    self.$field = <$form as $crate::form::Form>::read(item, &key, &self.$field)?;
                })*
                Ok(())
            }

            fn visit(&self, at: &str, visit: &mut dyn FnMut($crate::form::Key)) {
                $({
                    let key = $crate::form::join(at, stringify!($field));
                    let doc = concat!($($doc, "\n"),*);
                    <$form as $crate::form::Form>::visit(&self.$field, &key, doc, visit);
                })*
            }
        }
    };
}
pub(crate) use section;
