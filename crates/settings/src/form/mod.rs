//! Forms: how the value of a key is written, read and shown.

mod choice;
mod declare;
mod file;
mod kinds;
mod list;
mod number;
mod over;
mod position;
mod quantity;
mod rules;
mod section;
mod takes;

pub use choice::{Absent, Flag, Label, Nothing, Off, Or, Standard, Text, Unlimited, Word, as_key};
pub use declare::in_order;
pub use file::{Content, File};
pub use kinds::{kind_of, visit_kinds};
pub use list::{Bounds, ChanceBounds, Moments, Numbers, Spans, Steps, Timed};
pub use number::{Chance, Count, Factor, Fraction, Part, Positive, Share, Tbler, Within};
pub use over::{Heir, Over, Parents, take_over};
pub use position::{
    Along, Dbm, Decibels, Deviation, Distance, Gigahertz, Labels, Level, Metres, MetresPerSecond,
    Pair,
};
pub use quantity::{Bytes, OfTime, PerBit, Speed, SpeedOf, Watts};
pub use rules::{Condition, InFile, Precedence, Rule, Test};
pub use section::{Always, Each, Field, Flat, Named, NoKey, Perhaps, Section, Shared};
pub use takes::{Takes, ValueKind};

use std::collections::BTreeSet;

use self::choice::find_word;
pub(crate) use self::choice::{is_label, one_of};
use crate::error::Fault;
use crate::nearest::nearest;
use crate::tree::{Item, Node, Scalar, Table};

/// A key of the scenario file.
#[derive(Clone, Debug)]
pub struct Key {
    /// Dotted; `NAME` stands for the name of a member of a list.
    pub name: String,
    /// Its value, or its default where defaults are listed.
    pub value: String,
    /// What its value has to be, units and ranges included.
    pub expected: String,
    /// The same for programs.
    pub takes: Takes,
    /// What it means, and the source of its default.
    pub doc: String,
    /// With which kinds it goes, if not with all.
    pub needs: Vec<Needs>,
    /// Other defaults, each with the kinds that have it.
    pub other_defaults: Vec<(String, Vec<&'static str>)>,
    /// Keys that it takes the place of.
    pub supersedes: Vec<Precedence>,
    /// Conditions without which it does nothing.
    pub only_with: Vec<Condition>,
    /// Words that count as its value for conditions, beside that.
    means: Vec<String>,
    /// The innermost table or list with it that may be left out, and says something by being there.
    optional: Option<String>,
    /// The key whose value it has by default.
    pub inherits: Option<String>,
    /// Of a single value.
    reread: Option<Reread>,
}

/// Reads a value and shows it as the schema would.
type Reread = fn(&Scalar) -> Result<String, String>;

/// The kinds with which a key goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Needs {
    /// The key that has the kind.
    pub key: String,
    /// Its values.
    pub kinds: Vec<&'static str>,
}

/// Which keys of a table are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Those that it has.
    Present,
    /// Those that it has, without their texts, which are not made for each run.
    Values,
    /// All that there can be: of tables that are left out, of a member of each list, which is
    /// called [`MEMBER`], and of every kind.
    Every,
}

impl Key {
    /// The key called `name`, which goes with every kind.
    pub fn new(
        name: &str,
        value: String,
        expected: impl Into<String>,
        takes: Takes,
        doc: &str,
    ) -> Self {
        let doc = doc.split_whitespace().collect::<Vec<_>>().join(" ");
        let (name, expected) = (name.to_owned(), expected.into());
        Self {
            name,
            value,
            expected,
            takes,
            doc,
            needs: Vec::new(),
            other_defaults: Vec::new(),
            supersedes: Vec::new(),
            only_with: Vec::new(),
            means: Vec::new(),
            optional: None,
            inherits: None,
            reread: None,
        }
    }

    /// `kind` has this key, too, there as `other`.
    fn add_kind(&mut self, kind: &'static str, other: Self) {
        add_new(&mut self.supersedes, other.supersedes);
        add_new(&mut self.only_with, other.only_with);
        if other.value == self.value {
            return;
        }
        match self.other_defaults.iter_mut().find(|(value, _)| *value == other.value) {
            Some((_, kinds)) => kinds.push(kind),
            None => self.other_defaults.push((other.value, vec![kind])),
        }
    }

    /// The key called `name` of the form `L`.
    fn of<L: Leaf>(name: &str, value: &L::Value, doc: &str) -> Self {
        let reread = |scalar: &Scalar| L::parse(scalar).map(|value| L::show(&value));
        let key = Self::new(name, L::show(value), L::expected(), L::takes(), doc);
        Self { reread: Some(reread), ..key }
    }

    /// The key in `table`, which says something by being there.
    #[must_use]
    pub fn within(mut self, table: &str) -> Self {
        self.optional.get_or_insert_with(|| table.to_owned());
        self
    }

    /// The number that `item` is for this key, in the unit of what it takes; `None` if it is none.
    ///
    /// # Errors
    /// If it is no value of this key, as far as one can say without others: the members of a list
    /// are not looked at.
    pub fn number(&self, item: &Item) -> Result<Option<f64>, Fault> {
        let is_one = self.reread.is_some() || self.takes.kind == ValueKind::Choice;
        let Some(scalar) = item.scalar() else {
            let fault = || item.fault(&self.name, format!("expected {}", self.expected));
            return if is_one { Err(fault()) } else { Ok(None) };
        };
        let shown = match self.reread {
            Some(reread) => reread(scalar),
            None if is_one => {
                let words: Vec<_> = self.takes.words.iter().map(String::as_str).collect();
                find_word(&scalar.text, &words).map(|index| words[index].to_owned())
            }
            None => return Ok(None),
        };
        let shown = shown.map_err(|message| item.fault(&self.name, message))?;
        Ok(self.takes.number(&shown))
    }
}

/// The way a value is written: a type without values of its own.
pub trait Form {
    /// What is read.
    type Value;

    /// Reads `item`, which stands under `key`. Keys that a table leaves out keep their `default`.
    fn read(item: &Item, key: &str, default: &Self::Value) -> Result<Self::Value, Fault>;

    /// Shows `value` and all below it to `visit`.
    fn visit(value: &Self::Value, key: &str, doc: &str, scope: Scope, visit: &mut dyn FnMut(Key));

    /// Whether values go together, as [`Section::check`].
    fn check(_value: &Self::Value, _tree: &Table, _key: &str) -> Result<(), Fault> {
        Ok(())
    }

    /// Lays the tables in it over `parents`, as [`Section::inherit`].
    fn inherit(
        _value: &mut Self::Value,
        _default: &Self::Value,
        _tree: &Table,
        _key: &str,
        _parents: Parents<'_>,
    ) -> Result<(), Fault> {
        Ok(())
    }
}

/// The form of a single value.
pub trait Leaf {
    /// What is read.
    type Value;

    /// What is valid, as in "a rate above zero, as in 384 kbit/s".
    fn expected() -> String;

    /// The same for programs.
    fn takes() -> Takes;

    /// Reads what was written, or says what is wrong with it.
    fn parse(scalar: &Scalar) -> Result<Self::Value, String>;

    /// As it may be written.
    fn show(value: &Self::Value) -> String;
}

impl<L: Leaf> Form for L {
    type Value = L::Value;

    fn read(item: &Item, key: &str, _default: &L::Value) -> Result<L::Value, Fault> {
        let fault = |message| item.fault(key, message);
        let scalar = item.scalar().ok_or_else(|| fault(format!("expected {}", L::expected())))?;
        L::parse(scalar).map_err(fault)
    }

    fn visit(value: &L::Value, key: &str, doc: &str, scope: Scope, visit: &mut dyn FnMut(Key)) {
        visit(match scope {
            Scope::Present | Scope::Every => Key::of::<L>(key, value, doc),
            Scope::Values => Key::new(key, L::show(value), "", L::takes(), doc),
        });
    }
}

/// Adds those of `others` to `known` that are not there.
fn add_new<T: PartialEq>(known: &mut Vec<T>, others: Vec<T>) {
    for other in others {
        if !known.contains(&other) {
            known.push(other);
        }
    }
}

/// The dotted key of `name` in the table `at`; the scenario itself is "".
pub fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// Refuses keys that are none of `names`, and such in a table of which `names` has dotted keys.
pub fn refuse_unknown(table: &Table, at: &str, names: &[String]) -> Result<(), Fault> {
    for (name, item) in table.iter().filter(|(name, _)| !names.iter().any(|known| known == name)) {
        let inner = |known: &String| known.strip_prefix(name)?.strip_prefix('.').map(str::to_owned);
        let inner: Vec<_> = names.iter().filter_map(inner).collect();
        match &item.node {
            Node::Table(table) if !inner.is_empty() => {
                refuse_unknown(table, &join(at, name), &inner)?;
            }
            Node::Table(_) | Node::List(_) | Node::Scalar(_) => {
                return Err(Fault::unknown(item.origin.clone(), join(at, name)));
            }
        }
    }
    Ok(())
}

/// Of the `known` keys and their tables, the one that is nearest to an unknown `key`.
fn nearest_key(key: &str, known: &[Key]) -> Option<String> {
    let mut candidates: Vec<_> = known.iter().map(|known| with_members(&known.name, key)).collect();
    let mut seen = BTreeSet::new();
    for known in known {
        let tables = known.name.match_indices('.').map(|(at, _)| &known.name[..at]);
        let tables = tables.filter(|table| !table.ends_with(MEMBER) && seen.insert(*table));
        candidates.extend(tables.map(|table| with_members(table, key)));
    }
    nearest(key, candidates.iter().map(String::as_str)).map(str::to_owned)
}

/// Advice on an unknown `key`, as the end of a sentence: a key of its name elsewhere or one beside
/// it that is spelt nearly so; of a small table, all its keys.
pub(crate) fn advice(key: &str, known: &[Key]) -> Option<String> {
    let near = nearest_key(key, known);
    let meant = |key: &str| Some(format!("did you mean {key}?"));
    let Some((table, last)) = key.rsplit_once('.') else { return meant(&near?) };
    if let Some(near) = near.as_deref().filter(|near| near.rsplit('.').next() == Some(last)) {
        return meant(near);
    }
    let beside = words_of(table, key, known);
    if let Some(word) = nearest(last, beside.iter().map(String::as_str)) {
        return meant(&join(table, word));
    }
    if beside.is_empty() || beside.len() > MOST_LISTED {
        return meant(&near?);
    }
    Some(format!("{table} has {}", beside.join(", ")))
}

/// Keys that fit into a line.
const MOST_LISTED: usize = 12;

/// The words that may follow `table`, with the names that `key` has, in the order of the schema.
fn words_of(table: &str, key: &str, known: &[Key]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for known in known.iter().map(|known| with_members(&known.name, key)) {
        let rest = known.strip_prefix(table).and_then(|rest| rest.strip_prefix('.'));
        let word = rest.map(|rest| rest.split('.').next().unwrap_or_default());
        let is_new = |word: &&str| *word != MEMBER && !words.iter().any(|before| before == word);
        if let Some(word) = word.filter(is_new) {
            words.push(word.to_owned());
        }
    }
    words
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

/// Whether `key` is `pattern`, in which a member's name may be any.
pub fn matches(pattern: &str, key: &str) -> bool {
    let (mut pattern, mut key) = (pattern.split('.'), key.split('.'));
    loop {
        match (pattern.next(), key.next()) {
            (None, None) => return true,
            (Some(MEMBER), Some(word)) if !word.is_empty() => {}
            (Some(expected), Some(word)) if expected == word => {}
            (_, _) => return false,
        }
    }
}

/// Stands for the name of a list's member in the list of all keys.
pub const MEMBER: &str = "NAME";

fn table<'a>(item: &'a Item, key: &str) -> Result<&'a Table, Fault> {
    let Node::Table(table) = &item.node else {
        return Err(item.fault(key, format!("expected a table, [{key}]")));
    };
    Ok(table)
}
