//! `[radio.downlink]`, `[radio.uplink]`: the channels of a bearer, and how they change over time.

use base::{Direction, Duration, Probability, Rate};
use radio::umts::channels::{SpreadingFactor, SpreadingTable};
use radio::umts::{self, BufferManager};

use settings::Scalar;
use settings::{
    Absent, Chance, ChanceLimits, Count, Factor, Leaf, OfTime, Or, Speed, Steps, Tbler, Timed,
    Word, as_key, section, words,
};

section! {
    /// `[radio.downlink]`, `[radio.uplink]`: the dedicated channel of one direction.
    pub struct Channel {
        /// RLC payload per time, without RLC headers.
        pub rate: Rate as Speed = Rate::from_bps(384_000);
        /// The spreading factor, in the place of `rate`: `radio.spreading` says what rate it has.
        /// With `auto` the least rate that carries what the flows ask for together (`flow.rate`).
        pub sf: Option<Spreading> as Or<as_key::Rate, Spreading> = None;
        /// How many DPDCHs of that factor go under one DPCCH; their rates add up. Uplink 1 to 6,
        /// several of them with factor 4 alone (TS 25.211 §5.2.1).
        pub dpdch: u32 as Count<u32, 1, 8> = 1;
        /// `gprs`: time slots. Default: a 3+1 phone of chakravorty2003.
        pub slots: u32 as Count<u32, 1, 8> = 3;
        /// Transmission time interval.
        pub tti: Duration as Tti = Duration::from_millis(10);
        /// Transport block error rate of this direction.
        pub tbler: Option<Probability> as Or<as_key::RadioTbler, Tbler> = None;
        /// Limits of this direction's block error rate, in the place of `tbler`.
        pub tbler_limits: Option<[Probability; 2]> as ChanceLimits<as_key::RadioTblerLimits> = None;
        /// What changes when: `rate` or `sf`, and `tbler`, of this direction.
        pub schedule: Vec<ChannelStep> as Steps<ChannelStep> = Vec::new();
    }
}

section! {
    /// A step of `radio.downlink.schedule` or `radio.uplink.schedule`: what is left out stays as
    /// it was.
    pub struct ChannelStep {
        /// From when it holds; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The rate.
        pub rate: Option<Rate> as Or<as_key::Before, Speed> = None;
        /// The spreading factor, in the place of `rate`.
        pub sf: Option<SpreadingFactor> as Or<as_key::Before, Sf> = None;
        /// Transport block error rate, up to 100 %.
        pub tbler: Option<Probability> as Or<as_key::Before, Chance> = None;
    }
}

section! {
    /// A step of `radio.schedule`: what is left out stays as it was.
    pub struct RadioStep {
        /// From when it holds; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The rate of the downlink.
        pub rate: Option<Rate> as Or<as_key::Before, Speed> = None;
        /// The spreading factor of the downlink, in the place of `rate`.
        pub sf: Option<SpreadingFactor> as Or<as_key::Before, Sf> = None;
        /// Transport block error rate of both directions, up to 100 %.
        pub tbler: Option<Probability> as Or<as_key::Before, Chance> = None;
        /// Whether the mobile is reached; if not, every block of both directions is in error.
        pub coverage: Option<bool> as Or<as_key::Before, settings::Flag> = None;
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
    pub fn end(&self) -> Duration {
        self.at
            + match self.kind {
                HandoverKind::Hard => self.gap.unwrap_or(USUAL_GAP),
                HandoverKind::Soft | HandoverKind::Softer => Duration::ZERO,
            }
    }
}

/// The gap of a hard handover that names none.
const USUAL_GAP: Duration = Duration::from_millis(200);

/// A longer one is no handover but a link lost (in ns).
const LONGEST_GAP: u64 = 10_000_000_000;

words! {
    /// A kind of handover.
    pub enum HandoverKind {
        /// The old link ends first: for a while nothing is sent, and the link control begins anew
        /// at another place.
        Hard = "hard",
        /// The mobile has links to both base stations meanwhile: nothing is lost.
        Soft = "soft",
        /// The mobile has links to two sectors of one base station meanwhile: nothing is lost.
        Softer = "softer",
    }
}

words! {
    /// What rate a spreading factor has.
    pub enum SpreadingName {
        /// Control has a channel of its own in both directions: hynderick2004, Tables III.1-2.
        Module = "module",
        /// Downlink, control shares the slot with data: TS 25.211 Table 11.
        Standard = "standard",
    }
}

impl SpreadingName {
    /// The table of that name.
    pub const fn table(self) -> SpreadingTable {
        match self {
            Self::Module => SpreadingTable::Module,
            Self::Standard => SpreadingTable::Standard,
        }
    }
}

words! {
    /// What decides whether a block arrives.
    pub enum DpcchName {
        /// Data and control channel of a slot succeed or fail together: one draw.
        WithData = "with-data",
        /// A draw for each of them: the block arrives if both do.
        Apart = "apart",
    }
}

section! {
    /// `[radio.buffer]`: a manager of the queue ahead of the radio that RRC tells the channel's
    /// rate. `[queue]` still bounds what it grants.
    pub struct Buffer {
        /// What gives each flow its room. Default: nothing, `[queue]` alone counts.
        pub manager: Manager as Word<Manager> = Manager::Off;
        /// The round-trip time of the path without its queue; required by `bdp`.
        pub rtt: Option<Duration> as Or<Missing, OfTime<1>> = None;
        /// What the flows are for.
        pub class: Class as Word<Class> = Class::Bulk;
        /// How many bandwidth-delay products (BDP) a bulk flow may have waiting. Default: one
        /// (Villamizar and Song 1994).
        pub bulk: f64 as Factor = 1.0;
        /// How many an interactive flow may have waiting. Default: half of one, our choice.
        pub interactive: f64 as Factor = 0.5;
        /// In which order what waits is sent.
        pub service: Service as Word<Service> = Service::InOrder;
        /// How long ahead of a change of rate the coming rate counts. Default: one round trip, so
        /// that the senders have heard of it when it comes.
        pub anticipation: Option<Duration> as Or<as_key::Rtt, OfTime> = None;
    }
}

words! {
    /// What gives each flow its room in the queue.
    pub enum Manager {
        /// Nothing.
        Off = "off",
        /// Its share of the channel's rate over a round-trip time, by class.
        Bdp = "bdp",
    }
}

words! {
    /// What flows are for.
    pub enum Class {
        /// Throughput.
        Bulk = "bulk",
        /// Short waits.
        Interactive = "interactive",
        /// Bulk and interactive in turn, in the order in which the flows begin.
        Mixed = "mixed",
    }
}

words! {
    /// In which order what waits is sent.
    pub enum Service {
        /// As it came.
        InOrder = "in-order",
        /// The flows in turn, a packet each (RFC 970).
        InTurn = "in-turn",
    }
}

impl Buffer {
    /// The manager, if there is one.
    pub fn config(&self) -> Option<BufferManager> {
        let rtt = match self.manager {
            Manager::Off => None,
            Manager::Bdp => self.rtt,
        }?;
        let factors = match self.class {
            Class::Bulk => [self.bulk; 2],
            Class::Interactive => [self.interactive; 2],
            Class::Mixed => [self.bulk, self.interactive],
        };
        let service = match self.service {
            Service::InOrder => umts::Service::InOrder,
            Service::InTurn => umts::Service::InTurn,
        };
        let anticipation = self.anticipation.unwrap_or(rtt);
        Some(BufferManager { rtt, factors, service, anticipation })
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

/// A spreading factor, or one that fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spreading {
    /// What RRC picks for the sum of the flows' rates.
    Auto,
    /// This one.
    Factor(SpreadingFactor),
}

impl Leaf for Spreading {
    type Value = Self;

    fn expected() -> String {
        format!("{}, or auto", Sf::expected())
    }

    fn parse(scalar: &Scalar) -> Result<Self, String> {
        if scalar.text == "auto" {
            return Ok(Self::Auto);
        }
        Sf::parse(scalar).map(Self::Factor).map_err(|message| format!("{message}, or auto"))
    }

    fn show(value: &Self) -> String {
        match value {
            Self::Auto => "auto".to_owned(),
            Self::Factor(factor) => Sf::show(factor),
        }
    }
}

/// A spreading factor of either direction.
pub(crate) struct Sf;

impl Leaf for Sf {
    type Value = SpreadingFactor;

    fn expected() -> String {
        "a power of two from 4 to 512 (uplink to 256)".to_owned()
    }

    fn parse(scalar: &Scalar) -> Result<SpreadingFactor, String> {
        Count::<u32, 0, 1_000_000>::parse(scalar)
            .ok()
            .and_then(|chips| SpreadingFactor::new(chips, Direction::Downlink).ok())
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &SpreadingFactor) -> String {
        value.to_string()
    }
}

/// A value that must be given.
pub(crate) struct Missing;

impl Absent for Missing {
    const WORD: &'static str = "missing";
}

/// A transmission time interval of a dedicated channel (TS 25.302 §7.1.6).
pub(crate) struct Tti;

impl Leaf for Tti {
    type Value = Duration;

    fn expected() -> String {
        "10 ms, 20 ms, 40 ms or 80 ms".to_owned()
    }

    fn parse(scalar: &Scalar) -> Result<Duration, String> {
        let tti = OfTime::<0>::parse(scalar)?;
        [10, 20, 40, 80]
            .map(Duration::from_millis)
            .contains(&tti)
            .then_some(tti)
            .ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn show(value: &Duration) -> String {
        OfTime::<0>::show(value)
    }
}
