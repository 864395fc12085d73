//! Whether the keys of `[middlebox]` go together.

use crate::build::PROXY;
use crate::schema::{Hosts, Scenario};
use crate::validate::Check;
use settings::Fault;

impl Check<'_> {
    /// It stands at a node between the hosts.
    pub(crate) fn middlebox(&self) -> Result<(), Fault> {
        let Some(middlebox) = self.scenario.middlebox.as_ref() else { return Ok(()) };
        if !self.scenario.has_middlebox() {
            return Ok(());
        }
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

impl Scenario {
    /// Whether there is a middlebox.
    pub(crate) fn has_middlebox(&self) -> bool {
        self.middlebox.as_ref().is_some_and(|middlebox| middlebox.scheme.keys().is_some())
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
        self.wired_nodes().take(to).skip(from).collect()
    }

    /// The nodes of its wired links, in order from the fixed host.
    pub(crate) fn wired_nodes(&self) -> impl Iterator<Item = &str> {
        let first = self.wired.first().map(|first| first.between[0].as_str());
        first.into_iter().chain(self.wired.iter().map(|wired| wired.between[1].as_str()))
    }
}
