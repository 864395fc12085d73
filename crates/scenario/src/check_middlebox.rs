//! Whether the keys of `[middlebox]` go together.

use base::Duration;

use crate::build::PROXY;
use crate::schema::{AtcpClass, AtcpKeys, Hosts, MiddleboxKind, Scenario};
use crate::validate::Check;
use settings::Fault;
use settings::Table;

impl Check<'_> {
    /// It stands at a node between the hosts.
    pub(crate) fn middlebox(&self) -> Result<(), Fault> {
        let Some(middlebox) = self.scenario.middlebox.as_ref() else { return Ok(()) };
        if !self.scenario.has_middlebox() {
            return Ok(());
        }
        atcp(self.tree, &middlebox.atcp, "middlebox.atcp")?;
        let places = self.scenario.places();
        if places.is_empty() {
            let message = "a middlebox stands at a node between the hosts: needs a [[wired]] link \
                           from the fixed host to that node";
            return self.clash(&["middlebox.kind"], message);
        }
        match &middlebox.at {
            Some(at) if !places.contains(&at.as_str()) => {
                let message = format!("must be a node between the hosts: {}", places.join(", "));
                self.clash(&["middlebox.at"], message)
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// A class says which flows it is for, in one way; times that would be divided by are not zero;
/// what may be in flight is held.
pub(crate) fn atcp(tree: &Table, keys: &AtcpKeys, at: &str) -> Result<(), Fault> {
    let key = |name: &str| format!("{at}.{name}");
    if keys.round_trip == Duration::ZERO {
        return tree.clash(&[&key("round_trip")], "must be above 0 s");
    }
    if keys.budget < keys.clamp {
        let (budget, clamp) = (keys.budget, keys.clamp);
        let message =
            format!("a budget of {budget} B cannot hold the {clamp} B that may be in flight");
        return tree.clash(&[&key("budget"), &key("clamp")], message);
    }
    for (index, class) in keys.classes.iter().enumerate() {
        let list = &key("classes");
        if class.name.is_empty() {
            let message = format!("every [[{list}]] needs a name, as in name = \"mail\"");
            return tree.clash(&[list], message);
        }
        let earlier = &keys.classes[..index];
        if earlier.iter().any(|other| other.name == class.name) {
            let message = format!("two classes have the name {}", class.name);
            return tree.clash(&[list], message);
        }
        let alike = |other: &&AtcpClass| (other.port, other.dscp) == (class.port, class.dscp);
        if let Some(other) = earlier.iter().find(alike) {
            let message = format!("{} and {} are for the same flows", other.name, class.name);
            return tree.clash(&[list], message);
        }
    }
    match keys.classes.iter().find(|class| class.class().is_none()) {
        None => Ok(()),
        Some(class) => {
            let of_class = |name| key(&format!("classes.{}{name}", class.name));
            let message = format!("{} needs a port or a dscp, and not both", class.name);
            tree.clash(&[&of_class(".port"), &of_class("")], message)
        }
    }
}

impl Scenario {
    /// Whether there is a middlebox.
    pub(crate) fn has_middlebox(&self) -> bool {
        self.middlebox.as_ref().is_some_and(|middlebox| middlebox.kind != MiddleboxKind::None)
    }

    /// The nodes of `[[wired]]` that are no hosts, in order from the fixed host; where there are no
    /// wires, one that is made for a middlebox.
    pub(crate) fn places(&self) -> Vec<&str> {
        let wired = &self.wired;
        if wired.is_empty() {
            return vec![PROXY];
        }
        let is_last = self.link.is_none() && self.radio.is_none();
        let (from, to) = match self.flow.hosts {
            Hosts::Own => (0, wired.len() + 1),
            Hosts::Shared => (1, wired.len() + usize::from(!is_last)),
        };
        let first = wired.first().map(|first| first.between[0].as_str());
        let nodes = first.into_iter().chain(wired.iter().map(|wired| wired.between[1].as_str()));
        nodes.take(to).skip(from).collect()
    }
}
