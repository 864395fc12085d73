//! From `[link]` and `[queue]` to the configurations of a link's two directions.

use base::{Duration, Probability, Rate, Schedule, Time};
use link::loss::gilbert_elliott;
use link::loss::outage::Outage;
use link::queue::{self, Discipline, Notice, codel, droptail, fair, red};
use link::{LinkConfig, Service, loss};

use crate::{GilbertElliott, Link, Queue, QueueBack, QueueKind, Step, TraceFile};

impl Link {
    /// The way towards the mobile, with `queue` ahead of it.
    pub fn down(&self, queue: &Queue) -> LinkConfig {
        LinkConfig {
            service: service(self.trace.down.as_ref(), self.rate, &self.schedule),
            delay: steps(self.delay, &self.schedule, |step| step.delay),
            queue: queue.forth(),
            drop_arrivals: self.drop_arrivals.clone(),
            loss: losses(self.loss, &self.schedule, &self.gilbert_elliott, &self.outages),
        }
    }

    /// The way back, with the queue that `queue` has there.
    pub fn up(&self, queue: &Queue) -> LinkConfig {
        let back = &self.back;
        LinkConfig {
            service: service(self.trace.up.as_ref(), back.rate, &back.schedule),
            delay: steps(back.delay.unwrap_or(self.delay), &back.schedule, |step| step.delay),
            queue: queue.back(),
            drop_arrivals: back.drop_arrivals.clone(),
            loss: losses(back.loss, &back.schedule, &back.gilbert_elliott, &back.outages),
        }
    }

    /// The mean rate forth over a run of `duration`, the schedule counted; of a trace its own mean.
    /// `None` if sending takes no time at any moment.
    pub fn mean_rate(&self, duration: Duration) -> Option<Rate> {
        if let Some(file) = &self.trace.down {
            return Some(file.trace().mean_rate());
        }
        if self.schedule.iter().all(|step| step.rate.is_none()) {
            return self.rate;
        }
        let (mut rate, mut from, mut bits) = (self.rate, Duration::ZERO, 0.0);
        let changes = self.schedule.iter().filter_map(|step| Some((step.at, step.rate?)));
        for (at, next) in changes.chain([(duration, None)]) {
            let at = at.min(duration);
            if at > from {
                bits += rate?.as_bps() as f64 * (at - from).as_secs_f64();
            }
            (rate, from) = (next, at);
        }
        Some(Rate::from_bps((bits / duration.as_secs_f64()).max(1.0) as u64))
    }
}

impl Queue {
    /// How the queue towards the mobile behaves.
    pub fn forth(&self) -> queue::Config {
        self.config(self.kind, droptail::Limit { packets: self.packets, bytes: self.bytes })
    }

    /// How the queue of the way back behaves.
    pub fn back(&self) -> queue::Config {
        let QueueBack { packets, bytes, kind } = self.back;
        let limit = droptail::Limit {
            packets: packets.unwrap_or(self.packets),
            bytes: bytes.unwrap_or(self.bytes),
        };
        self.config(kind, limit)
    }

    fn config(&self, kind: QueueKind, limit: droptail::Limit) -> queue::Config {
        let discipline = match kind {
            QueueKind::DropTail => Discipline::DropTail,
            QueueKind::Red => Discipline::Red(red::Config {
                min_threshold: self.red.min_threshold,
                max_threshold: self.red.max_threshold,
                max_probability: self.red.max_probability.value(),
                weight: self.red.weight.value(),
                beyond: if self.red.gentle { red::Beyond::Gentle } else { red::Beyond::Drop },
                mean_packet: self.red.mean_packet,
            }),
            QueueKind::CoDel => Discipline::CoDel(codel::Config {
                target: self.codel.target,
                interval: self.codel.interval,
                mtu: self.codel.mtu,
            }),
            QueueKind::Fair => Discipline::Fair(fair::Config { quantum: self.fair.quantum }),
        };
        let notice = if self.ecn { Notice::Mark } else { Notice::Drop };
        queue::Config { limit, discipline, notice }
    }
}

fn service(trace: Option<&TraceFile>, rate: Option<Rate>, schedule: &[Step]) -> Service {
    match trace {
        Some(file) => Service::Trace(file.trace().clone()),
        None => Service::Rate(steps(rate, schedule, |step| step.rate)),
    }
}

fn losses(
    loss: Probability,
    schedule: &[Step],
    bursts: &GilbertElliott,
    outages: &[[Duration; 2]],
) -> loss::Config {
    let bernoulli = steps(loss, schedule, |step| step.loss);
    let is_there = bernoulli.values().any(|chance| chance != Probability::NEVER);
    let outage =
        |&[from, to]: &[Duration; 2]| Outage { from: Time::ZERO + from, to: Time::ZERO + to };
    loss::Config {
        bernoulli: is_there.then_some(bernoulli),
        gilbert_elliott: bursts.config(),
        outages: outages.iter().map(outage).collect(),
    }
}

impl GilbertElliott {
    /// How losses come in bursts; `None` if none ever comes.
    fn config(&self) -> Option<gilbert_elliott::Config> {
        let never = Probability::NEVER;
        (self.p != never || self.loss_good != never).then_some(gilbert_elliott::Config {
            to_bad: self.p,
            to_good: self.r,
            loss_good: self.loss_good,
            loss_bad: self.loss_bad,
        })
    }
}

/// The course of a value that is `first` at the start and what `field` says of a step from then.
fn steps<V: Copy>(first: V, schedule: &[Step], field: fn(&Step) -> Option<V>) -> Schedule<V> {
    let change = |step: &Step| Some((Time::ZERO + step.at, field(step)?));
    Schedule::new(first, schedule.iter().filter_map(change).collect())
}
