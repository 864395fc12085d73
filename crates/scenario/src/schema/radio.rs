//! `[radio]`: the mobile's bearer.

use base::{Duration, Probability, Rate};
use radio::umts::pdcp::PdcpConfig;
use radio::umts::rlc;

use super::gprs::CarrierToInterference;
use super::{
    Admission, Air, Buffer, Channel, DpcchName, Fach, Gprs, Handover, Mobility, NodeB, Place, Rach,
    RadioBursts, RadioStep, RandomOutages, Reselection, Rrc, Spike, SpreadingName, Ue,
};
use crate::profile::RadioProfile;
use settings::{
    Always, ChanceLimits, Count, Each, Labels, Moments, Nothing, Off, Or, Perhaps, Spans, Steps,
    Tbler, Word, section, words,
};

section! {
    /// `[radio]`: a bearer over UMTS or GPRS. Defaults of UMTS: lo2005 Table 3, and where its
    /// text leaves a value open, what fits its results.
    pub struct Radio {
        /// The kind of bearer.
        pub kind: RadioKind as Word<RadioKind> = RadioKind::UmtsDch;
        /// The set of defaults for this table: what is given here counts more.
        pub profile: Option<RadioProfile> as Or<Nothing, Word<RadioProfile>> = None;
        /// Transport block error rate of both directions: every block is in error with this
        /// probability, independently of all others.
        pub tbler: Probability as Tbler = Probability::NEVER;
        /// Limits between which the block error rate of both directions is drawn for each frame of
        /// 10 ms, in the place of `tbler`; in a longer TTI the mean of its frames holds.
        pub tbler_limits: Option<[Probability; 2]> as ChanceLimits<Off> = None;
        /// `gprs`: a good and a bad state, in the place of `tbler`.
        pub gilbert_elliott: Option<RadioBursts> as Perhaps<RadioBursts> = None;
        /// `gprs`: the ratio of carrier to interference, which decides with the coding scheme how
        /// many blocks err, in the place of `tbler`.
        pub ci: Option<f64> as CarrierToInterference = None;
        /// `gprs`: from when to when nothing gets through.
        pub outages: Vec<[Duration; 2]> as Spans = Vec::new();
        /// `gprs`: outages at random, beside those.
        pub outage: RandomOutages as Always<RandomOutages> = RandomOutages::default();
        /// `gprs`: when the mobile goes to another cell.
        pub reselections: Vec<Reselection> as Steps<Reselection> = Vec::new();
        /// `gprs`: when the mobile stops to listen, until it begins anew (`radio.gprs.restart`).
        pub resets: Vec<Duration> as Moments = Vec::new();
        /// What decides whether a block arrives: one draw, or one each for data and control
        /// channel. Default: hynderick2004 III.B, data and control succeed or fail together.
        pub dpcch: DpcchName as Word<DpcchName> = DpcchName::WithData;
        /// What rate a spreading factor has.
        pub spreading: SpreadingName as Word<SpreadingName> = SpreadingName::Module;
        /// What changes when: `rate` or `sf` of the downlink, `tbler` of both directions, and
        /// `coverage`.
        pub schedule: Vec<RadioStep> as Steps<RadioStep> = Vec::new();
        /// Delay spikes: nothing moves, and nothing is lost.
        pub spikes: Vec<Spike> as Steps<Spike> = Vec::new();
        /// Handovers.
        pub handovers: Vec<Handover> as Steps<Handover> = Vec::new();
        /// The manager of the queue ahead of the radio.
        pub buffer: Buffer as Always<Buffer> = Buffer::default();
        /// Towards the mobile.
        pub downlink: Channel as Always<Channel> = Channel::default();
        /// From the mobile. Default: 64 kbit/s in TTIs of 20 ms.
        pub uplink: Channel as Always<Channel> = Channel {
            rate: Rate::from_bps(64_000),
            tti: Duration::from_millis(20),
            slots: 1,
            ..Channel::default()
        };
        /// The convergence protocol, alike in both directions.
        pub pdcp: PdcpConfig as Always<PdcpConfig> = PdcpConfig::default();
        /// The link control, alike in both directions.
        pub rlc: rlc::Config as Always<rlc::Config> = rlc::Config::default();
        /// `gprs`: time slots, flows of blocks and the core network.
        pub gprs: Gprs as Always<Gprs> = Gprs::default();
        /// How many mobiles there are: of `umts-cell` beside those of `[[radio.ue]]`, otherwise
        /// each with a bearer of its own, where 0 is one called UE. Flows take turns.
        pub ues: u32 as Count<u32, 0, 50_000> = 0;
        /// `umts-cell`: where those are.
        pub place: Place as Always<Place> = Place::default();
        /// `umts-cell`: mobiles with a place of their own.
        pub ue: Vec<Ue> as Each<Ue> = Vec::new();
        /// `umts-cell`: base stations.
        pub node_b: Vec<NodeB> as Each<NodeB> = Vec::new();
        /// `umts-cell`: the RNCs. Whose base station a mobile begins with serves it.
        pub rncs: Vec<String> as Labels = vec!["RNC".to_owned()];
        /// `umts-cell`: how connections come and go.
        pub rrc: Rrc as Always<Rrc> = Rrc::default();
        /// `umts-cell`: the shared channel downlink.
        pub fach: Fach as Always<Fach> = Fach::default();
        /// `umts-cell`: the shared channel uplink.
        pub rach: Rach as Always<Rach> = Rach::default();
        /// `umts-cell`: powers, noise and path loss.
        pub interference: Air as Always<Air> = Air::default();
        /// `umts-cell`: how much load dedicated channels may bring.
        pub admission: Admission as Always<Admission> = Admission::default();
        /// `umts-cell`: how mobiles go from cell to cell.
        pub mobility: Mobility as Always<Mobility> = Mobility::default();
    }
}

words! {
    /// A kind of radio bearer.
    pub enum RadioKind {
        /// Dedicated channels of UMTS in both directions.
        UmtsDch = "umts-dch",
        /// Cells that several mobiles share.
        UmtsCell = "umts-cell",
        /// Time slots of GPRS or EDGE.
        Gprs = "gprs",
    }
}
