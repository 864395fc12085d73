//! What `[radio]` has for dedicated channels and cells of UMTS alike.

use base::{Direction, Duration, Probability, Rate};
use link::queue;
use settings::{
    Absent, Always, ChanceBounds, Fault, Leaf, Nothing, OfTime, Off, Or, Scalar, Speed, Table,
    Takes, Tbler, Word, as_key, section, words,
};

use super::backlog::{Limit, Scope};
use super::buffer::Buffer;
use super::channels::spreading::{Spreading, SpreadingFactor, SpreadingTable};
use super::channels::{DedicatedChannels, DedicatedError};
use super::pdcp::PdcpConfig;
use super::{BlockErrorRate, Blocks, Dpcch, rlc};
use crate::keys::RadioContext;

section! {
    /// `[radio]` of either kind of UMTS. Defaults: lo2005 Table 3, and where its text leaves a
    /// value open, what fits its results.
    pub struct UmtsKeys {
        /// The set of defaults for this table; keys given here take precedence.
        pub profile: Option<Profile> as Or<Nothing, Word<Profile>> = None;
        /// Transport block error rate of both directions: every block is in error with this
        /// probability, independently of all others.
        pub tbler: Probability as Tbler = Probability::NEVER;
        /// Limits between which the block error rate of both directions is drawn for each frame of
        /// 10 ms, in place of `tbler`; a longer TTI has the mean of its frames.
        pub tbler_limits: Option<[Probability; 2]> as ChanceBounds<Off> = None;
        /// What decides whether a block arrives: one draw, or one each for data and control
        /// channel. Default: hynderick2004 III.B, data and control succeed or fail together.
        pub dpcch: Dpcch as Word<Dpcch> = Dpcch::WithData;
        /// The rate of each spreading factor.
        pub spreading: SpreadingTable as Word<SpreadingTable> = SpreadingTable::Module;
        /// The manager of the queue ahead of the radio.
        pub buffer: Buffer as Always<Buffer> = Buffer::default();
        /// The convergence protocol, alike in both directions.
        pub pdcp: PdcpConfig as Always<PdcpConfig> = PdcpConfig::default();
        /// The link control, alike in both directions.
        pub rlc: rlc::RlcConfig as Always<rlc::RlcConfig> = rlc::RlcConfig::default();
    }
    supersedes(
        tbler: tbler_limits, downlink.tbler, downlink.tbler_limits, uplink.tbler,
        uplink.tbler_limits
    )
    supersedes(
        tbler_limits: tbler, downlink.tbler, downlink.tbler_limits, uplink.tbler,
        uplink.tbler_limits
    )
    check(Self::check)
}

words! {
    /// A named set of defaults for `[radio]`.
    pub enum Profile {
        /// Acknowledged mode of TS 25.322 as lo2005 has it.
        Standard = "3gpp",
        /// The UMTS module of Hynderick and Raes 2004.
        Thesis = "thesis",
    }
}

section! {
    /// `[radio.downlink]`, `[radio.uplink]`: the dedicated channel of one direction.
    pub struct ChannelKeys {
        /// RLC payload per time, without RLC headers.
        pub rate: Rate as Speed = Rate::from_bps(384_000);
        /// The spreading factor, in place of `rate`: `radio.spreading` says what rate it has. With
        /// `auto` the lowest rate that carries what the flows ask for together (`flow.rate`).
        pub sf: Option<Spreading> as Or<as_key::Rate, Spreading> = None;
        /// Transmission time interval.
        pub tti: Duration as Tti = Duration::from_millis(10);
        /// Transport block error rate of this direction.
        pub tbler: Option<Probability> as Or<as_key::RadioTbler, Tbler> = None;
        /// Limits of this direction's block error rate, in place of `tbler`.
        pub tbler_limits: Option<[Probability; 2]> as ChanceBounds<as_key::RadioTblerLimits> = None;
    }
    supersedes(rate: sf)
    supersedes(sf: rate)
    supersedes(tbler: tbler_limits)
    supersedes(tbler_limits: tbler)
    check(Self::check)
}

impl ChannelKeys {
    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        check_errors(tree, at, self.tbler_limits)
    }

    /// 64 kbit/s in TTIs of 20 ms.
    pub(crate) fn usual_uplink() -> Self {
        let (rate, tti) = (Rate::from_bps(64_000), Duration::from_millis(20));
        Self { rate, tti, ..Self::default() }
    }
}

/// The table of a direction's channel.
pub(crate) fn table_of(direction: Direction) -> &'static str {
    direction.of("radio.downlink", "radio.uplink")
}

impl UmtsKeys {
    /// The block error rate of `channel`, one of this radio's, at the start.
    pub fn errors(&self, channel: &ChannelKeys) -> BlockErrorRate {
        let drawn = |[low, high]: [Probability; 2]| BlockErrorRate::Drawn { low, high };
        match (channel.tbler_limits, channel.tbler, self.tbler_limits) {
            (Some(limits), _, _) | (None, None, Some(limits)) => drawn(limits),
            (None, Some(tbler), _) => tbler.into(),
            (None, None, None) => self.tbler.into(),
        }
    }

    /// The limit of what waits in a direction with `queue` ahead of it.
    pub(crate) fn limit(queue: &queue::Config, context: &RadioContext<'_>) -> Limit {
        let scope = if context.per_flow { Scope::Flow } else { Scope::Direction };
        Limit { packets: queue.limit.packets, bytes: queue.limit.bytes, scope }
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        check_errors(tree, at, self.tbler_limits)
    }

    /// The rate of `dpdchs` DPDCHs of the factor `sf`, the value of `key`.
    pub(crate) fn rate_of(
        &self,
        tree: &Table,
        direction: Direction,
        (sf, key): (SpreadingFactor, &str),
        dpdchs: u32,
    ) -> Result<Rate, Fault> {
        let channels = DedicatedChannels::new(self.spreading, direction, sf, dpdchs);
        channels.map(DedicatedChannels::rate).map_err(|error| match error {
            DedicatedError::Spreading(_) => tree.fault(&[key], error.to_string()),
            DedicatedError::Count { .. } => {
                tree.fault(&[&format!("{}.dpdch", table_of(direction))], error.to_string())
            }
        })
    }

    /// Resolves the spreading factor of `channel` to its rate.
    pub(crate) fn settle_rate(
        &self,
        channel: &mut ChannelKeys,
        direction: Direction,
        dpdchs: u32,
        (tree, context): (&Table, &RadioContext<'_>),
    ) -> Result<(), Fault> {
        let [rate, key] = ["rate", "sf"].map(|field| format!("{}.{field}", table_of(direction)));
        let Some(sf) = channel.sf else { return Ok(()) };
        if tree.find(&rate).is_some() {
            if tree.find(&key).is_some() {
                return tree.clash(&[&key, &rate], format!("give {rate} or {key}, not both"));
            }
            channel.sf = None;
            return Ok(());
        }
        let factor = match sf {
            Spreading::Factor(factor) => factor,
            Spreading::Auto => {
                let Some(asked) = context.asked else {
                    let message =
                        format!("{key} = auto needs flow.rate, as in rate = \"140 kbit/s\"");
                    return tree.clash(&[&key, "flow"], message);
                };
                let keys = ["flow.rate", "flow.count", &key];
                let refused = |error| tree.fault(&keys, format!("{key}: {error}"));
                self.spreading.least_for(direction, asked).map_err(refused)?
            }
        };
        channel.rate = self.rate_of(tree, direction, (factor, &key), dpdchs)?;
        Ok(())
    }

    /// Checks that RLC can number what a TTI of `channel` carries, at its rate and at `later` ones.
    pub(crate) fn check_channel(
        &self,
        tree: &Table,
        channel: &ChannelKeys,
        direction: Direction,
        later: impl Iterator<Item = Rate>,
    ) -> Result<(), Fault> {
        let at = table_of(direction);
        let payload = self.rlc.block_bytes();
        let most = MOST_BLOCKS * u64::from(payload) * 8_000_000_000 / channel.tti.as_nanos();
        let too_many = |rate: Rate| {
            let blocks = Blocks::of_rate(rate, channel.tti, payload);
            blocks.is_none_or(|blocks| u64::from(blocks.most()) > MOST_BLOCKS)
        };
        if std::iter::once(channel.rate).chain(later).any(too_many) {
            let [rate, tti, schedule] =
                ["rate", "tti", "schedule"].map(|field| format!("{at}.{field}"));
            let message = format!(
                "more than {MOST_BLOCKS} blocks in a TTI, which RLC cannot number: {rate} must be \
                 at most {}",
                Speed::show(&Rate::from_bps(most))
            );
            let keys = [&*rate, &*tti, "radio.rlc.pdu_payload", &*schedule, "radio.schedule"];
            return tree.clash(&keys, message);
        }
        Ok(())
    }
}

/// RLC can distinguish only as many PDUs as its largest window has.
const MOST_BLOCKS: u64 = 4095;

/// Checks that an error rate is either constant or drawn, and below 100 %.
fn check_errors(tree: &Table, at: &str, limits: Option<[Probability; 2]>) -> Result<(), Fault> {
    let [tbler, key] = ["tbler", "tbler_limits"].map(|field| format!("{at}.{field}"));
    let Some([low, _]) = limits else { return Ok(()) };
    if tree.find(&tbler).is_some() && tree.find(&key).is_some() {
        let message = format!("give {tbler} or {key}, not both");
        return tree.clash(&[&key, &tbler], message);
    }
    if low.hit(u32::MAX) {
        let message = format!("{key}: the lower limit must be below 100 %");
        return tree.clash(&[&key], message);
    }
    Ok(())
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

    fn takes() -> Takes {
        Takes::choice(["10 ms", "20 ms", "40 ms", "80 ms"])
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
