//! Another configuration while the daemon serves.

use std::collections::BTreeSet;
use std::mem;

use proxy::Config;
use serde_json::json;

use super::lane::WorkerState;
use super::{Stage, Supervisor};
use crate::configuration::{self, Configuration};
use crate::event::Event;
use crate::host::Legs;
use crate::message::{LONGEST, Order};
use crate::shared_status::Word;
use os::{SetupError, setup_error};

/// A configuration that was sent to the workers.
#[derive(Debug)]
pub(super) struct Proposal {
    config: Config,
    /// The lanes of those that have not answered yet.
    awaited: BTreeSet<usize>,
    /// Profiles that it retires, as those say that have answered.
    retired: Vec<String>,
    /// Why one cannot use it.
    refused: Option<String>,
}

impl Proposal {
    fn is_answered(&self) -> bool {
        self.awaited.is_empty()
    }
}

impl Supervisor {
    /// Reads the file again. An invalid one changes nothing.
    pub(super) fn reload(&mut self) {
        if self.stage != Stage::Serving {
            return self.reject("the daemon is about to end");
        }
        if self.is_ready() {
            self.manager.tell("RELOADING=1");
        }
        if let Err(trouble) = self.propose() {
            self.reject(&trouble.to_string());
        }
        self.tell_ready();
    }

    fn propose(&mut self) -> Result<(), SetupError> {
        let Configuration { config, text } = configuration::read(&self.file)?;
        configuration::may_follow(self.last(), &config)?;
        let name = self.file.display().to_string();
        let order = Order::Reload { name, text };
        if order.bytes() > LONGEST {
            return Err(setup_error!(
                "{}: more than {LONGEST} bytes cannot be reloaded: restart the daemon",
                self.file.display()
            ));
        }
        if let Some(prefix) = self.lanes.iter().find_map(|lane| lane.host.lost_to_others(&config)) {
            // Their connections would be torn from the worker that has them.
            return Err(setup_error!(
                "mobiles of {prefix} would come to another worker: restart the daemon"
            ));
        }
        let legs = Legs::read(&config)?;
        self.lanes.iter_mut().try_for_each(|lane| lane.host.add(&config))?;
        self.fit(legs)?;
        let mut awaited = BTreeSet::new();
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            if lane.order(order.clone()).is_some()
                && let Some(before) = self.proposed.back_mut()
            {
                // That one is never sent to this worker.
                before.awaited.remove(&at);
            }
            if lane.is_running() {
                awaited.insert(at);
            }
        }
        let mut retired = Vec::new();
        if self.proposed.back().is_some_and(Proposal::is_answered)
            && let Some(replaced) = self.proposed.pop_back()
        {
            retired = replaced.retired;
        }
        self.proposed.push_back(Proposal { config, awaited, retired, refused: None });
        self.settle_proposed();
        Ok(())
    }

    /// What will be used when the workers have confirmed everything.
    pub(super) fn last(&self) -> &Config {
        self.proposed.back().map_or(&self.config, |proposal| &proposal.config)
    }

    /// The interfaces are these.
    fn fit(&mut self, legs: Legs) -> Result<(), SetupError> {
        self.set_mtu(legs.largest())?;
        self.legs = legs;
        self.order(&Order::Mtu(self.legs.mtu()));
        Ok(())
    }

    /// The worker in lane `at` uses what was proposed to it first.
    pub(super) fn confirm(&mut self, at: usize, retired: &[String]) {
        let Some(proposal) = self.answered(at) else { return };
        add_names(&mut proposal.retired, retired.to_vec());
        let heartbeat = proposal.config.heartbeat;
        let lane = &mut self.lanes[at];
        lane.has_former = true;
        lane.is_retiring |= !retired.is_empty();
        if let WorkerState::Running(handle, _) = &mut lane.worker {
            handle.watchdog.set_limit(heartbeat);
        }
        self.settle_proposed();
    }

    /// The worker in lane `at` cannot use what was proposed to it first.
    pub(super) fn refuse(&mut self, at: usize, why: String) {
        if let Some(proposal) = self.answered(at) {
            proposal.refused = Some(why);
        }
        self.settle_proposed();
    }

    /// What was proposed first of that which the worker in lane `at` had not answered yet.
    fn answered(&mut self, at: usize) -> Option<&mut Proposal> {
        self.proposed.iter_mut().find_map(|it| it.awaited.remove(&at).then_some(it))
    }

    /// The worker in lane `at` is gone: the next one begins with what was proposed last.
    pub(super) fn await_no_more(&mut self, at: usize) {
        for proposal in &mut self.proposed {
            proposal.awaited.remove(&at);
        }
        self.settle_proposed();
        self.narrow();
    }

    /// Uses the last configuration that every worker has answered.
    fn settle_proposed(&mut self) {
        let mut settled: Option<Proposal> = None;
        while self.proposed.front().is_some_and(Proposal::is_answered)
            && let Some(next) = self.proposed.pop_front()
        {
            let before = settled.replace(next);
            if let (Some(before), Some(after)) = (before, &mut settled) {
                add_names(&mut after.retired, before.retired);
            }
        }
        match settled {
            None => {}
            Some(Proposal { refused: Some(why), .. }) => self.abandon(&why),
            Some(Proposal { config, retired, .. }) => self.take(config, retired),
        }
    }

    fn abandon(&mut self, why: &str) {
        self.reject(why);
        if let Err(trouble) = Legs::read(self.last()).and_then(|legs| self.fit(legs)) {
            self.complain(&trouble);
        }
        self.narrow();
        self.tell_ready();
    }

    /// The worker in lane `at` has no connections of removed profiles any more.
    pub(super) fn retire(&mut self, at: usize) {
        self.lanes[at].is_retiring = false;
        if self.lanes.iter().any(|lane| lane.is_retiring) {
            return;
        }
        let names = mem::take(&mut self.retired);
        if !names.is_empty() {
            self.log.tell(Event::Retired, &json!({ "profiles": names }));
        }
    }

    fn take(&mut self, config: Config, retired: Vec<String>) {
        for lane in &mut self.lanes {
            if let Err(trouble) = lane.host.set_on_failure(config.on_failure) {
                self.log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
            }
        }
        self.log.set(&config.log);
        self.config = config;
        self.status.count(Word::Reloads);
        self.log.tell(Event::Reloaded, &json!({ "retired": retired }));
        add_names(&mut self.retired, retired);
        self.tell_ready();
    }

    /// Mobiles that are in no profile any more have no connections left in lane `at`.
    pub(super) fn forget_former(&mut self, at: usize) {
        // It is about the configuration that was adopted last: a proposal will get its own answer.
        self.lanes[at].has_former = false;
        self.narrow();
    }

    /// Removes the rules of mobiles that are in no profile any more, unless a proposal or a
    /// connection may need them. If that cannot be done now, it is tried again at the next look
    /// around.
    ///
    /// Only the worker knows whether a connection does: the next packet of an idle one might be
    /// acknowledged just before the rules are removed, and packets of the other direction would be
    /// missed.
    pub(super) fn narrow(&mut self) {
        if !self.proposed.is_empty() {
            return;
        }
        for lane in self.lanes.iter_mut().filter(|lane| !lane.has_former) {
            if lane.host.has_more_than(&self.config)
                && let Err(trouble) = lane.host.remove(&self.config)
            {
                self.log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
            }
        }
    }

    fn reject(&self, why: &str) {
        self.status.count(Word::Refused);
        self.log.tell(Event::ReloadRefused, &json!({ "why": why }));
    }
}

/// Adds those that are not there yet.
fn add_names(to: &mut Vec<String>, names: Vec<String>) {
    for name in names {
        if !to.contains(&name) {
            to.push(name);
        }
    }
}
