//! `[radio]` with `kind = "umts-dch"`: a bearer over dedicated channels, and what happens to it.

use base::{Direction, Duration, Probability, Rate, Schedule, Time};
use settings::{
    Always, Chance, Count, Fault, Flag, Flat, OfTime, Or, Speed, Steps, Table, Timed, Word, as_key,
    section, words,
};

use super::channels::SpreadingFactor;
use super::channels::spreading::{Sf, Spreading};
use super::keys::{ChannelKeys, Missing, UmtsKeys, table_of};
use super::power::DchPower;
use super::{BlockErrorRate, Channel, Coverage, DchConfig, End, Interruption};
use crate::channel::put;
use crate::keys::{Keys, Queues, RadioContext};

section! {
    /// `[radio]` of a bearer over dedicated channels.
    pub struct DchKeys {
        /// The keys that it shares with `umts-cell`.
        pub umts: UmtsKeys as Flat<UmtsKeys> = UmtsKeys::default();
        /// What changes when: `rate` or `sf` of the downlink, `tbler` of both directions, and
        /// `coverage`.
        pub schedule: Vec<RadioStep> as Steps<RadioStep> = Vec::new();
        /// Delay spikes: nothing moves, and nothing is lost.
        pub spikes: Vec<Spike> as Steps<Spike> = Vec::new();
        /// Handovers.
        pub handovers: Vec<Handover> as Steps<Handover> = Vec::new();
        /// Towards the mobile.
        pub downlink: DchChannel as Always<DchChannel> = DchChannel::default();
        /// From the mobile. Default: 64 kbit/s in TTIs of 20 ms.
        pub uplink: DchChannel as Always<DchChannel> =
            DchChannel { channel: ChannelKeys::usual_uplink(), ..DchChannel::default() };
        /// How many mobiles there are. For `umts-cell`, in addition to those of `[[radio.ue]]`;
        /// otherwise each has a bearer of its own, and 0 means one called UE. Flows are assigned in
        /// turn.
        pub ues: u32 as Count<u32, 0, 50_000> = 0;
        /// What a mobile's radio draws.
        pub power: DchPower as Always<DchPower> = DchPower::default();
    }
    check(Self::check)
}

section! {
    /// `[radio.downlink]`, `[radio.uplink]`: the dedicated channel of one direction.
    pub struct DchChannel {
        /// The keys that it shares with channels of cells.
        pub channel: ChannelKeys as Flat<ChannelKeys> = ChannelKeys::default();
        /// How many DPDCHs of that factor go under one DPCCH; their rates add up. Uplink 1 to 6,
        /// several of them with factor 4 alone (TS 25.211 §5.2.1).
        pub dpdch: u32 as Count<u32, 1, 8> = 1;
        /// What changes when: `rate` or `sf`, and `tbler`, of this direction.
        pub schedule: Vec<ChannelStep> as Steps<ChannelStep> = Vec::new();
    }
}

section! {
    /// A step of `radio.downlink.schedule` or `radio.uplink.schedule`: what is left out stays as
    /// it was.
    pub struct ChannelStep {
        /// When it takes effect; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The rate.
        pub rate: Option<Rate> as Or<as_key::Before, Speed> = None;
        /// The spreading factor, in place of `rate`.
        pub sf: Option<SpreadingFactor> as Or<as_key::Before, Sf> = None;
        /// Transport block error rate, up to 100 %.
        pub tbler: Option<Probability> as Or<as_key::Before, Chance> = None;
    }
}

section! {
    /// A step of `radio.schedule`: what is left out stays as it was.
    pub struct RadioStep {
        /// When it takes effect; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The rate of the downlink.
        pub rate: Option<Rate> as Or<as_key::Before, Speed> = None;
        /// The spreading factor of the downlink, in place of `rate`.
        pub sf: Option<SpreadingFactor> as Or<as_key::Before, Sf> = None;
        /// Transport block error rate of both directions, up to 100 %.
        pub tbler: Option<Probability> as Or<as_key::Before, Chance> = None;
        /// Whether the mobile is reached; if not, every block of both directions is in error.
        pub coverage: Option<bool> as Or<as_key::Before, Flag> = None;
    }
}

section! {
    /// A delay spike: nothing moves, and nothing is lost (RFC 3481 §2.4).
    pub struct Spike {
        /// When it begins; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// How long it lasts; required.
        pub lasts: Option<Duration> as Or<Missing, OfTime<1>> = None;
    }
}

section! {
    /// A handover of the bearer.
    pub struct Handover {
        /// When it begins; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// Whether the old link ends before the new one begins.
        pub kind: HandoverKind as Word<HandoverKind> = HandoverKind::Hard;
        /// How long nothing is sent in a hard handover. Default: 200 ms, our choice.
        pub gap: Option<Duration> as Or<as_key::Kind, OfTime<1, LONGEST_GAP>> = None;
    }
}

impl Handover {
    /// When it is over.
    fn end(&self) -> Duration {
        self.at
            + match self.kind {
                HandoverKind::Hard => self.gap.unwrap_or(USUAL_GAP),
                HandoverKind::Soft | HandoverKind::Softer => Duration::ZERO,
            }
    }
}

/// The default gap of a hard handover.
const USUAL_GAP: Duration = Duration::from_millis(200);

/// A longer one is no handover but a link lost (in ns).
const LONGEST_GAP: u64 = 10_000_000_000;

words! {
    /// A kind of handover.
    pub enum HandoverKind {
        /// The old link ends first: for a while nothing is sent, and the link control is relocated
        /// and re-established.
        Hard = "hard",
        /// The mobile has links to both base stations meanwhile: nothing is lost.
        Soft = "soft",
        /// The mobile has links to two sectors of one base station meanwhile: nothing is lost.
        Softer = "softer",
    }
}

macro_rules! timed {
    ($($step:ident),*) => {
        $(impl Timed for $step {
            fn at(&self) -> Duration {
                self.at
            }
        })*
    };
}
timed!(ChannelStep, RadioStep, Spike, Handover);

impl DchKeys {
    /// How the bearer behaves.
    pub fn config(&self, context: &RadioContext<'_>, _name: &str) -> DchConfig {
        let [forth, back] = &context.queues;
        let channel = |keys: &DchChannel, changes: &[ChannelStep], queue| Channel {
            rate: course(keys.channel.rate, changes, |change| change.rate),
            tti: keys.channel.tti,
            tbler: self.course_of_errors(keys, changes),
            limit: UmtsKeys::limit(queue, context),
        };
        let coverage = |there| if there { Coverage::There } else { Coverage::Lost };
        let steps = self.schedule.iter().map(|step| (Time::ZERO + step.at, step.coverage));
        let coverage = steps.filter_map(|(at, there)| Some((at, coverage(there?))));
        DchConfig {
            dpcch: self.umts.dpcch,
            dpdchs: [self.downlink.dpdch, self.uplink.dpdch],
            coverage: Schedule::new(Coverage::There, coverage.collect()),
            interruptions: self.interruptions(),
            buffer: self.umts.buffer.config(),
            power: self.power.model(),
            ..DchConfig::new(
                channel(&self.downlink, &self.changes(Direction::Downlink), forth),
                channel(&self.uplink, &self.changes(Direction::Uplink), back),
                self.umts.pdcp.clone(),
                self.umts.rlc.clone(),
            )
        }
    }

    /// One more step of `radio.schedule`: from `at` on blocks of both directions err so often.
    pub fn set_tbler(&mut self, at: Duration, tbler: Probability) {
        let tbler = Some(tbler);
        put(&mut self.schedule, RadioStep { at, tbler, ..RadioStep::default() });
    }

    /// One more step of the schedule of `direction`: from `at` on it has this rate.
    pub fn set_rate(&mut self, at: Duration, direction: Direction, rate: Rate) {
        let channel = direction.of(&mut self.downlink, &mut self.uplink);
        let rate = Some(rate);
        put(&mut channel.schedule, ChannelStep { at, rate, ..ChannelStep::default() });
    }

    /// The rate of `direction` at `time`.
    pub fn rate_at(&self, time: Time, direction: Direction) -> Rate {
        self.course_of_rates(direction).at(time)
    }

    fn course_of_rates(&self, direction: Direction) -> Schedule<Rate> {
        let first = direction.of(&self.downlink, &self.uplink).channel.rate;
        course(first, &self.changes(direction), |change| change.rate)
    }

    /// How often blocks of `direction` err at `time`, coverage aside.
    pub fn tbler_at(&self, time: Time, direction: Direction) -> BlockErrorRate {
        let channel = direction.of(&self.downlink, &self.uplink);
        self.course_of_errors(channel, &self.changes(direction)).at(time)
    }

    fn course_of_errors(
        &self,
        channel: &DchChannel,
        changes: &[ChannelStep],
    ) -> Schedule<BlockErrorRate> {
        let first = self.umts.errors(&channel.channel);
        course(first, changes, |change| change.tbler.map(Into::into))
    }

    /// What happens to the channel of `direction`, in order: `radio.schedule`, which has rates of
    /// the downlink alone, and its own, which takes precedence at equal times.
    fn changes(&self, direction: Direction) -> Vec<ChannelStep> {
        let both = self.schedule.iter().map(|step| ChannelStep {
            at: step.at,
            rate: step.rate.filter(|_| direction == Direction::Downlink),
            sf: None,
            tbler: step.tbler,
        });
        let own = &direction.of(&self.downlink, &self.uplink).schedule;
        let mut changes: Vec<_> = both.chain(own.iter().cloned()).collect();
        changes.sort_by_key(|change| change.at);
        changes
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

    fn check(&self, tree: &Table, _at: &str) -> Result<(), Fault> {
        self.check_steps(tree)?;
        self.check_spikes(tree)?;
        self.check_handovers(tree)
    }

    /// Checks that each step changes something, and gives a rate in one form.
    fn check_steps(&self, tree: &Table) -> Result<(), Fault> {
        let own = |channel: &DchChannel| {
            let step = |step: &ChannelStep| {
                (step.rate.is_some(), step.sf.is_some(), step.tbler.is_some(), "sf or tbler")
            };
            channel.schedule.iter().map(step).collect::<Vec<_>>()
        };
        let step = |step: &RadioStep| {
            let errors = step.tbler.is_some() || step.coverage.is_some();
            (step.rate.is_some(), step.sf.is_some(), errors, "sf, tbler or coverage")
        };
        let schedules = [
            ("radio.schedule", self.schedule.iter().map(step).collect()),
            ("radio.downlink.schedule", own(&self.downlink)),
            ("radio.uplink.schedule", own(&self.uplink)),
        ];
        for (key, steps) in schedules {
            for (index, (rate, sf, errors, others)) in steps.into_iter().enumerate() {
                if rate && sf {
                    let message = format!("{key}[{index}]: give rate or sf, not both");
                    return tree.clash(&[key], message);
                }
                if !(rate || sf || errors) {
                    let message = format!("{key}[{index}] changes nothing: give rate, {others}");
                    return tree.clash(&[key], message);
                }
            }
        }
        Ok(())
    }

    fn check_spikes(&self, tree: &Table) -> Result<(), Fault> {
        let key = "radio.spikes";
        let mut before = Duration::ZERO;
        for (index, spike) in self.spikes.iter().enumerate() {
            let Some(lasts) = spike.lasts else {
                let message = format!("{key}[{index}]: lasts is missing, as in lasts = \"3 s\"");
                return tree.clash(&[key], message);
            };
            if spike.at < before {
                let message = format!("{key}[{index}] must not begin before the last one ends");
                return tree.clash(&[key], message);
            }
            before = spike.at + lasts;
        }
        Ok(())
    }

    fn check_handovers(&self, tree: &Table) -> Result<(), Fault> {
        let key = "radio.handovers";
        let mut before = Duration::ZERO;
        for (index, handover) in self.handovers.iter().enumerate() {
            match handover.kind {
                HandoverKind::Hard => {}
                HandoverKind::Soft | HandoverKind::Softer if handover.gap.is_none() => {}
                HandoverKind::Soft | HandoverKind::Softer => {
                    let kind = handover.kind.name();
                    let message = format!("{key}[{index}]: a {kind} handover has no gap");
                    return tree.clash(&[key], message);
                }
            }
            if handover.at < before {
                let message = format!("{key}[{index}] must not begin before the last one ends");
                return tree.clash(&[key], message);
            }
            before = handover.end();
        }
        Ok(())
    }

    /// Resolves spreading factors to rates.
    fn settle_rates(&mut self, tree: &Table, context: &RadioContext<'_>) -> Result<(), Fault> {
        let Self { umts, schedule, downlink, uplink, .. } = self;
        let down = downlink.dpdch;
        for (direction, channel) in [(Direction::Downlink, downlink), (Direction::Uplink, uplink)] {
            let at = table_of(direction);
            let dpdchs = channel.dpdch;
            for step in &mut channel.schedule {
                if let Some(sf) = step.sf {
                    let key = format!("{at}.schedule");
                    step.rate = Some(umts.rate_of(tree, direction, (sf, &key), dpdchs)?);
                }
            }
            let has_factor = match channel.channel.sf {
                Some(Spreading::Factor(_)) => tree.find(&format!("{at}.rate")).is_none(),
                Some(Spreading::Auto) | None => false,
            };
            // Only channels of a known spreading factor have rates that can be added up.
            if dpdchs != 1 && !has_factor {
                let message = format!("several DPDCHs need a factor: {at}.sf, as in sf = 4");
                return tree.clash(&[&format!("{at}.dpdch")], message);
            }
            umts.settle_rate(&mut channel.channel, direction, dpdchs, (tree, context))?;
        }
        for step in schedule {
            if let Some(sf) = step.sf {
                let key = (sf, "radio.schedule");
                step.rate = Some(umts.rate_of(tree, Direction::Downlink, key, down)?);
            }
        }
        Ok(())
    }
}

impl Keys for DchKeys {
    fn interface(&self) -> &'static str {
        "Uu"
    }

    fn umts_mut(&mut self) -> Option<&mut UmtsKeys> {
        Some(&mut self.umts)
    }

    fn queues(&self) -> Queues {
        Queues::DropTail("UMTS")
    }

    fn settle(&mut self, tree: &Table, context: &RadioContext<'_>) -> Result<(), Fault> {
        self.settle_rates(tree, context)?;
        let rates = |channel: &DchChannel| {
            channel.schedule.iter().filter_map(|step| step.rate).collect::<Vec<_>>()
        };
        let common = self.schedule.iter().filter_map(|step| step.rate);
        let down = rates(&self.downlink).into_iter().chain(common);
        let channel = &self.downlink.channel;
        self.umts.check_channel(tree, channel, Direction::Downlink, down)?;
        let up = rates(&self.uplink).into_iter();
        self.umts.check_channel(tree, &self.uplink.channel, Direction::Uplink, up)
    }

    fn mobiles(&self) -> usize {
        self.ues as usize
    }

    fn rates(&self, _: &RadioContext<'_>, _: usize) -> Option<[Schedule<Option<Rate>>; 2]> {
        Some(Direction::BOTH.map(|direction| self.course_of_rates(direction).map(Some)))
    }

    fn outages(&self, context: &RadioContext<'_>, _name: &str) -> Vec<[Time; 2]> {
        let (mut spans, mut since) = (Vec::new(), None);
        for step in &self.schedule {
            match step.coverage {
                Some(false) => since = since.or(Some(step.at)),
                Some(true) => spans.extend(since.take().map(|from| [from, step.at])),
                None => {}
            }
        }
        spans.extend(since.map(|from| [from, context.duration.max(from)]));
        spans.into_iter().map(|span| span.map(|time| Time::ZERO + time)).collect()
    }

    fn cut(&mut self, [from, to]: [Duration; 2]) -> bool {
        let begun = self.schedule.iter().take_while(|step| step.at <= to);
        let after = begun.filter_map(|step| step.coverage).last().unwrap_or(true);
        for step in self.schedule.iter_mut().filter(|step| (from..=to).contains(&step.at)) {
            step.coverage = None;
        }
        for (at, coverage) in [(from, false), (to, after)] {
            let coverage = Some(coverage);
            put(&mut self.schedule, RadioStep { at, coverage, ..RadioStep::default() });
        }
        true
    }
}

/// A value over time: `first` at the start, then `field` of each change.
fn course<V: Copy>(
    first: V,
    changes: &[ChannelStep],
    field: fn(&ChannelStep) -> Option<V>,
) -> Schedule<V> {
    let change = |change: &ChannelStep| Some((Time::ZERO + change.at, field(change)?));
    Schedule::new(first, changes.iter().filter_map(change).collect())
}
