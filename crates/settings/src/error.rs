//! What is wrong, where, and what would be valid: in one line.

use std::fmt;

use crate::form::{Key, Needs, advice, matches, one_of};
use crate::tree::Origin;

/// A scenario or setting that cannot be. It reads as one line that names the file and its line, or
/// the setting, the key, what is wrong and what would be valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// A fault in a scenario whose name is not known at the place where the fault is found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where it stands.
    pub origin: Origin,
    /// The dotted key, and its value where that is at fault; empty for the scenario as a whole.
    pub subject: String,
    /// What is wrong and what would be valid.
    pub message: String,
}

/// What is wrong with a key that no schema has.
const UNKNOWN: &str = "unknown key";

impl Fault {
    /// There is no such key.
    pub fn unknown(origin: Origin, key: String) -> Self {
        Self { origin, subject: key, message: UNKNOWN.to_owned() }
    }

    /// The same, and of an unknown key which of the `known` ones may be meant.
    #[must_use]
    pub fn among(mut self, known: &[Key]) -> Self {
        if self.message != UNKNOWN {
            return self;
        }
        if let Some(Needs { key, kinds }) = self.needs(known) {
            let (subject, kinds) = (&self.subject, one_of(&kinds));
            self.message = format!("{subject} is for {key} = {kinds} alone");
        } else if let Some(advice) = advice(&self.subject, known) {
            self.message = format!("{UNKNOWN}; {advice}");
        }
        self
    }

    /// With which kinds the key goes, or the keys of the table, that is unknown here alone.
    fn needs(&self, known: &[Key]) -> Option<Needs> {
        let is_meant = |known: &&Key| {
            let tables = known.name.match_indices('.').map(|(at, _)| &known.name[..at]);
            tables.chain([known.name.as_str()]).any(|name| matches(name, &self.subject))
        };
        let mut needs = known.iter().filter(is_meant).filter_map(|known| known.needs.first());
        let mut all = needs.next()?.clone();
        for Needs { key, kinds } in needs {
            if *key == all.key {
                let others = kinds.iter().filter(|kind| !all.kinds.contains(kind));
                let others: Vec<_> = others.copied().collect();
                all.kinds.extend(others);
            }
        }
        Some(all)
    }

    /// The fault as a line about the scenario `name`.
    pub fn of(self, name: &str) -> Error {
        let Self { origin, subject, message } = self;
        let place = match origin {
            Origin::File => name.to_owned(),
            Origin::Line(line) => format!("{name}:{line}"),
            Origin::Setting(setting) => {
                let member = member(&subject).map(|member| format!("{member}: "));
                let member = member.unwrap_or_default();
                return one_line(&format!("--set {setting}: {member}{message}"));
            }
        };
        if subject.is_empty() {
            return one_line(&format!("{place}: {message}"));
        }
        one_line(&format!("{place}: {subject}: {message}"))
    }
}

/// The key of a member of a list, which a setting that holds the whole list does not tell.
fn member(subject: &str) -> Option<&str> {
    let key = subject.split_once(" = ").map_or(subject, |(key, _)| key);
    key.contains('[').then_some(key)
}

/// Keys and values come from outside, so they may hold anything.
fn one_line(text: &str) -> Error {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    Error(line)
}
