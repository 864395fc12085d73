//! `[radio]` with `kind = "nb-iot"`.

use std::iter::{repeat, repeat_n};

use base::{Duration, Probability, Rate, Schedule, Time};
use settings::{
    Along, Always, Chance, Count, Decibels, Each, Fault, Flat, Label, OfTime, Off, Or, Perhaps,
    Steps, Table, Timed, Word, absent, as_key, named, section, words,
};

use super::config::{Access, Connection, Level, NbIotConfig, SUBFRAME, level_of};
use super::format::Formats;
use super::power;
use super::search_space::SearchSpace;
use super::tables::{Category, Tones};
use crate::channel::{Alike, Fading, Mobiles, Radio, put};
use crate::keys::{Keys, Queues, RadioContext};
use crate::kit::paging::{self, EdrxKeys, Paging, PsmKeys};
use crate::rlc36::{self, Mode};

absent! {
    ByLevel = "by-level",
    ByLoad = "by-load",
}

section! {
    /// `[radio]` of an NB-IoT carrier. What is `by-level` follows from the coupling loss.
    pub struct NbIotKeys {
        /// How much weaker a signal arrives than it was sent: up to 144 dB it is coverage level 0,
        /// up to 154 dB level 1, beyond it level 2 (TR 45.820 §5.1).
        pub coupling_loss: f64 as Along<Decibels> = 144.0;
        /// From when it is another one.
        pub coupling_losses: Vec<Step> as Steps<Step> = Vec::new();
        /// What mobiles can do.
        pub category: Category as Word<Category> = Category::Nb1;
        /// Towards the mobile.
        pub downlink: Downlink as Always<Downlink> = Downlink::default();
        /// From the mobile.
        pub uplink: Uplink as Always<Uplink> = Uplink::default();
        /// What the base station tells mobiles.
        pub npdcch: Npdcch as Always<Npdcch> = Npdcch::default();
        /// How mobiles come to be heard.
        pub nprach: Nprach as Always<Nprach> = Nprach::default();
        /// Hybrid ARQ.
        pub harq: NbIotHarq as Always<NbIotHarq> = NbIotHarq::default();
        /// Link control.
        pub rlc: Rlc as Always<Rlc> = Rlc::default();
        /// Connections, and what a mobile without one does.
        pub rrc: Rrc as Always<Rrc> = Rrc::default();
        /// Extended cycles of pages. Without it there are none.
        pub edrx: Option<EdrxKeys> as Perhaps<EdrxKeys> = None;
        /// Power saving mode. Without it there is none.
        pub psm: Option<PsmKeys> as Perhaps<PsmKeys> = None;
        /// What the radio of a mobile draws.
        pub power: power::Keys as Always<power::Keys> = power::Keys::default();
        /// Mobiles whose radio is not that of the others.
        pub ue: Vec<NbIotUe> as Each<NbIotUe> = Vec::new();
        /// The mobiles, and what befalls their radio.
        pub mobiles: Mobiles as Flat<Mobiles> = Mobiles::default();
    }
    check(Self::check)
}

section! {
    /// `[[radio.ue]]`: mobiles whose radio is not that of the others.
    pub struct NbIotUe {
        /// Its name in settings (`radio.ue.NAME.coupling_loss`) and results; required. Several are
        /// called NAME-0, NAME-1 and so on.
        pub name: String as Label = String::new();
        /// How many are alike.
        pub count: u32 as Count<u32, 1, 50_000> = 1;
        /// How much weaker a signal arrives than it was sent; where it is given, steps of the
        /// others do not count. Repetitions and timers that are `by-level` follow from it.
        pub coupling_loss: Option<f64> as Or<as_key::Radio, Along<Decibels>> = None;
        /// From when it is another one.
        pub coupling_losses: Vec<Step> as Steps<Step> = Vec::new();
        /// How the ratio of signal to noise varies. Default: as that of the others.
        pub fading: Option<Fading> as Perhaps<Fading> = None;
    }
}

named!(NbIotUe);

impl NbIotUe {
    /// Their coupling loss, where that of the others is `of_all`.
    fn loss(&self, of_all: &Schedule<f64>) -> Schedule<f64> {
        if self.coupling_loss.is_none() && self.coupling_losses.is_empty() {
            return of_all.clone();
        }
        let first = self.coupling_loss.unwrap_or_else(|| of_all.at(Time::ZERO));
        course(first, &self.coupling_losses)
    }

    /// The mobiles, where the others have a coupling loss `of_all` and such `radios`.
    fn alike(&self, of_all: &Schedule<f64>, [down, up]: &[Radio; 2]) -> Alike<'_> {
        let loss = self.loss(of_all);
        let radios = [(DOWN_BUDGET, down), (UP_BUDGET, up)].map(|(budget, others)| {
            let fading = self.fading.or(others.fading);
            Radio { snr: loss.map(|loss| budget - loss), fading, ..others.clone() }
        });
        Alike { name: &self.name, count: self.count, radios }
    }
}

/// A coupling loss over time.
fn course(first: f64, steps: &[Step]) -> Schedule<f64> {
    let steps = steps.iter().map(|step| (Time::ZERO + step.at, step.coupling_loss));
    Schedule::new(first, steps.collect())
}

section! {
    /// A member of `radio.coupling_losses`.
    #[derive(Copy)]
    pub struct Step {
        /// From when; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The coupling loss; required.
        pub coupling_loss: f64 as Along<Decibels> = 144.0;
    }
}

impl Timed for Step {
    const NEEDED: &'static [(&'static str, &'static str)] =
        &[("at", "\"20 s\""), ("coupling_loss", "\"154 dB\"")];

    fn at(&self) -> Duration {
        self.at
    }
}

section! {
    /// `[radio.downlink]`: what mobiles receive (NPDSCH).
    pub struct Downlink {
        /// How often a block is sent as one (TS 36.213 table 16.4.1.3-2). By level: 1, 4, 32; our
        /// choice.
        pub repetitions: Option<u32> as Or<ByLevel, Count<u32, 1, 2048>> = None;
        /// How many blocks err that are sent for the first time, in place of what the coupling
        /// loss says.
        pub bler: Option<Probability> as Or<Off, Chance> = None;
    }
}

section! {
    /// `[radio.uplink]`: what mobiles send (NPUSCH).
    pub struct Uplink {
        /// How often a block or an acknowledgement is sent as one (TS 36.213 table 16.5.1.1-3). By
        /// level: 1, 4, 32; our choice.
        pub repetitions: Option<u32> as Or<ByLevel, Count<u32, 1, 128>> = None;
        /// Over how many tones of 15 kHz a mobile sends, or over one of 3.75 kHz. By level: 12, 3,
        /// 1; our choice.
        pub tones: Option<Tones> as Or<ByLevel, Word<Tones>> = None;
        /// How many blocks err that are sent for the first time, in place of what the coupling
        /// loss says.
        pub bler: Option<Probability> as Or<Off, Chance> = None;
    }
}

words! {
    /// From one search space to the next, times its length (TS 36.331, `npdcch-StartSF-USS`).
    pub enum Interval {
        /// 1.5 times.
        ThreeHalves = "1.5",
        /// Twice.
        Two = "2",
        /// Four times.
        Four = "4",
        /// Eight times.
        Eight = "8",
        /// 16 times.
        Sixteen = "16",
        /// 32 times.
        ThirtyTwo = "32",
        /// 48 times.
        FortyEight = "48",
        /// 64 times.
        SixtyFour = "64",
    }
}

impl Interval {
    /// The period of search spaces of `span` subframes; not whole if there is a remainder of two.
    fn halves(self, span: u64) -> u64 {
        span * match self {
            Self::ThreeHalves => 3,
            Self::Two => 4,
            Self::Four => 8,
            Self::Eight => 16,
            Self::Sixteen => 32,
            Self::ThirtyTwo => 64,
            Self::FortyEight => 96,
            Self::SixtyFour => 128,
        }
    }
}

section! {
    /// `[radio.npdcch]`: how the base station tells a mobile of a block.
    pub struct Npdcch {
        /// How many subframes a message takes. By level: 1, 8, 32; our choice.
        pub repetitions: Option<u32> as Or<ByLevel, Count<u32, 1, 2048>> = None;
        /// How many it takes at most (R_max): for so long a mobile looks for one. By level: 2, 32,
        /// 128; our choice, with G the shortest period that TS 36.213 §16.6 allows at level 0.
        pub max_repetitions: Option<u32> as Or<ByLevel, Count<u32, 1, 2048>> = None;
        /// From one search space to the next, times R_max (G). Default: our choice.
        pub interval: Interval as Word<Interval> = Interval::Two;
    }
}

words! {
    /// The form of a preamble (TS 36.211 table 10.1.6.1-1).
    pub enum PreambleFormat {
        /// 5.6 ms, for cells up to 10 km.
        Short = "0",
        /// 6.4 ms, for cells up to 40 km.
        Long = "1",
    }
}

section! {
    /// `[radio.nprach]`: how mobiles come to be heard.
    pub struct Nprach {
        /// How often a preamble is sent as one (TS 36.211 §10.1.6.1). By level: 2, 8, 32; our
        /// choice.
        pub repetitions: Option<u32> as Or<ByLevel, Count<u32, 1, 128>> = None;
        /// How often one may be sent (TS 36.331: 40 ms to 2.56 s). By level: 320, 640, 640 ms;
        /// our choice.
        pub period: Option<Duration> as
            Or<ByLevel, OfTime<40_000_000, 2_560_000_000>> = None;
        /// Its form.
        pub format: PreambleFormat as Word<PreambleFormat> = PreambleFormat::Short;
        /// Among how many tones of its level a mobile draws one (TS 36.331: 12, 24, 36 or 48).
        pub subcarriers: u32 as Count<u32, 1, 48> = 12;
        /// How many mobiles that are not simulated send a preamble in each period: if one of them
        /// draws the same tone, neither is heard.
        pub others: u32 as Count<u32, 0, 1000> = 0;
        /// How long a mobile waits to learn that its preamble was another's as well. Default: our
        /// choice.
        pub contention_timer: Duration as OfTime = Duration::from_millis(640);
        /// Back-off: then it waits for a time drawn up to this. By load: the base station chooses
        /// it among those of TS 36.321 table 7.2-2, 256 ms to 524 s, so that of the mobiles that
        /// it takes to be waiting (Rivest 1987, Network control by Bayesian broadcast) as many
        /// try at once as there are tones; our choice.
        pub backoff: Option<Duration> as Or<ByLoad, OfTime> = None;
        /// The most preambles of a random access; then it has failed (TS 36.331,
        /// preambleTransMax-CE: 3 to 200). Default: our choice.
        pub attempts: u32 as Count<u32, 1, 200> = 10;
    }
}

section! {
    /// `[radio.harq]`: hybrid ARQ of one process with soft combining (TS 36.321 §5.3.2, §5.4.2).
    #[derive(Copy)]
    pub struct NbIotHarq {
        /// How often a block is sent again before link control has to repair the loss. Default:
        /// our choice.
        pub repeats: u32 as Count<u32, 0, 31> = 3;
    }
}

section! {
    /// `[radio.rlc]`: link control in acknowledged mode (TS 36.322).
    pub struct Rlc {
        /// After so long without an answer the last PDU asks again (t-PollRetransmit; TS 36.331
        /// of release 13 has 250 ms to 180 s). By level at the start: 2 s, 6 s, 25 s; our choice.
        pub poll_retransmit: Option<Duration> as Or<ByLevel, OfTime<1>> = None;
        /// How often a PDU is sent again before the radio link fails (maxRetxThreshold). Default:
        /// our choice.
        pub max_retransmissions: u32 as Count<u32, 1, 255> = 16;
    }
}

section! {
    /// `[radio.rrc]`: connections, and what a mobile without one does.
    pub struct Rrc {
        /// How long a mobile that wakes looks for the carrier and reads what that says of itself.
        /// By level: 0.7, 0.8, 1.2 s; our choice.
        pub synchronization: Option<Duration> as Or<ByLevel, OfTime> = None;
        /// How many messages, each with an answer, set a connection up after the random access:
        /// one where data go with signalling, more with a bearer of its own. Default: our choice.
        pub exchanges: u32 as Count<u32, 1, 10> = 2;
        /// The connection is released so long after the last block. Default: our choice.
        pub inactivity: Duration as OfTime<1_000_000> = Duration::from_secs(10);
        /// A mobile whose random access has failed connects anew after so long. Default: T3411 of
        /// TS 24.301 §10.2, after which registration is tried again.
        pub retry: Duration as OfTime<1_000_000> = Duration::from_secs(10);
        /// How often a mobile without one listens for a page (TS 36.331: 1.28 to 10.24 s). Default:
        /// our choice.
        pub paging_cycle: Duration as OfTime<1_000_000> = Duration::from_millis(2560);
    }
}

/// What is `by-level`, of levels 0, 1 and 2.
mod by_level {
    use super::Tones;

    pub(super) const DOWN: [u32; 3] = [1, 4, 32];
    pub(super) const UP: [u32; 3] = [1, 4, 32];
    pub(super) const TONES: [Tones; 3] = [Tones::Twelve, Tones::Three, Tones::One];
    pub(super) const CONTROL: [u32; 3] = [1, 8, 32];
    pub(super) const MAX_CONTROL: [u32; 3] = [2, 32, 128];
    pub(super) const PREAMBLES: [u32; 3] = [2, 8, 32];
    pub(super) const OCCASIONS_MS: [u64; 3] = [320, 640, 640];
    pub(super) const POLL_MS: [u64; 3] = [2000, 6000, 25_000];
    pub(super) const SYNCHRONIZATION_MS: [u64; 3] = [700, 800, 1200];
}

/// What a base station of 35 dBm over 180 kHz leaves above the noise of a receiver with 5 dB of its
/// own, in decibels: the budget of TR 45.820 for a carrier within one of LTE.
const DOWN_BUDGET: f64 = 151.4;

/// The same of a mobile of 23 dBm over 15 kHz at a base station with 3 dB of its own.
const UP_BUDGET: f64 = 152.2;

/// How often the ratio of signal to noise is measured and reported. Our choice.
const REPORT: Duration = Duration::from_millis(100);

fn slots(time: Duration) -> u64 {
    time.ceil_to(SUBFRAME).whole(SUBFRAME)
}

impl NbIotKeys {
    /// The coupling loss at `now`.
    pub fn coupling_loss_at(&self, now: Time) -> f64 {
        course(self.coupling_loss, &self.coupling_losses).at(now)
    }

    /// From `at` on the coupling loss is as given, until a later step.
    pub fn change_coupling_loss(&mut self, at: Duration, coupling_loss: f64) {
        put(&mut self.coupling_losses, Step { at, coupling_loss });
    }

    /// The carrier and its mobiles.
    pub fn config(&self, context: &RadioContext<'_>) -> NbIotConfig {
        let paging = Paging::new(SUBFRAME, self.rrc.paging_cycle, self.edrx, self.psm);
        let of_all = course(self.coupling_loss, &self.coupling_losses);
        let budgets = [(DOWN_BUDGET, self.downlink.bler), (UP_BUDGET, self.uplink.bler)];
        let radios = budgets.map(|(budget, bler)| {
            self.mobiles.radio(of_all.map(|loss| budget - loss), bler, [REPORT; 2])
        });
        let ues = self.mobiles.ues(self.ue.iter().map(|ue| ue.alike(&of_all, &radios)), &radios);
        let own = self.ue.iter().flat_map(|ue| repeat_n(ue.loss(&of_all), ue.count as usize));
        NbIotConfig {
            coupling_losses: own.chain(repeat(of_all.clone())).take(ues.len()).collect(),
            levels: [0, 1, 2].map(|level| self.level(level)),
            repeats: self.harq.repeats,
            rlc: [0, 1, 2].map(|level| self.link_control(level)),
            queues: context.queues,
            access: Access {
                subcarriers: self.nprach.subcarriers,
                others: self.nprach.others,
                attempts: self.nprach.attempts,
                contention: slots(self.nprach.contention_timer),
                backoff: self.nprach.backoff.map(slots),
            },
            connection: Connection {
                exchanges: self.rrc.exchanges,
                inactivity: slots(self.rrc.inactivity),
                retry: slots(self.rrc.retry),
            },
            power: self.power.model(&paging),
            paging,
            ues,
        }
    }

    /// Link control of a mobile that is in a level of coverage at the start.
    fn link_control(&self, level: usize) -> rlc36::Rlc36Config {
        let by_level = Duration::from_millis(by_level::POLL_MS[level]);
        rlc36::Rlc36Config {
            mode: Mode::Am,
            numbered: rlc36::Numbered::Pdus,
            poll_pdus: None,
            poll_bytes: None,
            poll_retransmit: self.rlc.poll_retransmit.unwrap_or(by_level),
            max_retransmissions: self.rlc.max_retransmissions,
            // With one process nothing overtakes: a gap is a loss, and is reported at once (TS
            // 36.331, `enableStatusReportSN-Gap`).
            reordering: Duration::from_nanos(1),
            status_prohibit: Duration::ZERO,
            window: 512,
        }
    }

    fn level(&self, level: usize) -> Level {
        let or = |key: Option<u32>, of: [u32; 3]| u64::from(key.unwrap_or(of[level]));
        let time = |key: Option<Duration>, of: [u64; 3]| {
            slots(key.unwrap_or(Duration::from_millis(of[level])))
        };
        let unit = match self.nprach.format {
            PreambleFormat::Short => Duration::from_micros(5600),
            PreambleFormat::Long => Duration::from_micros(6400),
        };
        let span = or(self.npdcch.max_repetitions, by_level::MAX_CONTROL);
        let tones = self.uplink.tones.unwrap_or(by_level::TONES[level]);
        let preambles = or(self.nprach.repetitions, by_level::PREAMBLES);
        let repetitions = [
            or(self.downlink.repetitions, by_level::DOWN),
            or(self.uplink.repetitions, by_level::UP),
        ];
        Level {
            synchronization: time(self.rrc.synchronization, by_level::SYNCHRONIZATION_MS),
            control: SearchSpace {
                period: self.npdcch.interval.halves(span) / 2,
                span,
                repetitions: or(self.npdcch.repetitions, by_level::CONTROL),
            },
            repetitions,
            tones,
            preamble: slots(unit * preambles),
            // The fourth or 41st subframe from that in which it ends (TS 36.321 §5.1.4).
            answer: if preambles < 64 { 3 } else { 40 },
            occasions: time(self.nprach.period, by_level::OCCASIONS_MS),
            formats: [
                Formats::down(self.category, repetitions[0]),
                Formats::up(self.category, tones, repetitions[1]),
            ],
        }
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let of_all = course(self.coupling_loss, &self.coupling_losses);
        let losses = std::iter::once(of_all.clone());
        let losses: Vec<_> = losses.chain(self.ue.iter().map(|ue| ue.loss(&of_all))).collect();
        for level in losses.iter().flat_map(Schedule::values).map(level_of) {
            let SearchSpace { span, repetitions, .. } = self.level(level).control;
            if repetitions > span {
                let message = format!(
                    "{at}.npdcch.repetitions must be at most {at}.npdcch.max_repetitions, which \
                     is {span}"
                );
                let keys = ["npdcch.repetitions", "npdcch.max_repetitions"];
                return tree.clash_at(at, &keys, message);
            }
            let halves = self.npdcch.interval.halves(span);
            if halves % 2 == 1 || halves < 8 {
                let message = format!(
                    "{at}.npdcch.max_repetitions times {at}.npdcch.interval must be a whole number \
                     of subframes, 4 or more"
                );
                let keys = ["npdcch.max_repetitions", "npdcch.interval"];
                return tree.clash_at(at, &keys, message);
            }
        }
        paging::check((self.edrx, self.psm), self.rrc.paging_cycle, tree, at)
    }
}

impl Keys for NbIotKeys {
    fn interface(&self) -> &'static str {
        "Uu"
    }

    fn queues(&self) -> Queues {
        Queues::Together("NB-IoT")
    }

    fn listed(&self) -> Vec<(&str, u32)> {
        self.ue.iter().map(|ue| (&*ue.name, ue.count)).collect()
    }

    fn rates(&self, context: &RadioContext<'_>, ue: usize) -> Option<[Schedule<Option<Rate>>; 2]> {
        Some(self.config(context).rates(ue).map(|rates| rates.map(Some)))
    }

    fn sharers(&self) -> Option<&Mobiles> {
        Some(&self.mobiles)
    }

    fn sharers_mut(&mut self) -> Option<&mut Mobiles> {
        Some(&mut self.mobiles)
    }
}
