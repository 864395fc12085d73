//! A scenario's text as a tree, each item with the place where it stands.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::Fault;
use crate::form::join;

/// Where an item stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// In the file as a whole.
    File,
    /// In this line of the file, from 1.
    Line(usize),
    /// In this `key=value` of a setting.
    Setting(String),
}

/// An item and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// Where it stands.
    pub origin: Origin,
    /// What it is.
    pub node: Node,
}

/// A value, a list or a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// A single value.
    Scalar(Scalar),
    /// `[…]`.
    List(Vec<Item>),
    /// `{…}`, or what stands below a `[…]`.
    Table(Table),
}

/// A value as it was written, without its quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// What stands between its quotes, or all of it.
    pub text: String,
    /// How it was written.
    pub kind: Kind,
}

/// How a value was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// In quotes.
    Quoted,
    /// As a number, `true`, `false` or a date.
    Plain,
    /// In a setting, where quotes are not needed.
    Bare,
}

/// Keys and items, in the order of the file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table(Vec<(String, Item)>);

impl Table {
    /// The tree of `source`.
    pub fn parse(source: &str) -> Result<Self, Fault> {
        let lines = Lines::of(source);
        match DeTable::parse(source) {
            Ok(table) => Ok(table_of(table.get_ref(), &|span| lines.at(span))),
            Err(error) => {
                let message = error.message().trim().replace('\n', "; ");
                let place = error.span();
                let subject = place
                    .clone()
                    .and_then(|span| source.get(span))
                    .filter(|_| message.starts_with("duplicate key"));
                Err(Fault {
                    origin: place.map_or(Origin::File, |span| lines.at(&span)),
                    subject: subject.unwrap_or_default().trim().to_owned(),
                    message: format!("not TOML: {message}"),
                })
            }
        }
    }

    /// The item under `key`.
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, item)| item)
    }

    /// The item under `key`.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Item> {
        self.0.iter_mut().find(|(name, _)| name == key).map(|(_, item)| item)
    }

    /// Puts `item` in the place of what stood under `key`.
    pub fn set(&mut self, key: &str, item: Item) {
        match self.get_mut(key) {
            Some(place) => *place = item,
            None => self.0.push((key.to_owned(), item)),
        }
    }

    /// Takes away what stands under `key`.
    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    /// Takes away what stands under `key` in the file; what was set stays.
    pub fn remove_from_file(&mut self, key: &str) {
        self.0.retain(|(name, item)| name != key || item.is_set());
    }

    /// Takes away what stands in the file at the dotted `key`, in which members of lists are called
    /// [`MEMBER`], and tables and lists that this leaves empty; what was set stays.
    pub(crate) fn remove_from_file_at(&mut self, key: &str) {
        let Some((first, rest)) = key.split_once('.') else { return self.remove_from_file(key) };
        let is_empty = match self.get_mut(first).map(|item| &mut item.node) {
            Some(Node::Table(table)) => {
                table.remove_from_file_at(rest);
                table.0.is_empty()
            }
            Some(Node::List(items)) => {
                let own = rest.split_once('.').map_or(rest, |(_, own)| own);
                items.retain_mut(|item| match &mut item.node {
                    Node::Table(member) => {
                        member.remove_from_file_at(own);
                        !member.0.is_empty()
                    }
                    Node::Scalar(_) | Node::List(_) => true,
                });
                items.is_empty()
            }
            Some(Node::Scalar(_)) | None => false,
        };
        if is_empty {
            self.remove_from_file(first);
        }
    }

    /// Keys and items, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Item)> {
        self.0.iter().map(|(name, item)| (name.as_str(), item))
    }

    /// The table at the dotted `key`; members of a list go by their `name`. That of "" is this one.
    pub fn table(&self, key: &str) -> Option<&Self> {
        if key.is_empty() {
            return Some(self);
        }
        if let Node::Table(table) = &self.find(key)?.node { Some(table) } else { None }
    }

    /// The same, to be changed.
    pub fn table_mut(&mut self, key: &str) -> Option<&mut Self> {
        let mut words = key.split('.').filter(|word| !word.is_empty());
        let mut table = self;
        while let Some(word) = words.next() {
            let mut node = &mut table.get_mut(word)?.node;
            if let Node::List(items) = node {
                let name = words.next();
                node = &mut items.iter_mut().find(|item| item.name() == name)?.node;
            }
            let Node::Table(inner) = node else { return None };
            table = inner;
        }
        Some(table)
    }

    /// The item at the dotted `key`; members of a list go by their `name`.
    pub fn find(&self, key: &str) -> Option<&Item> {
        let (first, rest) = key.split_once('.').map_or((key, None), |(a, b)| (a, Some(b)));
        let item = self.get(first)?;
        let Some(rest) = rest else { return Some(item) };
        match &item.node {
            Node::Table(table) => table.find(rest),
            Node::Scalar(_) => None,
            Node::List(items) => {
                let (name, rest) = rest.split_once('.').map_or((rest, None), |(a, b)| (a, Some(b)));
                let member = items.iter().find(|item| item.name() == Some(name))?;
                let Some(rest) = rest else { return Some(member) };
                if let Node::Table(table) = &member.node { table.find(rest) } else { None }
            }
        }
    }

    /// The place to blame for a clash between `keys`: a setting if one of them was set, else the
    /// first that the file has.
    pub fn blame(&self, keys: &[&str]) -> Origin {
        let mut origins = keys.iter().filter_map(|key| self.find(key)).map(|item| &item.origin);
        let first = origins.clone().next();
        origins
            .find(|origin| matches!(origin, Origin::Setting(_)))
            .or(first)
            .cloned()
            .unwrap_or(Origin::File)
    }

    /// A fault of several keys at once, at the one of them to blame.
    pub fn fault(&self, keys: &[&str], message: impl Into<String>) -> Fault {
        let origin = self.blame(keys);
        let is_there = |key: &&&str| self.find(key).is_some_and(|item| item.origin == origin);
        let subject = match (&origin, keys.iter().find(is_there)) {
            (Origin::Line(_), Some(key)) => (*key).to_owned(),
            (Origin::File | Origin::Setting(_) | Origin::Line(_), _) => String::new(),
        };
        Fault { origin, subject, message: message.into() }
    }

    /// As [`Self::fault`], as a result.
    pub fn clash(&self, keys: &[&str], message: impl Into<String>) -> Result<(), Fault> {
        Err(self.fault(keys, message))
    }

    /// Refuses entries of the list `key` that have no name, or that of another, of `names`.
    pub fn check_names<'a>(
        &self,
        key: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Fault> {
        let mut known = Vec::new();
        for name in names {
            if name.is_empty() {
                let message = format!("every [[{key}]] needs a name, as in name = \"A\"");
                return self.clash(&[key], message);
            }
            if known.contains(&name) {
                return self.clash(&[key], format!("two [[{key}]] have the name {name}"));
            }
            known.push(name);
        }
        Ok(())
    }

    /// Whether a setting says `key`.
    pub fn is_set(&self, key: &str) -> bool {
        self.find(key).is_some_and(Item::is_set)
    }

    /// As [`Self::clash`], of `keys` in the table `at`.
    pub fn clash_at(
        &self,
        at: &str,
        keys: &[&str],
        message: impl Into<String>,
    ) -> Result<(), Fault> {
        let keys: Vec<_> = keys.iter().map(|key| join(at, key)).collect();
        let keys: Vec<_> = keys.iter().map(String::as_str).collect();
        self.clash(&keys, message)
    }
}

impl Item {
    /// Whether a setting says it.
    pub const fn is_set(&self) -> bool {
        matches!(self.origin, Origin::Setting(_))
    }

    /// Its value, if it is a single one.
    pub fn scalar(&self) -> Option<&Scalar> {
        if let Node::Scalar(scalar) = &self.node { Some(scalar) } else { None }
    }

    /// The `name` of a member of a list.
    pub fn name(&self) -> Option<&str> {
        let Node::Table(table) = &self.node else { return None };
        Some(&table.get("name")?.scalar()?.text)
    }

    /// The item as it may have been written, shortened.
    pub fn shown(&self) -> String {
        match &self.node {
            Node::Table(_) => "a table".to_owned(),
            Node::List(_) => "a list".to_owned(),
            Node::Scalar(Scalar { text, kind }) => {
                let mut short: String = text.chars().take(40).collect();
                if short.len() < text.len() {
                    short.push('…');
                }
                match kind {
                    Kind::Quoted => format!("\"{short}\""),
                    Kind::Plain | Kind::Bare => short,
                }
            }
        }
    }

    /// The fault of this item, which stands under `key`.
    pub fn fault(&self, key: &str, message: impl Into<String>) -> Fault {
        Fault {
            origin: self.origin.clone(),
            subject: format!("{key} = {}", self.shown()),
            message: message.into(),
        }
    }
}

/// The value of a setting: a TOML list, or text whose quotes may be left out.
pub fn setting_value(text: &str, origin: &Origin) -> Node {
    let text = text.trim();
    if text.starts_with('[')
        && let Ok(value) = DeValue::parse(text)
    {
        return node(value.get_ref(), &|_| origin.clone());
    }
    let unquoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text);
    Node::Scalar(Scalar { text: unquoted.to_owned(), kind: Kind::Bare })
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(source: &str) -> Self {
        Self(source.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    fn at(&self, span: &Range<usize>) -> Origin {
        Origin::Line(1 + self.0.partition_point(|&start| start <= span.start))
    }
}

fn table_of(table: &DeTable<'_>, origin: &dyn Fn(&Range<usize>) -> Origin) -> Table {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        let item = Item { origin: origin(&key.span()), node: node(value.get_ref(), origin) };
        (key.get_ref().to_string(), item)
    };
    Table(entries.into_iter().map(entry).collect())
}

fn node(value: &DeValue<'_>, origin: &dyn Fn(&Range<usize>) -> Origin) -> Node {
    let plain = |text: String| Node::Scalar(Scalar { text, kind: Kind::Plain });
    match value {
        DeValue::String(text) => {
            Node::Scalar(Scalar { text: text.to_string(), kind: Kind::Quoted })
        }
        DeValue::Integer(integer) => plain(
            i128::from_str_radix(integer.as_str(), integer.radix())
                .map_or_else(|_| integer.to_string(), |value| value.to_string()),
        ),
        DeValue::Float(float) => plain(float.as_str().to_owned()),
        DeValue::Boolean(value) => plain(value.to_string()),
        DeValue::Datetime(value) => plain(value.to_string()),
        DeValue::Array(array) => {
            let item = |item: &Spanned<DeValue<'_>>| Item {
                origin: origin(&item.span()),
                node: node(item.get_ref(), origin),
            };
            Node::List(array.iter().map(item).collect())
        }
        DeValue::Table(table) => Node::Table(table_of(table, origin)),
    }
}
