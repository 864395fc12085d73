//! What a link loses.

pub mod bernoulli;
pub mod gilbert_elliott;
pub mod list;
pub mod outage;

use base::{Duration, Probability, Schedule, Stream, Time};
use observe::DropReason;
use settings::{Always, Chance, Numbers, Spans, section};

use self::bernoulli::Bernoulli;
use self::gilbert_elliott::GilbertElliott;
use self::outage::{Outage, Outages};

section! {
    /// The keys of what one direction of a link loses.
    pub struct Keys {
        /// Loss rate: the chance that a packet is lost on the wire, each on its own.
        pub loss: Probability as Chance = Probability::NEVER;
        /// Losses in bursts, in addition to those of `loss`.
        pub gilbert_elliott: gilbert_elliott::Config as Always<gilbert_elliott::Config> =
            gilbert_elliott::Config::default();
        /// Packets that are dropped when they arrive, by number: the SYN is 0, in the reverse
        /// direction that with its acknowledgement, data follow, pure acknowledgements do not
        /// count.
        pub drop_arrivals: Vec<u64> as Numbers = Vec::new();
        /// From when to when all packets are lost on the wire.
        pub outages: Vec<[Duration; 2]> as Spans = Vec::new();
    }
}

impl Keys {
    /// What is lost on the wire, where `bernoulli` is the chance `loss` over time.
    pub(crate) fn config(&self, bernoulli: Schedule<Probability>) -> Config {
        let is_there = bernoulli.values().any(|chance| chance != Probability::NEVER);
        let outage =
            |[from, to]: [Duration; 2]| Outage { from: Time::ZERO + from, to: Time::ZERO + to };
        Config {
            bernoulli: is_there.then_some(bernoulli),
            gilbert_elliott: Some(self.gilbert_elliott).filter(gilbert_elliott::Config::loses),
            outages: self.outages.iter().copied().map(outage).collect(),
        }
    }
}

/// What a link loses on the wire: packets that took their time to send and do not arrive.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Config {
    /// Each packet on its own.
    pub bernoulli: Option<Schedule<Probability>>,
    /// In bursts.
    pub gilbert_elliott: Option<gilbert_elliott::Config>,
    /// All packets that leave in one of these.
    pub outages: Vec<Outage>,
}

/// The state of a [`Config`].
#[derive(Debug)]
pub struct Losses {
    bernoulli: Option<Bernoulli>,
    gilbert_elliott: Option<GilbertElliott>,
    outages: Outages,
}

impl Losses {
    /// On the link called `name`; that and `seed` determine each source of chance.
    pub fn new(config: &Config, seed: u64, name: &str) -> Self {
        let stream = |source: &str| stream(seed, name, source);
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

    /// Why a packet that leaves at `departs` is lost, if it is. Each source of chance is drawn for
    /// every packet, so that what one loses does not depend on the others.
    pub fn of(&mut self, departs: Time) -> Option<DropReason> {
        let alone = self.bernoulli.as_mut().is_some_and(|loss| loss.loses(departs));
        let in_burst = self.gilbert_elliott.as_mut().is_some_and(GilbertElliott::loses);
        if self.outages.covers(departs) {
            return Some(DropReason::Outage);
        }
        (alone || in_burst).then_some(DropReason::Loss)
    }

    /// The same of the packet that was asked about last, if it leaves at `departs` instead.
    pub fn again(&self, departs: Time) -> Option<DropReason> {
        let alone = self.bernoulli.as_ref().is_some_and(|loss| loss.loses_again(departs));
        let in_burst = self.gilbert_elliott.as_ref().is_some_and(GilbertElliott::lost_last);
        if self.outages.covers(departs) {
            return Some(DropReason::Outage);
        }
        (alone || in_burst).then_some(DropReason::Loss)
    }

    /// From now on independent losses and outages are those of `config`, for the same draws.
    /// `packets` have been asked about, on the link called `name`.
    pub fn change(&mut self, config: &Config, packets: u64, seed: u64, name: &str) {
        self.outages = Outages::new(config.outages.clone());
        match (&mut self.bernoulli, &config.bernoulli) {
            (Some(loss), Some(chance)) => loss.change(chance.clone()),
            (Some(loss), None) => loss.change(Schedule::constant(Probability::NEVER)),
            (none @ None, Some(chance)) => {
                let mut stream = stream(seed, name, "loss").after(packets.saturating_sub(1));
                if packets > 0 {
                    // The draw of the last packet, which may be asked for again.
                    stream.next_u32();
                }
                *none = Some(Bernoulli::new(chance.clone(), stream));
            }
            (None, None) => {}
        }
    }
}

/// A source of chance of the link called `name`.
fn stream(seed: u64, name: &str, source: &str) -> Stream {
    Stream::named(seed, &format!("{name} {source}"))
}
