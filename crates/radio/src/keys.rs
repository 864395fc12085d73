//! What a kind of radio says of itself.

use std::ops::Range;

use base::{Direction, Duration, Rate, Schedule, Time};
use link::queue;
use settings::{Fault, Table};

use crate::channel::{Driven, Mobiles, Reception};
use crate::satellite::Satellite;
use crate::umts::UmtsKeys;
use crate::umts::cell::CellKeys;

/// The keys of a kind of radio, `[radio]`.
pub trait Keys {
    /// The name of its interface in results.
    fn interface(&self) -> &'static str;

    /// Which queues are allowed ahead of it.
    fn queues(&self) -> Queues;

    /// Checks that its keys are compatible, and resolves those that depend on others.
    ///
    /// # Errors
    /// If they do not.
    fn settle(&mut self, _tree: &Table, _context: &RadioContext<'_>) -> Result<(), Fault> {
        Ok(())
    }

    /// The keys of its mobiles, if those share a channel.
    fn sharers(&self) -> Option<&Mobiles> {
        None
    }

    /// The same, to be changed.
    fn sharers_mut(&mut self) -> Option<&mut Mobiles> {
        None
    }

    /// How good the radio of `direction` is, if keys say so.
    fn reception(&self, _direction: Direction) -> Option<&Reception> {
        None
    }

    /// The same, to be changed.
    fn reception_mut(&mut self, _direction: Direction) -> Option<&mut Reception> {
        None
    }

    /// The recordings of drives that it names.
    fn drives_mut(&mut self) -> Vec<Driven<'_>> {
        Vec::new()
    }

    /// The ratio of signal to noise that each index of modulation and coding needs over one layer,
    /// in decibels, if it has such.
    fn needed(&self, _direction: Direction) -> Vec<f64> {
        Vec::new()
    }

    /// The mobiles that are listed by name, which come before the others: of each name how many.
    fn listed(&self) -> Vec<(&str, u32)> {
        Vec::new()
    }

    /// How many mobiles are counted; 0 is one.
    fn mobiles(&self) -> usize {
        let listed: u32 = self.listed().into_iter().map(|(_, count)| count).sum();
        (listed + self.sharers().map_or(0, |mobiles| mobiles.ues)) as usize
    }

    /// The numbers of the mobiles of each name that is listed, then those of the others, without a
    /// name.
    fn ranges(&self) -> Vec<(Option<&str>, Range<usize>)> {
        let mut first = 0;
        let mut next = |count| {
            first += count;
            first - count..first
        };
        let listed = self.listed().into_iter();
        let mut ranges: Vec<_> =
            listed.map(|(name, count)| (Some(name), next(count as usize))).collect();
        let others = next(0).start..self.mobiles().max(1);
        ranges.extend((!others.is_empty()).then_some((None, others)));
        ranges
    }

    /// The rates of the channels of mobile number `ue` towards it and from it over time, if both
    /// have one; nothing is sent at `None`.
    fn rates(
        &self,
        _context: &RadioContext<'_>,
        _ue: usize,
    ) -> Option<[Schedule<Option<Rate>>; 2]> {
        None
    }

    /// The rates that throughput to mobile number `ue` and from it are compared with: those of its
    /// channels in the mean of the run.
    fn bottlenecks(&self, context: &RadioContext<'_>, ue: usize) -> [Rate; 2] {
        let bps = |rate: Option<Rate>| Some(rate.map_or(0, Rate::as_bps));
        let mean = |rates: Schedule<_>| rates.mean(context.duration, bps).unwrap_or(0).max(1);
        let rates =
            self.rates(context, ue).expect("a kind whose channels have none says what it is");
        rates.map(|rates| Rate::from_bps(mean(rates)))
    }

    /// When nothing gets through to a mobile whose bearer is called `name`, in order of beginning.
    fn outages(&self, _context: &RadioContext<'_>, _name: &str) -> Vec<[Time; 2]> {
        self.sharers().map_or_else(Vec::new, Mobiles::outages)
    }

    /// Lets nothing through to the mobile or from it in `span`, whatever else is said of coverage.
    /// Returns whether this kind can.
    fn cut(&mut self, span: [Duration; 2]) -> bool {
        self.sharers_mut().map(|mobiles| mobiles.outages.push(span)).is_some()
    }

    /// The keys that both kinds of UMTS have, if it is one.
    fn umts_mut(&mut self) -> Option<&mut UmtsKeys> {
        None
    }

    /// The keys that all satellites have, if it is one.
    fn satellite(&self) -> Option<&Satellite> {
        None
    }

    /// The same, to be changed.
    fn satellite_mut(&mut self) -> Option<&mut Satellite> {
        None
    }

    /// The keys of a network of cells of UMTS, if it is one.
    fn cells(&self) -> Option<&CellKeys> {
        None
    }
}

/// What a radio's keys need to know of the rest of the scenario.
pub struct RadioContext<'a> {
    /// The queues towards the mobile and from it.
    pub queues: [queue::Config; 2],
    /// Whether their limits apply to each flow separately.
    pub per_flow: bool,
    /// How long the run is.
    pub duration: Duration,
    /// The seed of all random streams.
    pub seed: u64,
    /// The rate that the flows of a mobile ask for together, if any asks for one.
    pub asked: Option<Rate>,
    /// The rates that the flows of mobile `index` of `count` ask for.
    pub asked_of: Box<dyn Fn(usize, usize) -> Vec<Rate> + 'a>,
}

/// The queues that are allowed ahead of a radio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queues {
    /// Drop-tail queues of the system of this name, for each flow or for all.
    DropTail(&'static str),
    /// Queues of the system of this name for all flows together, with any discipline.
    Together(&'static str),
}
