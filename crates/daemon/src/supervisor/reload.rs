//! Another configuration while the daemon serves.

use std::mem;

use proxy::Config;
use serde_json::json;

use super::{Stage, Supervisor, WorkerState};
use crate::configuration::{self, Configuration};
use crate::event::Event;
use crate::host::Legs;
use crate::message::{LONGEST, Order};
use crate::shared_status::Word;
use os::{SetupError, setup_error};

impl Supervisor {
    /// Reads the file again. An invalid one changes nothing.
    pub(super) fn reload(&mut self) {
        if self.stage != Stage::Serving {
            return self.reject("the daemon is about to end");
        }
        if self.is_ready {
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
        let legs = Legs::read(&config)?;
        self.host.add(&config)?;
        self.fit(legs)?;
        if self.order(order).is_some() {
            // The one before is never sent to the worker.
            self.proposed.pop_back();
        }
        self.proposed.push_back(config);
        if !matches!(self.worker, WorkerState::Running(..)) {
            self.settle_proposed();
        }
        Ok(())
    }

    /// What will be used when the worker has confirmed everything.
    fn last(&self) -> &Config {
        self.proposed.back().unwrap_or(&self.config)
    }

    /// The interfaces are these.
    fn fit(&mut self, legs: Legs) -> Result<(), SetupError> {
        self.host.set_mtu(legs.largest())?;
        self.legs = legs;
        self.order(Order::Mtu(self.legs.mtu()));
        Ok(())
    }

    /// The worker uses what was proposed first.
    pub(super) fn apply_reload(&mut self, retired: Vec<String>) {
        let Some(config) = self.proposed.pop_front() else { return };
        self.has_former = true;
        self.take(config, &retired);
        if let WorkerState::Running(handle, _) = &mut self.worker {
            handle.watchdog.set_limit(self.config.heartbeat);
        }
        self.retired.extend(retired);
    }

    /// The worker cannot use what was proposed first.
    pub(super) fn abandon(&mut self, why: &str) {
        self.proposed.pop_front();
        self.reject(why);
        if let Err(trouble) = Legs::read(self.last()).and_then(|legs| self.fit(legs)) {
            self.complain(&trouble);
        }
        self.narrow();
        self.tell_ready();
    }

    /// Removed profiles have no connections any more.
    pub(super) fn retire(&mut self) {
        let names = mem::take(&mut self.retired);
        if !names.is_empty() {
            self.log.tell(Event::Retired, &json!({ "profiles": names }));
        }
    }

    /// There is no worker: the next one begins with what was proposed last.
    pub(super) fn settle_proposed(&mut self) {
        let Some(config) = self.proposed.pop_back() else { return };
        self.proposed.clear();
        self.take(config, &[]);
        self.narrow();
    }

    fn take(&mut self, config: Config, retired: &[String]) {
        if let Err(trouble) = self.host.set_on_failure(config.on_failure) {
            self.log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
        }
        self.log.set(&config.log);
        self.config = config;
        self.status.count(Word::Reloads);
        self.log.tell(Event::Reloaded, &json!({ "retired": retired }));
        self.tell_ready();
    }

    /// Mobiles that are in no profile any more have no connections left.
    pub(super) fn apply_mtu(&mut self) {
        // It is about the configuration that was adopted last: a proposal will get its own answer.
        self.has_former = false;
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
        let is_settled = self.proposed.is_empty() && !self.has_former;
        if !is_settled || !self.host.has_more_than(&self.config) {
            return;
        }
        if let Err(trouble) = self.host.remove(&self.config) {
            self.log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
        }
    }

    fn reject(&self, why: &str) {
        self.status.count(Word::Refused);
        self.log.tell(Event::ReloadRefused, &json!({ "why": why }));
    }
}
