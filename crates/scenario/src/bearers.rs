//! What `[radio]` stands beside, and whether it goes with that.

use std::collections::BTreeSet;

use base::Rate;
use link::queue::Kind;
use radio::{Queues, Radio, RadioContext};
use settings::Fault;

use crate::Scenario;
use crate::schema::Hosts;
use crate::validate::Check;

impl Scenario {
    /// What the kinds of `[radio]` know of the rest.
    pub fn radio_context(&self) -> RadioContext<'_> {
        let mobiles = self.radio.as_ref().map_or(1, |radio| radio.keys().mobiles()).max(1);
        let asked = self.groups().filter_map(|group| {
            let range = group.mobiles_of(self.radio.as_ref(), mobiles);
            let first = range.start..range.end.min(range.start + 2);
            let flows = first.map(|ue| group.flows_of(ue, &range)).max();
            Some(group.rate?.as_bps() * flows.unwrap_or(0) as u64)
        });
        let asks = self.groups().any(|group| group.rate.is_some());
        RadioContext {
            queues: [self.queue.forth(), self.queue.back()],
            per_flow: self.radio_queue.queue.per_flow,
            duration: self.duration,
            seed: self.seed,
            asked: asks.then(|| Rate::from_bps(asked.sum())),
            asked_of: Box::new(|ue, count| self.asked_of(ue, count)),
        }
    }

    /// What each flow of mobile number `ue` of `count` asks for.
    fn asked_of(&self, ue: usize, count: usize) -> Vec<Rate> {
        let rates = self.groups().flat_map(|group| {
            let range = group.mobiles_of(self.radio.as_ref(), count);
            let flows = group.flows_of(ue, &range);
            group.rate.into_iter().flat_map(move |rate| std::iter::repeat_n(rate, flows))
        });
        rates.collect()
    }
}

impl Check<'_> {
    /// The radio, in which each spreading factor has become the rate that it has.
    pub(crate) fn radio(&self) -> Result<Option<Radio>, Fault> {
        let Some(radio) = &self.scenario.radio else { return Ok(None) };
        let mut radio = radio.clone();
        self.ahead(&radio)?;
        self.hosts(&radio)?;
        radio.keys_mut().settle(self.tree, &self.scenario.radio_context())?;
        self.listed_mobiles(&radio)?;
        Ok(Some(radio))
    }

    /// The queues ahead of `radio` are such as it has.
    fn ahead(&self, radio: &Radio) -> Result<(), Fault> {
        let queue = &self.scenario.queue;
        let kinds = queue.kinds();
        match radio.keys().queues() {
            Queues::DropTail(system) => {
                let managed = kinds.into_iter().find(|(_, kind)| *kind != Kind::DropTail);
                managed.map_or(Ok(()), |(key, _)| {
                    let message = format!("the queue ahead of {system} is droptail");
                    self.clash(&[key, "radio"], message)
                })
            }
            Queues::Together(system) if self.scenario.radio_queue.queue.per_flow => {
                let message = format!(
                    "the queue ahead of {system} holds a mobile's flows together: queue.per_flow \
                     must be false"
                );
                self.clash(&["queue.per_flow", "radio.kind"], message)
            }
            Queues::Together(_) => {
                let is_shaper = queue.disciplines.cake.rate.is_some();
                for (key, kind) in kinds {
                    if kind == Kind::Red {
                        let message = format!("{key} = red needs [link]");
                        return self.clash(&[key, "radio.kind"], message);
                    }
                    if kind == Kind::Cake && is_shaper {
                        let message = "a radio has no shaper: queue.cake.rate needs [link] or \
                                       [[wired]]";
                        return self.clash(&["queue.cake.rate", "radio.kind"], message);
                    }
                }
                Ok(())
            }
        }
    }

    /// Mobiles that are listed have names of their own, which no other node has.
    fn listed_mobiles(&self, radio: &Radio) -> Result<(), Fault> {
        let listed = radio.keys().listed();
        if listed.is_empty() {
            return Ok(());
        }
        self.tree.check_names("radio.ue", listed.iter().map(|(name, _)| *name))?;
        if listed.iter().any(|(name, _)| *name == "all") {
            let message = "no [[radio.ue]] is called all, which stands for every mobile";
            return self.clash(&["radio.ue"], message);
        }
        let wired = self.scenario.wired.iter().flat_map(|wired| &wired.between);
        let mut taken: BTreeSet<&str> = wired.map(String::as_str).collect();
        let names = radio.sharers(&self.scenario.radio_context()).unwrap_or_default();
        let twice = names.iter().find(|name| !taken.insert(name));
        twice.map_or(Ok(()), |name| {
            let message = format!("the name {name} of a mobile stands for another node already");
            self.clash(&["radio.ue"], message)
        })
    }

    /// Where there are several mobiles, flows run from one host to them.
    fn hosts(&self, radio: &Radio) -> Result<(), Fault> {
        let mut groups = self.scenario.groups_by_table();
        let Some((at, _)) = groups.find(|(_, group)| group.hosts == Hosts::Own) else {
            return Ok(());
        };
        let key = format!("{at}.hosts");
        if radio.keys().cells().is_some() {
            let message = format!(
                "flows of a network of cells run from one host to its mobiles: {key} must be shared"
            );
            return self.clash(&[&key, "radio.kind"], message);
        }
        if radio.keys().mobiles() > 0 {
            let message =
                format!("flows of several mobiles run from one host to them: {key} must be shared");
            return self.clash(&[&key, "radio.ues"], message);
        }
        Ok(())
    }
}
