//! Rules that stand beside keys: what a key takes the place of, and what it belongs to.

use std::fmt;

use super::choice::one_of;
use super::{Key, MEMBER, join, matches};
use crate::tree::Table;

/// A rule of a table about keys in it.
#[derive(Clone, Debug)]
pub enum Rule {
    /// A key that takes the place of another.
    Supersedes(Precedence),
    /// A condition without which a key does nothing.
    OnlyWith(Condition),
    /// Words that a key's value counts as, for conditions.
    Means {
        /// The dotted key.
        key: String,
        /// The words that count beside its own.
        words: Vec<String>,
    },
}

/// A key which, when set, takes away what the file says under others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Precedence {
    /// The key that is set.
    pub by: String,
    /// The keys that are taken away.
    pub over: Vec<String>,
}

/// A condition without which a key or table does nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The dotted key, or the table.
    pub subject: String,
    /// The keys of which one has to be as `test` asks, or the tables of which one has to be there.
    pub keys: Vec<String>,
    /// The question that is asked of them.
    pub test: Test,
    /// The fate of a file that has the key without it.
    pub in_file: InFile,
}

/// The fate of a file that has a key which does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InFile {
    /// The file is refused.
    Refused,
    /// The file is kept, for a setting with which the key does something.
    Kept,
}

/// A question that is asked of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    /// One of the tables is there.
    Given,
    /// The key is one of these words.
    Is(Vec<&'static str>),
    /// The key has another value than this.
    Not(&'static str),
}

impl Rule {
    /// A setting of `by` takes away what the file says under `over`, both in the table `at`.
    pub fn supersedes(at: &str, by: &str, over: &[&str]) -> Self {
        let over = over.iter().map(|over| join(at, over)).collect();
        Self::Supersedes(Precedence { by: join(at, by), over })
    }

    /// The key or table `subject` of the table `at` does nothing unless `keys` are as `test` asks.
    pub fn only_with(at: &str, subject: &str, keys: &[&str], test: Test) -> Self {
        Self::belongs(at, subject, keys, test, InFile::Refused)
    }

    /// A table that a file may have without its condition, for a setting with which it does
    /// something.
    pub fn waits_for(at: &str, subject: &str, keys: &[&str], test: Test) -> Self {
        Self::belongs(at, subject, keys, test, InFile::Kept)
    }

    fn belongs(at: &str, subject: &str, keys: &[&str], test: Test, in_file: InFile) -> Self {
        let keys = keys.iter().map(|key| join(at, key)).collect();
        Self::OnlyWith(Condition { subject: join(at, subject), keys, test, in_file })
    }

    /// The value of `key` of the table `at` counts as `words`, too.
    pub fn means(at: &str, key: &str, words: Vec<String>) -> Self {
        Self::Means { key: join(at, key), words }
    }
}

impl Condition {
    /// Whether it holds among `values`, the keys that there are.
    pub fn holds(&self, values: &[Key]) -> bool {
        let is_named = |key: &&Key| self.keys.contains(&key.name);
        match &self.test {
            Test::Given => {
                let is_in = |key: &Key| self.keys.iter().any(|table| is_within(&key.name, table));
                values.iter().any(is_in)
            }
            Test::Is(words) => values.iter().filter(is_named).any(|key| key.says(words)),
            Test::Not(word) => values.iter().filter(is_named).any(|key| key.value != *word),
        }
    }

    /// Whether a setting decides whether it holds, by its keys or by a profile of their table: what
    /// the file says is then not to blame.
    pub(crate) fn is_overruled(&self, tree: &Table) -> bool {
        let profile = |key: &str| key.rsplit_once('.').map(|(table, _)| join(table, "profile"));
        let decides = |key: &String| {
            tree.is_set(key) || profile(key).is_some_and(|profile| tree.is_set(&profile))
        };
        self.keys.iter().any(decides)
    }
}

/// The words behind "does nothing", as in "while tcp.spacing is off".
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables: Vec<_> = self.keys.iter().map(|table| format!("[{table}]")).collect();
        let shown = if self.test == Test::Given { &tables } else { &self.keys };
        let keys = one_of(&shown.iter().map(String::as_str).collect::<Vec<_>>());
        match &self.test {
            Test::Given => write!(f, "without {keys}"),
            Test::Is(words) => write!(f, "without {keys} = {}", one_of(words)),
            Test::Not(word) => write!(f, "while {keys} is {word}"),
        }
    }
}

impl Key {
    /// The key with those of the `rules` that are about it.
    #[must_use]
    pub fn under(mut self, rules: &[Rule]) -> Self {
        for rule in rules {
            match rule {
                Rule::Supersedes(rule) if matches(&self.name, &rule.by) => {
                    self.supersedes.push(rule.clone());
                }
                Rule::OnlyWith(condition) if is_within(&self.name, &condition.subject) => {
                    self.only_with.push(condition.clone());
                }
                Rule::Means { key, words } if self.name == *key => {
                    self.means.clone_from(words);
                }
                Rule::Supersedes(_) | Rule::OnlyWith(_) | Rule::Means { .. } => {}
            }
        }
        self
    }

    /// Whether `value` is its default with any kind.
    pub(crate) fn is_default(&self, value: &str) -> bool {
        let others = self.other_defaults.iter().map(|(default, _)| default);
        others.chain([&self.value]).any(|default| default == value)
    }

    /// Whether it is in the `table`, which says something by being there.
    pub(crate) fn is_optional(&self, table: &str) -> bool {
        self.optional.as_deref() == Some(table)
    }

    /// Whether its value, or what else that means, is one of `words`.
    fn says(&self, words: &[&str]) -> bool {
        let mut said = self.means.iter().chain([&self.value]);
        said.any(|said| words.contains(&said.as_str()))
    }
}

/// True for the key `subject` and for those in that table, whatever the names of its members.
fn is_within(key: &str, subject: &str) -> bool {
    let mut words = key.split('.');
    subject.split('.').all(|of| words.next().is_some_and(|word| of == MEMBER || of == word))
}

/// The dotted key of words, as text.
#[doc(hidden)]
#[macro_export]
macro_rules! dotted {
    ($first:ident $(.$rest:ident)*) => {
        concat!(stringify!($first) $(, ".", stringify!($rest))*)
    };
}

/// The test that a rule writes.
#[doc(hidden)]
#[macro_export]
macro_rules! test {
    () => {
        $crate::Test::Given
    };
    (is $words:tt) => {
        $crate::Test::Is(Vec::from($words))
    };
    (not $word:literal) => {
        $crate::Test::Not($word)
    };
}
