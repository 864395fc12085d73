//! From `[radio]` and `[queue]` to the configuration of a bearer.

use base::{Duration, Probability, Rate, Schedule, Time};
use link::queue::{self, Queues};
use radio::umts::{
    self, BlockErrorRate, Coverage, DchConfig, Dpcch, End, Interruption, Limit, Scope,
};

use crate::{Channel, DpcchName, Handover, HandoverKind, Radio, Spike};

impl Radio {
    /// How the bearer behaves, with `queue` ahead of it in either direction.
    pub fn config(&self, queue: &Queues) -> DchConfig {
        let channel = |channel: &Channel, changes: &[Change], limit: queue::Config| umts::Channel {
            rate: course(channel.rate, changes, |change| change.rate),
            tti: channel.tti,
            tbler: course(self.errors(channel), changes, |change| change.tbler.map(Into::into)),
            limit: Limit {
                packets: limit.limit.packets,
                bytes: limit.limit.bytes,
                scope: if queue.per_flow { Scope::Flow } else { Scope::Direction },
            },
        };
        let coverage = |there| if there { Coverage::There } else { Coverage::Lost };
        let steps = self.schedule.iter().map(|step| (Time::ZERO + step.at, step.coverage));
        let coverage = steps.filter_map(|(at, there)| Some((at, coverage(there?))));
        DchConfig {
            dpcch: match self.dpcch {
                DpcchName::WithData => Dpcch::WithData,
                DpcchName::Apart => Dpcch::Apart,
            },
            dpdchs: [self.downlink.dpdch, self.uplink.dpdch],
            coverage: Schedule::new(Coverage::There, coverage.collect()),
            interruptions: self.interruptions(),
            buffer: self.buffer.config(),
            ..DchConfig::new(
                channel(&self.downlink, &self.downlink_changes(), queue.forth()),
                channel(&self.uplink, &self.uplink_changes(), queue.back()),
                self.pdcp.clone(),
                self.rlc.clone(),
            )
        }
    }

    /// The block error rate of `channel`, one of this radio's, at the start.
    pub fn errors(&self, channel: &Channel) -> BlockErrorRate {
        let drawn = |[low, high]: [Probability; 2]| BlockErrorRate::Drawn { low, high };
        match (channel.tbler_limits, channel.tbler, self.tbler_limits) {
            (Some(limits), _, _) | (None, None, Some(limits)) => drawn(limits),
            (None, Some(tbler), _) => tbler.into(),
            (None, None, None) => self.tbler.into(),
        }
    }

    /// What happens to the downlink, in order: `radio.schedule` and its own.
    fn downlink_changes(&self) -> Vec<Change> {
        let both = self.schedule.iter().map(|step| Change {
            at: step.at,
            rate: step.rate,
            tbler: step.tbler,
        });
        in_order(both, &self.downlink)
    }

    /// What happens to the uplink, in order.
    fn uplink_changes(&self) -> Vec<Change> {
        let both =
            self.schedule.iter().map(|step| Change { at: step.at, rate: None, tbler: step.tbler });
        in_order(both, &self.uplink)
    }

    fn interruptions(&self) -> Vec<Interruption> {
        let spike = |Spike { at, lasts }: &Spike| {
            let to = *at + lasts.unwrap_or(Duration::ZERO);
            Interruption { from: Time::ZERO + *at, to: Time::ZERO + to, end: End::Continuation }
        };
        let hard = |handover: &&Handover| match handover.kind {
            HandoverKind::Hard => true,
            HandoverKind::Soft | HandoverKind::Softer => false,
        };
        let gap = |handover: &Handover| Interruption {
            from: Time::ZERO + handover.at,
            to: Time::ZERO + handover.end(),
            end: End::Relocation,
        };
        let handovers = self.handovers.iter().filter(hard).map(gap);
        self.spikes.iter().map(spike).chain(handovers).collect()
    }
}

/// What changes at a moment in one direction.
struct Change {
    at: Duration,
    rate: Option<Rate>,
    tbler: Option<Probability>,
}

/// `changes` and those of `channel`'s own schedule, which count last where both are at a time.
fn in_order(changes: impl Iterator<Item = Change>, channel: &Channel) -> Vec<Change> {
    let own = channel.schedule.iter().map(|step| Change {
        at: step.at,
        rate: step.rate,
        tbler: step.tbler,
    });
    let mut changes: Vec<_> = changes.chain(own).collect();
    changes.sort_by_key(|change| change.at);
    changes
}

/// The course of a value that is `first` at the start and what `field` says from then on.
fn course<V: Copy>(first: V, changes: &[Change], field: fn(&Change) -> Option<V>) -> Schedule<V> {
    let change = |change: &Change| Some((Time::ZERO + change.at, field(change)?));
    Schedule::new(first, changes.iter().filter_map(change).collect())
}
