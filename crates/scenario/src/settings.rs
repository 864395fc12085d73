//! Settings: dotted keys that change a scenario from outside its file.

use crate::error::Fault;
use crate::form::{Key, MEMBER};
use crate::nearest::nearest;
use crate::tree::{Item, Node, Origin, Table, setting_value};

/// Applies `settings`, in order, to the tree of a file.
pub(crate) fn apply(tree: &mut Table, settings: &[(String, String)]) -> Result<(), Fault> {
    if settings.is_empty() {
        return Ok(());
    }
    let known = crate::keys();
    for (key, value) in settings {
        let setting = Setting { key: key.trim(), value: value.trim() };
        setting.check(known, tree)?;
        setting.supersede(tree);
        setting.put(tree)?;
    }
    Ok(())
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

    /// Refuses keys that are not in the schema, or in a table that this scenario does without.
    fn check(&self, known: &[Key], tree: &Table) -> Result<(), Fault> {
        if !known.iter().any(|key| matches(&key.name, self.key)) {
            let within = |key: &&Key| {
                let table = key.name.rmatch_indices('.').map(|(at, _)| &key.name[..at]);
                table.into_iter().any(|table| matches(table, self.key))
            };
            return Err(match known.iter().find(within) {
                Some(key) => {
                    self.fault(format!("a table; set one of its keys, as in {}", key.name))
                }
                None => Fault::unknown(self.origin(), self.key.to_owned()),
            });
        }
        let table = self.key.split('.').next().unwrap_or_default();
        if OPTIONAL.contains(&table) && tree.get(table).is_none() {
            return Err(self.fault(format!("this scenario has no [{table}]")));
        }
        for list in ["flow.group", "middlebox.atcp.classes", "route"] {
            let member = self.key.strip_prefix(list).is_some_and(|rest| rest.starts_with('.'));
            if member && tree.find(list).is_none() {
                return Err(self.fault(format!("this scenario has no [[{list}]]")));
            }
        }
        Ok(())
    }

    /// Takes away what the file says in other words.
    fn supersede(&self, tree: &mut Table) {
        for (by, table, key) in SUPERSEDED.iter().filter(|(by, _, _)| matches(by, self.key)) {
            let table = table.replace(MEMBER, member_of(by, self.key));
            if let Some(table) = tree.table_mut(&table) {
                table.remove_from_file(key);
            }
        }
    }

    /// Puts the value in its place, making tables on the way. A table that is none is left for the
    /// schema to complain of.
    fn put(&self, tree: &mut Table) -> Result<(), Fault> {
        let origin = self.origin();
        let mut words = self.key.split('.');
        let last = words.next_back().unwrap_or_default();
        let mut table = tree;
        while let Some(word) = words.next() {
            if table.get(word).is_none() {
                let node = Node::Table(Table::default());
                table.set(word, Item { origin: origin.clone(), node });
            }
            let Some(item) = table.get_mut(word) else { return Ok(()) };
            let node = match &mut item.node {
                Node::List(items) => {
                    let member = words.next().unwrap_or_default();
                    &mut self.member(items, member)?.node
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

/// The tables that a scenario may do without.
const OPTIONAL: [&str; 3] = ["link", "radio", "wired"];

/// Keys which, when set, take away what the file says in (table, key): a setting wins over the
/// file in whatever words.
const SUPERSEDED: [(&str, &str, &str); 34] = [
    ("link.rate", "link.trace", "down"),
    ("link.trace.down", "link", "rate"),
    ("link.back.rate", "link.trace", "up"),
    ("link.trace.up", "link.back", "rate"),
    ("tcp.variant", "tcp", "congestion_control"),
    ("tcp.variant", "tcp", "recovery"),
    ("radio.tbler", "radio.downlink", "tbler"),
    ("radio.tbler", "radio.uplink", "tbler"),
    ("flow.arrivals", "flow", "count"),
    ("flow.arrivals", "flow", "bytes"),
    ("flow.arrivals", "flow", "segments"),
    ("flow.arrivals", "flow", "application"),
    ("flow.bytes", "flow", "segments"),
    ("flow.segments", "flow", "bytes"),
    ("flow.group.NAME.bytes", "flow.group.NAME", "segments"),
    ("flow.group.NAME.segments", "flow.group.NAME", "bytes"),
    ("radio.tbler", "radio", "tbler_limits"),
    ("radio.tbler", "radio.downlink", "tbler_limits"),
    ("radio.tbler", "radio.uplink", "tbler_limits"),
    ("radio.tbler_limits", "radio", "tbler"),
    ("radio.tbler_limits", "radio.downlink", "tbler"),
    ("radio.tbler_limits", "radio.uplink", "tbler"),
    ("radio.tbler_limits", "radio.downlink", "tbler_limits"),
    ("radio.tbler_limits", "radio.uplink", "tbler_limits"),
    ("radio.downlink.tbler", "radio.downlink", "tbler_limits"),
    ("radio.downlink.tbler_limits", "radio.downlink", "tbler"),
    ("radio.uplink.tbler", "radio.uplink", "tbler_limits"),
    ("radio.uplink.tbler_limits", "radio.uplink", "tbler"),
    ("radio.downlink.rate", "radio.downlink", "sf"),
    ("radio.downlink.sf", "radio.downlink", "rate"),
    ("radio.uplink.rate", "radio.uplink", "sf"),
    ("radio.uplink.sf", "radio.uplink", "rate"),
    ("wan.rtt", "wired.wan", "delay"),
    ("wired.wan.delay", "wan", "rtt"),
];

/// What `key` has in the place of the member's name in `pattern`.
fn member_of<'a>(pattern: &str, key: &'a str) -> &'a str {
    let mut words = pattern.split('.').zip(key.split('.'));
    words.find(|(pattern, _)| *pattern == MEMBER).map_or("", |(_, word)| word)
}

/// Whether `key` is `pattern`, in which a member's name may be any.
fn matches(pattern: &str, key: &str) -> bool {
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
