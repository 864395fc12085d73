//! `[radio.gprs]` and the tables beside it: GPRS and EDGE.

use base::{Duration, Probability};

use settings::{
    Absent, Along, Always, Chance, Count, Decibels, Factor, Limits, OfTime, Off, Or, Share,
    Standard, Timed, Word, section, words,
};

section! {
    /// `[radio.gprs]`: RLC/MAC of GPRS and EDGE, and the core network. Defaults: measurements of
    /// chakravorty2003, and where its text leaves a value open, TS 44.060 or what fits them.
    pub struct Gprs {
        /// What radio blocks are coded with.
        pub coding_scheme: Option<SchemeName> as Or<Adaptive, Word<SchemeName>> =
            Some(SchemeName::Cs2);
        /// `coding_scheme = "adaptive"`: what it begins with.
        pub initial_scheme: SchemeName as Word<SchemeName> = SchemeName::Cs2;
        /// When an adaptive scheme changes.
        pub adaptation: Adaptation as Always<Adaptation> = Adaptation::default();
        /// Where block error rates come from: from `radio.tbler`, `radio.gilbert_elliott` and
        /// `radio.ci`, or from a named state of the radio.
        pub state: RadioStateName as Word<RadioStateName> = RadioStateName::Given;
        /// WS: blocks between the first not acknowledged and the next. Default: 64, with EDGE 64
        /// and twice as many a slot (TS 44.060 §9.1.9).
        pub window: Option<u32> as Or<Standard, Count<u32, 1, 1024>> = None;
        /// Every so many blocks the receiver is asked for a report, which TS 44.060 leaves to the
        /// network. Default: fits the groups of acknowledgements of chakravorty2003 §III; osmo-pcu
        /// has 20.
        pub poll_blocks: u32 as Count<u32, 1, 1024> = 25;
        /// From a block with a poll to when its sender has understood the report. Default: fits
        /// the rates measured, within the 120 to 200 ms of a base station.
        pub round_trip: Duration as OfTime<100_000_000> = Duration::from_millis(120);
        /// One downlink block in so many goes to other messages of the network. Default: none are
        /// needed to fit the rates measured.
        pub control_every: Option<u32> as Or<Off, Count<u32, 2, 1_000_000>> = None;
        /// A packet that has waited longer for the radio is discarded (TS 48.018 §6.1).
        pub lifetime: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// A longer outage loses what waits at the base station; others delay it. Default: the
        /// stall of chakravorty2003 §VI.D, which lost nothing, lasted about so long.
        pub keep: Duration as OfTime = Duration::from_secs(10);
        /// From a link reset until the mobile begins anew. Default: our choice.
        pub restart: Duration as OfTime<1> = Duration::from_secs(30);
        /// Temporary block flows.
        pub tbf: TbfTimes as Always<TbfTimes> = TbfTimes::default();
        /// Between gateway and base station.
        pub core: Core as Always<Core> = Core::default();
    }
}

section! {
    /// `[radio.gprs.adaptation]`: a coding scheme goes up or down by the share of blocks that
    /// reports ask for again. Defaults: osmo-pcu.
    pub struct Adaptation {
        /// Below it the next faster one.
        pub up: Probability as Chance = Probability::new(0.1).unwrap_or_default();
        /// Above it the next slower one.
        pub down: Probability as Chance = Probability::new(0.33).unwrap_or_default();
        /// So many blocks are judged before either. Default: as many as between polls.
        pub blocks: u32 as Count<u32, 1, 10_000> = 20;
    }
}

section! {
    /// `[radio.gprs.tbf]`: how temporary block flows come and go.
    pub struct TbfTimes {
        /// How long the set-up of either direction takes while the other has one, or while the
        /// mobile still listens: uniform. Default: chakravorty2003 §II.
        pub associated: [Duration; 2] as Limits<OfTime> = millis(100, 200);
        /// Downlink otherwise.
        pub common: [Duration; 2] as Limits<OfTime> = millis(300, 700);
        /// Uplink otherwise: random access and assignment.
        pub access: [Duration; 2] as Limits<OfTime> = millis(150, 400);
        /// T3192: how long the mobile listens after a release.
        pub t3192: Duration as OfTime = Duration::from_millis(500);
        /// Delayed release downlink (R99): how long a flow is kept with nothing to send. Default:
        /// R97, as the phones of chakravorty2003.
        pub delayed_release: Duration as OfTime = Duration::ZERO;
        /// The same of an extended uplink flow (R4).
        pub extended_uplink: Duration as OfTime = Duration::ZERO;
        /// A mobile that receives asks for its uplink in reports, and is granted it no sooner
        /// after the last time; off: it uses random access. Default: groups of three to four
        /// acknowledgements, as chakravorty2003 §III saw them.
        pub coupling: Option<Duration> as Or<Off, OfTime> = Some(Duration::from_secs(1));
    }
}

section! {
    /// `[radio.gprs.core]`: gateway, support nodes and what joins them to the base station. Jitter
    /// is log-normal, and reorders nothing.
    pub struct Core {
        /// Median of the delay towards the mobile. Default: fits chakravorty2003 Fig. 1 and §VI.C.
        pub downlink: Duration as OfTime = Duration::from_millis(300);
        /// Median of the delay from the mobile. Default: fits chakravorty2003 Fig. 1 and §VI.C.
        pub uplink: Duration as OfTime = Duration::from_millis(250);
        /// Standard deviation of the logarithm of either. Default: our choice.
        pub jitter: f64 as Factor = 0.15;
        /// For how long a draw holds. Default: our choice.
        pub coherence: Duration as OfTime<1> = Duration::from_secs(1);
    }
}

section! {
    /// `[radio.gilbert_elliott]`: a good and a bad state of the radio, which last for exponential
    /// times, alike for both directions.
    pub struct RadioBursts {
        /// Block error rate in the good state.
        pub good: Probability as Chance = Probability::new(0.04).unwrap_or_default();
        /// Block error rate in the bad state.
        pub bad: Probability as Chance = Probability::new(0.3).unwrap_or_default();
        /// How long the good state lasts on average.
        pub good_mean: Duration as OfTime<1> = Duration::from_secs(30);
        /// How long the bad state lasts on average.
        pub bad_mean: Duration as OfTime<1> = Duration::from_secs(5);
    }
}

section! {
    /// `[radio.outage]`: outages at random, beside those of `radio.outages`.
    pub struct RandomOutages {
        /// Mean of the exponential time from one to the next: 120 s while driving, 20 min
        /// standing still.
        pub every: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// The shortest. Default: chakravorty2003 §II.
        pub least: Duration as OfTime<1> = Duration::from_secs(5);
        /// The longest. Default: chakravorty2003 §II.
        pub most: Duration as OfTime<1> = Duration::from_secs(40);
        /// Median of their log-normal lengths before the limits. Default: our choice.
        pub median: Duration as OfTime<1> = Duration::from_secs(10);
        /// Standard deviation of the logarithm of the length. Default: our choice.
        pub sigma: f64 as Factor = 0.7;
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

/// The form of `radio.ci`.
pub(crate) type CarrierToInterference = Or<Off, Along<Decibels>>;

/// `adaptive`.
pub(crate) struct Adaptive;

impl Absent for Adaptive {
    const WORD: &'static str = "adaptive";
}

const fn millis(low: u64, high: u64) -> [Duration; 2] {
    [Duration::from_millis(low), Duration::from_millis(high)]
}

words! {
    /// A coding scheme.
    pub enum SchemeName {
        /// 8 kbit/s a slot.
        Cs1 = "cs-1",
        /// 12 kbit/s a slot.
        Cs2 = "cs-2",
        /// 14.4 kbit/s a slot.
        Cs3 = "cs-3",
        /// 20 kbit/s a slot.
        Cs4 = "cs-4",
        /// EDGE, 8.8 kbit/s a slot.
        Mcs1 = "mcs-1",
        /// EDGE, 11.2 kbit/s a slot.
        Mcs2 = "mcs-2",
        /// EDGE, 14.8 kbit/s a slot.
        Mcs3 = "mcs-3",
        /// EDGE, 17.6 kbit/s a slot.
        Mcs4 = "mcs-4",
        /// EDGE, 22.4 kbit/s a slot.
        Mcs5 = "mcs-5",
        /// EDGE, 29.6 kbit/s a slot.
        Mcs6 = "mcs-6",
        /// EDGE, 44.8 kbit/s a slot.
        Mcs7 = "mcs-7",
        /// EDGE, 54.4 kbit/s a slot.
        Mcs8 = "mcs-8",
        /// EDGE, 59.2 kbit/s a slot.
        Mcs9 = "mcs-9",
    }
}

words! {
    /// Where block error rates come from.
    pub enum RadioStateName {
        /// From the keys of `[radio]`.
        Given = "given",
        /// A carrier with which CS-2 has 4 % of its blocks in error.
        Good = "good",
        /// A carrier with which CS-2 has 15 % of its blocks in error.
        Fair = "fair",
        /// A carrier with which CS-1 has 40 % of its blocks in error.
        Bad = "bad",
        /// Those three by turns, for 30, 10 and 5 s on average.
        Varying = "varying",
    }
}
