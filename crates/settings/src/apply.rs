//! Settings: dotted keys that change a file's tree from outside.

use std::collections::BTreeSet;

use crate::error::Fault;
use crate::form::{
    Condition, InFile, Key, MEMBER, Needs, Precedence, is_label, join, matches, one_of,
};
use crate::nearest::nearest;
use crate::tree::{Item, Node, Origin, Table, setting_value};

/// What settings are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Schema<'a> {
    /// Every key that there is.
    pub keys: &'a [Key],
    /// Tables and lists that settings do not make.
    pub given: &'a [&'a str],
    /// Lists to which a setting adds the member that it names, if there is none of that name.
    pub grown: &'a [&'a str],
}

impl Schema<'_> {
    /// Applies `settings`, in order, to the `tree` of a file.
    ///
    /// A setting takes away what the file says in other words; one of a `kind` takes away the
    /// file's keys of other kinds, but not those of members of a list that goes with this kind,
    /// too: they would be members without what sets them apart.
    ///
    /// # Errors
    /// If a key is not in the schema, or in a table or member that the file does not have.
    pub fn apply(&self, tree: &mut Table, settings: &[(String, String)]) -> Result<(), Fault> {
        for (key, value) in settings {
            let setting = Setting { key: key.trim(), value: value.trim() };
            setting.check(self, tree)?;
            setting.supersede(self, tree);
            setting.put(self, tree)?;
        }
        Ok(())
    }

    /// A line for each setting that changes nothing, since what it belongs to is not in use. They
    /// are no fault: in another run of a sweep it may be. `values` are the keys as they were read
    /// from `tree`, of [`crate::Scope::Values`].
    ///
    /// # Errors
    /// If the file has such a key, with another value than its default, unless that is due to a
    /// setting.
    pub fn idle(&self, values: &[Key], tree: &Table) -> Result<Vec<String>, Fault> {
        let mut lines = Vec::new();
        let is_said = |key: &&Key| {
            let mut subjects = key.only_with.iter().map(|condition| &condition.subject);
            !key.only_with.is_empty()
                && (tree.find(&key.name).is_some() || subjects.any(|it| tree.find(it).is_some()))
        };
        for key in values.iter().filter(is_said) {
            let Some(condition) = key.only_with.iter().find(|rule| !rule.holds(values)) else {
                continue;
            };
            // A group of flows begins with `[tcp]`, and may use what `[tcp]` does not.
            if has_heir_in_use(&key.name, values) {
                continue;
            }
            if tree.is_set(&key.name) {
                lines.push(format!("{} changes nothing {condition}", key.name));
            } else if condition.in_file == InFile::Refused
                && !condition.is_overruled(tree)
                && let Some(said) = self.said(key, condition, tree)
            {
                return Err(tree.fault(&[said], format!("does nothing {condition}")));
            }
        }
        let is_absent = |key: &&Key| !values.iter().any(|value| value.name == key.name);
        for key in self.keys.iter().filter(|key| tree.is_set(&key.name)).filter(is_absent) {
            for Needs { key: kind, kinds } in &key.needs {
                let (name, kinds) = (&key.name, one_of(kinds));
                lines.push(format!("{name} changes nothing without {kind} = {kinds}"));
            }
        }
        Ok(lines)
    }

    /// What the file says of `key`, which does nothing without `condition`: the key, if it has
    /// another value than its default, or the table by being there.
    fn said<'k>(&self, key: &'k Key, condition: &'k Condition, tree: &Table) -> Option<&'k str> {
        let is_table = key.is_optional(&condition.subject);
        let name = if is_table { &condition.subject } else { &key.name };
        if tree.find(name).is_none() || tree.is_set(name) {
            return None;
        }
        let known = self.keys.iter().find(|known| matches(&known.name, &key.name));
        let says = is_table || !known.is_some_and(|known| known.is_default(&key.value));
        says.then_some(name)
    }

    /// The number that `value` is for `key`, in the unit of what the key takes; `None` if it is
    /// none.
    ///
    /// # Errors
    /// If the key is not in the schema or the value is none of it: see [`Key::number`].
    pub fn number(&self, key: &str, value: &str) -> Result<Option<f64>, Fault> {
        let setting = Setting { key: key.trim(), value: value.trim() };
        // No table is given here, so none can be missing.
        setting.check(&Schema { given: &[], ..*self }, &Table::default())?;
        let known = self.keys.iter().find(|known| matches(&known.name, setting.key));
        let origin = setting.origin();
        let node = setting_value(setting.value, &origin);
        known.map_or(Ok(None), |known| known.number(&Item { origin, node }))
    }
}

/// True if a key whose default is the value of `key` is in use, or one whose default that is.
fn has_heir_in_use(key: &str, values: &[Key]) -> bool {
    values.iter().filter(|heir| heir.inherits.as_deref() == Some(key)).any(|heir| {
        heir.only_with.iter().all(|rule| rule.holds(values)) || has_heir_in_use(&heir.name, values)
    })
}

struct Setting<'a> {
    key: &'a str,
    value: &'a str,
}

impl Setting<'_> {
    fn origin(&self) -> Origin {
        let mut value: String = self.value.chars().take(40).collect();
        if value.len() < self.value.len() {
            value.push('…');
        }
        Origin::Setting(format!("{}={value}", self.key))
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { origin: self.origin(), subject: self.key.to_owned(), message: message.into() }
    }

    /// Refuses keys that are not in the schema, or in a table that the file does without.
    fn check(&self, schema: &Schema<'_>, tree: &Table) -> Result<(), Fault> {
        let known = schema.keys;
        for list in schema.grown {
            let member = self.key.strip_prefix(list).and_then(|rest| rest.strip_prefix('.'));
            let name = member.map(|member| member.split('.').next().unwrap_or_default());
            if name.is_some_and(|name| !is_label(name)) {
                let message = format!("{list}.{MEMBER} needs a name of letters, digits, - and _");
                return Err(self.fault(message));
            }
        }
        if !known.iter().any(|key| matches(&key.name, self.key)) {
            let within = |key: &&Key| {
                let table = key.name.rmatch_indices('.').map(|(at, _)| &key.name[..at]);
                table.into_iter().any(|table| matches(table, self.key))
            };
            let is_other = |key: &&Key| !key.name.ends_with(&format!("{MEMBER}.name"));
            return Err(match known.iter().filter(within).find(is_other) {
                Some(key) => {
                    self.fault(format!("a table; set one of its keys, as in {}", key.name))
                }
                None => Fault::unknown(self.origin(), self.key.to_owned()),
            });
        }
        let is_below = |table: &&&str| {
            self.key.strip_prefix(**table).is_some_and(|rest| rest.starts_with('.'))
        };
        match schema.given.iter().find(is_below) {
            Some(table) if tree.find(table).is_none() => {
                let is_list = known.iter().any(|key| {
                    key.name.strip_prefix(table).is_some_and(|rest| {
                        rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(MEMBER))
                    })
                });
                let shown = if is_list { format!("[[{table}]]") } else { format!("[{table}]") };
                Err(self.fault(format!("this scenario has no {shown}")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Takes away what the file says in other words, or of other kinds.
    fn supersede(&self, schema: &Schema<'_>, tree: &mut Table) {
        let superseded = schema.keys.iter().flat_map(|key| &key.supersedes);
        for Precedence { by, over } in superseded.filter(|rule| matches(&rule.by, self.key)) {
            for over in over.iter().map(|over| over.replace(MEMBER, member_of(by, self.key))) {
                let (table, key) = over.rsplit_once('.').unwrap_or(("", &over));
                if let Some(table) = tree.table_mut(table) {
                    table.remove_from_file(key);
                }
            }
        }
        let (others, kept): (Vec<_>, Vec<_>) =
            schema.keys.iter().partition(|key| self.is_of_another_kind(key));
        let lists: BTreeSet<_> = kept.into_iter().filter_map(list_of).collect();
        let is_taken = |key: &&Key| list_of(key).is_none_or(|list| !lists.contains(list));
        for key in others.into_iter().filter(is_taken) {
            tree.remove_from_file_at(&key.name);
        }
    }

    /// Whether `key` does not go with the kind that this sets.
    fn is_of_another_kind(&self, key: &Key) -> bool {
        let mut needs = key.needs.iter();
        needs.any(|needs| needs.key == self.key && !needs.kinds.contains(&self.value))
    }

    /// Puts the value in its place, making tables on the way. A table that is none is left for the
    /// schema to complain of.
    fn put(&self, schema: &Schema<'_>, tree: &mut Table) -> Result<(), Fault> {
        let origin = self.origin();
        let mut words = self.key.split('.');
        let last = words.next_back().unwrap_or_default();
        let (mut table, mut at) = (tree, String::new());
        while let Some(word) = words.next() {
            at = join(&at, word);
            let grows = schema.grown.contains(&&*at);
            if table.get(word).is_none() {
                let node =
                    if grows { Node::List(Vec::new()) } else { Node::Table(Table::default()) };
                table.set(word, Item { origin: origin.clone(), node });
            }
            let Some(item) = table.get_mut(word) else { return Ok(()) };
            let node = match &mut item.node {
                Node::List(items) => {
                    let name = words.next().unwrap_or_default();
                    if grows && !items.iter().any(|item| item.name() == Some(name)) {
                        items.push(self.new_member(name));
                    }
                    &mut self.member(items, name)?.node
                }
                node @ (Node::Table(_) | Node::Scalar(_)) => node,
            };
            match node {
                Node::Table(inner) => table = inner,
                Node::Scalar(_) | Node::List(_) => return Ok(()),
            }
        }
        let node = setting_value(self.value, &origin);
        table.set(last, Item { origin, node });
        Ok(())
    }

    /// A member of a list that has nothing but its `name`.
    fn new_member(&self, name: &str) -> Item {
        let origin = self.origin();
        let mut member = Table::default();
        let node = setting_value(name, &origin);
        member.set("name", Item { origin: origin.clone(), node });
        Item { origin, node: Node::Table(member) }
    }

    fn member<'t>(&self, items: &'t mut [Item], name: &str) -> Result<&'t mut Item, Fault> {
        if let Some(index) = items.iter().position(|item| item.name() == Some(name)) {
            return Ok(&mut items[index]);
        }
        let list = self.key.split_once(&format!(".{name}")).map_or(self.key, |(list, _)| list);
        let near = nearest(name, items.iter().filter_map(|item| item.name()));
        Err(self.fault(match near {
            Some(near) => format!("no [[{list}]] of that name; did you mean {near}?"),
            None => format!("no [[{list}]] of that name"),
        }))
    }
}

/// The list of whose members `key` is.
fn list_of(key: &Key) -> Option<&str> {
    key.name.split_once(MEMBER).map(|(list, _)| list)
}

/// What `key` has in the place of the member's name in `pattern`.
fn member_of<'a>(pattern: &str, key: &'a str) -> &'a str {
    let mut words = pattern.split('.').zip(key.split('.'));
    words.find(|(pattern, _)| *pattern == MEMBER).map_or("", |(_, word)| word)
}
