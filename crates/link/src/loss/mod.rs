//! What a link loses.

pub mod bernoulli;
pub mod gilbert_elliott;
pub mod list;
pub mod outage;

use base::{Probability, Schedule, Stream, Time};
use observe::DropReason;

use self::bernoulli::Bernoulli;
use self::gilbert_elliott::GilbertElliott;
use self::outage::Outages;

/// What a link loses on the wire: packets that took their time to send and do not arrive.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Config {
    /// Each packet on its own.
    pub bernoulli: Option<Schedule<Probability>>,
    /// In bursts.
    pub gilbert_elliott: Option<gilbert_elliott::Config>,
    /// All that leave in one of these.
    pub outages: Vec<outage::Outage>,
}

/// The state of a [`Config`].
#[derive(Debug)]
pub struct Losses {
    bernoulli: Option<Bernoulli>,
    gilbert_elliott: Option<GilbertElliott>,
    outages: Outages,
}

impl Losses {
    /// On the link called `name`, by whose name and `seed` each source of chance goes.
    pub fn new(config: &Config, seed: u64, name: &str) -> Self {
        let stream = |source: &str| Stream::named(seed, &format!("{name} {source}"));
        Self {
            bernoulli: config
                .bernoulli
                .clone()
                .map(|probability| Bernoulli::new(probability, stream("loss"))),
            gilbert_elliott: config
                .gilbert_elliott
                .map(|config| GilbertElliott::new(config, stream("Gilbert-Elliott"))),
            outages: Outages::new(config.outages.clone()),
        }
    }

    /// What a packet is lost to that leaves at `departs`, if anything. Each source of chance is
    /// asked of every packet, so that what one loses does not depend on the others.
    pub fn of(&mut self, departs: Time) -> Option<DropReason> {
        let alone = self.bernoulli.as_mut().is_some_and(|loss| loss.loses(departs));
        let in_burst = self.gilbert_elliott.as_mut().is_some_and(GilbertElliott::loses);
        if self.outages.covers(departs) {
            return Some(DropReason::Outage);
        }
        (alone || in_burst).then_some(DropReason::Loss)
    }
}
