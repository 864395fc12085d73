//! Whether the keys of `[radio]` are for its kind, and those of GPRS go together.

use crate::schema::keys;
use crate::schema::{Radio, RadioKind, RadioStateName};
use crate::validate::Check;
use settings::Fault;

impl Check<'_> {
    /// Each kind of radio has keys of its own.
    pub(crate) fn kind(&self, radio: &Radio) -> Result<(), Fault> {
        let (strange, kinds): (&[&str], _) = match radio.kind {
            RadioKind::UmtsDch | RadioKind::UmtsCell => (&OF_GPRS, "gprs"),
            RadioKind::Gprs => (&OF_UMTS, "umts-dch or umts-cell"),
        };
        for key in strange {
            if self.tree.find(key).is_some() && !self.is_usual(key) {
                let message = format!("{key} is for radio.kind = {kinds} alone");
                return self.clash(&[key, "radio.kind"], message);
            }
        }
        match radio.kind {
            RadioKind::UmtsDch | RadioKind::UmtsCell => Ok(()),
            RadioKind::Gprs => self.gprs(radio),
        }
    }

    /// Whether `key` and all below it are at their defaults.
    fn is_usual(&self, key: &str) -> bool {
        let is_below = |name: &str| {
            name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let usual = keys();
        self.scenario.values().iter().filter(|value| is_below(&value.name)).all(|value| {
            usual.iter().any(|usual| usual.name == value.name && usual.value == value.value)
        })
    }

    fn gprs(&self, radio: &Radio) -> Result<(), Fault> {
        self.one_source_of_errors(radio)?;
        let adaptation = &radio.gprs.adaptation;
        if adaptation.up > adaptation.down {
            let message = "radio.gprs.adaptation.up must not be above radio.gprs.adaptation.down";
            let keys = ["radio.gprs.adaptation.up", "radio.gprs.adaptation.down"];
            return self.clash(&keys, message);
        }
        if radio.outage.least > radio.outage.most {
            let message = "radio.outage.least must not be longer than radio.outage.most";
            return self.clash(&["radio.outage.least", "radio.outage.most"], message);
        }
        let key = "radio.gprs.initial_scheme";
        if radio.gprs.coding_scheme.is_some()
            && self.tree.find(key).is_some()
            && !self.is_usual(key)
        {
            let message = format!("{key} needs radio.gprs.coding_scheme = adaptive");
            return self.clash(&[key, "radio.gprs.coding_scheme"], message);
        }
        if radio.gprs.core.jitter > MOST_JITTER {
            let message = format!("radio.gprs.core.jitter must be at most {MOST_JITTER}");
            return self.clash(&["radio.gprs.core.jitter"], message);
        }
        let queue = &self.scenario.queue;
        if queue.per_flow {
            let message = "the queue ahead of GPRS holds a mobile's flows together: \
                           queue.per_flow must be false";
            return self.clash(&["queue.per_flow", "radio.kind"], message);
        }
        for (key, kind) in queue.kinds() {
            if kind == link::queue::Kind::Red {
                let message = format!("{key} = red needs [link]");
                return self.clash(&[key, "radio.kind"], message);
            }
        }
        Ok(())
    }

    /// Block error rates come from one place.
    fn one_source_of_errors(&self, radio: &Radio) -> Result<(), Fault> {
        let is_named = radio.gprs.state != RadioStateName::Given;
        let sources = [
            ("radio.tbler", self.tree.find("radio.tbler").is_some()),
            ("radio.gilbert_elliott", radio.gilbert_elliott.is_some()),
            ("radio.ci", radio.ci.is_some()),
        ];
        let mut given: Vec<_> =
            sources.into_iter().filter_map(|(key, is_given)| is_given.then_some(key)).collect();
        if is_named {
            given.push("radio.gprs.state");
        }
        match given.as_slice() {
            [first, second, ..] => {
                let message = format!("give {first} or {second}, not both");
                self.clash(&[second, first], message)
            }
            [] | [_] => Ok(()),
        }
    }
}

/// What delays of a core network could at most be spread by.
const MOST_JITTER: f64 = 3.0;

/// What only time slots have.
const OF_GPRS: [&str; 9] = [
    "radio.gprs",
    "radio.gilbert_elliott",
    "radio.ci",
    "radio.outages",
    "radio.outage",
    "radio.reselections",
    "radio.resets",
    "radio.downlink.slots",
    "radio.uplink.slots",
];

/// What only UMTS has.
const OF_UMTS: [&str; 24] = [
    "radio.profile",
    "radio.tbler_limits",
    "radio.dpcch",
    "radio.spreading",
    "radio.schedule",
    "radio.spikes",
    "radio.handovers",
    "radio.buffer",
    "radio.pdcp",
    "radio.rlc",
    "radio.downlink.rate",
    "radio.downlink.sf",
    "radio.downlink.dpdch",
    "radio.downlink.tti",
    "radio.downlink.tbler",
    "radio.downlink.tbler_limits",
    "radio.downlink.schedule",
    "radio.uplink.rate",
    "radio.uplink.sf",
    "radio.uplink.dpdch",
    "radio.uplink.tti",
    "radio.uplink.tbler",
    "radio.uplink.tbler_limits",
    "radio.uplink.schedule",
];
