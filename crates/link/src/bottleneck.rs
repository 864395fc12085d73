//! `[link]`: the bottleneck of a network without radio, in both directions.

use base::{Duration, Probability, Rate, Schedule, Time};
use settings::{
    Always, Chance, Fault, File, Flat, Label, OfTime, Off, Or, Speed, Steps, Table, Timed,
    Unlimited, as_key, section,
};

use crate::disorder::{self, jitter};
use crate::queue::{self, Queues};
use crate::{LinkConfig, Service, Trace, loss};

section! {
    /// `[link]`: the bottleneck of a network without radio. What is not under `back` is the
    /// direction towards the mobile.
    pub struct Bottleneck {
        /// Its name in results.
        pub name: String as Label = "bottleneck".to_owned();
        /// Towards the mobile; required, if there is no `link.trace.down`.
        pub rate: Option<Rate> as Or<Unlimited, Speed> = None;
        /// One way, alike in both directions if there is no `link.back.delay`.
        pub delay: Duration as OfTime = Duration::ZERO;
        /// What is lost.
        pub losses: loss::Keys as Flat<loss::Keys> = loss::Keys::default();
        /// Jitter, reordering, duplicates and bit errors.
        pub disorder: disorder::Keys as Flat<disorder::Keys> = disorder::Keys::default();
        /// What changes when: `rate`, `delay`, `loss`, `jitter`, `reorder`, `duplicate` and
        /// `corrupt`, towards the mobile.
        pub schedule: Vec<LinkStep> as Steps<LinkStep> = Vec::new();
        /// When the link could send, as recorded.
        pub trace: Traces as Always<Traces> = Traces::default();
        /// The reverse direction.
        pub back: ReverseLink as Always<ReverseLink> = ReverseLink::default();
    }
    supersedes(rate: trace.down)
    supersedes(trace.down: rate)
    supersedes(back.rate: trace.up)
    supersedes(trace.up: back.rate)
    check(Self::goes_together)
}

section! {
    /// `[link.back]`: the bottleneck's reverse direction, which carries acknowledgements.
    /// `[queue.back]` is the queue ahead of it.
    pub struct ReverseLink {
        /// Its rate. Default: no bottleneck.
        pub rate: Option<Rate> as Or<Unlimited, Speed> = None;
        /// One way.
        pub delay: Option<Duration> as Or<as_key::LinkDelay, OfTime> = None;
        /// What is lost.
        pub losses: loss::Keys as Flat<loss::Keys> = loss::Keys::default();
        /// Jitter, reordering, duplicates and bit errors.
        pub disorder: disorder::Keys as Flat<disorder::Keys> = disorder::Keys::default();
        /// What changes when: `rate`, `delay`, `loss`, `jitter`, `reorder`, `duplicate` and
        /// `corrupt` of the reverse direction.
        pub schedule: Vec<LinkStep> as Steps<LinkStep> = Vec::new();
    }
}

section! {
    /// A step of `link.schedule`: what is left out stays as it was.
    pub struct LinkStep {
        /// From when it holds; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The rate.
        pub rate: Option<Option<Rate>> as Or<as_key::Before, Or<Unlimited, Speed>> = None;
        /// The delay, one way.
        pub delay: Option<Duration> as Or<as_key::Before, OfTime> = None;
        /// Loss rate: the chance that a packet is lost on the wire, each on its own.
        pub loss: Option<Probability> as Or<as_key::Before, Chance> = None;
        /// How far the delay of each packet strays from `delay`.
        pub jitter: Option<Duration> as Or<as_key::Before, OfTime> = None;
        /// Chance that a packet is held back at the far end.
        pub reorder: Option<Probability> as Or<as_key::Before, Chance> = None;
        /// Chance that a packet arrives twice.
        pub duplicate: Option<Probability> as Or<as_key::Before, Chance> = None;
        /// Chance that a bit of a packet is wrong.
        pub corrupt: Option<Probability> as Or<as_key::Before, Chance> = None;
    }
}

impl Timed for LinkStep {
    fn at(&self) -> Duration {
        self.at
    }
}

section! {
    /// `[link.trace]`: files in the format of Mahimahi, one time in milliseconds per line at which
    /// 1500 B could leave, or tables of what short bursts and a saturated link met; they repeat at
    /// their end. A path in a scenario file is relative to that file; `shipped:NAME` is a trace
    /// that ships.
    pub struct Traces {
        /// A Mahimahi trace or a load-dependent one of the direction towards the mobile, in place
        /// of `link.rate`.
        pub down: Option<File<Trace>> as Or<Off, File<Trace>> = None;
        /// A Mahimahi trace or a load-dependent one of the reverse direction, in place of
        /// `link.back.rate`.
        pub up: Option<File<Trace>> as Or<Off, File<Trace>> = None;
    }
}

impl Bottleneck {
    /// The direction towards the mobile, with its queue of `queues`.
    pub fn down(&self, queues: &Queues) -> LinkConfig {
        self.wire_down().config(self.trace.down.as_ref(), self.rate, queues.forth())
    }

    /// The reverse direction, with its queue of `queues`.
    pub fn up(&self, queues: &Queues) -> LinkConfig {
        self.wire_up().config(self.trace.up.as_ref(), self.back.rate, queues.back())
    }

    fn wire_down(&self) -> Wire<'_> {
        let Self { delay, losses, disorder, schedule, .. } = self;
        Wire { delay: *delay, losses, disorder, schedule }
    }

    fn wire_up(&self) -> Wire<'_> {
        let ReverseLink { delay, losses, disorder, schedule, .. } = &self.back;
        Wire { delay: delay.unwrap_or(self.delay), losses, disorder, schedule }
    }

    /// One more step of `link.schedule`.
    pub fn change(&mut self, step: LinkStep) {
        put(&mut self.schedule, step);
    }

    /// One more step of `link.back.schedule`.
    pub fn change_back(&mut self, step: LinkStep) {
        put(&mut self.back.schedule, step);
    }

    /// One more outage, in both directions.
    pub fn cut(&mut self, span: [Duration; 2]) {
        for losses in [&mut self.losses, &mut self.back.losses] {
            let [mut from, mut to] = span;
            losses.outages.retain(|outage| {
                let is_apart = outage[1] < from || to < outage[0];
                if !is_apart {
                    (from, to) = (from.min(outage[0]), to.max(outage[1]));
                }
                is_apart
            });
            let place = losses.outages.partition_point(|outage| outage[0] < from);
            losses.outages.insert(place, [from, to]);
        }
    }

    /// The mean rates forth and back that a run of `duration` is offered. `None` where sending
    /// never takes time.
    pub fn mean_rates(&self, duration: Duration) -> [Option<Rate>; 2] {
        let Self { rate, schedule, trace, back, .. } = self;
        [
            mean_rate(trace.down.as_ref(), *rate, schedule, duration),
            mean_rate(trace.up.as_ref(), back.rate, &back.schedule, duration),
        ]
    }

    /// Rates go with traces, and jitter with delays.
    fn goes_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        self.traces_have_no_rate(tree, at)?;
        let own = if self.back.delay.is_some() { "back.delay" } else { "delay" };
        for (wire, way, mean) in [(self.wire_down(), "", "delay"), (self.wire_up(), "back.", own)] {
            let [jitter, mean] = [format!("{at}.{way}jitter"), format!("{at}.{mean}")];
            if let Some(message) = wire.jitter().fault(&wire.delays(), [&jitter, &mean]) {
                let schedule = format!("{at}.{way}schedule");
                let distribution = format!("{jitter}_distribution");
                return tree.clash(&[&jitter, &distribution, &mean, &schedule], message);
            }
        }
        Ok(())
    }

    /// A recorded link has no rate besides its trace.
    fn traces_have_no_rate(&self, tree: &Table, _: &str) -> Result<(), Fault> {
        let ways = [
            (&self.trace.down, self.rate, &self.schedule, "link", "link.trace.down"),
            (&self.trace.up, self.back.rate, &self.back.schedule, "link.back", "link.trace.up"),
        ];
        for (trace, rate, schedule, at, trace_key) in ways {
            if trace.is_none() {
                continue;
            }
            if rate.is_some() {
                let key = format!("{at}.rate");
                return tree
                    .clash(&[trace_key, &key], format!("give {key} or {trace_key}, not both"));
            }
            if schedule.iter().any(|step| step.rate.is_some()) {
                let key = format!("{at}.schedule");
                let message = format!("give a rate in {key} or {trace_key}, not both");
                return tree.clash(&[&key, trace_key], message);
            }
        }
        Ok(())
    }
}

/// Puts `step` into its place in a schedule, behind those of its time.
fn put(schedule: &mut Vec<LinkStep>, step: LinkStep) {
    let place = schedule.partition_point(|other| other.at <= step.at);
    schedule.insert(place, step);
}

/// One direction of a link without its rate.
struct Wire<'a> {
    delay: Duration,
    losses: &'a loss::Keys,
    disorder: &'a disorder::Keys,
    schedule: &'a [LinkStep],
}

impl Wire<'_> {
    fn delays(&self) -> Schedule<Duration> {
        steps(self.delay, self.schedule, |step| step.delay)
    }

    fn jitter(&self) -> jitter::Config {
        let keys = &self.disorder.jitter;
        keys.config(steps(keys.jitter, self.schedule, |step| step.jitter))
    }

    fn config(
        &self,
        trace: Option<&File<Trace>>,
        rate: Option<Rate>,
        queue: queue::Config,
    ) -> LinkConfig {
        let Self { losses, disorder, schedule, .. } = *self;
        let disorder::Keys { reorder, duplicate, corrupt, .. } = *disorder;
        LinkConfig {
            service: match trace {
                Some(file) => Service::Trace(file.content().clone()),
                None => Service::Rate(steps(rate, schedule, |step| step.rate)),
            },
            delay: self.delays(),
            queue,
            drop_arrivals: losses.drop_arrivals.clone(),
            loss: losses.config(steps(losses.loss, schedule, |step| step.loss)),
            disorder: disorder::Config {
                jitter: self.jitter(),
                reorder: steps(reorder, schedule, |step| step.reorder),
                duplicate: steps(duplicate, schedule, |step| step.duplicate),
                corrupt: steps(corrupt, schedule, |step| step.corrupt),
                ..disorder.config()
            },
        }
    }
}

/// The mean rate of one direction until `end`: of its schedule, or of the opportunities of its
/// trace. `None` if sending never takes time.
fn mean_rate(
    trace: Option<&File<Trace>>,
    first: Option<Rate>,
    schedule: &[LinkStep],
    end: Duration,
) -> Option<Rate> {
    if let Some(file) = trace {
        return Some(Rate::from_bps(file.content().bps(Time::ZERO, end).max(1)));
    }
    let rates = steps(first, schedule, |step| step.rate);
    let bps = rates.mean(end, |rate| rate.map(Rate::as_bps))?;
    Some(Rate::from_bps(bps.max(1)))
}

/// The course of a value that is `first` at the start and follows `field` of each step from then
/// on.
fn steps<V: Copy>(
    first: V,
    schedule: &[LinkStep],
    field: fn(&LinkStep) -> Option<V>,
) -> Schedule<V> {
    let change = |step: &LinkStep| Some((Time::ZERO + step.at, field(step)?));
    Schedule::new(first, schedule.iter().filter_map(change).collect())
}
