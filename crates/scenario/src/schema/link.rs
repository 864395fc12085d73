//! `[link]`: the bottleneck of a network without radio.

use base::{Duration, Probability, Rate};

use crate::form::TraceFile;
use settings::{
    Always, Chance, Label, Numbers, OfTime, Off, Or, Spans, Speed, Steps, Timed, Unlimited, as_key,
    section,
};

section! {
    /// `[link]`: the bottleneck of a network without radio. What is not under `back` is the way
    /// towards the mobile.
    pub struct Link {
        /// Its name in results.
        pub name: String as Label = "bottleneck".to_owned();
        /// Towards the mobile; required, if there is no `link.trace.down`.
        pub rate: Option<Rate> as Or<Unlimited, Speed> = None;
        /// One way, alike in both directions if there is no `link.back.delay`.
        pub delay: Duration as OfTime = Duration::ZERO;
        /// Chance that a packet is lost on the wire, each on its own.
        pub loss: Probability as Chance = Probability::NEVER;
        /// Losses in bursts, beside those of `link.loss`.
        pub gilbert_elliott: GilbertElliott as Always<GilbertElliott> = GilbertElliott::default();
        /// Packets that are dropped when they arrive, by number: the SYN is 0, data follow, pure
        /// acknowledgements do not count.
        pub drop_arrivals: Vec<u64> as Numbers = Vec::new();
        /// From when to when all packets are lost on the wire.
        pub outages: Vec<[Duration; 2]> as Spans = Vec::new();
        /// What changes when: `rate`, `delay` and `loss`, towards the mobile.
        pub schedule: Vec<Step> as Steps<Step> = Vec::new();
        /// When the link could send, as recorded.
        pub trace: Traces as Always<Traces> = Traces::default();
        /// The way back.
        pub back: Back as Always<Back> = Back::default();
    }
}

section! {
    /// `[link.back]`: the bottleneck's way back, which carries acknowledgements. `[queue.back]` is
    /// the queue ahead of it.
    pub struct Back {
        /// Its rate. Default: no bottleneck.
        pub rate: Option<Rate> as Or<Unlimited, Speed> = None;
        /// One way.
        pub delay: Option<Duration> as Or<as_key::LinkDelay, OfTime> = None;
        /// Chance that a packet is lost on the wire, each on its own.
        pub loss: Probability as Chance = Probability::NEVER;
        /// Losses in bursts, beside those of `link.back.loss`.
        pub gilbert_elliott: GilbertElliott as Always<GilbertElliott> = GilbertElliott::default();
        /// Packets that are dropped when they arrive, by number: the SYN with its acknowledgement
        /// is 0, pure acknowledgements do not count.
        pub drop_arrivals: Vec<u64> as Numbers = Vec::new();
        /// From when to when all packets are lost on the wire.
        pub outages: Vec<[Duration; 2]> as Spans = Vec::new();
        /// What changes when: `rate`, `delay` and `loss` of the way back.
        pub schedule: Vec<Step> as Steps<Step> = Vec::new();
    }
}

section! {
    /// `gilbert_elliott`: a good and a bad state, which may change from packet to packet (Gilbert
    /// 1960, Elliott 1963).
    pub struct GilbertElliott {
        /// p: chance a packet that the good state ends. Default: it never does.
        pub p: Probability as Chance = Probability::NEVER;
        /// r: chance a packet that the bad state ends; bursts last 1/r packets. Default: 4
        /// packets.
        pub r: Probability as Chance = Probability::new(0.25).unwrap_or_default();
        /// 1 − k: chance that a packet is lost in the good state. Default: Gilbert.
        pub loss_good: Probability as Chance = Probability::NEVER;
        /// 1 − h: chance that a packet is lost in the bad state. Default: all are.
        pub loss_bad: Probability as Chance = Probability::new(1.0).unwrap_or_default();
    }
}

section! {
    /// A step of `link.schedule`: what is left out stays as it was.
    pub struct Step {
        /// From when it holds; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The rate.
        pub rate: Option<Option<Rate>> as Or<as_key::Before, Or<Unlimited, Speed>> = None;
        /// The delay, one way.
        pub delay: Option<Duration> as Or<as_key::Before, OfTime> = None;
        /// Chance that a packet is lost on the wire, each on its own.
        pub loss: Option<Probability> as Or<as_key::Before, Chance> = None;
    }
}

impl Timed for Step {
    fn at(&self) -> Duration {
        self.at
    }
}

section! {
    /// `[link.trace]`: files in the format of Mahimahi, a time in milliseconds a line at which
    /// 1500 B could leave; they begin anew at their end. A path in a scenario file starts from
    /// that file.
    pub struct Traces {
        /// Towards the mobile, in the place of `link.rate`.
        pub down: Option<TraceFile> as Or<Off, TraceFile> = None;
        /// The way back, in the place of `link.back.rate`.
        pub up: Option<TraceFile> as Or<Off, TraceFile> = None;
    }
}
