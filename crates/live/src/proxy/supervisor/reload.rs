//! Another configuration while the daemon serves.

use std::mem;

use middlebox::{Connection, Leg};
use proxy::addresses;
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
    pub(super) fn adopt(&mut self, retired: Vec<String>) {
        let Some(config) = self.proposed.pop_front() else { return };
        self.take(config);
        self.chronicle.note_reload();
        self.log.tell(Event::Reloaded, &json!({ "retired": retired }));
        if let Crew::Here(hand, _) = &mut self.crew {
            hand.watch.set_limit(self.config.heartbeat);
        }
        self.retired.extend(retired);
        self.narrow();
    }

    /// The worker cannot use what was proposed first.
    pub(super) fn abandon(&mut self, why: &str) {
        self.proposed.pop_front();
        self.refuse(why);
        self.narrow();
    }

    /// Profiles that were taken out have no connections any more.
    pub(super) fn retire(&mut self) {
        let names = mem::take(&mut self.retired);
        if !names.is_empty() {
            self.log.tell(Event::Retired, &json!({ "profiles": names }));
        }
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

    /// Takes away the rules of mobiles that no profile has any more, unless a proposal needs them
    /// or a connection does that began before: then it is tried again at the next look around.
    pub(super) fn narrow(&mut self) {
        let is_settled = self.proposed.is_empty() && self.retired.is_empty();
        if !is_settled || !self.host.has_more_than(&self.config) || self.serves_others() {
            return;
        }
        if let Err(trouble) = self.host.remove(&self.config) {
            self.log.tell(Event::NotUndone, &json!({ "why": trouble.to_string() }));
        }
    }

    /// Whether a connection would hang without the worker that no profile would serve: its profile
    /// has gone on without these mobiles.
    fn serves_others(&self) -> bool {
        let prefixes = || self.config.profile.iter().flat_map(|profile| &profile.mobiles);
        let is_other = |Connection { source, destination, .. }: Connection| {
            let Some(ends) = addresses(source.host, destination.host) else { return false };
            let ends = [(source.leg, ends.source()), (destination.leg, ends.destination())];
            ends.into_iter().any(|(leg, address)| {
                leg == Leg::Radio && !prefixes().any(|prefix| prefix.holds(address))
            })
        };
        self.journal.exposed().any(|exposure| is_other(exposure.connection))
    }

    fn refuse(&self, why: &str) {
        self.chronicle.note_refused();
        self.log.tell(Event::ReloadRefused, &json!({ "why": why }));
    }
}
