//! `[radio]` with `kind = "gprs"`: time slots of GPRS or EDGE.

use std::iter::successors;

use base::{Duration, Probability, Rate, Time};
use settings::{
    Absent, Along, Always, Bounds, Chance, Count, Decibels, Factor, Fault, Moments, OfTime, Off,
    Or, Perhaps, Share, Spans, Standard, Steps, Table, Tbler, Timed, Word, section, words,
};

use super::adaptation::Adaptation;
use super::air::{Errors, Quality, State};
use super::coding::{BLOCK_PERIOD, CodingScheme};
use super::config::{Gap, GapKind, GprsConfig};
use super::outages::RandomOutages;
use crate::keys::{Keys, Queues, RadioContext};

section! {
    /// `[radio]` of a bearer over time slots.
    pub struct GprsKeys {
        /// Transport block error rate of both directions: every block is in error with this
        /// probability, independently of all others.
        pub tbler: Probability as Tbler = Probability::NEVER;
        /// `gprs`: a good and a bad state, in place of `tbler`.
        pub gilbert_elliott: Option<RadioBursts> as Perhaps<RadioBursts> = None;
        /// `gprs`: the ratio of carrier to interference, which with the coding scheme determines
        /// how many blocks err, in place of `tbler`.
        pub ci: Option<f64> as Or<Off, Along<Decibels>> = None;
        /// `gprs`: from when to when nothing gets through.
        pub outages: Vec<[Duration; 2]> as Spans = Vec::new();
        /// `gprs`: random outages, in addition to those.
        pub outage: RandomOutages as Always<RandomOutages> = RandomOutages::default();
        /// `gprs`: when the mobile goes to another cell.
        pub reselections: Vec<Reselection> as Steps<Reselection> = Vec::new();
        /// `gprs`: when the mobile stops listening, until it restarts (`radio.gprs.restart`).
        pub resets: Vec<Duration> as Moments = Vec::new();
        /// Towards the mobile.
        pub downlink: Slots as Always<Slots> = Slots::default();
        /// From the mobile.
        pub uplink: Slots as Always<Slots> = Slots { slots: 1 };
        /// `gprs`: time slots, flows of blocks and the core network.
        pub gprs: Gprs as Always<Gprs> = Gprs::default();
        /// How many mobiles there are. For `umts-cell`, in addition to those of `[[radio.ue]]`;
        /// otherwise each has a bearer of its own, and 0 means one called UE. Flows are assigned in
        /// turn.
        pub ues: u32 as Count<u32, 0, 50_000> = 0;
    }
    check(Self::check_errors)
}

section! {
    /// `[radio.downlink]`, `[radio.uplink]`: the time slots of one direction.
    pub struct Slots {
        /// `gprs`: time slots. Default: a 3+1 phone of chakravorty2003.
        pub slots: u32 as Count<u32, 1, 8> = 3;
    }
}

section! {
    /// `[radio.gprs]`: RLC/MAC of GPRS and EDGE, and the core network. Defaults: measurements of
    /// chakravorty2003, and where its text leaves a value open, TS 44.060 or what fits them.
    pub struct Gprs {
        /// What radio blocks are coded with.
        pub coding_scheme: Option<CodingScheme> as Or<Adaptive, Word<CodingScheme>> =
            Some(CodingScheme::Cs2);
        /// `coding_scheme = "adaptive"`: the first scheme.
        pub initial_scheme: CodingScheme as Word<CodingScheme> = CodingScheme::Cs2;
        /// When an adaptive scheme changes.
        pub adaptation: Adaptation as Always<Adaptation> = Adaptation::default();
        /// Where block error rates come from: from `radio.tbler`, `radio.gilbert_elliott` and
        /// `radio.ci`, or from a named state of the radio.
        pub state: RadioState as Word<RadioState> = RadioState::Given;
        /// WS: blocks between the first not acknowledged and the next. Default: 64, with EDGE 64
        /// and twice as many a slot (TS 44.060 §9.1.9).
        pub window: Option<u32> as Or<Standard, Count<u32, 1, 1024>> = None;
        /// The receiver is polled for a report every so many blocks, which TS 44.060 leaves to the
        /// network. Default: fits the groups of acknowledgements of chakravorty2003 §III; osmo-pcu
        /// has 20.
        pub poll_blocks: u32 as Count<u32, 1, 1024> = 25;
        /// From a block with a poll to when its sender has received and processed the report.
        /// Default: fits the rates measured, within the 120 to 200 ms of a base station.
        pub round_trip: Duration as OfTime<100_000_000> = Duration::from_millis(120);
        /// One downlink block in so many carries other messages of the network. Default: none are
        /// needed to fit the rates measured.
        pub control_every: Option<u32> as Or<Off, Count<u32, 2, 1_000_000>> = None;
        /// A packet that has waited longer for the radio is discarded (TS 48.018 §6.1).
        pub lifetime: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// An outage longer than this loses what waits at the base station; shorter ones delay it.
        /// Default: the stall of chakravorty2003 §VI.D, which lost nothing, lasted about so long.
        pub keep: Duration as OfTime = Duration::from_secs(10);
        /// From a link reset until the mobile restarts. Default: our choice.
        pub restart: Duration as OfTime<1> = Duration::from_secs(30);
        /// Multiframes of 235 ms from one paging block of a mobile to the next, 2 to 9 (TS 45.002
        /// §6.5.2): a mobile that was quiet hears of a downlink flow only in those; off: it always
        /// listens. Default: fits the downlink's delays in Fig. 1 of chakravorty2003.
        pub paging: Option<u32> as Or<Off, Count<u32, 2, 9>> = Some(8);
        /// For how long a mobile without a flow still listens to all blocks (non-DRX timer, TS
        /// 24.008 §10.5.5.6). Default: our choice.
        pub non_drx: Duration as OfTime = Duration::from_secs(2);
        /// Temporary block flows.
        pub tbf: TbfTimes as Always<TbfTimes> = TbfTimes::default();
        /// Between gateway and base station.
        pub core: Core as Always<Core> = Core::default();
    }
    only_with(initial_scheme: coding_scheme is ["adaptive"])
    only_with(non_drx: paging not "off")
}

section! {
    /// `[radio.gprs.tbf]`: how temporary block flows come and go.
    pub struct TbfTimes {
        /// How long the set-up of either direction takes while the other has a TBF, or while the
        /// mobile still listens: uniform. Default: chakravorty2003 §II.
        pub associated: [Duration; 2] as Bounds<OfTime> = millis(100, 200);
        /// Downlink otherwise.
        pub common: [Duration; 2] as Bounds<OfTime> = millis(300, 700);
        /// Uplink otherwise: random access and assignment.
        pub access: [Duration; 2] as Bounds<OfTime> = millis(150, 400);
        /// T3192: how long the mobile listens after a release.
        pub t3192: Duration as OfTime = Duration::from_millis(500);
        /// Delayed release downlink (R99): how long a flow is kept with nothing to send. Default:
        /// R97, as the phones of chakravorty2003.
        pub delayed_release: Duration as OfTime = Duration::ZERO;
        /// The same of an extended uplink flow (R4).
        pub extended_uplink: Duration as OfTime = Duration::ZERO;
        /// A mobile that receives requests its uplink in reports, and is granted it no sooner than
        /// this after the last grant; off: it uses random access. Default: groups of three to four
        /// acknowledgements, as chakravorty2003 §III saw them.
        pub coupling: Option<Duration> as Or<Off, OfTime> = Some(Duration::from_secs(1));
    }
}

section! {
    /// `[radio.gprs.core]`: the gateway, support nodes and links to the base station. Jitter is
    /// log-normal, and reorders nothing.
    pub struct Core {
        /// Median of the delay towards the mobile. Default: fits chakravorty2003 Fig. 1 and §VI.C.
        pub downlink: Duration as OfTime = Duration::from_millis(300);
        /// Median of the delay from the mobile. Default: fits chakravorty2003 Fig. 1 and §VI.C.
        pub uplink: Duration as OfTime = Duration::from_millis(250);
        /// Standard deviation of the logarithm of either. Default: our choice.
        pub jitter: f64 as Factor = 0.15;
        /// For how long a draw of the jitter lasts. Default: our choice.
        pub coherence: Duration as OfTime<1> = Duration::from_secs(1);
    }
    check(Self::check_jitter)
}

section! {
    /// `[radio.gilbert_elliott]`: a good and a bad state of the radio, which last for exponential
    /// times, the same in both directions.
    pub struct RadioBursts {
        /// Block error rate in the good state.
        pub good: Probability as Chance = Probability::new(0.04).unwrap_or_default();
        /// Block error rate in the bad state.
        pub bad: Probability as Chance = Probability::new(0.3).unwrap_or_default();
        /// How long the good state lasts on average.
        pub good_mean: Duration as OfTime<1000> = Duration::from_secs(30);
        /// How long the bad state lasts on average.
        pub bad_mean: Duration as OfTime<1000> = Duration::from_secs(5);
    }
}

section! {
    /// A member of `radio.reselections`: the mobile goes to another cell.
    pub struct Reselection {
        /// When it begins; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// How long nothing gets through: 1 to 5 s, with a routing area update 5 to 15 s.
        pub lasts: Duration as OfTime<1> = Duration::from_secs(2);
        /// Chance that what waits in the old cell is forwarded to the new one. Default: within a
        /// base station controller; 20 % with a routing area update.
        pub forward: Probability as Share = Probability::new(0.7).unwrap_or_default();
    }
}

impl Timed for Reselection {
    fn at(&self) -> Duration {
        self.at
    }
}

/// `adaptive`.
pub(crate) struct Adaptive;

impl Absent for Adaptive {
    const WORD: &'static str = "adaptive";
}

const fn millis(low: u64, high: u64) -> [Duration; 2] {
    [Duration::from_millis(low), Duration::from_millis(high)]
}

words! {
    /// Where block error rates come from.
    pub enum RadioState {
        /// From the keys of `[radio]`.
        Given = "given",
        /// A carrier with which CS-2 has 4 % of its blocks in error.
        Good = "good",
        /// A carrier with which CS-2 has 15 % of its blocks in error.
        Fair = "fair",
        /// A carrier with which CS-1 has 40 % of its blocks in error.
        Bad = "bad",
        /// Alternates between those three, for 30, 10 and 5 s on average.
        Varying = "varying",
    }
}

impl Gprs {
    /// The coding scheme at the start.
    pub(super) fn scheme(&self) -> CodingScheme {
        self.coding_scheme.unwrap_or(self.initial_scheme)
    }

    /// What changes the coding scheme, if it is adapted.
    pub(crate) fn limits(&self) -> Option<Adaptation> {
        self.coding_scheme.is_none().then_some(self.adaptation)
    }
}

impl Core {
    fn check_jitter(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.jitter > MOST_JITTER {
            let message = format!("{at}.jitter must be at most {MOST_JITTER}");
            return tree.clash_at(at, &["jitter"], message);
        }
        Ok(())
    }
}

/// The largest jitter of a core network.
const MOST_JITTER: f64 = 3.0;

impl GprsKeys {
    /// How a bearer called `name` behaves. Random outages are drawn by the seed and the name.
    pub fn config(&self, context: &RadioContext<'_>, name: &str) -> GprsConfig {
        GprsConfig {
            slots: [self.downlink.slots, self.uplink.slots],
            queues: context.queues,
            errors: self.errors(),
            gaps: self.gaps(context, name),
            gprs: self.gprs.clone(),
        }
    }

    /// Whether `tbler` determines how many blocks err.
    pub fn has_tbler(&self) -> bool {
        matches!(self.errors(), Errors::Constant(_))
    }

    fn errors(&self) -> Errors {
        let ci = Quality::CarrierToInterference;
        let of = |scheme: CodingScheme, rate| ci(scheme.ci_of(rate));
        let good = of(CodingScheme::Cs2, 0.04);
        let fair = of(CodingScheme::Cs2, 0.15);
        let bad = of(CodingScheme::Cs1, 0.4);
        let lasting = |quality| Errors::States(vec![State { quality, mean: None }]);
        let state =
            |(quality, seconds)| State { quality, mean: Some(Duration::from_secs(seconds)) };
        match (self.gprs.state, &self.gilbert_elliott, self.ci) {
            (RadioState::Good, _, _) => lasting(good),
            (RadioState::Fair, _, _) => lasting(fair),
            (RadioState::Bad, _, _) => lasting(bad),
            (RadioState::Varying, _, _) => {
                Errors::States([(good, 30), (fair, 10), (bad, 5)].map(state).to_vec())
            }
            (RadioState::Given, Some(bursts), _) => Errors::States(vec![
                State { quality: Quality::ErrorRate(bursts.good), mean: Some(bursts.good_mean) },
                State { quality: Quality::ErrorRate(bursts.bad), mean: Some(bursts.bad_mean) },
            ]),
            (RadioState::Given, None, Some(carrier)) => lasting(ci(carrier)),
            (RadioState::Given, None, None) => Errors::Constant(self.tbler),
        }
    }

    /// When nothing gets through, in order: if two gaps overlap, the later one begins when the
    /// earlier one ends.
    fn gaps(&self, context: &RadioContext<'_>, name: &str) -> Vec<Gap> {
        let at = |time: Duration| Time::ZERO + time;
        let outage = |[from, to]: [Time; 2]| Gap { from, to, kind: GapKind::Outage };
        let reselections = self.reselections.iter().map(|one| Gap {
            from: at(one.at),
            to: at(one.at + one.lasts),
            kind: GapKind::Reselection(one.forward),
        });
        let resets = self.resets.iter().map(|from| Gap {
            from: at(*from),
            to: at(*from + self.gprs.restart),
            kind: GapKind::Reset,
        });
        let outages = self.outages(context, name).into_iter().map(outage);
        let mut gaps: Vec<_> = outages.chain(reselections).chain(resets).collect();
        gaps.sort_by_key(|gap| gap.from);
        let mut end = Time::ZERO;
        gaps.retain_mut(|gap| {
            gap.from = gap.from.max(end);
            end = end.max(gap.to);
            gap.from < gap.to
        });
        gaps
    }

    /// Checks that block error rates come from one place.
    fn check_errors(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let sources = [
            ("tbler", tree.find(&format!("{at}.tbler")).is_some()),
            ("gilbert_elliott", self.gilbert_elliott.is_some()),
            ("ci", self.ci.is_some()),
            ("gprs.state", self.gprs.state != RadioState::Given),
        ];
        let mut given = sources.into_iter().filter(|(_, is_given)| *is_given);
        if let (Some((first, _)), Some((second, _))) = (given.next(), given.next()) {
            let message = format!("give {at}.{first} or {at}.{second}, not both");
            return tree.clash_at(at, &[second, first], message);
        }
        Ok(())
    }
}

impl Keys for GprsKeys {
    fn interface(&self) -> &'static str {
        "Um"
    }

    fn queues(&self) -> Queues {
        Queues::Together("GPRS")
    }

    fn mobiles(&self) -> usize {
        self.ues as usize
    }

    /// Of the payload of the slots, without errors and before headers, in the fastest scheme that
    /// may be chosen.
    fn bottlenecks(&self, _: &RadioContext<'_>, _: usize) -> [Rate; 2] {
        let first = self.gprs.scheme();
        let scheme = match self.gprs.coding_scheme {
            Some(_) => first,
            None => successors(Some(first), |scheme| scheme.faster()).last().unwrap_or(first),
        };
        [self.downlink.slots, self.uplink.slots].map(|slots| {
            let bits = u64::from(scheme.bytes() * slots) * 8;
            Rate::from_bps(bits * 1_000_000_000 / BLOCK_PERIOD.as_nanos())
        })
    }

    fn outages(&self, context: &RadioContext<'_>, name: &str) -> Vec<[Time; 2]> {
        let given = self.outages.iter().map(|outage| outage.map(|time| Time::ZERO + time));
        let mut outages: Vec<_> = given.collect();
        let end = Time::ZERO + context.duration;
        outages.extend(self.outage.draw(end, context.seed, &format!("{name}/outages")));
        outages.sort_unstable();
        outages
    }

    fn cut(&mut self, span: [Duration; 2]) -> bool {
        self.outages.push(span);
        true
    }
}
