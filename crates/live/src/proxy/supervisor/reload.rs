//! Another configuration while the daemon serves.

use scenario::Proxy;
use serde_json::json;

use super::{Crew, Stage, Supervisor};
use crate::Trouble;
use crate::proxy::configuration::{self, Configuration};
use crate::proxy::event::Event;
use crate::proxy::host::Legs;
use crate::proxy::message::{LONGEST, Order};

impl Supervisor {
    /// Reads the file again. One that cannot be used changes nothing.
    pub(super) fn reload(&mut self) {
        self.manager.tell("RELOADING=1");
        if let Err(trouble) = self.propose() {
            self.refuse(&trouble.to_string());
        }
        self.manager.tell("READY=1");
    }

    fn propose(&mut self) -> Result<(), Trouble> {
        if self.stage != Stage::Serving {
            return Err(Trouble::new("the daemon is about to end"));
        }
        let Configuration { config, text } = configuration::read(&self.file)?;
        let before = self.proposed.back().unwrap_or(&self.config);
        configuration::may_follow(before, &config)?;
        let name = self.file.display().to_string();
        let order = Order::Reload { name, text };
        if order.bytes() > LONGEST {
            return Err(Trouble::new(format!(
                "{}: more than {LONGEST} bytes cannot be reloaded: restart the daemon",
                self.file.display()
            )));
        }
        let legs = Legs::read(&config)?;
        self.host.set_mtu(legs.largest())?;
        self.host.add(&config)?;
        self.legs = legs;
        self.proposed.push_back(config);
        self.order(&Order::Mtu(self.legs.mtu()));
        if matches!(self.crew, Crew::Here(..)) {
            self.order(&order);
        } else {
            self.settle_proposed();
        }
        Ok(())
    }

    /// The worker uses what was proposed first.
    pub(super) fn adopt(&mut self, retired: &[String]) {
        let Some(config) = self.proposed.pop_front() else { return };
        self.take(config);
        self.chronicle.note_reload();
        self.log.tell(Event::Reloaded, &json!({ "retired": retired }));
        if let Crew::Here(hand, _) = &mut self.crew {
            hand.watch.set_limit(self.config.heartbeat);
        }
    }

    /// The worker cannot use what was proposed first.
    pub(super) fn abandon(&mut self, why: &str) {
        self.proposed.pop_front();
        self.refuse(why);
        self.narrow();
    }

    /// Nothing depends any more on what an earlier configuration had.
    pub(super) fn retire(&mut self) {
        self.log.tell(Event::Retired, &json!({}));
        self.narrow();
    }

    /// There is no worker: the next one begins with what was proposed last.
    pub(super) fn settle_proposed(&mut self) {
        let Some(config) = self.proposed.pop_back() else { return };
        self.proposed.clear();
        self.take(config);
        self.chronicle.note_reload();
        self.log.tell(Event::Reloaded, &json!({ "retired": [] }));
        self.narrow();
    }

    fn take(&mut self, config: Proxy) {
        if let Err(trouble) = self.host.set_on_failure(config.on_failure) {
            self.log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
        }
        self.log.set(&config.log);
        self.config = config;
    }

    /// Takes away the rules that nobody needs, unless a proposal does.
    fn narrow(&mut self) {
        if !self.proposed.is_empty() {
            return;
        }
        if let Err(trouble) = self.host.remove(&self.config) {
            self.log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
        }
    }

    fn refuse(&self, why: &str) {
        self.chronicle.note_refused();
        self.log.tell(Event::ReloadRefused, &json!({ "why": why }));
    }
}
