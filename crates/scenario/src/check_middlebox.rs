//! Whether the keys of `[middlebox]` go together.

use crate::build::PROXY;
use crate::schema::{Hosts, Middlebox, Scenario};
use crate::validate::Check;
use middlebox::{Estimation, Role, Scheme};
use radio::Radio;
use settings::Fault;

impl Check<'_> {
    /// It stands at a node between the hosts.
    pub(crate) fn middlebox(&self) -> Result<(), Fault> {
        let Some(middlebox) = self.scenario.middlebox.as_ref() else { return Ok(()) };
        if !self.scenario.has_middlebox() {
            return Ok(());
        }
        if middlebox.role() == Role::Subscriber {
            return self.subscriber(middlebox);
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

    /// A subscriber's box stands at a mobile, and is told a window by a rate and a round trip.
    fn subscriber(&self, middlebox: &Middlebox) -> Result<(), Fault> {
        if middlebox.at.is_some() {
            let message = "a subscriber's box stands at each mobile: needs no at";
            return self.clash(&["middlebox.at", "middlebox.atcp.role"], message);
        }
        let Scheme::Atcp { keys } = &middlebox.scheme else { return Ok(()) };
        let reports = matches!(self.scenario.radio, Some(Radio::UmtsDch { .. }));
        if keys.atcp.estimator == Estimation::Radio && !reports {
            let message = "of radios only umts-dch reports its uplink to a subscriber's box";
            return self.clash(&["middlebox.atcp.estimator", "middlebox.atcp.role"], message);
        }
        let has = |key: &str| self.tree.find(key).is_some();
        let [rate, round_trip] = ["middlebox.atcp.uplink_rate", "middlebox.atcp.round_trip"];
        if has(rate) && !has(round_trip) {
            let message = "a subscriber's box needs round_trip beside uplink_rate, what a ping \
                           takes alone";
            return self.clash(&[rate, "middlebox.atcp.role"], message);
        }
        Ok(())
    }
}

impl Scenario {
    /// Whether there is a middlebox.
    pub(crate) fn has_middlebox(&self) -> bool {
        self.middlebox.as_ref().is_some_and(|middlebox| middlebox.scheme.keys().is_some())
    }

    /// The role of its middlebox, if there is one.
    pub(crate) fn middlebox_role(&self) -> Option<Role> {
        let middlebox = self.middlebox.as_ref().filter(|_| self.has_middlebox())?;
        Some(middlebox.role())
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
